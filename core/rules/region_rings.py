"""Regions whose slots are the stages of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.aliases import apart
from kcfg.core.block.block import Block
from kcfg.core.block.parts import Pipeline, Region
from kcfg.core.block.rings import label
from kcfg.core.figures import joined, size, some
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.regions import named

Members = list[tuple[int, Region]]
"""Regions with their indices."""


@rule(
    "PIPE010",
    "error",
    reads="shared.regions",
    source="follows from how rings of buffers lie in memory",
)
def rings_are_pipelines(block: Block, regions: tuple[Region, ...]) -> Iterator[Breach]:
    """Whether the regions of a ring and its pipeline say the same.

    A region that names a ring has a slot for every stage of that pipeline: of its elements, or of
    its mbarriers. So the pipeline is there, it says how many stages it has (or some region of it
    says its slots), its stage holds what the slots do, and it counts the mbarriers that lie in
    them. Where it names the regions it lies in, those of its ring are among them.

    Fails: shape: {shared: {regions: [{name: a, of: bf16, shape: [128, 64], ring: ab}]},
    pipelines: [{name: mainloop, stages: 4}]}

    Passes: shape: {shared: {regions: [{name: a, of: bf16, shape: [128, 64], ring: mainloop}]},
    pipelines: [{name: mainloop, stages: 4}]}
    """
    members: dict[str, Members] = {}
    for index, region in enumerate(regions):
        if region.ring is not None:
            members.setdefault(region.ring, []).append((index, region))
    for ring, found in members.items():
        lines = [(at, line) for at, line in enumerate(block.pipelines) if line.name == ring]
        if len(lines) != 1:
            yield from _no_pipeline(block, ring, found, len(lines))
            continue
        at, line = lines[0]
        yield from _slots(line, at, found)
        yield from _named(line, at, found)
        yield from _stage(block, line, at, found)
        yield from _barriers(block, line, at, found)


def _no_pipeline(block: Block, ring: str, found: Members, count: int) -> Iterator[Breach]:
    known = sorted({line.name for line in block.pipelines if line.name} - {ring})
    for index, region in found:
        what = "no pipeline" if not count else f"the name of {count:,} pipelines"
        fix = "give each pipeline its own name"
        if not count:
            fix = f"name {joined(known, 'or')}" if known else f"say pipelines: [{{name: {ring}}}]"
        yield Breach(
            f"the ring of {named(region, index)} is {ring}, which is {what}",
            path=f"shared.regions[{index}].ring",
            value=ring,
            fix=fix,
        )


def _slots(line: Pipeline, at: int, found: Members) -> Iterator[Breach]:
    """The slots of mbarriers, and slots of which nobody says how many there are."""
    for index, region in found:
        name, path = named(region, index), f"shared.regions[{index}]"
        if line.stages is None and region.stages is None:
            yield Breach(
                f"how many slots {name} has is not known: its ring, {label(line, at)}, says no"
                " stages",
                path=f"{path}.ring",
                fix="say stages of the pipeline: a number, or max",
            )
        elif region.bytes is None:
            yield Breach(
                f"how long a slot of {name} is is not known",
                path=f"{path}.ring",
                fix="say `of` and `shape`, or `bytes`",
            )
        elif region.mbarriers and line.stages is not None and region.stages != line.stages:
            yield Breach(  # of other regions that is PIPE006
                f"{label(line, at)} has {some(line.stages, 'stage')}, {name} mbarriers of"
                f" {some(region.stages or 0, 'slot')}",
                path=f"{path}.stages",
                value=region.stages,
                limit=line.stages,
                over=abs((region.stages or 0) - line.stages),
                fix=f"give both {line.stages:,}",
            )


def _named(line: Pipeline, at: int, found: Members) -> Iterator[Breach]:
    for index, region in found:
        if line.region and not region.mbarriers and region.name not in line.region:
            yield Breach(
                f"the ring of {named(region, index)} is {label(line, at)}, which lies in"
                f" {joined(line.region)}",
                path=f"shared.regions[{index}].ring",
                value=region.ring,
                fix="name it under `region` of the pipeline, or leave that out",
            )


def _stage(block: Block, line: Pipeline, at: int, found: Members) -> Iterator[Breach]:
    """A stage that is smaller than what the slots of its ring hold; a larger one is PIPE006."""
    from kcfg.core.block.slots import content

    slots = {at: content(region, block.target) for at, region in found if not region.mbarriers}
    known = {at: slot for at, slot in slots.items() if slot is not None}
    if line.stage_bytes is None or not known or len(known) < len(slots):
        return
    need = sum(apart([region for _, region in block.placed], known).values())
    if line.stage_bytes < need:
        names = joined(named(each, index) for index, each in found if not each.mbarriers)
        yield Breach(
            f"a stage of {label(line, at)} is {size(line.stage_bytes)}, and the slots of {names}"
            f" hold {size(need)} of it: {size(need - line.stage_bytes)} over",
            path=f"pipelines[{at}].stage_bytes",
            value=line.stage_bytes,
            limit=need,
            over=need - line.stage_bytes,
            fix=f"make a stage {size(need)}, or leave stage_bytes out",
        )


def _barriers(block: Block, line: Pipeline, at: int, found: Members) -> Iterator[Breach]:
    """mbarriers of a stage as the pipeline counts them, and as its ring has them."""
    each, counts = block.target.mbarrier_bytes, []
    for _, region in found:
        if region.mbarriers and region.bytes is not None and region.stages:
            counts.append(region.bytes // (each * region.stages))
        elif region.mbarriers:
            return
    said = line.barriers_per_stage
    if counts and said is not None and said != sum(counts):
        yield Breach(
            f"{label(line, at)} counts {some(said, 'mbarrier')} a stage, and its ring has"
            f" {sum(counts):,}",
            path=f"pipelines[{at}].barriers_per_stage",
            value=said,
            limit=sum(counts),
            over=abs(said - sum(counts)),
            fix=f"say {sum(counts):,}, or leave barriers_per_stage out",
        )
