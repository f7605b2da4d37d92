"""Named barriers."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import NamedBarrier
from kcfg.core.block.warpgroups import role_warps
from kcfg.core.engine.arith import down, up
from kcfg.core.figures import some
from kcfg.core.hardware.sources import PTX, PTXAS
from kcfg.core.rules import Breach, rule


@rule("BAR001", "error", reads="named_barriers", unit="index", source=f"{PTX}, barrier; {PTXAS}")
def barrier_number(block: Block, barriers: tuple[NamedBarrier, ...]) -> Iterator[Breach]:
    """Which named barriers there are.

    A block has 16, numbered from 0; __syncthreads is number 0.

    Fails: shape: {named_barriers: [{id: 16}]}

    Passes: shape: {named_barriers: [{id: 15}]}
    """
    last = block.target.named_barriers_per_block - 1
    for index, barrier in enumerate(barriers):
        if barrier.id is not None and barrier.id > last:
            yield Breach(
                f"named barrier {barrier.id:,} is {barrier.id - last:,} past the last, {last}",
                path=f"named_barriers[{index}].id",
                value=barrier.id,
                limit=last,
                over=barrier.id - last,
                fix="use a free lower one, or an mbarrier",
            )


@rule(
    "BAR002",
    "error",
    also=("warning",),
    reads="named_barriers",
    unit="threads",
    source=f"{PTX}, barrier; {PTXAS}",
)
def participants(block: Block, barriers: tuple[NamedBarrier, ...]) -> Iterator[Breach]:
    """Whether as many threads can arrive at a named barrier as it waits for.

    It counts whole warps, and none that the block does not have: its threads as given, else
    those of its roles, its warpgroups or its launch bounds. One number with different counts
    works only where one phase has ended before the other begins: a warning.

    Fails: shape: {named_barriers: [{id: 1, participants: 100}]}

    Passes: shape: {threads: 128, named_barriers: [{id: 1, participants: 128}]}
    """
    yield from _disagreeing(barriers)
    size, threads = block.target.warp_size, _threads(block)
    for index, barrier in enumerate(barriers):
        count = barrier.participants
        path = f"named_barriers[{index}].participants"
        if count is None:
            continue
        whole = down(threads or 0, size)
        better = up(count, size) or size
        if count % size or not count:
            yield Breach(
                f"{count:,} participants is no multiple of {size}, the threads of a warp"
                if count
                else "0 participants: nobody would arrive",
                path=path,
                value=count,
                limit=size,
                over=count % size,
                fix=f"use {min(better, whole) if whole else better:,}",
            )
        elif threads is not None and count > up(threads, size):
            yield Breach(
                f"{count:,} participants are {count - threads:,} over the block's {threads:,}"
                " threads: the barrier never opens",
                path=path,
                value=count,
                limit=threads,
                over=count - threads,
                fix=f"use at most {threads:,}",
            )


def _threads(block: Block) -> int | None:
    """The most threads that may arrive; None where a role does not say what it has."""
    registers = block.registers
    by_roles = block.block_threads is None and registers is not None and registers.roles
    if registers is not None and by_roles and role_warps(registers) is None:
        return None
    return block.threads_named


def _disagreeing(barriers: tuple[NamedBarrier, ...]) -> Iterator[Breach]:
    counts: dict[int, int] = {}
    for index, barrier in enumerate(barriers):
        if barrier.id is None or barrier.participants is None:
            continue
        first = counts.setdefault(barrier.id, barrier.participants)
        if first != barrier.participants:
            yield Breach(
                f"named barrier {barrier.id:,} waits for {some(first, 'thread')} and for"
                f" {barrier.participants:,}",
                path=f"named_barriers[{index}].participants",
                value=barrier.participants,
                limit=first,
                over=abs(barrier.participants - first),
                fix="use one count, or another barrier",
                severity="warning",
            )
