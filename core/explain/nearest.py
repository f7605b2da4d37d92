"""The nearest configurations that pass, where one is refused: a search by derivation.

First among what the kernel's author chooses, up to three inputs at a time; then among
the model's facts, one at a time or equal ones together; and where neither finds anything,
among both. Nothing is guessed: every candidate is derived as far as it takes to see that
a condition fails, and the answer says what was varied and how far.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from kcfg.core.explain.moves import moves
from kcfg.core.explain.refusal import failures
from kcfg.core.explain.searching import Change, Search, Searching, Varied
from kcfg.core.figures import joined, some
from kcfg.core.findings import blamed_inputs, findings
from kcfg.core.kernel import Kernel

TOGETHER = 3
"""How many moves are made at a time at most."""

TRIES = 4000
"""How many configurations are tried at most: more than any kernel has choices for by now."""

MIXED = 250
"""The same where choices and facts are changed together."""

UNREACHED = "no setting of the tunable inputs was found that reaches it"
"""What is said where a wanted result is out of reach of what the author chooses."""


class Nearest(NamedTuple):
    """What the kernel's author can choose so that it passes, and which other model would pass.

    ``mixed`` is the search among both, made where those find nothing.
    """

    author: Search
    model: Search
    mixed: Search | None

    @property
    def answers(self) -> list[tuple[Change, ...]]:
        """The first answer of each search that found one, the author's own before the model's."""
        searches = (self.author, self.model, self.mixed)
        return [search.found[0] for search in searches if search is not None and search.found]


def nearest(kernel: Kernel) -> Nearest | None:
    """The smallest changes of inputs by which its own verdict and every rule pass a refused one.

    None where it is not refused, by neither.
    """
    failed = failures(kernel)
    broken = _broken(kernel)
    rests = [frozenset(failure.inputs) for failure in failed] or broken
    if not rests:
        return None
    if not all(rests):  # a condition that no input bears on, or no source to read them from
        nothing = Search((), (), 0, 0, True)
        return Nearest(nothing, nothing, None)
    keys = frozenset().union(*rests, *broken)
    also = [name for name, member in kernel.inputs.items() if member.key in keys]
    search = Searching(kernel, rests, accepted=accepted)
    author, model = (moves(kernel, failed, tunable=each, also=also) for each in (True, False))
    choices = search.among(author, range(1, TOGETHER + 1), TRIES, beyond=1)
    facts = search.among(model, range(1, 2), TRIES, beyond=0)
    if choices.found or facts.found:
        return Nearest(choices, facts, None)
    whole = [move for move in model if type(move.given) is int]
    mixed = search.among([*whole, *author], range(2, TOGETHER + 1), MIXED, beyond=0)
    return Nearest(choices, facts, mixed)


def accepted(kernel: Kernel) -> bool:
    """Whether no rule finds an error in this."""
    return not any(finding.severity == "error" for finding in findings(kernel))


def _broken(kernel: Kernel) -> list[frozenset[str]]:
    """The inputs, by key, that each error of the rules rests on: all, where that is not known."""
    every = tuple(member.key for member in kernel.inputs.values())
    errors = (each for each in findings(kernel) if each.severity == "error")
    return [frozenset(blamed_inputs(type(kernel), each.path) or every) for each in errors]


def said(changes: Iterable[Change]) -> str:
    """Changes as a spec would have them: ``BM 64 and ws_shared_key true``."""
    return joined(f"{joined(keys)} {word(passes)}" for keys, _, passes in merged(changes))


def merged(changes: Iterable[Change]) -> list[tuple[list[str], Any, Any]]:
    """Keys with the value they have and the one that passes, equal ones together."""
    found: list[tuple[list[str], Any, Any]] = []
    for key, given, passes in changes:
        if found and found[-1][1:] == (given, passes):
            found[-1][0].append(key)
        else:
            found.append(([key], given, passes))
    return found


def word(value: Any) -> str:
    """A value as a spec has it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def changed(changes: Iterable[Change]) -> str:
    """Changes with what each was before: ``BM = 64 (not 256)``."""
    return joined(
        f"{joined(keys)} = {word(passes)} (not {word(given)})"
        for keys, given, passes in merged(changes)
    )


FEW = 3
"""Inputs that are named with the bounds they were varied in, where something was found."""


def tried(search: Search) -> str:
    """How many configurations, of what, and whether these were all.

    Where nothing was found, or few inputs were varied, within which bounds as well.
    """
    named = not search.found or len(search.varied) <= FEW
    return _tried(search, joined(map(_bounds, search.varied)) if named else "")


def brief(search: Search) -> str:
    """The same in less than a line."""
    return _tried(search, "")


def _tried(search: Search, of: str) -> str:
    if not search.tried:
        return "none, as no such change bears on every condition that fails"
    at_a_time = "one change" if search.together == 1 else f"up to {search.together} changes"
    count = some(search.tried, "configuration")
    none = "" if search.found else ", none of which passes"
    rest = "" if search.complete else "; these are not all there are"
    of = of or some(len(search.varied), "input")
    return f"{count}{none}; {at_a_time} at a time of {of}{rest}"


def _bounds(varied: Varied) -> str:
    names = " with ".join(varied.keys)
    if varied.least is None or varied.most is None:
        return names
    least, most = varied.least, varied.most
    return f"{names} {least:,}" if least == most else f"{names} {least:,} to {most:,}"
