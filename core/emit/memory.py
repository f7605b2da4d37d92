"""Where a block's parts sit, as constants: shared memory, tensor memory, mbarriers, registers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Columns, Mbarriers, Region
from kcfg.core.block.placing import SharedLayout, TensorLayout
from kcfg.core.block.warpgroups import Share, alike, held, mixed
from kcfg.core.emit.conditions import Number, at_most, equal, literal, multiple, product, total
from kcfg.core.emit.identifiers import Draft, Limits
from kcfg.core.emit.model import Check
from kcfg.core.hardware.occupancy import warps_of
from kcfg.core.hardware.target import Target


class Slots(NamedTuple):
    """A region as conditions name it: its size, and how many slots it is made of."""

    size: Number
    stages: Number


def smem(
    found: SharedLayout, draft: Draft, limits: Limits, slots: dict[str, Slots] | None = None
) -> Number:
    """Regions of shared memory, which follow each other from 0 to the total; returns that.

    ``slots`` gets the regions by their names.
    """
    limit = draft.add("limit", found.limit, "bytes", "What one block may have.")
    used = draft.add("used", found.used, "bytes", "What regions and padding take.")
    draft.checks += [
        at_most(limit, limits["smem_optin_per_block"], "no block gets more shared memory"),
        at_most(used, limit, "the block's shared memory fits"),
    ]
    if not found.regions:
        return used
    place = [literal(0)]
    for region in found.regions:
        if region.padding:
            place.append(literal(region.bytes or 0))
            continue
        here = _region(region, draft, {} if slots is None else slots)
        if region.alias_of:
            draft.checks.append(at_most(total(here), used, f"{region.name} ends within the block"))
        else:
            why = f"{region.name} follows what is before it"
            draft.checks.append(equal(here[0], total(place), why))
            place = here
    draft.checks.append(equal(used, total(place), "regions and padding add up to the total"))
    return used


def _region(region: Region, draft: Draft, slots: dict[str, Slots]) -> list[Number]:
    """Add a region; returns its offset and size."""
    name, sized = draft.part(region.name or ""), region.bytes or 0
    shared = f", in the bytes of {region.alias_of}" if region.alias_of else ""
    doc = f"{name}{shared}: where it starts, from the base of dynamic shared memory."
    offset = draft.add(f"{name}_offset", region.offset, "bytes", doc)
    size = draft.add(f"{name}_bytes", sized, "bytes")
    align = draft.add(f"{name}_align", region.align or 1, "bytes")
    stages = draft.add(f"{name}_stages", region.stages or 1, "stages")
    if align.value > 1:
        draft.checks.append(multiple(offset, align, f"{name} is aligned"))
    if region.stride is not None and stages.value > 1:
        stride = draft.add(f"{name}_stride", region.stride, "bytes", f"{name}: from slot to slot.")
        last = product(literal(stages.value - 1), stride)
        draft.checks.append(at_most(last, size, f"{name} holds the start of its last slot"))
    elif stages.value > 1:
        draft.checks.append(multiple(size, stages, f"the stages of {name} are of one size"))
    slots.setdefault(region.name or "", Slots(size, stages))
    return [offset, size]


def tmem(found: TensorLayout, target: Target, draft: Draft, limits: Limits) -> Number | None:
    """Columns of tensor memory; returns what is allocated, if any allocation is large enough."""
    used = draft.add("used", found.used, "columns", "What is needed.")
    if found.allocated is None:
        return None
    doc = "What tcgen05.alloc is asked for."
    allocated = draft.add("allocated", found.allocated, "columns", doc)
    draft.checks += [
        at_most(used, allocated, "the allocation holds what is needed"),
        at_most(allocated, limits["tmem_columns"], "tensor memory fits"),
    ]
    for region in found.regions:
        end = total(_columns(region, draft, target))
        draft.checks.append(at_most(end, allocated, f"{region.name} ends within the allocation"))
    return allocated


def _columns(region: Columns, draft: Draft, target: Target) -> list[Number]:
    """Add a range of columns; returns its first and their number."""
    name = draft.part(region.name or "")
    shared = f", in the columns of {region.alias_of}" if region.alias_of else ""
    column = draft.add(f"{name}_column", region.column, "index", f"{name}{shared}: first column.")
    columns = draft.add(f"{name}_columns", region.columns, "columns")
    draft.add(f"{name}_lane", region.lane or 0, "index")
    draft.add(f"{name}_lanes", region.lanes or target.tmem_lanes, "lanes")
    return [column, columns]


def barriers(found: tuple[Mbarriers, ...], draft: Draft) -> None:
    """mbarriers, whose groups follow each other from index 0."""
    place, next_ = [literal(0)], 0
    for group in found:
        name, number = draft.part(group.name or "group"), group.count or 0
        first = draft.add(f"{name}_first", next_, "index", f"{name}: index of its first one.")
        count = draft.add(f"{name}_count", number, "barriers")
        next_ += number
        if group.arrivals is not None:
            draft.add(f"{name}_arrivals", group.arrivals, "count")
        draft.checks.append(equal(first, total(place), f"{name} follows the group before it"))
        place = [first, count]
    count = draft.add("count", next_, "barriers", "All of them.")
    draft.checks.append(equal(count, total(place), "the groups add up to all mbarriers"))


def registers(block: Block, draft: Draft, limits: Limits) -> Number:
    """Registers per thread, at launch and of every role; returns those at launch."""
    each = held(block.target, block.entry or 0)
    entry = draft.add("entry", each, "registers", "Registers per thread at launch.")
    doc = "Threads that have them."
    threads = draft.add("threads", block.block_threads or 0, "threads", doc)
    roles = [_role(share, draft, limits, threads, entry) for share in block.shares]
    if roles and block.asked is not None:
        draft.checks += _dealt(block, roles, limits, threads, entry)
    return entry


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
        granted = _times(len(mine), entry)
        if asked and granted:
            yield at_most(total(asked), total(granted), f"{why} in sub-partition {part}")


def _times(count: int, number: Number) -> list[Number]:
    """A number that is there so many times, as a term; none where it is not there."""
    if count == 1:
        return [number]
    return [product(literal(count), number)] if count else []


def _role(
    share: Share, draft: Draft, limits: Limits, threads: Number, entry: Number
) -> tuple[Number, Number]:
    """Add a role; returns its warps, and the registers that each of their threads then has."""
    name = draft.part(share.name)
    first = draft.add(f"{name}_first_warp", share.first, "index", f"{name}: its first warp.")
    warps = draft.add(f"{name}_warps", share.last - share.first + 1, "warps")
    end = total([product(each, limits["warp_size"]) for each in (first, warps)])
    draft.checks.append(at_most(end, threads, f"{name} is within the block"))
    cap = entry
    if share.cap is not None:
        cap = draft.add(f"{name}_cap", share.cap, "registers", "What setmaxnreg sets per thread.")
        draft.checks += [
            at_most(limits["setmaxnreg_min"], cap, f"setmaxnreg takes what {name} asks for"),
            at_most(cap, limits["setmaxnreg_max"], f"setmaxnreg takes what {name} asks for"),
            multiple(cap, limits["setmaxnreg_multiple"], "setmaxnreg takes such multiples"),
        ]
    return warps, cap
