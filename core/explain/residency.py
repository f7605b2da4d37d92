"""How many blocks share an SM, what limits them, and how near the next number of them is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kcfg.core.block.block import Block
from kcfg.core.figures import joined, size, some
from kcfg.core.hardware.occupancy import Block as Launched, Occupancy, cliffs, occupancy
from kcfg.core.hardware.target import Target
from kcfg.core.rules.occupancy import LIMITERS, resident

NAME = "occupancy"
"""What `explain` is asked for to tell it."""


class Limit(NamedTuple):
    """One thing an SM shares out, and what a block or thread of this launch has of it.

    ``given`` is None where that is not said. ``blocks`` fit as far as this limit goes, None
    where it has none. With all else left alone, more blocks fit with at most ``more`` of it,
    and fewer from ``fewer`` on; None where no amount changes that.
    """

    name: str
    unit: str
    given: int | None
    blocks: int | None
    more: int | None = None
    fewer: int | None = None


class Residency(NamedTuple):
    """Blocks that share an SM, their warps of the most an SM has, and every limit of them."""

    blocks: int
    warps: int
    most_warps: int
    limiters: tuple[str, ...]
    limits: tuple[Limit, ...]


Point = tuple[int, int, int]
"""An amount, and the blocks and warps that share an SM with it."""


class Course(NamedTuple):
    """How many share an SM as one limit's amount goes to ``most``: the points of each change."""

    limit: Limit
    most: int
    points: tuple[Point, ...]


def residency(block: Block) -> Residency | None:
    """What an SM makes of a block; None where its threads are not known, or are none."""
    found = _found(block)
    if found is None:
        return None
    return Residency(
        blocks=found.blocks,
        warps=found.warps,
        most_warps=block.target.max_warps_per_sm,
        limiters=tuple(LIMITERS[name] for name in found.limiters),
        limits=tuple(_limits(block, found)),
    )


def nearby(block: Block) -> str:
    """The nearest sizes that give more or fewer blocks; empty where nothing would.

    What is not given, registers or shared memory, has none.
    """
    found = residency(block)
    if found is None or not found.blocks:
        return ""
    changes = near(found.limits)
    return f"{some(found.blocks, 'block')} per SM: {changes}" if changes else ""


def near(limits: Sequence[Limit]) -> str:
    """The amounts that change how many blocks there are, in words."""
    more = [amount(each, each.more) for each in limits if each.more is not None]
    fewer = [amount(each, each.fewer) for each in limits if each.fewer is not None]
    sides = {"more with at most": more, "fewer from": fewer}
    return "; ".join(f"{side} {joined(amounts)}" for side, amounts in sides.items() if amounts)


def amount(limit: Limit, count: int) -> str:
    """So much of what a limit is of."""
    if limit.unit == "bytes":
        return f"{size(count)} of {limit.name}"
    return some(count, limit.unit.removesuffix("s"))


def courses(block: Block) -> Iterator[Course]:
    """How many blocks and warps share an SM over all that a block might have of each limit.

    Nothing where no block of this launch is known.
    """
    found = _found(block)
    if found is None:
        return
    target, here = block.target, found.block
    step, most = target.warp_size, target.max_threads_per_block
    granule, reserve = target.smem_alloc_granularity, target.smem_reserved_per_block
    # The first size that takes one granule more, the reserve included.
    sizes = range(-reserve % granule + 1, target.smem_optin_per_block + 1, granule)
    amounts: dict[str, Sequence[int]] = {
        "threads": [*range(1, most + 1, step), most],
        "registers": range(1, target.max_registers_per_thread + 1),
        "shared memory": [0, *sizes, target.smem_optin_per_block],
    }
    for limit in _limits(block, found):
        if limit.name in amounts and limit.given is not None:
            points = tuple(_points(target, here, limit.name, amounts[limit.name]))
            yield Course(limit, amounts[limit.name][-1], points)


def _points(target: Target, here: Launched, name: str, amounts: Sequence[int]) -> Iterator[Point]:
    last = (-1, -1)
    for each in amounts:
        found = occupancy(target, **_with(here, name, each)._asdict())
        if (found.blocks, found.warps) != last:
            last = (found.blocks, found.warps)
            yield each, *last


def _with(here: Launched, name: str, count: int) -> Launched:
    """A block with another amount of one thing; of shared memory the dynamic part goes first."""
    if name == "shared memory":
        static = min(here.static_smem, count)
        return here._replace(static_smem=static, dynamic_smem=count - static)
    return here._replace(**{name: count})


def _found(block: Block) -> Occupancy | None:
    threads = block.block_threads
    if threads is None or not 1 <= threads <= block.target.max_threads_per_block:
        return None
    return resident(block, threads)


def _limits(block: Block, found: Occupancy) -> Iterator[Limit]:
    """Every limit of a block, in the order in which thresholds are told."""
    here, alone = found.block, found.limits
    steps = cliffs(block.target, here)

    def sides(given: int | None, less: int | None, more: int | None) -> list[int | None]:
        if given is None:
            return [None, None]
        return [None if less is None else given - less, None if more is None else given + more]

    shared, entry = block.shared_bytes, block.entry
    ends = sides(shared, steps.smem_fewer, steps.smem_more)
    yield Limit("shared memory", "bytes", shared, alone["shared_memory"], *ends)
    ends = sides(entry, steps.registers_fewer, steps.registers_more)
    yield Limit("registers", "registers", entry, alone["registers"], *ends)
    yield Limit("threads", "threads", here.threads, alone["warps"], *_threads(block.target, found))
    if alone["barriers"] is not None:
        yield Limit("named barriers", "barriers", here.barriers, alone["barriers"])
    yield Limit("blocks", "blocks", None, alone["blocks"])


def _threads(target: Target, here: Occupancy) -> tuple[int | None, int | None]:
    """The threads that give more and fewer blocks: whole warps, the rest as it is."""
    step, most = target.warp_size, target.max_threads_per_block

    def blocks(threads: int) -> int:
        return occupancy(target, **here.block._replace(threads=threads)._asdict()).blocks

    def first(found: Iterator[int], wanted: Callable[[int], bool]) -> int | None:
        return next((each for each in found if wanted(blocks(each))), None)

    warps = -(-here.block.threads // step)
    below = (each * step for each in range(warps - 1, 0, -1))
    above = (each * step for each in range(warps + 1, most // step + 1))
    fewer = first(above, lambda count: count < here.blocks)
    return (
        first(below, lambda count: count > here.blocks),
        None if fewer is None else fewer - step + 1,
    )
