"""Registers per thread as constants: at launch, and as setmaxnreg deals them out to roles."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from kcfg.core.block.block import Block
from kcfg.core.block.warpgroups import Share, alike, held, mixed
from kcfg.core.emit.conditions import (
    Number,
    at_most,
    bracketed,
    literal,
    multiple,
    product,
    total,
    up_to,
)
from kcfg.core.emit.identifiers import Draft, Limits
from kcfg.core.emit.model import Check
from kcfg.core.emit.parts import Parts
from kcfg.core.hardware.occupancy import warps_of


def registers(block: Block, draft: Draft, limits: Limits, parts: Parts) -> None:
    """Registers per thread, at launch and of every role, whose warps are nobody else's."""
    each = held(block.target, block.entry or 0)
    entry = draft.add("entry", each, "registers", "Registers per thread at launch.")
    parts.entry = parts.plays("registers.entry", entry)
    doc = "Threads that have them."
    threads = draft.add("threads", block.block_threads or 0, "threads", doc)
    parts.plays("threads", threads)
    roles = [
        _role(share, index, draft, limits, threads, entry, parts)
        for index, share in enumerate(block.shares)
    ]
    if roles and block.asked is not None:
        draft.checks += _dealt(block, [each.dealt for each in roles], limits, threads, entry)
    in_order = sorted(zip(block.shares, roles, strict=True), key=lambda each: each[0].first)
    for (before, mine), (after, its) in pairwise(in_order):
        why = f"{after.name} has other warps than {before.name}"
        end = total([mine.first, mine.warps])
        draft.checks.append(up_to(end, its.first, why))


def _dealt(
    block: Block, roles: list[tuple[Number, Number]], limits: Limits, threads: Number, entry: Number
) -> Iterator[Check]:
    """That the warps' counts add up to no more than these had at launch.

    One sum tells it where every warpgroup sets one count; else each sub-partition has its own,
    in registers per lane: the roles' warps whose number modulo 4 it is.
    """
    why, warp = "setmaxnreg deals out what there is", limits["warp_size"]
    warps_there, parts = warps_of(block.target, threads.value), len(block.pools)
    spoken = {each for share in block.shares for each in range(share.first, share.last + 1)}
    silent = [each for each in range(warps_there) if each not in spoken]
    assert block.registers is not None
    if alike(block.pools) and not mixed(block.registers, block.target):
        asked = [product(warps, warp, cap) for warps, cap in roles]
        asked += [product(literal(len(silent)), warp, entry)] if silent else []
        yield at_most(total(asked), product(threads, entry), why)
        return
    for part in range(parts):
        mine = range(part, warps_there, parts)
        asked = []
        for share, (_, cap) in zip(block.shares, roles, strict=True):
            asked += _times(sum(share.first <= each <= share.last for each in mine), cap)
        asked += _times(sum(each in silent for each in mine), entry)
        granted, said = _times(len(mine), entry), f"{why} in sub-partition {part}"
        if asked and len(mine) * parts * warp.value == threads.value:  # all have as many warps
            lanes = [bracketed(total(asked)), literal(parts), warp]
            yield at_most(product(*lanes), product(threads, entry), said)
        elif asked and granted:
            yield at_most(total(asked), total(granted), said)


def _times(count: int, number: Number) -> list[Number]:
    """A number that is there so many times, as a term; none where it is not there."""
    if count == 1:
        return [number]
    return [product(literal(count), number)] if count else []


class Dealt(NamedTuple):
    """A role: its first warp, its warps, and the registers that each of their threads then has."""

    first: Number
    warps: Number
    cap: Number

    @property
    def dealt(self) -> tuple[Number, Number]:
        """Its warps and registers."""
        return self.warps, self.cap


def _role(
    share: Share,
    index: int,
    draft: Draft,
    limits: Limits,
    threads: Number,
    entry: Number,
    parts: Parts,
) -> Dealt:
    """Add a role."""
    name = draft.part(share.name)
    first = draft.add(f"{name}_first_warp", share.first, "index", f"{name}: its first warp.")
    warps = draft.add(f"{name}_warps", share.last - share.first + 1, "warps")
    end = total([product(each, limits["warp_size"]) for each in (first, warps)])
    draft.checks.append(at_most(end, threads, f"{name} is within the block"))
    cap = entry
    if share.cap is not None:
        cap = draft.add(f"{name}_cap", share.cap, "registers", "What setmaxnreg sets per thread.")
        parts.plays(f"registers.roles[{share.name}].count", cap)
        parts.plays(f"registers.roles[{index}].count", cap)
        draft.checks += [
            at_most(limits["setmaxnreg_min"], cap, f"setmaxnreg takes what {name} asks for"),
            at_most(cap, limits["setmaxnreg_max"], f"setmaxnreg takes what {name} asks for"),
            multiple(cap, limits["setmaxnreg_multiple"], "setmaxnreg takes such multiples"),
        ]
    return Dealt(first, warps, cap)
