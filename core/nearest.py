"""The nearest configurations that pass, where one is refused: a search by derivation.

Inputs are varied one at a time; two at a time where that finds nothing; and where that
finds nothing either, one after the other, each time the one that mends most. Nothing is
guessed: every candidate is derived, and the answer says what was varied and how far.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import log2
from typing import Any, Literal, NamedTuple

from kcfg.core.kernel import Kernel
from kcfg.core.quantity import Input
from kcfg.core.verdict import failures

STEPS = (8, 16, 32, 64, 128)
"""Shapes and tiles are multiples of these; the nearest few on either side are tried."""

PAIRED = 16
"""How many candidates of an input are tried together with those of another; multiples only."""

ROUNDS = 4
"""How many inputs are changed one after the other at most."""

PAIRS = 300
"""How many pairs of candidates are derived at most: a search takes a few tenths of a second."""


Search = Literal["one", "two", "in turn"]


class Change(NamedTuple):
    """One input, by its key in a spec: its value now, and the one that passes."""

    key: str
    given: Any
    passes: Any


class Varied(NamedTuple):
    """What was tried for an input: so many values, integers from ``least`` to ``most``."""

    key: str
    tried: int
    least: int | None
    most: int | None


class Nearest(NamedTuple):
    """What was found: sets of changes, the smallest first, each of which passes by itself.

    ``search`` is "one" or "two" for that many inputs varied at a time, "in turn" for one
    after the other; ``derived`` is how many configurations were looked at, ``complete``
    whether these were all there are within the bounds.
    """

    found: tuple[tuple[Change, ...], ...]
    varied: tuple[Varied, ...]
    search: Search
    derived: int
    complete: bool


def nearest(kernel: Kernel) -> Nearest | None:
    """The smallest changes of inputs that make a refused configuration pass.

    None where it is not refused. Only inputs that every failed condition rests on can
    mend it alone; two can where each condition rests on one of them.
    """

    def given(member: Input) -> Any:
        return getattr(kernel, member.name)

    failed = [set(failure.inputs) for failure in failures(kernel)]
    if not failed:
        return None
    members = [member for member in kernel.inputs.values() if any(member.key in f for f in failed)]
    values = {member.name: candidates(member, given(member)) for member in members}

    alone = [member for member in members if all(member.key in keys for keys in failed)]
    found = [change for member in alone for change in _alone(kernel, member, values[member.name])]
    derived = sum(len(values[member.name]) for member in alone)
    if found:
        return _result(kernel, found, alone, values, "one", derived, True)

    coarse = {
        member.name: candidates(member, given(member), around=0, multiples=1) for member in members
    }
    near = {name: tried[:PAIRED] for name, tried in coarse.items()}
    pairs = [
        pair
        for pair in combinations(members, 2)
        if all(any(member.key in keys for member in pair) for keys in failed)
    ]
    ranked = _ranked(kernel, pairs, near)
    found, count = _first(kernel, ranked)
    derived += count
    paired = [member for member in members if any(member in pair for pair in pairs)]
    if found or len(members) <= 2:
        return _result(kernel, found, paired, near, "two", derived, count == len(ranked))

    found, count = _in_turn(kernel, coarse)
    return _result(kernel, found, members, coarse, "in turn", derived + count, False)


def candidates(member: Input, given: Any, around: int = 8, multiples: int = 4) -> list[Any]:
    """Other values an input may have, the closest first; none for one that is absent.

    Of an integer: powers of two, its default, so many ``multiples`` of each of `STEPS`
    on either side, and all values within ``around``.
    """
    if member.kind is bool:
        return [] if given is None else [not given]
    if member.kind is not int:
        absent = (None,) if member.default is None else ()
        return [value for value in (*absent, *member.choices) if value != given]
    if given is None:
        return []
    values = {given + step for step in range(-around, around + 1)} | {
        2**power for power in range(13)
    }
    for step in STEPS:
        values |= {(given // step + times) * step for times in range(1 - multiples, 1 + multiples)}
    if isinstance(member.default, int):
        values.add(member.default)
    allowed = [value for value in values if member.least <= value <= member.most]
    return sorted(set(allowed) - {given}, key=lambda value: _distance(given, value))


def _distance(given: Any, value: Any) -> float:
    """How far a change goes: doublings of an integer, 1 for any other."""
    if type(given) is int and type(value) is int:
        return abs(log2((abs(value) + 1) / (abs(given) + 1))) or 1.0
    return 1.0


def _changed(kernel: Kernel, changes: dict[str, Any]) -> Kernel:
    given = {name: getattr(kernel, name) for name in kernel.inputs}
    return type(kernel)(target=kernel.target, **{**given, **changes})


def _passes(kernel: Kernel, changes: dict[str, Any]) -> bool:
    return bool(_changed(kernel, changes).read("supported"))


def _alone(kernel: Kernel, member: Input, tried: list[Any]) -> Iterator[dict[str, Any]]:
    """The closest value of one input that passes, if any does."""
    for value in tried:
        if _passes(kernel, {member.name: value}):
            yield {member.name: value}
            return


def _ranked(
    kernel: Kernel, pairs: list[tuple[Input, Input]], near: dict[str, list[Any]]
) -> list[dict[str, Any]]:
    """The changes of two inputs together, the smallest first."""
    changes = [
        {one.name: a, two.name: b}
        for one, two in pairs
        for a, b in product(near[one.name], near[two.name])
    ]
    return sorted(changes, key=lambda change: _far(kernel, change))


def _in_turn(kernel: Kernel, values: dict[str, list[Any]]) -> tuple[list[dict[str, Any]], int]:
    """Change after change, each the one that leaves the fewest failed conditions."""
    changes: dict[str, Any] = {}
    left, derived = len(failures(kernel)), 0
    for _ in range(ROUNDS):
        tried = [
            {**changes, name: value}
            for name, near in values.items()
            if name not in changes
            for value in near
        ]
        outcomes = [(len(failures(_changed(kernel, change))), change) for change in tried]
        derived += len(tried)
        fewest = min((count for count, _ in outcomes), default=left)
        if fewest >= left:
            break
        best = [change for count, change in outcomes if count == fewest]
        left, changes = fewest, min(best, key=lambda change: _far(kernel, change))
        if left == 0:
            return [changes], derived
    return [], derived


def _far(kernel: Kernel, changes: dict[str, Any]) -> float:
    return sum(_distance(getattr(kernel, name), value) for name, value in changes.items())


def _first(kernel: Kernel, ranked: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """The first changes that pass, and how many were derived to know."""
    for count, changes in enumerate(ranked[:PAIRS], 1):
        if _passes(kernel, changes):
            return [changes], count
    return [], min(len(ranked), PAIRS)


def _result(
    kernel: Kernel,
    found: list[dict[str, Any]],
    members: list[Input],
    values: dict[str, list[Any]],
    search: Search,
    derived: int,
    complete: bool,
) -> Nearest:
    return Nearest(
        found=tuple(
            tuple(
                Change(kernel.inputs[name].key, getattr(kernel, name), value)
                for name, value in changes.items()
            )
            for changes in sorted(found, key=lambda changes: _far(kernel, changes))
        ),
        varied=tuple(_varied(member, values[member.name]) for member in members),
        search=search,
        derived=derived,
        complete=complete,
    )


def _varied(member: Input, tried: list[Any]) -> Varied:
    bounded = member.kind is int and bool(tried)
    return Varied(
        member.key,
        len(tried),
        min(tried) if bounded else None,
        max(tried) if bounded else None,
    )
