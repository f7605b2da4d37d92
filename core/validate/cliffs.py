"""How near a launch is to another number of blocks per SM, in words."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.figures import joined, size, some
from kcfg.core.hardware.occupancy import Block as Launched, Occupancy, cliffs, occupancy
from kcfg.core.rules.occupancy import resident

MORE, FEWER = "more with at most", "fewer from"
Near = tuple[str, str]
"""On which side something is, and what."""


def nearby(block: Block) -> str:
    """The nearest sizes that give more or fewer blocks; empty where nothing would.

    What is not given, registers or shared memory, has none.
    """
    threads = block.block_threads
    if threads is None or not 1 <= threads <= block.target.max_threads_per_block:
        return ""
    found = resident(block, threads)
    if not found.blocks:
        return ""
    told = (*_smem(block, found.block), *_registers(block, found.block), *_threads(block, found))
    sides = (
        f"{side} {joined(text for each, text in told if each == side)}"
        for side in (MORE, FEWER)
        if any(each == side for each, _ in told)
    )
    return f"{some(found.blocks, 'block')} per SM: {'; '.join(sides)}" if told else ""


def _smem(block: Block, launched: Launched) -> Iterator[Near]:
    if block.shared_bytes is None:
        return
    near, there = cliffs(block.target, launched), launched.static_smem + launched.dynamic_smem
    if near.smem_fewer is not None:
        yield MORE, f"{size(there - near.smem_fewer)} of shared memory"
    if near.smem_more is not None:
        yield FEWER, f"{size(there + near.smem_more)} of shared memory"


def _registers(block: Block, launched: Launched) -> Iterator[Near]:
    if block.entry is None:
        return
    near = cliffs(block.target, launched)
    if near.registers_fewer is not None:
        yield MORE, some(launched.registers - near.registers_fewer, "register")
    if near.registers_more is not None:
        yield FEWER, some(launched.registers + near.registers_more, "register")


def _threads(block: Block, here: Occupancy) -> Iterator[Near]:
    """Whole warps less or more, the rest of the block as it is."""
    step, most = block.target.warp_size, block.target.max_threads_per_block
    fields = here.block._asdict()

    def blocks(threads: int) -> int:
        return occupancy(block.target, **{**fields, "threads": threads}).blocks

    warps = -(-here.block.threads // step)
    below = (each * step for each in range(warps - 1, 0, -1))
    above = (each * step for each in range(warps + 1, most // step + 1))
    fewer = next((each for each in below if blocks(each) > here.blocks), None)
    more = next((each for each in above if blocks(each) < here.blocks), None)
    if fewer is not None:
        yield MORE, some(fewer, "thread")
    if more is not None:
        yield FEWER, some(more - step + 1, "thread")
