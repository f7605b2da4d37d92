"""The warps of a block: which roles share a warpgroup, and what registers they come to.

Everything here is remembered by the registers' declaration, which all configurations of
one kernel have in common.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from kcfg.core.block.parts import Registers, Role, Warpgroup
from kcfg.core.engine.arith import ceildiv, up
from kcfg.core.hardware.occupancy import warps_of
from kcfg.core.hardware.target import Target

WARPS = 4
"""Warps of a warpgroup."""


@lru_cache
def setters(registers: Registers) -> tuple[tuple[str, Role | Warpgroup, int], ...]:
    """All who set a count: the path of the count, the role or warpgroup, and the count."""
    every: list[tuple[str, Role | Warpgroup]] = [
        (f"registers.warpgroups[{index}]", each) for index, each in enumerate(registers.warpgroups)
    ]
    every += [
        (f"registers.roles[{index}].count", each) for index, each in enumerate(registers.roles)
    ]
    return tuple((path, each, each.count) for path, each in every if each.count is not None)


@lru_cache
def role_warps(registers: Registers) -> int | None:
    """Warps of all roles; None without roles, and where one does not say how many it has."""
    given = [role.warps for role in registers.roles if role.warps is not None]
    return sum(given) if given and len(given) == len(registers.roles) else None


@lru_cache
def least_warps(registers: Registers) -> int | None:
    """Warps that a block with these roles has at the least; None where no role says its warps."""
    given = [role.warps for role in registers.roles if role.warps is not None]
    ends = (first + role.warps for _, first, role in spans(registers) if role.warps)
    return max(sum(given), *ends, 0) if given else None


@lru_cache
def spans(registers: Registers) -> tuple[tuple[int, int, Role], ...]:
    """Every role with its index and first warp; one without follows the role before it."""
    found = []
    after = 0
    for index, role in enumerate(registers.roles):
        first = after if role.first is None else role.first
        after = first + (role.warps or 0)
        found.append((index, first, role))
    return tuple(found)


class Share:
    """What warps ``first``..``last`` set, in registers per thread; None for what they have."""

    def __init__(self, name: str, first: int, last: int, cap: int | None) -> None:
        self.name, self.first, self.last, self.cap = name, first, last, cap


@lru_cache
def shares(registers: Registers) -> tuple[Share, ...]:
    """Every role with its warps and count, or where there are none every warpgroup."""
    if registers.roles:
        return tuple(
            Share(called(registers, index), start, end - 1, count)
            for index, first, role in spans(registers)
            for start, end, count in _runs(registers, first, role)
        )
    return tuple(
        Share(f"warpgroup {number}", WARPS * number, WARPS * number + WARPS - 1, each.count)
        for number, each in enumerate(registers.warpgroups)
    )


def _runs(registers: Registers, first: int, role: Role) -> list[tuple[int, int, int | None]]:
    """The warps of a role with the count they set: its own, else those that `warpgroups` says."""
    groups, end = registers.warpgroups, first + (role.warps or 0)
    if role.count is not None or not groups or first == end:
        return [(first, end, role.count)]
    found: list[tuple[int, int, int | None]] = []
    at = first
    while at < end:
        number = at // WARPS
        known = number < len(groups)
        stop = min(end, WARPS * (number + 1)) if known else end
        count = groups[number].count if known else None
        if found and found[-1][2] == count:
            at = found.pop()[0]
        found.append((at, stop, count))
        at = stop
    return found


def called(registers: Registers, index: int) -> str:
    """What a role is called: by its name, else by its place among the roles."""
    return registers.roles[index].name or f"role {index}"


@lru_cache
def members(registers: Registers, target: Target) -> dict[int, tuple[int, ...]]:
    """The roles, by index, that have warps in a warpgroup, by its number in a block."""
    found: dict[int, list[int]] = {}
    most = target.max_threads_per_block // (WARPS * target.warp_size)
    for index, first, role in spans(registers):
        end = ceildiv(first + role.warps, WARPS) if role.warps else 0
        for number in range(first // WARPS, min(end, most)):
            found.setdefault(number, []).append(index)
    return {number: tuple(found[number]) for number in sorted(found)}


@lru_cache
def mixed(registers: Registers, target: Target) -> dict[int, tuple[int, ...]]:
    """The roles, by index, of every warpgroup in which some set a count and others do not, or
    another one.
    """
    return {
        number: indices
        for number, indices in members(registers, target).items()
        if len({registers.roles[index].count for index in indices}) > 1
    }


@lru_cache
def counts(registers: Registers, target: Target, threads: int) -> tuple[int | None, ...] | None:
    """The count that every warp of a block sets, None for one that keeps what it was launched with.

    None for all where that is not known: of more warps than a block may have, of roles that do
    not say how many warps they have, and of a warp that two give different counts.
    """
    warps = warps_of(target, threads)
    setting = [each for each in registers.roles if each.count is not None]
    if warps > warps_of(target, target.max_threads_per_block):
        return None
    if setting and any(role.warps is None for role in registers.roles):
        return None
    said: list[set[int | None]] = [set() for _ in range(warps)]
    for number, group in enumerate(registers.warpgroups):
        for each in said[WARPS * number : WARPS * (number + 1)]:
            each.add(group.count)
    for _, first, role in spans(registers):
        for each in said[first : first + (role.warps or 0)] if role.count is not None else ():
            each.add(role.count)
    if any(len(each) > 1 for each in said):
        return None
    return tuple(next(iter(each), None) for each in said)


def held(target: Target, entry: int) -> int:
    """Registers per thread set aside for a warp that is launched with ``entry``."""
    return up(entry, target.register_alloc_rounding_per_thread)


class Pool(NamedTuple):
    """The registers of a block in one sub-partition of its SM.

    ``granted`` is what the warps there have at launch, ``asked`` what they come to once all have
    set their counts; None where nobody sets any, or where it is not known who does.
    """

    granted: int
    asked: int | None

    @property
    def free(self) -> int | None:
        """What no warp asks for; below 0 where they ask for more than there is."""
        return None if self.asked is None else self.granted - self.asked


@lru_cache
def pools(registers: Registers, target: Target, entry: int, threads: int) -> tuple[Pool, ...]:
    """What a block has in each sub-partition: there are the warps of equal number modulo 4.

    ``entry`` are the registers per thread at launch; they are set aside for whole warps.
    """
    parts, warp = target.sub_partitions, target.warp_size
    before = held(target, entry)
    after = counts(registers, target, threads) if setters(registers) else None
    found = []
    for part in range(parts):
        granted = before * len(range(part, warps_of(target, threads), parts))
        asked = None
        if after is not None:
            asked = sum(before if count is None else count for count in after[part::parts])
        found.append(Pool(warp * granted, None if asked is None else warp * asked))
    return tuple(found)


def alike(pools: Iterable[Pool]) -> bool:
    """Whether all sub-partitions have and ask for the same, so that one sum tells all."""
    return len(set(pools)) == 1
