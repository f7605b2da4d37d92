"""How much shared memory a block takes."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.engine.arith import down
from kcfg.core.figures import size, some
from kcfg.core.hardware.occupancy import smem_per_block
from kcfg.core.hardware.sources import H200_DEVICE, NCU, OCC, PG, PTXAS
from kcfg.core.rules import Breach, rule


@rule(
    "SMEM001",
    "error",
    reads="shared_bytes",
    blames="shared.dynamic",
    unit="bytes",
    source=f"{PG}; {H200_DEVICE}",
)
def smem_fits(block: Block, need: int) -> Iterator[Breach]:
    """Whether a block may have that much shared memory.

    The most for one block is what an SM has less 1,024 bytes that the system keeps in
    every block. A launch above it is refused.

    Fails: shape: {shared: {dynamic: 233472}}

    Passes: shape: {shared: {static: 16, dynamic: 232432}}
    """
    most = block.target.smem_optin_per_block
    if need > most:
        static = block.shared.static if block.shared is not None else None
        parts = f" ({size(static)} static)" if static else ""
        whole = block.target.smem_per_sm
        per_sm = f" (the {size(whole)} of an SM are not one block's)" if need <= whole else ""
        yield Breach(
            f"a block needs {size(need)} of shared memory{parts}, {size(need - most)} over the"
            f" {size(most)} it may have on {block.target.name}{per_sm}",
            path=_blamed(block),
            value=need,
            limit=most,
            over=need - most,
            fix=_smaller(block, need - most),
        )


def _blamed(block: Block) -> str:
    shared = block.shared
    if shared is not None and shared.dynamic is not None:
        return "shared.dynamic"
    if shared is not None and shared.regions:
        return "shared.regions"
    return "pipelines" if block.dynamic_bytes is not None else "shared.static"


def _smaller(block: Block, over: int) -> str:
    """What to leave out: stages where a pipeline has enough of them, else bytes."""
    for line in block.pipelines:
        if line.stages and line.stage_bytes:
            fitting = line.stages - -(-over // line.stage_bytes)
            if fitting >= 1:
                name = f" of {line.name}" if line.name else ""
                return f"{some(fitting, 'stage')}{name} {'fits' if fitting == 1 else 'fit'}"
    return f"take out {size(over)}"


@rule(
    "SMEM002",
    "info",
    reads="dynamic_bytes",
    blames="shared.opt_in",
    unit="bytes",
    source=H200_DEVICE,
)
def opt_in(block: Block, dynamic: int) -> Iterator[Breach]:
    """Whether the kernel's dynamic maximum is raised where that is needed.

    Above 49,152 bytes, static ones included, a launch is refused until
    MaxDynamicSharedMemorySize has been raised; the attribute takes no more than a block may
    have less the static part.

    Fails: shape: {shared: {dynamic: 100000, opt_in: false}}

    Passes: shape: {shared: {dynamic: 100000, opt_in: true}}
    """
    shared, target = block.shared, block.target
    static = (shared.static or 0) if shared is not None else 0
    without, most = target.smem_default_per_block, target.smem_optin_per_block
    raised = shared.opt_in if shared is not None else None
    if raised or not dynamic or not without < static + dynamic <= most:
        return
    yield Breach(
        f"{size(static + dynamic)} of shared memory is {size(static + dynamic - without)} over the"
        f" {size(without)} a block may have without opting in"
        + (": the launch is refused" if raised is False else ""),
        value=static + dynamic,
        limit=without,
        over=static + dynamic - without,
        fix=f"set MaxDynamicSharedMemorySize to {dynamic}",
        severity="error" if raised is False else None,
    )


@rule("SMEM003", "error", reads="shared.static", unit="bytes", source=f"{PG}; {PTXAS}")
def static_size(block: Block, static: int) -> Iterator[Breach]:
    """Whether static shared memory is within what the target compiles.

    Plain and family targets end at 49,152 bytes. The architecture-specific ones (a) compile
    and run more, which the programming guide still rules out: a warning there.

    Fails: {target: sm_100, shape: {shared: {static: 65536}}}

    Passes: {target: sm_100, shape: {shared: {static: 49152}}}
    """
    most = block.target.smem_default_per_block
    if most < static <= block.target.smem_optin_per_block:
        specific = block.arch.endswith("a")
        yield Breach(
            f"{size(static)} of static shared memory is {size(static - most)} over the {size(most)}"
            + (" that is documented" if specific else f" that {block.arch} compiles"),
            value=static,
            limit=most,
            over=static - most,
            fix="make it dynamic",
            severity="warning" if specific else None,
        )


@rule(
    "SMEM004",
    "error",
    reads="blocks_per_sm shared_bytes",
    blames="shared.dynamic",
    unit="bytes",
    source=f"{OCC}; {H200_DEVICE}",
)
def blocks_share_sm(block: Block, blocks: int, need: int) -> Iterator[Breach]:
    """Whether the wanted blocks fit an SM's shared memory together.

    Each is set aside with its 1,024 reserved bytes, rounded up to 128.

    Fails: shape: {blocks_per_sm: 2, shared: {dynamic: 116000}}

    Passes: shape: {blocks_per_sm: 2, shared: {dynamic: 115712}}
    """
    target = block.target
    if blocks == 1 or target.smem_per_sm // smem_per_block(target, need) >= blocks:
        return
    reserved = target.smem_reserved_per_block
    most = down(target.smem_per_sm // blocks, target.smem_alloc_granularity) - reserved
    if most < 0:
        message = f"{blocks:,} blocks reserve more than the {size(target.smem_per_sm)} of an SM"
        yield Breach(message, path="blocks_per_sm", fix="want fewer blocks")
        return
    yield Breach(
        f"{blocks:,} blocks share an SM with at most {size(most)} each; {size(need)} is"
        f" {size(need - most)} over",
        path=_blamed(block),
        value=need,
        limit=most,
        over=need - most,
        fix=_smaller(block, need - most),
    )


@rule(
    "SMEM005",
    "warning",
    reads="shared.carveout shared_bytes",
    unit="KiB",
    source=f"{OCC}; {NCU}",
)
def carveout(block: Block, chosen: int, need: int) -> Iterator[Breach]:
    """Whether the carveout chosen for an SM holds the wanted blocks.

    An SM's shared memory comes in a few sizes; a choice between two means the larger one,
    and one below a single block's need gives way to it.

    Fails: shape: {blocks_per_sm: 2, shared: {dynamic: 61440, carveout: 100}}

    Passes: shape: {blocks_per_sm: 2, shared: {dynamic: 61440, carveout: 132}}
    """
    target, wanted = block.target, block.blocks_per_sm or 1
    each = smem_per_block(target, need)
    if wanted * each > target.smem_per_sm:
        return  # no carveout would do: SMEM004
    holds = _carveout(block, max(chosen * 1024, each)) // each
    if chosen * 1024 > target.smem_per_sm:
        yield Breach(
            f"a carveout of {chosen:,} KiB is {chosen - target.smem_per_sm // 1024:,} KiB over what"
            " an SM has",
            value=chosen,
            limit=target.smem_per_sm // 1024,
            over=chosen - target.smem_per_sm // 1024,
            fix=f"choose {target.smem_per_sm // 1024} KiB",
        )
    elif holds < wanted:
        enough = _carveout(block, wanted * each) // 1024
        yield Breach(
            f"a carveout of {chosen} KiB holds {some(holds, 'block')} of the {wanted} wanted; with"
            f" the reserve they take {wanted * each / 1024:,.1f} KiB",
            value=chosen,
            limit=enough,
            over=enough - chosen,
            fix=f"choose {enough} KiB",
        )


def _carveout(block: Block, need: int) -> int:
    """The smallest size an SM can be set to that has ``need`` bytes."""
    sizes = (kib * 1024 for kib in block.target.carveout_kb)
    return next((each for each in sizes if each >= need), block.target.smem_per_sm)
