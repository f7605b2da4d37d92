"""The registers of a block as pools, one in each sub-partition of its SM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.dealing import fewer, fits, more
from kcfg.core.block.parts import Registers
from kcfg.core.block.warpgroups import Pool, alike, called
from kcfg.core.figures import joined, some
from kcfg.core.hardware.occupancy import warps_of
from kcfg.core.hardware.sources import H200_KERNELS, PTX
from kcfg.core.rules import Breach, rule


@rule(
    "SMR002",
    "error",
    reads="asked pool",
    blames="registers.warpgroups",
    unit="registers",
    source=f"{PTX}, setmaxnreg; {H200_KERNELS}",
)
def within_pool(block: Block, asked: int, pool: int) -> Iterator[Breach]:
    """Whether the counts fit what the block was launched with.

    A block's warps of equal number modulo 4 share a sub-partition of the SM, and what they were
    launched with is their pool: dec gives to it, inc takes from it and waits until there are
    enough. Where their counts add up to more, the last inc never returns. A warp that exits
    gives nothing back. The compiler says nothing of all that.

    Measured on an H200. Where every warpgroup sets one count, the four pools come to the one of
    the block that PTX speaks of. With several counts in a warpgroup a single pool may be short;
    that it is so on a B200 too is assumed, for none could be asked.

    Fails: shape: {threads: 384, registers: {entry: 168, warpgroups: [40, 240, 240]}}

    Passes: shape: {threads: 384, registers: {entry: 168, warpgroups: [40, 232, 232]}}
    """
    over = [part for part, each in enumerate(block.pools) if (each.free or 0) < 0]
    if not over:
        return
    if alike(block.pools):
        lanes, value, limit = block.warpgroup_threads, asked, pool
        what = (
            f"the warpgroups ask for {asked // lanes:,} registers per lane ({asked:,} in all), the"
            f" launch gave {pool // lanes:,} ({pool:,}): {(asked - pool) // lanes:,} per lane over,"
            " and the last inc never returns"
        )
    else:
        worst = min((block.pools[part] for part in over), key=lambda each: each.free or 0)
        value, limit = worst.asked or 0, worst.granted
        every = "; ".join(_short(block, parts) for parts in _groups(block.pools, over))
        what = f"{every}: the last inc never returns"
    yield Breach(
        what,
        path=block.setters_key,
        value=value,
        limit=limit,
        over=value - limit,
        fix=_fix(block),
    )


def _groups(pools: tuple[Pool, ...], parts: Iterable[int]) -> list[list[int]]:
    """Sub-partitions, those together that have and ask for the same."""
    found: dict[Pool, list[int]] = {}
    for part in parts:
        found.setdefault(pools[part], []).append(part)
    return list(found.values())


def _short(block: Block, parts: list[int]) -> str:
    """What the warps of sub-partitions ask for, what they had, and how much that is over."""
    pool, lanes = block.pools[parts[0]], block.target.warp_size
    asked, granted = (pool.asked or 0) // lanes, pool.granted // lanes
    return (
        f"{_where(block, parts)} ask for {some(asked, 'register')} per lane, the launch gave them"
        f" {granted:,}, {asked - granted:,} per lane over"
    )


def _where(block: Block, parts: list[int]) -> str:
    """Warps by their sub-partitions; of a single one with their numbers."""
    if len(parts) > 1:
        return f"the warps of each of sub-partitions {joined(parts)}"
    warps = range(parts[0], warps_of(block.target, block.block_threads or 0), len(block.pools))
    return f"the warps of sub-partition {parts[0]} ({joined(warps)})"


def _fix(block: Block) -> str:
    assert block.registers is not None
    splits = dict.fromkeys(_split(block.registers, other) for other in fewer(block))
    if splits:
        return f"{' or '.join(splits)} would fit"
    return f"launch it with at least {block.target.setmaxnreg_min} registers per thread"


def _split(registers: Registers, other: Registers) -> str:
    """Other counts in words: those of all warpgroups, and of the roles that have others."""
    groups = "/".join("-" if each.count is None else str(each.count) for each in other.warpgroups)
    changed: dict[int, list[str]] = {}
    for index, (old, new) in enumerate(zip(registers.roles, other.roles, strict=True)):
        if new.count is not None and new.count != old.count:
            changed.setdefault(new.count, []).append(called(registers, index))
    roles = joined(f"{joined(names)} at {count}" for count, names in changed.items())
    return joined(filter(None, (groups, roles)), "with")


@rule(
    "SMR007",
    "info",
    reads="asked pool",
    blames="registers.warpgroups",
    unit="registers",
    source="follows from SMR002",
)
def pool_left_over(block: Block, asked: int, pool: int) -> Iterator[Breach]:
    """Whether the counts leave registers of the pool to nobody.

    What no warp takes stays unused until the block ends. Less than one step of one
    warpgroup is no use to anyone.

    Fails: shape: {threads: 384, registers: {entry: 168, warpgroups: [24, 232, 232]}}

    Passes: shape: {threads: 384, registers: {entry: 168, warpgroups: [24, 240, 240]}}
    """
    left, lanes = pool - asked, block.warpgroup_threads
    if pool > block.target.registers_per_block:
        return  # there is no such pool: the launch is refused
    assert block.registers is not None
    if left < lanes * block.target.setmaxnreg_multiple or not fits(block, block.registers):
        return
    if alike(block.pools):
        better = next((_split(block.registers, other) for other in more(block)), "")
        unbalanced = ", unbalanced" if better else ""
        what = (
            f"the warpgroups use {asked // lanes:,} of the pool's {pool // lanes:,} registers per"
            f" lane{unbalanced}: {left // lanes:,} stay unused"
        )
    else:
        better, parts = "", _groups(block.pools, range(len(block.pools)))
        unused = (_unused(block, each) for each in parts if block.pools[each[0]].free)
        what = f"{joined(unused)} stay unused"
    yield Breach(
        what,
        path=block.setters_key,
        value=asked,
        limit=pool,
        fix=f"{better} would fit" if better else "",
    )


def _unused(block: Block, parts: list[int]) -> str:
    lanes = (block.pools[parts[0]].free or 0) // block.target.warp_size
    several = f"each of sub-partitions {joined(parts)}"
    return f"{some(lanes, 'register')} per lane of " + (
        several if len(parts) > 1 else f"sub-partition {parts[0]}"
    )
