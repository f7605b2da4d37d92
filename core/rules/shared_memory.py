"""How much shared memory a block takes."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.shared_memory import LEAST_ALIGN
from kcfg.core.block.stages import fitting as stages_that_fit, growth
from kcfg.core.engine.arith import down
from kcfg.core.figures import size, some
from kcfg.core.finding import Severity
from kcfg.core.hardware.occupancy import carveout_of, smem_per_block
from kcfg.core.hardware.sources import H200_DEVICE, H200_DRIVER, NCU, OCC, PG, PTXAS
from kcfg.core.rules import Breach, rule


class Over:
    """A block's shared memory where it is over a limit: its bytes, and the static ones in words."""

    def __init__(self, need: int, static: str, severity: Severity | None) -> None:
        self.need, self.static, self.severity = need, static, severity


def over(block: Block, most: int) -> Over | None:
    """What of a block's shared memory is over ``most`` bytes; None where that is enough.

    What is over only if there is an array that nothing speaks of is worth a warning.
    """
    need, beside = block.shared_bytes or 0, block.shared_bytes_most or 0
    if need > most:
        return Over(need, static_part(block), None)
    if beside > most:
        padded = size(beside - (block.dynamic_bytes or 0))
        why = f" ({padded} static, padded to {LEAST_ALIGN} if there is a dynamic array beside it)"
        return Over(beside, why, "warning")
    return None


def static_part(block: Block) -> str:
    """The static part of a block's shared memory in brackets, with what it is padded to."""
    counted = block.static_bytes
    if not counted:
        return ""
    return f" ({size(counted)} static{padding(block)})"


def padding(block: Block) -> str:
    """How static bytes come to those that are compiled; empty where they are the same."""
    given = block.shared.static if block.shared is not None else None
    if given is None or given == block.static_bytes:
        return ""
    return f": {size(given)} padded to the {size(block.array_align or 1)} of the dynamic array"


@rule(
    "SMEM001",
    "error",
    also=("warning",),
    reads="shared_bytes",
    blames="shared.dynamic",
    unit="bytes",
    source=f"{PG}; {H200_DRIVER}",
)
def smem_fits(block: Block, need: int) -> Iterator[Breach]:
    """Whether a block may have that much shared memory.

    The most for one block is what an SM has less 1,024 bytes that the system keeps in
    every block. A launch above it is refused. Static memory counts as compiled: padded to the
    alignment of the dynamic array of its file (`base_align`), at least 16 bytes, also in a
    kernel that uses none. What is over only if there is such an array is a warning.

    Fails: shape: {shared: {dynamic: 233472}}

    Passes: shape: {shared: {static: 16, dynamic: 232432}}
    """
    most = block.target.smem_optin_per_block
    found = over(block, most)
    if found is not None:
        need = found.need
        whole, share = block.target.smem_per_sm, _share(block)
        # Nor do the wanted blocks fit together: what helps them is said here, not by SMEM004.
        together = f" for {block.wanted:,} blocks to share an SM" if 0 < share < most else ""
        per_sm = f" (the {size(whole)} of an SM are not one block's)" if need <= whole else ""
        yield Breach(
            f"a block needs {size(need)} of shared memory{found.static}, {size(need - most)} over"
            f" the {size(most)} it may have on {block.target.name}{per_sm}",
            path=_blamed(block),
            value=need,
            limit=most,
            over=need - most,
            fix=_smaller(block, share if together else most) + together,
            severity=found.severity,
        )


def _blamed(block: Block) -> str:
    return "shared.static" if block.dynamic_bytes is None else block.dynamic_key


