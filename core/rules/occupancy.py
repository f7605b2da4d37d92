"""How many blocks share an SM."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kcfg.core.block.block import Block
from kcfg.core.block.shared_memory import NO_PREFERENCE
from kcfg.core.engine.arith import down
from kcfg.core.figures import joined, size, some
from kcfg.core.hardware.occupancy import (
    Occupancy,
    bytes_of_percent,
    carveout_of,
    drops_minimum,
    occupancy,
    register_cap,
)
from kcfg.core.hardware.sources import H200_DEVICE, H200_DRIVER, OCC
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.registers import over_cap

LIMITERS = {
    "warps": "warps",
    "registers": "registers",
    "shared_memory": "shared memory",
    "blocks": "the most blocks of an SM",
    "barriers": "named barriers",
}

KEYS = {
    "warps": "threads",
    "registers": "registers.entry",
    "shared_memory": "shared.dynamic",
    "blocks": "threads",
}

SAID = ("shared_memory", "barriers")
"""Limits with rules of their own: what they leave too few blocks to is said there.

SMEM001, SMEM002, SMEM004 and SMEM005 say it of shared memory, BAR001, BAR003 and CHK010 of
barriers.
"""


@rule(
    "OCC001",
    "info",
    also=("error",),
    reads="block_threads",
    blames="threads",
    unit="blocks",
    source=f"{OCC}; {H200_DEVICE}",
)
def blocks_per_sm(block: Block, threads: int) -> Iterator[Breach]:
    """How many blocks share an SM, and every limit that stops one more.

    None at all means that the launch is refused; fewer than wanted, that the SM is left
    with less work than the kernel was made for. Both are errors, here only where no rule about
    what there is too little of says so. Wanted are `blocks_per_sm`, or as many as the launch
    bounds promise where that is more. What is not given, such as registers, does not limit.

    Fails: shape: {threads: 1024, blocks_per_sm: 3}

    Passes: shape: {threads: 1024, blocks_per_sm: 2}
    """
    if threads < 1:
        return
    wanted = block.wanted or 1
    found = resident(block, threads)
    limits = joined(LIMITERS[name] for name in found.limiters)
    fewer = found.blocks < wanted
    wrong = any(not _said(block, name, threads) for name in _short(found, wanted))
    silent = [
        what
        for what, given in (("registers", block.entry), ("shared memory", block.shared_bytes))
        if given is None
    ]
    unknown = f"; {joined(silent)} not given" if silent else ""
    yield Breach(
        f"{some(found.blocks, 'block')} per SM (limited by {limits}{unknown})"
        + (f", {wanted:,} wanted" if fewer or block.wanted else ""),
        path=_blamed(block, found),
        value=found.blocks,
        limit=wanted if block.wanted or fewer else None,
        over=wanted - found.blocks if fewer else None,
        fix=_fix(block, found, wanted) if wrong else "",
        # The bounds' minimum is the compiler's: a launch with fewer runs.
        severity="error" if wrong and found.blocks < (block.blocks_per_sm or 1) else None,
    )


def _blamed(block: Block, found: Occupancy) -> str:
    """The key of the blocks wanted, else that of what limits them."""
    limiter = found.limiters[0]
    if block.wanted:
        return block.wanted_key
    return block.barriers_key if limiter == "barriers" else KEYS[limiter]


def resident(block: Block, threads: int) -> Occupancy:
    """How many blocks of a launch of ``threads`` share an SM; what is not given is taken as 0.

    Raises ValueError for fewer than one thread.
    """
    target, shared, static = block.target, block.shared, block.static_bytes or 0
    raised = shared is None or shared.opt_in is not False
    return _occupancy(
        target,
        threads=threads,
        registers=block.entry or 0,
        static_smem=static,
        dynamic_smem=block.dynamic_bytes or 0,
        max_dynamic_smem=None if raised else max(target.smem_default_per_block - static, 0),
        barriers=block.barriers_held or 0,
        carveout_bytes=block.carveout,
    )


_occupancy = lru_cache(occupancy)


def _short(found: Occupancy, wanted: int) -> set[str]:
    """The limits that leave fewer blocks than wanted."""
    return {name for name, limit in found.limits.items() if limit is not None and limit < wanted}


def _said(block: Block, limit: str, threads: int) -> bool:
    """Whether another rule says that a limit leaves too few blocks."""
    if limit in ("warps", "blocks") and _dropped(block):
        return True  # REG005
    if limit == "warps":
        return threads > block.target.max_threads_per_block  # BLK001
    if limit == "registers":
        # REG001 and REG002, or REG004.
        return (block.entry or 0) > register_cap(block.target, threads) or over_cap(block)
    return limit in SAID


def _dropped(block: Block) -> bool:
    """Whether the blocks wanted are a minimum that the compiler ignores: REG005."""
    bounds = block.registers.launch_bounds if block.registers is not None else ()
    if not bounds or not bounds[0] or block.wanted_key == "blocks_per_sm":
        return False
    return drops_minimum(block.target, bounds[0], block.min_blocks)


def _fix(block: Block, found: Occupancy, wanted: int) -> str:
    """The blocks there are, or what each short limit leaves to every one of those wanted."""
    target = block.target
    want = f"want {found.blocks}" if found.blocks else ""
    short = _short(found, wanted)
    if "blocks" in short or wanted > target.max_warps_per_sm:
        return want or f"want at most {target.max_blocks_per_sm}"
    threads = target.max_warps_per_sm // wanted * target.warp_size
    registers = register_cap(target, min(threads, found.block.threads), wanted)
    shared = target.smem_reserved_per_block
    whole = carveout_of(target, 0, block.carveout)
    shared = down(whole // wanted, target.smem_alloc_granularity) - shared
    refused = found.block.max_dynamic_smem is not None and not found.blocks
    ways = {
        "warps": f"at most {threads:,} threads",
        "registers": f"at most {registers} registers",
        "shared_memory": "MaxDynamicSharedMemorySize"
        if refused
        else f"at most {size(shared)} of shared memory",
        "barriers": f"named barriers below {target.barriers_per_sm // wanted}",
    }
    way = f"use {joined(way for name, way in ways.items() if name in short)}"
    possible = (shared > 0 or "shared_memory" not in short) and target.barriers_per_sm >= wanted
    return " or ".join(filter(None, (want, way if possible else "")))


@rule(
    "BAR003",
    "warning",
    reads="wanted barriers_held",
    blames="named_barriers",
    unit="barriers",
    source=f"{OCC}; {H200_DEVICE}",
)
def barriers_limit_blocks(block: Block, blocks: int, held: int) -> Iterator[Breach]:
    """Whether named barriers leave room for the wanted blocks.

    An SM has a fixed number of them for all its blocks; a block takes as many as its
    highest number says, or as a build of it sets aside.

    Fails: shape: {blocks_per_sm: 8, named_barriers: [15]}

    Passes: shape: {blocks_per_sm: 4, named_barriers: [15]}
    """
    slots = block.target.barriers_per_sm
    # More than a block has is BAR001 or CHK010.
    if 0 < held <= block.target.named_barriers_per_block and slots // held < blocks:
        leave = "leaves" if held == 1 else "leave"
        yield Breach(
            f"{some(held, 'named barrier')} per block {leave} {slots // held} of the {blocks:,}"
            f" wanted blocks per SM, which has {slots}",
            path=block.barriers_key,
            value=held,
            limit=slots // blocks,
            over=held - slots // blocks,
            fix=f"number them below {slots // blocks}" if slots // blocks else "want fewer blocks",
        )


@rule(
    "OCC002",
    "error",
    reads="shared.carveout_percent",
    unit="percent",
    source=H200_DRIVER,
)
def carveout_percent(block: Block, percent: int) -> Iterator[Breach]:
    """Whether a preferred carveout is one that the driver takes.

    PreferredSharedMemoryCarveout takes 0 to 100 percent of an SM's shared memory, and -1 for
    no preference; anything else is refused. Where the carveout is given in KiB as well, both
    mean one size.

    Fails: shape: {shared: {carveout_percent: 101}}

    Passes: shape: {shared: {carveout_percent: 100}}
    """
    target, kib = block.target, block.shared.carveout if block.shared is not None else None
    if not NO_PREFERENCE <= percent <= 100:
        yield Breach(
            f"a carveout of {percent:,} percent; the driver takes 0 to 100, and {NO_PREFERENCE} for"
            " no preference",
            value=percent,
            limit=100 if percent > 100 else NO_PREFERENCE,
            over=percent - 100 if percent > 100 else NO_PREFERENCE - percent,
            fix="use 100" if percent > 100 else f"use {NO_PREFERENCE}, or leave it out",
        )
    elif kib is not None:
        chosen = None if percent < 0 else carveout_of(target, bytes_of_percent(target, percent), 0)
        if chosen != carveout_of(target, kib * 1024, 0):
            means = "no preference" if chosen is None else f"{chosen // 1024:,} KiB"
            yield Breach(
                f"a carveout of {percent} percent is {means}, `carveout` says {kib:,} KiB",
                value=percent,
                fix="leave one of them out",
            )
