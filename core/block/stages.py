"""What a block takes with another number of stages, and how many of them fit.

The regions of a pipeline grow with its stages: its home by a slot each, and so do the mbarriers of
its ring. What lies behind them moves up, as aligned as it asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kcfg.core.block import aliases, rings
from kcfg.core.block.parts import Pipeline, Region
from kcfg.core.engine.arith import down, up

if TYPE_CHECKING:
    from kcfg.core.block.block import Block

Growth = dict[int, tuple[int, int]]
"""Of regions by their index: the slots there are, and the bytes that one more takes."""


def budget(block: Block) -> int:
    """Dynamic bytes that a block may have: beside its static ones, and the blocks that it wants.

    No more than are asked for.
    """
    target = block.target
    share = down(target.smem_per_sm // (block.wanted or 1), target.smem_alloc_granularity)
    most = min(share - target.smem_reserved_per_block, target.smem_optin_per_block)
    most -= block.static_bytes or 0
    asked = block.shared.dynamic if block.shared is not None else None
    return most if asked is None else min(asked, most)


def needed(block: Block, index: int, stages: int) -> int:
    """Dynamic bytes of a block of whose pipeline ``index`` there are so many ``stages``."""
    return _needing(block, index)(stages)


def _needing(block: Block, index: int) -> Callable[[int], int]:
    """The same for any number of stages, from what does not change with them."""
    line = block.pipelines[index]
    beside = rings.beside(block, block.ring_groups, index) + (line.fixed_bytes or 0)
    growing = growth(block, index)

    def bytes_of(stages: int) -> int:
        alone = beside + stages * (line.stage_bytes or 0)
        return max(alone, _end(block, growing, stages)) if growing else alone

    return bytes_of


def each_takes(block: Block, index: int) -> int:
    """Bytes of one stage of a pipeline, its mbarriers included where its ring holds them."""
    growing = parts_of_stage(block, index)
    return sum(growing.values()) or block.pipelines[index].stage_bytes or 0


def parts_of_stage(block: Block, index: int) -> dict[int, int]:
    """Bytes of one stage by region; of regions that share bytes the one that takes most."""
    growing = {where: more for where, (_, more) in growth(block, index).items()}
    return aliases.apart([region for _, region in block.placed], growing)


def fitting(block: Block, index: int, room: int | None = None) -> int:
    """The most stages of a pipeline that fit a block's shared memory, or its ``room`` if that is
    less; one has at least a byte.
    """
    most, bytes_of = budget(block), _needing(block, index)
    most = most if room is None else min(most, room)
    few, many = 0, max(most, 0) + 1  # so many fit, and so many do not
    while many - few > 1:
        half = (few + many) // 2
        few, many = (half, many) if bytes_of(half) <= most else (few, half)
    return few


def growth(block: Block, index: int) -> Growth:
    """The regions that grow with the stages of a pipeline; none where it lies in none."""
    line, home = block.pipelines[index], block.homes[index]
    taken = [where for other in block.homes for where in other]
    found: Growth = {}
    arenas = []
    for where in home:
        region = block.placed[where][1]
        if taken.count(where) == 1 and (region.ring or (region.stages or 1) > 1):
            found[where] = _slots(region)
        else:
            arenas.append(where)
    if arenas:
        rest = (line.stage_bytes or 0) - sum(more for _, more in found.values())
        found |= _parts(block, line, arenas, max(rest, 0))
    for where, (_, region) in enumerate(block.placed):
        if region.mbarriers and region.ring is not None and region.ring == line.name:
            found[where] = _slots(region)
    return found


def _slots(region: Region) -> tuple[int, int]:
    slots = region.stages or 1
    alone = region.bytes if region.stride is None else region.stride
    return slots, (alone if slots == 1 else region.pitch) or 0


def _parts(block: Block, line: Pipeline, arenas: list[int], stage: int) -> Growth:
    """Regions that say no slots: each grows by its part of a stage, else the first by all of it."""
    stages = line.stages or 1
    sizes = {where: block.placed[where][1].bytes or 0 for where in arenas}
    shares = {where: size // stages for where, size in sizes.items()}
    if sum(shares.values()) == stage:
        return {where: (stages, share) for where, share in shares.items()}
    return {arenas[0]: (stages, stage)}


def _end(block: Block, growing: Growth, stages: int) -> int:
    """The end of the regions, each of those that grow with so many slots."""
    regions = [region for _, region in block.placed]
    more = {where: (stages - slots) * each for where, (slots, each) in growing.items()}
    sizes = [max((r.bytes or 0) + more.get(where, 0), 0) for where, r in enumerate(regions)]
    aligns = [region.align or 1 for region in regions]
    owner = aliases.roots(regions)
    pushing = {owner[at]: by for at, by in aliases.apart(regions, more).items()}
    starts: list[int | None] = []
    for where, (start, region) in enumerate(block.placed):
        moved = sum(
            by for at, by in pushing.items() if at != owner[where] and block.placed[at][0] < start
        )
        fixed = None if region.offset is None else up(max(start + moved, 0), aligns[where])
        starts.append(fixed if moved else region.offset)
    placed = aliases.starts(regions, starts, sizes, aligns)
    return max((start + size for start, size in zip(placed, sizes, strict=True)), default=0)
