"""Regions that share the bytes of others."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Region
from kcfg.core.figures import size
from kcfg.core.hardware.sources import PTX
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.regions import named


@rule(
    "SMEM011",
    "error",
    also=("warning",),
    reads="shared.regions",
    unit="bytes",
    source=f"{PTX}, mbarrier; follows from the layout: what shares bytes takes turns",
)
def shared_bytes(block: Block, regions: tuple[Region, ...]) -> Iterator[Breach]:
    """Whether a region that shares bytes lies in those of the region it names.

    Two buffers may take turns in the same bytes. mbarriers may not: they are in use for as long
    as the block runs, and what is written over one is taken for its state. A region that lies
    elsewhere shares nothing. One that ends past the other shares more than it says, and
    mbarriers in the bytes of another lie well only where nothing else uses those: warnings.
    A member of a struct or union (`a.full`, in the bytes of `a`) shares them with the other
    members alone, as far as it lies where one of them does.

    Fails: shape: {shared: {regions: [{name: full, bytes: 64, mbarriers: true},
    {name: epilogue, bytes: 64, alias_of: full}]}}

    Passes: shape: {shared: {regions: [{name: stages, bytes: 64},
    {name: epilogue, bytes: 64, alias_of: stages}]}}
    """
    if not any(region.alias_of for region in regions):
        return
    first = {region.name: index for index, region in reversed(list(enumerate(regions)))}
    holding = [
        index
        for index, region in enumerate(regions)
        if region.mbarriers and index not in block.unsure
    ]
    for index, region in enumerate(regions):
        over = first.get(region.alias_of) if region.alias_of is not None else None
        if not region.bytes or over is None or over == index or regions[over].bytes is None:
            continue  # one that names no other is SMEM006
        if {index, over} & block.unsure:
            continue
        barriers = _beside(regions, index, over) if region.mbarriers else holding
        hit = next((each for each in barriers if _live(block, index, each)), None)
        if hit is not None:
            yield _onto_mbarriers(block, index, hit)
        else:
            yield from _beyond(block, index, over)


def _beside(regions: tuple[Region, ...], index: int, over: int) -> list[int]:
    """What may write over the mbarriers of a region that shares the bytes of another.

    That is the other, or, where it is the whole that the region is a member of, all others.
    """
    whole = regions[over].name
    if not (regions[index].name or "").startswith(f"{whole}."):
        return [over]
    return [other for other, each in enumerate(regions) if other != over and each.bytes]


def _range(block: Block, index: int) -> tuple[int, int]:
    start, region = block.placed[index]
    return start, start + (region.bytes or 0)


def _live(block: Block, index: int, other: int) -> bool:
    """Whether two regions of which one alone holds mbarriers lie in the same bytes."""
    (start, end), (at, behind) = _range(block, index), _range(block, other)
    alike = bool(block.placed[index][1].mbarriers) == bool(block.placed[other][1].mbarriers)
    return not alike and start < behind and at < end


def _onto_mbarriers(block: Block, index: int, hit: int) -> Breach:
    (start, end), (at, behind) = _range(block, index), _range(block, hit)
    region, other = block.placed[index][1], named(block.placed[hit][1], hit)
    over = min(end, behind) - max(start, at)
    does = f"writes over {size(over)} of the mbarriers of {other}"
    if region.mbarriers:
        does = f"has mbarriers in {size(over)} of {other}, which may be written as well"
    return Breach(
        f"{named(region, index)} {does}",
        path=f"shared.regions[{index}].alias_of",
        value=start,
        limit=behind,
        over=over,
        fix="give it bytes of its own",
        severity="warning" if region.mbarriers else None,
    )


def _beyond(block: Block, index: int, over: int) -> Iterator[Breach]:
    (start, end), (at, behind) = _range(block, index), _range(block, over)
    name, other = named(block.placed[index][1], index), named(block.placed[over][1], over)
    if end <= at or start >= behind:
        yield Breach(
            f"{name} is to share the bytes of {other}, and lies at {size(start)} to {size(end)},"
            f" outside its {size(at)} to {size(behind)}",
            path=f"shared.regions[{index}].offset",
            value=start,
            limit=at,
            over=at - end if end <= at else start - behind,
            fix=f"start it at {size(at)}",
        )
    elif start < at or end > behind:
        more = max(at - start, 0) + max(end - behind, 0)
        yield Breach(
            f"{name} shares the bytes of {other}, and takes {size(more)} beside them",
            path=f"shared.regions[{index}].bytes",
            value=end - start,
            limit=behind - at,
            over=more,
            fix=f"keep it within {size(at)} to {size(behind)}",
            severity="warning",
        )
