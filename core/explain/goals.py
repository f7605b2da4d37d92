"""How to get a result: the nearest choices of a kernel's author by which it comes out as wanted.

A goal is a pin, as a spec's ``expect`` has them. The search is that of
``kcfg.core.explain.nearest``, among what the author chooses: every answer was derived, is
supported, and passes the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from kcfg.core.errors import UnknownError, UsageError
from kcfg.core.explain.explanation import locate
from kcfg.core.explain.moves import moves, resting
from kcfg.core.explain.nearest import TOGETHER, TRIES, accepted, word
from kcfg.core.explain.refusal import Side, failures
from kcfg.core.explain.searching import Asked, Search, Searching
from kcfg.core.expressions.mistakes import foreign
from kcfg.core.kernel import Kernel
from kcfg.core.spec.expectation import Expectation, place_of, read_pin, result, results
from kcfg.core.spec.section import Entry, Notes, Setting

GOAL = re.compile(r"\s*([A-Za-z_][\w.\[\]]*)\s*(==|!=|<=|>=|=>|=<|<|>|=)\s*(.*?)\s*", re.DOTALL)
TURNED = {"=>": ">=", "=<": "<="}
SIGNS = frozenset("=!<>")
"""What tells a goal from a name."""
FORM = 'expected a goal such as "num_kv_stages >= 6", or several with `and` between them'


class Sought(NamedTuple):
    """What was wanted and what came of it.

    ``now`` are the results as they are; ``reached`` says that they are as wanted already.
    ``search`` is what was tried where they are not, and ``gives`` the results of each answer
    it found.
    """

    goals: tuple[str, ...]
    now: tuple[Side, ...]
    reached: bool
    search: Search | None
    gives: tuple[tuple[Side, ...], ...]


def is_goal(word: str) -> bool:
    """Whether a word of a command line wants a result, rather than names one."""
    return not SIGNS.isdisjoint(word)


def read_goals(text: str, kernel: Kernel) -> list[Expectation]:
    """The pins that a text puts down; raises `UsageError` for what is none.

    It is an `UnknownError` for one of a result, input or place that the configuration has not.
    """
    cls = type(kernel)
    for operator, advice, _ in foreign(text):
        if operator == "||":
            advice = "goals are sought together: ask for one of them"
        if operator != "=":
            raise UsageError(f"`{operator}` is no operator here; {advice}")
    notes = Notes("", 0)
    pins: list[Expectation] = []
    for part in re.split(r"\s+and\s+", text):
        match = GOAL.fullmatch(part)
        if not match:
            raise UsageError(f"{FORM}, not {text!r}")
        key, sign, value = match.groups()
        if sign in TURNED:
            raise UsageError(f"`{sign}` is no comparison; did you mean `{TURNED[sign]}`?")
        unit = _unit(cls, key)
        if unit is not None and key not in results(cls) and result(kernel, key) is None:
            unit = None if place_of(cls, key) else unit
        if unit is None:
            raise UnknownError("value", key, results(cls))
        bound = f"{'==' if sign == '=' else sign} {value}"
        entry = Entry(Setting(text, key), Setting(text, bound))
        pins += [pin] if (pin := read_pin(key, entry, unit, notes)) else []
    for problem in notes.problems():
        raise UsageError(problem.message)
    return pins


def said(pin: Expectation) -> str:
    """A pin as a command line has it."""
    if isinstance(pin.value, tuple):
        return f"{pin.key} in {', '.join(map(word, pin.value))}"
    return f"{pin.key} {pin.operator} {word(pin.value)}"


def seek(kernel: Kernel, pins: Iterable[Expectation]) -> Sought:
    """The nearest choices by which every pin holds."""
    wanted = list(pins)
    goals = [_asked(type(kernel), pin) for pin in wanted]
    failed = failures(kernel)
    missed = [goal for goal in goals if not goal.condition(kernel)]
    search = None
    if missed or failed or not accepted(kernel):
        keys = {name: member.key for name, member in kernel.inputs.items()}
        rests = [frozenset(failure.inputs) for failure in failed]
        rests += [frozenset(keys[name] for name in goal.names) for goal in missed]
        names = [name for pin in wanted for name in _names(type(kernel), pin.key)]
        allowed = moves(kernel, failed, tunable=True, also=names)
        searching = Searching(kernel, rests, goals, accepted)
        search = searching.among(allowed, range(1, TOGETHER + 1), TRIES, beyond=1)
    return Sought(
        goals=tuple(map(said, wanted)),
        now=_results(kernel, wanted),
        reached=search is None,
        search=search,
        gives=tuple(
            _results(_changed(kernel, {each.key: each.passes for each in changes}), wanted)
            for changes in (search.found if search else ())
        ),
    )


def _unit(cls: type[Kernel], key: str) -> str | None:
    """The unit of what a goal may be about; None for what is none."""
    known = results(cls) | {member.key: member.unit for member in cls.inputs.values()}
    return known.get(key) or place_of(cls, key)


def _names(cls: type[Kernel], key: str) -> tuple[str, ...]:
    """The inputs, by attribute, that a result rests on.

    Those are all where it is a place that only the configuration itself knows.
    """
    try:
        return resting(cls, locate(cls, key).name)
    except UnknownError:
        return tuple(cls.inputs)


def _asked(cls: type[Kernel], pin: Expectation) -> Asked:
    """A pin as a condition on configurations."""
    names = frozenset(_names(cls, pin.key))
    return Asked(names, lambda kernel: pin.allows(result(kernel, pin.key)))


def _changed(kernel: Kernel, changes: dict[str, object]) -> Kernel:
    given = {
        name: changes.get(member.key, getattr(kernel, name))
        for name, member in kernel.inputs.items()
    }
    return type(kernel)(target=kernel.target, **given)


def _results(kernel: Kernel, pins: Iterable[Expectation]) -> tuple[Side, ...]:
    keys = dict.fromkeys(pin.key for pin in pins)
    return tuple(Side(key, result(kernel, key)) for key in keys)
