"""Registers of a thread and of a block as compiled."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Registers
from kcfg.core.engine.arith import up
from kcfg.core.figures import some
from kcfg.core.hardware.occupancy import register_cap, registers_per_warp, warps_of
from kcfg.core.hardware.sources import H200_DEVICE, NCU, OCC, PG, PTXAS
from kcfg.core.rules import Breach, rule


@rule("REG001", "error", reads="registers", unit="registers", source=f"{PG}; {PTXAS}")
def per_thread(block: Block, registers: Registers) -> Iterator[Breach]:
    """How many registers a thread has.

    An instruction cannot name more than 255; a larger cap is ignored by the compiler.

    Fails: shape: {registers: {entry: 256}}

    Passes: shape: {registers: {entry: 255}}
    """
    most = block.target.max_registers_per_thread
    for key, value in (("entry", registers.entry), ("maxnreg", registers.maxnreg)):
        if value is not None and not 1 <= value <= most:
            yield Breach(
                f"{value:,} registers per thread; the compiler gives 1 to {most}"
                + (", and ignores a cap above that" if value > most else ""),
                path=f"registers.{key}",
                value=value,
                limit=most,
                over=max(value - most, 0),
                fix=f"use {most}" if value > most else "leave it out",
            )


@rule(
    "REG002",
    "error",
    reads="block_threads entry",
    blames="registers.entry",
    unit="registers",
    source=f"{OCC}; {H200_DEVICE}",
)
def block_fits(block: Block, threads: int, entry: int) -> Iterator[Breach]:
    """Whether the registers of all its warps fit a block.

    Registers are set aside for a warp, in steps of 8 per thread, and a block must fit with
    its warps rounded up to a multiple of 4. A launch that does not fit is refused.

    Fails: shape: {threads: 800, registers: {entry: 80}}

    Passes: shape: {threads: 800, registers: {entry: 72}}
    """
    target = block.target
    if not (1 <= threads <= target.max_threads_per_block and entry):
        return
    warps, each = warps_of(target, threads), registers_per_warp(target, entry)
    counted = up(warps, target.warp_alloc_granularity)
    need, most = counted * each, target.registers_per_block
    if need > most:
        step = target.warp_alloc_granularity * target.warp_size
        fewer = most // (each * target.warp_alloc_granularity) * step
        rounded = each // target.warp_size
        note = f", allocated as {rounded}," if rounded != entry else ""
        partly = f" ({warps} rounded up to a multiple of 4)" if counted != warps else ""
        others = f" or {fewer:,} threads" if fewer else ""
        yield Breach(
            f"{some(threads, 'thread')} at {entry:,} registers{note} need {counted} warps{partly} x"
            f" {each:,} = {need:,} registers, {need - most:,} over the {most:,} of a block",
            path=block.entry_key,
            value=need,
            limit=most,
            over=need - most,
            fix=f"use {register_cap(target, threads, 1)} registers{others}",
        )


@rule("REG003", "info", reads="registers.entry", unit="registers", source=f"{OCC}; {NCU}")
def multiple_of_8(block: Block, entry: int) -> Iterator[Breach]:
    """Whether registers are allocated that no thread uses.

    They are set aside in steps of 8 per thread. 255 is the most there is, and left alone.

    Fails: shape: {registers: {entry: 97}}

    Passes: shape: {registers: {entry: 104}}
    """
    step = block.target.register_alloc_rounding_per_thread
    if entry % step and entry < block.target.max_registers_per_thread:
        allocated = up(entry, step)
        yield Breach(
            f"{some(entry, 'register')} per thread: allocated as {allocated}",
            value=entry,
            limit=allocated,
            fix=f"{some(allocated - entry, 'more register')} would cost nothing",
        )


def over_cap(block: Block) -> bool:
    """Whether a thread is said to have more registers than the compiler gives: REG004."""
    registers, most = block.registers, block.register_cap
    if registers is None or registers.entry is None or most is None:
        return False
    return planned(block) <= block.target.max_threads_per_block and registers.entry > most


def planned(block: Block) -> int:
    """The threads that the compiler plans registers for."""
    bounds = block.registers.launch_bounds if block.registers is not None else ()
    return bounds[0] if bounds else block.block_threads or 0


@rule(
    "REG004",
    "error",
    reads="registers.entry register_cap",
    unit="registers",
    source=PTXAS,
)
def cap_from_bounds(block: Block, entry: int, most: int) -> Iterator[Breach]:
    """Whether a thread has no more registers than the compiler gives under the launch bounds.

    The cap is the largest count with which as many blocks fit an SM as the launch bounds
    promise, one without a second argument, or the one asked for with __maxnreg__ or
    -maxrregcount; a kernel never gets more, it spills.

    Fails: shape: {threads: 384, registers: {entry: 176}}

    Passes: shape: {threads: 384, registers: {entry: 168}}
    """
    if not over_cap(block):
        return
    option = block.cap_of_option == most
    for_blocks = f" and {block.min_blocks} blocks per SM" if block.min_blocks > 1 else ""
    where = f"at {some(planned(block), 'thread')}{for_blocks}"
    where = "under its maxnreg" if option else where
    yield Breach(
        f"{some(entry, 'register')} per thread; {where} the compiler's cap is {most},"
        f" {entry - most:,} fewer",
        value=entry,
        limit=most,
        over=entry - most,
        fix=f"use {most} or a {'larger cap' if option else 'smaller block'}",
    )


@rule("REG005", "warning", reads="registers.launch_bounds", unit="warps", source=PTXAS)
def min_blocks_possible(block: Block, bounds: tuple[int, ...]) -> Iterator[Breach]:
    """Whether the minimum of blocks in the launch bounds can be resident at all.

    The compiler drops a minimum that needs more warps than an SM has, with a warning, and
    caps registers as for one block.

    Fails: shape: {registers: {launch_bounds: [1024, 3]}}

    Passes: shape: {registers: {launch_bounds: [1024, 2]}}
    """
    if len(bounds) < 2 or not bounds[0]:
        return
    target, blocks = block.target, bounds[1]
    warps = warps_of(target, bounds[0])
    fitting = min(target.max_warps_per_sm // warps, target.max_blocks_per_sm)
    if blocks > fitting:
        many = blocks > target.max_blocks_per_sm
        why = (
            f"an SM holds at most {target.max_blocks_per_sm} blocks, {blocks:,} are asked for"
            if many
            else f"{blocks} blocks of {some(warps, 'warp')} need {blocks * warps} of an SM's"
            f" {target.max_warps_per_sm} warps"
        )
        yield Breach(
            f"{why}: the compiler ignores the minimum",
            path="registers.launch_bounds[1]",
            value=blocks if many else blocks * warps,
            limit=target.max_blocks_per_sm if many else target.max_warps_per_sm,
            over=blocks - fitting if many else blocks * warps - target.max_warps_per_sm,
            fix=f"ask for {fitting}" if fitting else "use a smaller block",
        )


@rule(
    "REG006",
    "error",
    reads="registers.launch_bounds registers.maxnreg",
    blames="registers.maxnreg",
    source=PTXAS,
)
def two_caps(block: Block, bounds: tuple[int, ...], maxnreg: int) -> Iterator[Breach]:
    """Whether a kernel has one cap and not two.

    __launch_bounds__ and __maxnreg__ on one kernel do not compile, and -maxrregcount has
    no effect on a kernel with launch bounds.

    Fails: shape: {registers: {launch_bounds: [384, 1], maxnreg: 168}}

    Passes: shape: {registers: {launch_bounds: [384, 1]}}
    """
    args = ", ".join(str(argument) for argument in bounds)
    yield Breach(
        f"__launch_bounds__({args}) and a cap of {maxnreg} exclude each other",
        fix="keep one of them",
    )


@rule("REG007", "warning", reads="registers.maxnreg", unit="registers", source=PTXAS)
def low_cap(block: Block, maxnreg: int) -> Iterator[Breach]:
    """Whether a cap is one that the compiler keeps.

    It raises a cap below 24 to 24, with a note.

    Fails: shape: {registers: {maxnreg: 16}}

    Passes: shape: {registers: {maxnreg: 24}}
    """
    least = block.target.setmaxnreg_min
    if maxnreg < least:
        yield Breach(
            f"a cap of {maxnreg} is raised to {least}, {least - maxnreg} more",
            value=maxnreg,
            limit=least,
            over=least - maxnreg,
            fix=f"write {least}",
        )
