"""What may be changed of a configuration, and to what: the inputs, and candidates for each.

Equal facts of a model, as both depths of its heads, also move together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import gcd, log2
from typing import Any, NamedTuple

from kcfg.core.engine.graph import graph
from kcfg.core.engine.quantity import Input
from kcfg.core.engine.trees import NoSourceError
from kcfg.core.explain.refusal import Failure
from kcfg.core.kernel import VERDICT, Kernel

STEPS = (8, 16, 32, 64, 128)
"""Shapes and tiles are multiples of these; the nearest few on either side are tried."""

TILES = (16, 32, 64, 128, 256)
COUNTS = (1, 2, 4, 8)
"""What is tried of a size, or of a number of things, where several inputs change."""

GRAIN = 32
"""No size that is whole in these is changed for one that is not: nobody has pages of 129 tokens."""

SIZES = ("rows", "columns", "tokens", "elements")
"""The units of what comes in `TILES`."""


class Move(NamedTuple):
    """Inputs that take one new value together: a single one, or equal facts of a model.

    ``names`` are their attributes and ``keys`` what a spec calls them. ``values`` are
    tried where nothing else changes, ``few`` of them beside other moves; the closest first.
    """

    names: tuple[str, ...]
    keys: tuple[str, ...]
    given: Any
    values: tuple[Any, ...]
    few: tuple[Any, ...]


def moves(
    kernel: Kernel, failed: Iterable[Failure], *, tunable: bool, also: Iterable[str] = ()
) -> list[Move]:
    """The moves of what the kernel's author chooses, or of the model's facts.

    Only inputs that the verdict rests on, or what is ``also`` named; inputs that are absent
    stay so. Equal facts that move together come first.
    """
    names = resting(type(kernel), VERDICT, *also)
    members = [kernel.inputs[name] for name in names if kernel.inputs[name].tunable is tunable]
    alike: dict[Any, list[Input]] = {}
    for member in members:
        given = getattr(kernel, member.name)
        if member.kind is not bool and given not in (None, 0, -1, member.default):
            alike.setdefault((member.unit, member.kind, given), []).append(member)
    tied = [] if tunable else [equal for equal in alike.values() if len(equal) > 1]
    compared = [failure for failure in failed if len(failure.path) == 1]
    found = (_move(kernel, equal, compared) for equal in [*tied, *([each] for each in members)])
    return [move for move in found if move.values]


def resting(cls: type[Kernel], *names: str) -> tuple[str, ...]:
    """The inputs, by attribute, that values rest on; all where no source is there to tell."""
    try:
        return graph(cls).rests_on(*names)
    except NoSourceError:
        return tuple(cls.inputs)


def _move(kernel: Kernel, members: list[Input], compared: list[Failure]) -> Move:
    names = tuple(member.name for member in members)
    given = getattr(kernel, names[0])
    written = {value for failure in compared for value in _constants(failure, names)}
    each = [set(candidates(member, given, written)) for member in members]
    values = [
        value
        for value in candidates(members[0], given, written)
        if all(value in others for others in each)
    ]
    free = members[0].kind is int and not members[0].choices
    few = _few(members[0], given) | written if free and values else set(values)
    return Move(
        names=names,
        keys=tuple(member.key for member in members),
        given=given,
        values=tuple(values),
        few=tuple(value for value in values if value in few),
    )


def candidates(member: Input, given: Any, also: Iterable[int] = ()) -> list[Any]:
    """Other values an input may have, the closest first; none for one that is absent.

    Of an integer: powers of two up to 4096, its default, four multiples of each of
    `STEPS` on either side, all values within 8, and what is named ``also``. Of a size that
    comes in whole 2s, 4s up to `GRAIN`s, what does not is left out, but for usual values.
    """
    if member.kind is bool:
        return [] if given is None else [not given]
    if member.kind is not int:
        absent = (None,) if member.default is None else ()
        return [value for value in (*absent, *member.choices) if value != given]
    if given is None:
        return []
    values = set(range(given - 8, given + 9))
    for step in STEPS:
        values |= {(given // step + times) * step for times in range(-3, 5)}
    grain = gcd(given, GRAIN) if member.unit in SIZES else 1
    values = {value for value in values if value % grain == 0}
    values |= {*(2**power for power in range(13)), *also, *_few(member, given)}
    if member.choices:
        values = set(member.choices)
    allowed = [value for value in values if member.least <= value <= member.most]
    return sorted(set(allowed) - {given}, key=lambda value: (distance(given, value), value))


def distance(given: Any, value: Any) -> float:
    """How far a change goes: doublings of an integer, 1 for any other."""
    if type(given) is int and type(value) is int:
        return abs(log2((abs(value) + 1) / (abs(given) + 1))) or 1.0
    return 1.0


def _few(member: Input, given: int | None) -> set[int]:
    """Usual values of an integer, its default, and a large one in whole 32s; none of an absent."""
    if given is None:
        return set()
    usual = set(TILES if member.unit in SIZES else COUNTS)
    if given > 16:
        usual |= {given // 32 * 32, -(-given // 32) * 32}
    return usual | {member.default} if isinstance(member.default, int) else usual


def _constants(failure: Failure, names: tuple[str, ...]) -> set[int]:
    """The numbers that a condition compares one of these inputs with."""
    if not any(side.text in names for side in failure.reads):
        return set()
    return {int(digits) for digits in re.findall(r"\b\d+\b", failure.condition)}
