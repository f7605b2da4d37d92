"""The registers of a block as a pool."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.warpgroups import settled
from kcfg.core.engine.arith import down
from kcfg.core.figures import joined
from kcfg.core.hardware.sources import PTX
from kcfg.core.rules import Breach, rule


@rule(
    "SMR002",
    "error",
    reads="asked pool",
    blames="registers.warpgroups",
    unit="registers",
    source=f"{PTX}, setmaxnreg",
)
def within_pool(block: Block, asked: int, pool: int) -> Iterator[Breach]:
    """Whether the counts fit what the block was launched with.

    A block's registers are a pool: dec gives to it, inc takes from it and waits until
    there are enough. Where all counts together are more than the launch gave, the last inc
    never returns. The compiler does not say so.

    Fails: shape: {threads: 384, registers: {entry: 168, warpgroups: [40, 240, 240]}}

    Passes: shape: {threads: 384, registers: {entry: 168, warpgroups: [40, 232, 232]}}
    """
    if asked > pool:
        lanes = block.warpgroup_threads
        over = asked - pool
        per_lane = (
            f"{asked // lanes:,} registers per lane ({asked:,} in all), the launch gave"
            f" {pool // lanes:,} ({pool:,}): {over // lanes:,} per lane over"
            if asked % lanes == pool % lanes == 0
            else f"{asked:,} registers, the launch gave {pool:,}: {over:,} over"
        )
        yield Breach(
            f"the warpgroups ask for {per_lane}, and the last inc never returns",
            path=block.setters_key,
            value=asked,
            limit=pool,
            over=over,
            fix=_fix(block, pool),
        )


def _counts(block: Block) -> list[int]:
    assert block.registers is not None
    return list(settled(block.registers, block.target, block.entry or 0))


def _fix(block: Block, pool: int) -> str:
    counts, budget = _counts(block), pool // block.warpgroup_threads
    least = block.target.setmaxnreg_min
    lowest = [least if count == min(counts) else count for count in counts]
    fitting = [evened(block, counts, budget), lowest if sum(lowest) <= budget else None]
    splits = list(dict.fromkeys(_split(split) for split in fitting if split))
    return f"{joined(splits, 'or')} would fit" if splits else "use fewer or smaller warpgroups"


def evened(block: Block, counts: list[int], budget: int) -> list[int] | None:
    """The counts with the largest ones set to what a budget per lane leaves; None if too little."""
    target = block.target
    if not counts:
        return None
    largest = max(counts)
    others = sum(count for count in counts if count != largest)
    share = (budget - others) // counts.count(largest)
    level = min(down(share, target.setmaxnreg_multiple), target.setmaxnreg_max)
    if level < target.setmaxnreg_min:
        return None
    return [level if count == largest else count for count in counts]


def _split(counts: list[int]) -> str:
    return "/".join(str(count) for count in counts)


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

    What no warpgroup takes stays unused until the block ends. Less than one step of one
    warpgroup is no use to anyone.

    Fails: shape: {threads: 384, registers: {entry: 168, warpgroups: [24, 232, 232]}}

    Passes: shape: {threads: 384, registers: {entry: 168, warpgroups: [24, 240, 240]}}
    """
    left, lanes = pool - asked, block.warpgroup_threads
    if pool > block.target.registers_per_block:
        return  # there is no such pool: the launch is refused
    if left >= lanes * block.target.setmaxnreg_multiple:
        counts = _counts(block)
        better = evened(block, counts, pool // lanes)
        unbalanced = better is not None and sum(better) > sum(counts)
        yield Breach(
            f"the warpgroups use {asked // lanes:,} of the pool's {pool // lanes:,} registers per"
            f" lane{', unbalanced' if unbalanced else ''}: {left // lanes:,} stay unused",
            path=block.setters_key,
            value=asked,
            limit=pool,
            fix=f"{_split(better)} would fit" if better and unbalanced else "",
        )
