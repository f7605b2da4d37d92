"""Pipelines and the memory that they are to lie in."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block import aliases
from kcfg.core.block.block import Block
from kcfg.core.block.parts import Pipeline, Region
from kcfg.core.block.rings import label, slot, taken
from kcfg.core.figures import joined, offered, size, some
from kcfg.core.rules import Breach, rule

Lines = tuple[Pipeline, ...]


@rule(
    "PIPE005",
    "error",
    reads="pipelines",
    unit="bytes",
    source="follows from how rings of buffers lie in memory",
)
def memory_holds(block: Block, pipelines: Lines) -> Iterator[Breach]:
    """Whether the regions, or the dynamic shared memory, hold what pipelines take.

    Stages lie in shared memory, and the regions say what is where in it. Pipelines lie in the
    regions they name, else in the one of their own name; the others in what those leave, or
    beside the regions where the dynamic shared memory that is asked for has more. Of pipelines
    that share bytes the longest counts.

    Fails: shape: {shared: {regions: [{name: AB, bytes: 163840}]},
    pipelines: [{name: mainloop, stages: 4, stage_bytes: 49152}]}

    Passes: shape: {shared: {regions: [{name: AB, bytes: 196608}]},
    pipelines: [{name: mainloop, stages: 4, stage_bytes: 49152}]}
    """
    yield from _unknown(block, pipelines)
    asked = block.shared.dynamic if block.shared is not None else None
    need = block.pipeline_bytes
    if not need:
        return
    if asked is not None and need > asked:
        # Where it is stages that are too many, PIPE002 says how many fit.
        if not any(line.stages and line.stage_bytes for line in pipelines):
            yield Breach(
                f"the pipelines take {size(need)}, {size(need - asked)} over the {size(asked)} of"
                " dynamic shared memory",
                value=need,
                limit=asked,
                over=need - asked,
                fix=f"ask for {size(need)}",
            )
        return
    yield from _outside(block, pipelines, asked)


def _unknown(block: Block, pipelines: Lines) -> Iterator[Breach]:
    for index, what, fix in aliases.wrong(pipelines, "pipeline"):
        yield Breach(
            f"{label(pipelines[index], index)} shares the bytes of {what}",
            path=f"pipelines[{index}].alias_of",
            fix=fix,
        )
    if not any(line.region for line in pipelines):
        return
    known = {region.name for _, region in block.placed if region.name and not region.mbarriers}
    for index, line in enumerate(pipelines):
        for number, name in enumerate(line.region):
            if known and name not in known:
                yield Breach(
                    f"{label(line, index)} lies in {name}, which is no region",
                    path=f"pipelines[{index}].region[{number}]",
                    value=name,
                    fix=f"name {offered(sorted(known))}",
                )


def _outside(block: Block, pipelines: Lines, asked: int | None) -> Iterator[Breach]:
    """Pipelines that lie in no region they name, and for which no others have room."""
    end = block.regions_end
    loose = [
        (index, taken(pipelines[index]))
        for index, root in enumerate(aliases.roots(pipelines))
        if root == index and not block.homes[index]
    ]
    if end is None or not loose or any(region.bytes is None for _, region in block.placed):
        return
    owner = aliases.roots([region for _, region in block.placed])
    own = [index for index, root in enumerate(owner) if root == index]
    sizes = {index: block.placed[index][1].bytes or 0 for index in own}
    full = {index for home in block.homes for index in home}
    # Regions that share bytes may be those of pipelines that share them.
    shared = len(own) < len(owner)
    left = end if shared else end - sum(sizes[index] for index in full)
    needs = [need for _, need in loose]
    if asked is None:
        need = max(needs) if shared else sum(needs)
        if need > left:
            names = joined(label(pipelines[index], index) for index, _ in loose)
            yield Breach(
                f"{names} {'take' if len(loose) > 1 else 'takes'} {size(need)}, and the regions"
                f" have {size(left)} for that: {size(need - left)} over",
                path=f"pipelines[{loose[0][0]}]" if len(loose) == 1 else "pipelines",
                value=need,
                limit=left,
                over=need - left,
                fix=f"lay out {size(need - left)} more",
            )
        return
    spare = max(asked - sum(sizes.values()), 0)
    for index, need in loose:
        most = max(left, spare)
        if need > most:
            yield Breach(
                f"{label(pipelines[index], index)} takes {size(need)}; the regions have"
                f" {size(left)} for that, and {size(spare)} is beside them",
                path=f"pipelines[{index}]",
                value=need,
                limit=most,
                over=need - most,
                fix=f"lay out {size(need - left)} more",
            )


@rule(
    "PIPE006",
    "error",
    reads="pipelines",
    unit="bytes",
    source="follows from how rings of buffers lie in memory",
)
def stages_of_region(block: Block, pipelines: Lines) -> Iterator[Breach]:
    """Whether a pipeline's stages are the slots of the region that they lie in.

    A region has as many slots as the pipeline has stages, each as long as a stage. Where slots
    are shorter, every stage runs into the next. A stage may count its own mbarriers, which lie
    elsewhere. Several pipelines in one region lie one behind the other, unless one is an alias.

    Fails: shape: {shared: {regions: [{name: kv, bytes: 163840, stages: 4}]},
    pipelines: [{name: kv, stages: 4, stage_bytes: 49152}]}

    Passes: shape: {shared: {regions: [{name: kv, bytes: 196608, stages: 4}]},
    pipelines: [{name: kv, stages: 4, stage_bytes: 49152}]}
    """
    # The only ring of a block has as many slots as its only pipeline has stages.
    if not any(line.stage_bytes or line.name or line.region for line in pipelines):
        return
    lines_in: dict[int, int] = {}
    for home in block.homes:
        for where in home:
            lines_in[where] = lines_in.get(where, 0) + 1
    before: dict[tuple[int, ...], int] = {}
    for index, (line, home) in enumerate(zip(pipelines, block.homes, strict=True)):
        if not home:
            continue
        regions = [block.placed[where][1] for where in home]
        alone = all(lines_in[where] == 1 for where in home)
        unlike = list(_unlike(line, index, regions, alone))
        yield from unlike
        stage, step = line.stage_bytes or 0, slot(regions)
        spared = stage - _mbarriers(block, line)
        if step is not None and spared > step:
            yield _overlapping(line, index, regions, step)
        elif stage and line.stages and not unlike and (room := _room(regions)) is not None:
            prior = before.get(home, 0)
            apart = step if step is not None and alone else stage
            need = prior + (line.stages - 1) * apart + stage
            least = need - (stage - spared) * (1 if apart == step else line.stages)
            if line.alias_of is None:
                before[home] = need
            if prior <= room < least:
                yield _too_long(line, index, regions, need, room)


def _room(regions: list[Region]) -> int | None:
    """Bytes of some regions together; None where one does not say."""
    known = [region.bytes for region in regions if region.bytes is not None]
    return sum(known) if len(known) == len(regions) else None


def _mbarriers(block: Block, line: Pipeline) -> int:
    """Bytes of a stage's mbarriers, which its size may count although they lie elsewhere."""
    per_stage = 2 if line.barriers_per_stage is None else line.barriers_per_stage
    return per_stage * block.target.mbarrier_bytes


