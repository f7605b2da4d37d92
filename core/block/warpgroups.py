"""The warpgroups of a block: which roles share one, and what registers they come to.

Everything here is remembered by the registers' declaration, which all configurations of
one kernel have in common.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from kcfg.core.block.parts import Registers, Role, Warpgroup
from kcfg.core.engine.arith import ceildiv, up
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
def spans(registers: Registers) -> tuple[tuple[int, int, Role], ...]:
    """Every role with its index and first warp; one without follows the role before it."""
    found = []
    after = 0
    for index, role in enumerate(registers.roles):
        first = after if role.first is None else role.first
        after = first + (role.warps or 0)
        found.append((index, first, role))
    return tuple(found)


class Share(NamedTuple):
    """What warps ``first``..``last`` set, in registers per thread; None for what they have."""

    name: str
    first: int
    last: int
    cap: int | None


@lru_cache
def shares(registers: Registers) -> tuple[Share, ...]:
    """Every role with its warps and count, or where there are none every warpgroup."""
    if registers.roles:
        return tuple(
            Share(role.name or f"role {index}", first, first + (role.warps or 0) - 1, role.count)
            for index, first, role in spans(registers)
        )
    return tuple(
        Share(f"warpgroup {number}", WARPS * number, WARPS * number + WARPS - 1, each.count)
        for number, each in enumerate(registers.warpgroups)
    )


@lru_cache
def members(registers: Registers, target: Target) -> dict[int, tuple[int, ...]]:
    """The roles, by index, that have warps in a warpgroup, by its number in a block."""
    found: dict[int, list[int]] = {}
    most = target.max_threads_per_block // (WARPS * target.warp_size)
    for index, first, role in spans(registers):
        end = ceildiv(first + (role.warps or 0), WARPS)
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
def settled(registers: Registers, target: Target, entry: int) -> tuple[int, ...]:
    """Registers per thread of every warpgroup once all have set theirs.

    A warpgroup that sets none keeps ``entry``; where roles of one differ, the larger counts.
    """
    if registers.warpgroups:
        return tuple(entry if each.count is None else each.count for each in registers.warpgroups)
    return tuple(
        max(registers.roles[index].count or entry for index in indices)
        for indices in members(registers, target).values()
    )


@lru_cache
def demand(registers: Registers, target: Target, entry: int, threads: int) -> int:
    """Registers of a block once all have set theirs; who sets none keeps ``entry``."""
    held = up(entry, target.register_alloc_rounding_per_thread)
    shares = [(WARPS * target.warp_size, each.count) for each in registers.warpgroups] or [
        (target.warp_size * (role.warps or 0), role.count) for role in registers.roles
    ]
    silent = max(threads - sum(share for share, _ in shares), 0)
    return silent * held + sum(
        share * (held if count is None else count) for share, count in shares
    )
