"""Pipelines: stages, their mbarriers, and the bytes they wait for."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Pipeline
from kcfg.core.engine.arith import down
from kcfg.core.figures import size, some
from kcfg.core.hardware.sources import H200_DEVICE, PG, PTX
from kcfg.core.rules import Breach, rule

MOST_TX = (1 << 20) - 1
"""Bytes that one phase of an mbarrier can wait for."""


def named(line: Pipeline, index: int) -> str:
    """What a message calls a pipeline."""
    return line.name or f"pipeline {index}"


@rule(
    "PIPE001",
    "error",
    also=("warning",),
    reads="pipelines",
    unit="stages",
    source="follows from how a ring of buffers works",
)
def has_stages(block: Block, pipelines: tuple[Pipeline, ...]) -> Iterator[Breach]:
    """Whether a pipeline has stages.

    Without one nothing can be loaded. With a single one, a TMA load and the arithmetic on
    it take turns, and nothing overlaps: a warning.

    Fails: shape: {pipelines: [{name: kv, stages: 0}]}

    Passes: shape: {pipelines: [{name: kv, stages: 2, tma: true}]}
    """
    for index, line in enumerate(pipelines):
        path = f"pipelines[{index}].stages"
        if line.stages is not None and line.stages < 1:
            # A derived count below 0 is what the struct divides, no number of stages.
            none = f"0 stages of {named(line, index)} fit: there is no room for one"
            yield Breach(
                none if block.derived else f"{named(line, index)} has 0 stages",
                path=path,
                value=0,
                limit=1,
                over=1,
                fix="it needs at least 1, and 2 to overlap copies with arithmetic",
            )
        elif line.stages == 1 and line.tma:
            yield Breach(
                f"{named(line, index)} has 1 stage: TMA and arithmetic take turns",
                path=path,
                value=1,
                limit=2,
                over=1,
                fix="use 2",
                severity="warning",
            )


@rule(
    "PIPE002",
    "info",
    also=("error",),
    reads="pipelines",
    unit="stages",
    source=f"{PG}; {H200_DEVICE}",
)
def stages_that_fit(block: Block, pipelines: tuple[Pipeline, ...]) -> Iterator[Breach]:
    """How many stages fit into what the rest leaves.

    That is the block's shared memory, or its share of it where several blocks are wanted,
    less static bytes, the fixed part and all other pipelines. Not even one is an error, and
    so are more stages than fit the dynamic shared memory that is asked for.

    Fails: shape: {pipelines: [{stage_bytes: 262144}]}

    Passes: shape: {pipelines: [{stages: 4, stage_bytes: 49152, fixed_bytes: 20480}]}
    """
    asked = block.shared.dynamic if block.shared is not None else None
    for index, line in enumerate(pipelines):
        if not line.stage_bytes:
            continue
        others = sum(
            (other.stages or 0) * (other.stage_bytes or 0) + (other.fixed_bytes or 0)
            for other in pipelines
            if other is not line
        )
        room = _budget(block) - (line.fixed_bytes or 0) - others
        fitting = max(room // line.stage_bytes, 0)
        path = f"pipelines[{index}].stage{'s' if line.stages is not None else '_bytes'}"
        if not fitting:
            yield Breach(
                f"0 stages of {named(line, index)} fit: one needs {size(line.stage_bytes)},"
                f" {size(max(room, 0))} is left",
                path=path,
                value=line.stages,
                limit=0,
                over=line.stages,
                fix=f"make a stage or the rest smaller by {size(line.stage_bytes - room)}",
                severity="error",
            )
        elif line.stages is None or line.stages <= fitting:
            more = size((fitting + 1) * line.stage_bytes - room)
            yield Breach(
                f"{_counted(block, line, index, fitting)}; stage {fitting + 1:,} needs {more} more",
                path=path,
                value=line.stages,
                limit=fitting,
            )
        elif asked is not None:
            fit = "does not fit" if line.stages == 1 else "do not fit"
            yield Breach(
                f"{some(line.stages, 'stage')} of {named(line, index)} {fit} the {size(asked)}"
                f" of dynamic shared memory: {size(line.stages * line.stage_bytes - room)} over",
                path=path,
                value=line.stages,
                limit=fitting,
                over=line.stages - fitting,
                fix=f"{some(fitting, 'stage')} {'fits' if fitting == 1 else 'fit'}",
                severity="error",
            )


def _counted(block: Block, line: Pipeline, index: int, fitting: int) -> str:
    """How many stages there are, and how many there may be at most."""
    name = named(line, index)
    if line.stages is None:
        return f"at most {some(fitting, 'stage')} of {name} {'fits' if fitting == 1 else 'fit'}"
    asked = "" if block.derived else " asked"
    most = "the most that fit" if line.stages == fitting else f"at most {fitting:,} would fit"
    return f"{some(line.stages, 'stage')} of {name}{asked}, {most}"


def _budget(block: Block) -> int:
    """Dynamic bytes that pipelines may fill: what is asked for, else what a block may have."""
    target, shared = block.target, block.shared
    if shared is not None and shared.dynamic is not None:
        return shared.dynamic
    share = down(target.smem_per_sm // (block.wanted or 1), target.smem_alloc_granularity)
    most = min(share - target.smem_reserved_per_block, target.smem_optin_per_block)
    return most - (block.static_bytes or 0)


@rule("PIPE003", "error", reads="pipelines", unit="bytes", source=f"{PTX}, mbarrier")
def room_for_barriers(block: Block, pipelines: tuple[Pipeline, ...]) -> Iterator[Breach]:
    """Whether the layout has room for every stage's mbarriers.

    Each stage has a full and an empty one, 8 bytes each. The one that is missing lies in
    whatever comes next.

    Fails: shape: {pipelines: [{name: kv, stages: 4, barrier_bytes: 32}]}

    Passes: shape: {pipelines: [{name: kv, stages: 4, barrier_bytes: 64}]}
    """
    for index, line in enumerate(pipelines):
        if line.stages is None or line.barrier_bytes is None:
            continue
        each = 2 if line.barriers_per_stage is None else line.barriers_per_stage
        number = line.stages * each
        need = number * block.target.mbarrier_bytes
        if need > line.barrier_bytes:
            yield Breach(
                f"{some(line.stages, 'stage')} of {named(line, index)} need"
                f" {some(number, 'mbarrier')}, {size(need)}: {size(need - line.barrier_bytes)} over"
                f" the {size(line.barrier_bytes)} in the layout",
                path=f"pipelines[{index}].barrier_bytes",
                value=line.barrier_bytes,
                limit=need,
                over=need - line.barrier_bytes,
                fix=f"give them {size(need)}",
            )


@rule("PIPE004", "error", reads="pipelines", unit="bytes", source=f"{PTX}, mbarrier, contents")
def transaction_bytes(block: Block, pipelines: tuple[Pipeline, ...]) -> Iterator[Breach]:
    """Whether a full barrier waits for just the bytes its copies bring.

    Its count of pending bytes has 20 bits. A phase that expects fewer bytes than come ends
    early or not as meant, one that expects more never ends.

    Fails: shape: {pipelines: [{name: kv, expect_tx: 32768, boxes: [16384, 32768]}]}

    Passes: shape: {pipelines: [{name: kv, expect_tx: 49152, boxes: [16384, 32768]}]}
    """
    for index, line in enumerate(pipelines):
        brought = sum(line.boxes) if line.boxes else None
        phase = brought if line.expect_tx is None else line.expect_tx
        path = f"pipelines[{index}].{'boxes' if line.expect_tx is None else 'expect_tx'}"
        if phase is not None and phase > MOST_TX:
            yield Breach(
                f"{named(line, index)} waits for {size(phase)} in one phase,"
                f" {size(phase - MOST_TX)} over the {size(MOST_TX)} an mbarrier counts",
                path=path,
                value=phase,
                limit=MOST_TX,
                over=phase - MOST_TX,
                fix="split the copies over two barriers",
            )
        if line.expect_tx is not None and brought is not None and line.expect_tx != brought:
            early = line.expect_tx < brought
            yield Breach(
                f"{named(line, index)} expects {size(line.expect_tx)} but its copies bring"
                f" {size(brought)}, {size(abs(brought - line.expect_tx))}"
                f" {'more: the phase ends wrong' if early else 'fewer: the phase never ends'}",
                path=path,
                value=line.expect_tx,
                limit=brought,
                over=abs(brought - line.expect_tx),
                fix=f"expect {size(brought)}",
            )