def _names(regions: list[Region]) -> str:
    return joined(region.name or "the only ring" for region in regions)


def _unlike(line: Pipeline, index: int, regions: list[Region], alone: bool) -> Iterator[Breach]:
    for region in regions:
        slots, stages = region.stages, line.stages
        if slots is None or stages is None or stages == slots or (stages < slots and not alone):
            continue
        yield Breach(
            f"{label(line, index)} has {some(stages, 'stage')}, its region {_names([region])}"
            f" {some(slots, 'slot')}",
            path=f"pipelines[{index}].stages",
            value=stages,
            limit=slots,
            over=max(stages - slots, 0),
            fix=f"give both {slots:,}",
        )


def _overlapping(line: Pipeline, index: int, regions: list[Region], step: int) -> Breach:
    stage = line.stage_bytes or 0
    return Breach(
        f"a stage of {label(line, index)} is {size(stage)}, and the slots of {_names(regions)} are"
        f" {size(step)} apart: each runs {size(stage - step)} into the next",
        path=f"pipelines[{index}].stage_bytes",
        value=stage,
        limit=step,
        over=stage - step,
        fix=f"make a stage at most {size(step)}",
    )


def _too_long(line: Pipeline, index: int, regions: list[Region], need: int, room: int) -> Breach:
    several = len(regions) > 1
    return Breach(
        f"{label(line, index)} ends at {size(need)} of its region{'s' if several else ''},"
        f" {_names(regions)}, {size(need - room)} past {'their' if several else 'its'} end",
        path=f"pipelines[{index}]",
        value=need,
        limit=room,
        over=need - room,
        fix=f"make {'them' if several else 'it'} {size(need)}{' together' if several else ''}",
    )
