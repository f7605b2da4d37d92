"""How many blocks share an SM."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kcfg.core.block.block import Block
from kcfg.core.engine.arith import down
from kcfg.core.figures import joined, size, some
from kcfg.core.hardware.occupancy import Occupancy, occupancy, register_cap
from kcfg.core.hardware.sources import H200_DEVICE, OCC
from kcfg.core.rules import Breach, rule

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
    "barriers": "named_barriers",
}


@rule(
    "OCC001",
    "info",
    reads="block_threads",
    blames="threads",
    unit="blocks",
    source=f"{OCC}; {H200_DEVICE}",
)
def blocks_per_sm(block: Block, threads: int) -> Iterator[Breach]:
    """How many blocks share an SM, and every limit that stops one more.

    None at all means that the launch is refused; fewer than wanted, that the SM is left
    with less work than the kernel was made for. Both are errors. What is not given, such
    as registers, does not limit.

    Fails: shape: {threads: 384, blocks_per_sm: 2, registers: {entry: 168}}

    Passes: shape: {threads: 384, blocks_per_sm: 1, registers: {entry: 168}}
    """
    if threads < 1:
        return
    wanted = block.blocks_per_sm or 1
    found = resident(block, threads)
    limits = joined(LIMITERS[name] for name in found.limiters)
    fewer = found.blocks < wanted
    if not found.blocks and _said_elsewhere(block, threads):
        return
    silent = [
        what
        for what, given in (("registers", block.entry), ("shared memory", block.shared_bytes))
        if given is None
    ]
    unknown = f"; {joined(silent)} not given" if silent else ""
    yield Breach(
        f"{some(found.blocks, 'block')} per SM (limited by {limits}{unknown})"
        + (f", {wanted:,} wanted" if fewer or block.blocks_per_sm else ""),
        path="blocks_per_sm" if block.blocks_per_sm else KEYS[found.limiters[0]],
        value=found.blocks,
        limit=wanted if block.blocks_per_sm or fewer else None,
        over=wanted - found.blocks if fewer else None,
        fix=_fix(block, found, wanted) if fewer else "",
        severity="error" if fewer else None,
    )


def resident(block: Block, threads: int) -> Occupancy:
    """How many blocks of a launch of ``threads`` share an SM; what is not given is taken as 0.

    Raises ValueError for fewer than one thread.
    """
    target, shared = block.target, block.shared
    static = (shared.static or 0) if shared is not None else 0
    raised = shared is None or shared.opt_in is not False
    return _occupancy(
        target,
        threads=threads,
        registers=block.entry or 0,
        static_smem=static,
        dynamic_smem=block.dynamic_bytes or 0,
        max_dynamic_smem=None if raised else max(target.smem_default_per_block - static, 0),
        barriers=block.barriers_used or 0,
    )


_occupancy = lru_cache(occupancy)


def _said_elsewhere(block: Block, threads: int) -> bool:
    """Whether BLK001, BAR001, REG001, REG002 or SMEM001 says that no block fits."""
    target, entry = block.target, block.entry or 0
    return (
        threads > target.max_threads_per_block
        or (block.barriers_used or 0) > target.named_barriers_per_block
        or entry > target.max_registers_per_thread
        or entry > register_cap(target, threads, 1)
        or (block.shared_bytes or 0) > target.smem_optin_per_block
    )


def _fix(block: Block, found: Occupancy, wanted: int) -> str:
    """The blocks there are, or what each short limit leaves to every one of those wanted."""
    target = block.target
    want = f"want {found.blocks}" if found.blocks else ""
    short = {name for name, limit in found.limits.items() if limit is not None and limit < wanted}
    if "blocks" in short or wanted > target.max_warps_per_sm:
        return want or f"want at most {target.max_blocks_per_sm}"
    threads = target.max_warps_per_sm // wanted * target.warp_size
    registers = register_cap(target, min(threads, found.block.threads), wanted)
    shared = target.smem_reserved_per_block
    shared = down(target.smem_per_sm // wanted, target.smem_alloc_granularity) - shared
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
    reads="blocks_per_sm barriers_used",
    blames="named_barriers",
    unit="barriers",
    source=f"{OCC}; {H200_DEVICE}",
)
def barriers_limit_blocks(block: Block, blocks: int, used: int) -> Iterator[Breach]:
    """Whether named barriers leave room for the wanted blocks.

    An SM has a fixed number of them for all its blocks; a block takes as many as its
    highest number says.

    Fails: shape: {blocks_per_sm: 8, named_barriers: [15]}

    Passes: shape: {blocks_per_sm: 4, named_barriers: [15]}
    """
    slots = block.target.barriers_per_sm
    if slots // used < blocks:
        yield Breach(
            f"{some(used, 'named barrier')} per block leave {slots // used} of the {blocks:,}"
            f" wanted blocks per SM, which has {slots}",
            value=used,
            limit=slots // blocks,
            over=used - slots // blocks,
            fix=f"number them below {slots // blocks}" if slots // blocks else "want fewer blocks",
        )
