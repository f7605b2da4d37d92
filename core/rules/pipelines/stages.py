"""How many stages a pipeline has, and how many fit."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Pipeline
from kcfg.core.block.rings import label, total
from kcfg.core.figures import size, some
from kcfg.core.hardware.sources import H200_DEVICE, PG
from kcfg.core.rules import Breach, rule


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
            none = f"0 stages of {label(line, index)} fit: there is no room for one"
            yield Breach(
                none if block.derived else f"{label(line, index)} has 0 stages",
                path=path,
                value=0,
                limit=1,
                over=1,
                fix="it needs at least 1, and 2 to overlap copies with arithmetic",
            )
        elif line.stages == 1 and line.tma:
            yield Breach(
                f"{label(line, index)} has 1 stage: TMA and arithmetic take turns",
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
    less static bytes, the fixed part, all other pipelines that share no bytes with it, and the
    regions beside those that it lies in. Not even one is an error, and so are more stages than fit
    the dynamic shared memory that is asked for.

    Fails: shape: {pipelines: [{stage_bytes: 262144}]}

    Passes: shape: {pipelines: [{stages: 4, stage_bytes: 49152, fixed_bytes: 20480}]}
    """
    if not any(line.stage_bytes for line in pipelines):
        return
    from kcfg.core.block.stages import budget, each_takes, fitting as stages_fit, needed

    asked = block.shared.dynamic if block.shared is not None else None
    most, found = budget(block), block.ring_groups
    for index, line in enumerate(pipelines):
        if not line.stage_bytes:
            continue
        fitting = stages_fit(block, index)
        path = f"pipelines[{index}].stage{'s' if line.stages is not None else '_bytes'}"
        if not fitting:
            yield Breach(
                f"0 stages of {label(line, index)} fit: one needs {size(each_takes(block, index))},"
                f" {size(max(most - needed(block, index, 0), 0))} is left",
                path=path,
                value=line.stages,
                limit=0,
                over=line.stages,
                fix=f"make a stage or the rest smaller by {size(needed(block, index, 1) - most)}",
                severity="error",
            )
        elif line.stages is None or line.stages <= fitting:
            more = size(needed(block, index, fitting + 1) - most)
            yield Breach(
                f"{_counted(block, line, index, fitting)}; stage {fitting + 1:,} needs {more} more",
                path=path,
                value=line.stages,
                limit=fitting,
            )
        elif asked is not None and (over := total(found) - asked) > 0:
            fit = "does not fit" if line.stages == 1 else "do not fit"
            yield Breach(
                f"{some(line.stages, 'stage')} of {label(line, index)} {fit} the {size(asked)}"
                f" of dynamic shared memory: {size(over)} over",
                path=path,
                value=line.stages,
                limit=fitting,
                over=line.stages - fitting,
                fix=f"{some(fitting, 'stage')} {'fits' if fitting == 1 else 'fit'}",
                severity="error",
            )


def _counted(block: Block, line: Pipeline, index: int, fitting: int) -> str:
    """How many stages there are, and how many there may be at most."""
    name = label(line, index)
    if line.stages is None:
        return f"at most {some(fitting, 'stage')} of {name} {'fits' if fitting == 1 else 'fit'}"
    asked = "" if block.derived else " asked"
    most = "the most that fit" if line.stages == fitting else f"at most {fitting:,} would fit"
    return f"{some(line.stages, 'stage')} of {name}{asked}, {most}"
