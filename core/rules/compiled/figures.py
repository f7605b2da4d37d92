"""What a compiler made of a kernel, against its configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Compiled
from kcfg.core.block.warpgroups import alike, pools
from kcfg.core.engine.arith import up
from kcfg.core.figures import joined, size, some
from kcfg.core.finding import Severity
from kcfg.core.hardware.sources import PTX, PTXAS
from kcfg.core.rules import Breach, rule

IGNORED = {
    "C7504": ("relocatable device code is compiled", "build without -rdc=true"),
    "C7505": (
        "this is a debug build, whose registers and stack say nothing of the real one",
        "build without -G",
    ),
    "C7506": ("it calls a function outside of its file", "make the call one that is inlined"),
    "C7508": (
        "it does not know the register count at entry",
        "write __launch_bounds__ with its second argument, the minimum of blocks",
    ),
}
"""Why the compiler ignores setmaxnreg, and what helps, by the code of its advisory."""

OF_SOME = "the log does not say which"
"""What an advisory ends with that may be about another kernel."""


@rule(
    "CHK001",
    "error",
    also=("warning",),
    reads="compiled.registers entry_cap compiled",
    unit="registers",
    source=f"{PTXAS}, the line `Used ... registers`",
)
def registers(block: Block, compiled: int, most: int, build: Compiled) -> Iterator[Breach]:
    """Whether a build has the registers per thread that its configuration says.

    More than the cap means that the launch bounds were not compiled in: fewer blocks fit, or
    none. Where warps set their own counts, or the count at entry is given, 8 or more below it
    is worth a warning: setmaxnreg deals out what the launch was given, and waits without end
    for the rest. A kernel that does neither may use as few as it likes. The largest inc, where it
    is to less than the cap, lowers the count at entry to its own: that is as configured, and a
    warning only where the build spills.

    Fails: shape: {threads: 384, compiled: {registers: 176}}

    Passes: shape: {threads: 384, compiled: {registers: 168}}
    """
    step = block.target.register_alloc_rounding_per_thread
    given = block.registers is not None and block.registers.entry is not None
    over = compiled - most
    lowered = compiled == block.entry  # by an inc; else that is what it has at most
    spills = build.spill_stores or build.spill_loads
    if over > 0:
        yield Breach(
            f"compiled with {some(compiled, 'register')} per thread, {over} over the"
            f" {_cap(block, most)}",
            value=compiled,
            limit=most,
            over=over,
            fix=_bounds(block),
        )
    elif lowered and not spills:
        return
    elif -over >= step and (given or block.setmaxnreg) and build.setmaxnreg_ignored is None:
        higher = f"raise the largest inc to {up(most, step)} or more: its count is that at entry"
        yield Breach(
            f"compiled with {some(compiled, 'register')} per thread, {-over} under the"
            f" {_cap(block, most)}{_short(block, compiled)}",
            value=compiled,
            limit=most,
            over=-over,
            fix=higher if lowered else "see its launch bounds, and that no inc is to less",
            severity="warning",
        )


def _cap(block: Block, most: int) -> str:
    given = block.kernel is None and block.registers is not None and block.registers.entry
    return f"{most} of the configuration" if given else f"{most} it may have at entry"


def _bounds(block: Block) -> str:
    known = block.registers.launch_bounds if block.registers is not None else ()
    threads = known[0] if known else block.block_threads
    if threads is None:
        return ""
    bounds = (threads, block.wanted or 1, *known[2:])
    return f"compile it with __launch_bounds__({', '.join(str(each) for each in bounds)})"


def _short(block: Block, compiled: int) -> str:
    """That the registers of a build are too few for what its warps ask for, where they are."""
    threads = block.block_threads
    if not block.setmaxnreg or block.registers is None or not threads:
        return ""
    found = pools(block.registers, block.target, compiled, threads)
    part, worst = min(enumerate(found), key=lambda each: each[1].free or 0)
    if worst.asked is None or worst.asked <= worst.granted:
        return ""
    if not alike(found):
        asking = f"{worst.granted:,} in sub-partition {part}, of which its warps"
        return f": {asking} ask for {worst.asked:,} and would wait without end"
    granted, asked = len(found) * worst.granted, len(found) * worst.asked
    return f": {granted:,} in all, of which warpgroups ask for {asked:,} and would wait without end"


@rule(
    "CHK002",
    "warning",
    reads="spilled compiled",
    blames="compiled.spill_stores",
    unit="bytes",
    source=f"{PTXAS}, the line with `spill stores`",
)
def spills(block: Block, spilled: int, build: Compiled) -> Iterator[Breach]:
    """Whether a build keeps all its values in registers.

    What does not fit goes to local memory and back, through the caches, wherever it is used.

    Fails: shape: {compiled: {spill_stores: 684, spill_loads: 712}}

    Passes: shape: {compiled: {spill_stores: 0, spill_loads: 0}}
    """
    moved = (("stores", build.spill_stores), ("loads", build.spill_loads))
    if spilled:
        said = joined(f"{what} {size(count)}" for what, count in moved if count is not None)
        yield Breach(
            f"spills registers to local memory: {said} per thread",
            path="compiled.spill_loads" if build.spill_stores is None else "",
            value=spilled,
            limit=0,
            over=spilled,
            fix="raise the cap or shrink the tile",
        )


@rule(
    "CHK003",
    "error",
    also=("warning",),
    reads="compiled.setmaxnreg_ignored",
    source=f"{PTXAS}, advisories C7504 to C7508",
)
def setmaxnreg_ignored(block: Block, advisory: str) -> Iterator[Breach]:
    """Whether the compiler took setmaxnreg as written.

    Where it ignores it, every warp keeps the count at entry: those that wanted more spill,
    and those that wanted less hold what the others lack. It says so in a line among others,
    without the kernel's name: where other kernels of the same file can be meant, it is a warning.

    Fails: shape: {compiled: {setmaxnreg_ignored: C7508}}

    Passes: shape: {compiled: {registers: 168}}
    """
    code = re.search(r"C\d{4}", advisory)
    why, fix = IGNORED.get(code[0] if code else "", ("", ""))
    because = f": {why}" if why else ""
    doubt = ""
    severity: Severity | None = None
    if advisory.endswith(OF_SOME):
        severity, bounds = "warning", block.registers.launch_bounds if block.registers else ()
        if len(bounds) > 1:
            doubt = "; not this one, if its launch bounds are compiled as configured"
    yield Breach(
        f"the compiler ignored setmaxnreg ({advisory}){because}{doubt}",
        value=advisory,
        fix="" if doubt else fix,
        severity=severity,
    )


@rule(
    "CHK005",
    "warning",
    reads="compiled.barriers barriers_used",
    unit="barriers",
    source=f"{PTXAS}, the line `used ... barriers`",
)
def barriers(block: Block, compiled: int, derived: int) -> Iterator[Breach]:
    """Whether a build sets aside the named barriers that its configuration uses.

    The compiler counts up to the highest number used, and all 16 where a number is not a
    constant; an SM has a fixed number of them for all its blocks.

    Fails: shape: {named_barriers: [0, 1], compiled: {barriers: 16}}

    Passes: shape: {named_barriers: [0, 1], compiled: {barriers: 2}}
    """
    most = block.target.named_barriers_per_block
    if compiled != derived and compiled <= most:
        every = compiled == most
        yield Breach(
            f"compiled with {some(compiled, 'named barrier')}, the configuration has {derived}"
            + (": a barrier's number is not a constant" if every else ""),
            value=compiled,
            limit=derived,
            over=abs(compiled - derived),
            fix="make it one" if every else "",
        )


@rule(
    "CHK010",
    "error",
    reads="compiled.barriers",
    unit="barriers",
    source=f"{PTX}, barrier; {PTXAS}, the line `used ... barriers`",
)
def barriers_of_block(block: Block, compiled: int) -> Iterator[Breach]:
    """Whether a build sets aside no more named barriers than a block has.

    A block has 16, numbered from 0. No compiler makes a kernel with more, so the figure is
    not that of a build, or was copied wrong.

    Fails: shape: {compiled: {barriers: 17}}

    Passes: shape: {compiled: {barriers: 16}}
    """
    most = block.target.named_barriers_per_block
    if compiled > most:
        yield Breach(
            f"compiled with {some(compiled, 'named barrier')}, {compiled - most:,} over the {most}"
            " of a block",
            value=compiled,
            limit=most,
            over=compiled - most,
            fix="copy the figure from the log again",
        )


@rule(
    "CHK007",
    "info",
    reads="compiled.stack compiled.spill_stores compiled",
    unit="bytes",
    source=f"{PTXAS}, the line with `stack frame`",
)
def stack(block: Block, frame: int, stores: int, build: Compiled) -> Iterator[Breach]:
    """Whether a build has a stack though it spills nothing.

    An array that is indexed by a value known only at run time cannot be in registers; it
    lives on the stack, in local memory. A debug build keeps its variables there.

    Fails: shape: {compiled: {stack: 96, spill_stores: 0}}

    Passes: shape: {compiled: {stack: 0, spill_stores: 0}}
    """
    if frame and not stores and not build.spill_loads:
        debug = "C7505" in (build.setmaxnreg_ignored or "")
        why = "a debug build" if debug else "an array is indexed at run time"
        yield Breach(f"{size(frame)} of stack per thread without spills: {why}", value=frame)