def _smaller(block: Block, most: int) -> str:
    """What to leave out to come to ``most``: stages where a pipeline has enough, else bytes."""
    excess = (block.shared_bytes_most or 0) - most
    for index, line in enumerate(block.pipelines):
        if line.stages and line.stage_bytes:
            fitting = line.stages - -(-excess // line.stage_bytes)
            if not block.derived and growth(block, index):  # what is behind moves up, as aligned
                fitting = stages_that_fit(block, index, most - (block.static_bytes or 0))
            if 1 <= fitting < line.stages:
                name = f" of {line.name}" if line.name else ""
                return f"{some(fitting, 'stage')}{name} {'fits' if fitting == 1 else 'fit'}"
    dynamic = block.dynamic_bytes or 0
    if excess <= dynamic or not padding(block):
        return f"take out {size(excess)}"
    return f"at most {size(down(most, block.array_align or 1))} fit"


def _share(block: Block, blocks: int | None = None) -> int:
    """Bytes of shared memory that each of some blocks may have, below 0 for too many.

    That is of the wanted blocks, unless others are given.
    """
    target, blocks = block.target, blocks or block.wanted or 1
    share = down(target.smem_per_sm // blocks, target.smem_alloc_granularity)
    return share - target.smem_reserved_per_block


@rule(
    "SMEM002",
    "info",
    also=("error", "warning"),
    reads="dynamic_bytes",
    blames="shared.opt_in",
    unit="bytes",
    source=f"{H200_DEVICE}; {H200_DRIVER}",
)
def opt_in(block: Block, dynamic: int) -> Iterator[Breach]:
    """Whether the kernel's dynamic maximum is raised where that is needed.

    Above 49,152 bytes, static ones included, a launch is refused until
    MaxDynamicSharedMemorySize has been raised; the attribute takes no more than a block may
    have less the static part.

    Fails: shape: {shared: {dynamic: 100000, opt_in: false}}

    Passes: shape: {shared: {dynamic: 100000, opt_in: true}}
    """
    raised = block.shared.opt_in if block.shared is not None else None
    without, most = block.target.smem_default_per_block, block.target.smem_optin_per_block
    found = over(block, without)
    if raised or not dynamic or found is None or (block.shared_bytes or 0) > most:
        return
    yield Breach(
        f"{size(found.need)} of shared memory{found.static} is {size(found.need - without)} over"
        f" the {size(without)} a block may have without opting in"
        + (": the launch is refused" if raised is False else ""),
        value=found.need,
        limit=without,
        over=found.need - without,
        fix=f"set MaxDynamicSharedMemorySize to {dynamic}",
        severity=(found.severity or "error") if raised is False else None,
    )


@rule(
    "SMEM003",
    "error",
    also=("warning",),
    reads="shared.static",
    unit="bytes",
    source=f"{PG}; {PTXAS}",
)
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
    also=("warning",),
    reads="wanted shared_bytes",
    blames="shared.dynamic",
    unit="bytes",
    source=f"{OCC}; {H200_DEVICE}",
)
def blocks_share_sm(block: Block, blocks: int, need: int) -> Iterator[Breach]:
    """Whether the wanted blocks fit an SM's shared memory together.

    Each is set aside with its 1,024 reserved bytes, rounded up to 128. Blocks that only the
    launch bounds name are a minimum for the compiler, and a launch with fewer runs: a warning.

    Fails: shape: {blocks_per_sm: 2, shared: {dynamic: 116000}}

    Passes: shape: {blocks_per_sm: 2, shared: {dynamic: 115712}}
    """
    target, most = block.target, _share(block)
    found = over(block, most)
    # One that no block may have is SMEM001.
    if blocks == 1 or found is None or need > target.smem_optin_per_block:
        return
    hinted: Severity | None = None
    if found.need <= _share(block, block.blocks_per_sm or 1):
        hinted = "warning"
    if most < 0:
        message = f"{blocks:,} blocks reserve more than the {size(target.smem_per_sm)} of an SM"
        yield Breach(message, path=block.wanted_key, fix="want fewer blocks", severity=hinted)
        return
    yield Breach(
        f"{blocks:,} blocks share an SM with at most {size(most)} each;"
        f" {size(found.need)}{found.static} is {size(found.need - most)} over",
        path=_blamed(block),
        value=found.need,
        limit=most,
        over=found.need - most,
        fix=_smaller(block, most),
        severity=hinted or found.severity,
    )


@rule(
    "SMEM005",
    "warning",
    reads="carveout shared_bytes",
    blames="shared.carveout",
    unit="KiB",
    source=f"{OCC}; {NCU}; {H200_DRIVER}",
)
def carveout(block: Block, chosen: int, need: int) -> Iterator[Breach]:
    """Whether the carveout chosen for an SM holds the wanted blocks.

    An SM's shared memory comes in a few sizes; a choice between two means the larger one,
    and one below a single block's need gives way to it.

    Fails: shape: {blocks_per_sm: 2, shared: {dynamic: 61440, carveout: 100}}

    Passes: shape: {blocks_per_sm: 2, shared: {dynamic: 61440, carveout: 132}}
    """
    target, wanted = block.target, block.wanted or 1
    whole, each = target.smem_per_sm, smem_per_block(target, need)
    if wanted * each > whole:
        return  # no carveout would do: SMEM004
    percent = block.shared.carveout_percent if block.shared is not None else None
    said = f"{chosen // 1024:,} KiB" + ("" if percent is None else f", {percent} percent,")
    path = "shared.carveout" if percent is None else "shared.carveout_percent"
    holds = carveout_of(target, each, chosen) // each
    if chosen > whole:
        yield Breach(
            f"a carveout of {said} is {(chosen - whole) // 1024:,} KiB over what an SM has",
            value=chosen // 1024,
            limit=whole // 1024,
            over=(chosen - whole) // 1024,
            fix=f"choose {whole // 1024} KiB",
        )
    elif holds < wanted:
        enough = carveout_of(target, each, wanted * each)
        # Rounded down, a percentage of a size still means that size.
        percents = "" if percent is None else f", {100 * enough // whole} percent"
        yield Breach(
            f"a carveout of {said} holds {some(holds, 'block')} of the {wanted} wanted; with"
            f" the reserve they take {wanted * each / 1024:,.1f} KiB",
            path=path,
            value=chosen // 1024,
            limit=enough // 1024,
            over=enough // 1024 - chosen // 1024,
            fix=f"choose {enough // 1024} KiB{percents}",
        )
