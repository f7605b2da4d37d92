"""How many blocks share an SM."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kcfg.core.figures import joined, some
from kcfg.core.hardware.occupancy import Occupancy, occupancy
from kcfg.core.hardware.sources import H200_DEVICE, OCC
from kcfg.core.launch.launch import Launch
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
    blames="blocks_per_sm",
    unit="blocks",
    source=f"{OCC}; {H200_DEVICE}",
)
def blocks_per_sm(launch: Launch, threads: int) -> Iterator[Breach]:
    """How many blocks share an SM, and every limit that stops one more.

    None at all means that the launch is refused; fewer than wanted, that the SM is left
    with less work than the kernel was made for. Both are errors. What is not given, such
    as registers, does not limit.

    Fails: shape: {threads: 384, blocks_per_sm: 2, registers: {entry: 168}}

    Passes: shape: {threads: 384, blocks_per_sm: 1, registers: {entry: 168}}
    """
    if threads < 1:
        return
    wanted = launch.blocks_per_sm or 1
    found = resident(launch, threads)
    limits = joined(LIMITERS[name] for name in found.limiters)
    fewer = found.blocks < wanted
    silent = [
        what
        for what, given in (("registers", launch.entry), ("shared memory", launch.shared_bytes))
        if given is None
    ]
    unknown = f"; {joined(silent)} not given" if silent else ""
    yield Breach(
        f"{some(found.blocks, 'block')} per SM (limited by {limits}{unknown})"
        + (f", {wanted:,} wanted" if fewer or launch.blocks_per_sm else ""),
        path="blocks_per_sm" if launch.blocks_per_sm else KEYS[found.limiters[0]],
        value=found.blocks,
        limit=wanted if launch.blocks_per_sm or fewer else None,
        over=wanted - found.blocks if fewer else None,
        fix=_fix(found.blocks, found.limits, wanted) if fewer else "",
        severity="error" if fewer else None,
    )


def resident(launch: Launch, threads: int) -> Occupancy:
    """How many blocks of a launch of ``threads`` share an SM; what is not given is taken as 0.

    Raises ValueError for fewer than one thread.
    """
    target, shared = launch.target, launch.shared
    static = (shared.static or 0) if shared is not None else 0
    raised = shared is None or shared.opt_in is not False
    return _occupancy(
        target,
        threads=threads,
        registers=launch.entry or 0,
        static_smem=static,
        dynamic_smem=launch.dynamic_bytes or 0,
        max_dynamic_smem=None if raised else max(target.smem_default_per_block - static, 0),
        barriers=launch.barriers_used or 0,
    )


_occupancy = lru_cache(occupancy)


def _fix(blocks: int, limits: dict[str, int | None], wanted: int) -> str:
    short = [
        LIMITERS[name] for name, limit in limits.items() if limit is not None and limit < wanted
    ]
    way = f"want {blocks}, or " if blocks else ""
    return f"{way}use less of {joined(short)}"
