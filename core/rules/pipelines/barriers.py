"""The mbarriers of pipelines, and the room there is for them."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Pipeline
from kcfg.core.block.rings import copied, label
from kcfg.core.figures import size, some
from kcfg.core.hardware.sources import PTX
from kcfg.core.rules import Breach, rule


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
                f"{some(line.stages, 'stage')} of {label(line, index)} need"
                f" {some(number, 'mbarrier')}, {size(need)}: {size(need - line.barrier_bytes)} over"
                f" the {size(line.barrier_bytes)} in the layout",
                path=f"pipelines[{index}].barrier_bytes",
                value=line.barrier_bytes,
                limit=need,
                over=need - line.barrier_bytes,
                fix=f"give them {size(need)}",
            )


@rule(
    "PIPE009",
    "error",
    also=("warning",),
    reads="pipelines",
    unit="barriers",
    source=f"{PTX}, mbarrier",
)
def barriers_counted(block: Block, pipelines: tuple[Pipeline, ...]) -> Iterator[Breach]:
    """Whether there are as many mbarriers as the stages of all pipelines take.

    They are among those that `mbarriers` counts, and lie in the regions that hold mbarriers; a
    group of a pipeline's own name has one of each stage at the least. Where a pipeline does not
    say how many a stage has, two are counted for one that copies fill: fewer are a warning then,
    since stages may share theirs.

    Fails: shape: {mbarriers: [{name: full, count: 4}],
    pipelines: [{name: kv, stages: 4, barriers_per_stage: 2}]}

    Passes: shape: {mbarriers: [{name: full, count: 4}, {name: empty, count: 4}],
    pipelines: [{name: kv, stages: 4, barriers_per_stage: 2}]}
    """
    named = list(_by_name(block, pipelines))
    yield from named
    usual = sum((line.stages or 0) * _per_stage(line) for line in pipelines)
    rooms = [line.barrier_bytes or 0 for line in pipelines]
    least = sum((line.stages or 0) * (line.barriers_per_stage or 0) for line in pipelines)
    counts = [each.count for each in block.mbarriers]
    if usual and counts and None not in counts and not named:
        yield from _short(sum(filter(None, counts)), least, usual, "mbarriers")
    laid_out = _laid_out(block) if usual or any(rooms) else None
    if laid_out is None:
        return
    short = list(_short(laid_out, least, usual, "shared.regions"))
    yield from short
    have, room = laid_out * block.target.mbarrier_bytes, sum(rooms)
    if room > have and not short:
        yield Breach(
            f"the pipelines count {size(room)} for their mbarriers, and the regions that hold"
            f" mbarriers have {size(have)}",
            path="shared.regions",
            value=have,
            limit=room,
            over=room - have,
            fix=f"lay out {size(room - have)} more for them",
            severity="warning",
        )


def _short(have: int, least: int, usual: int, path: str) -> Iterator[Breach]:
    """mbarriers there are, where they are fewer than stages take."""
    need = least if have < least else usual
    if have < need:
        where = "there are" if path == "mbarriers" else "the regions have room for"
        yield Breach(
            f"the stages of the pipelines take {some(need, 'mbarrier')}, {where} {have:,}",
            path=path,
            value=have,
            limit=need,
            over=need - have,
            fix=f"make that {need:,}" + (", or say barriers_per_stage" if need > least else ""),
            severity="warning" if need > least else None,
        )


def _per_stage(line: Pipeline) -> int:
    """mbarriers of a stage: as given, two where copies fill it, else none that is known."""
    if line.barriers_per_stage is not None:
        return line.barriers_per_stage
    return 2 if copied(line) else 0


def _laid_out(block: Block) -> int | None:
    """mbarriers for which regions have room; None where none is known to hold any."""
    sizes = [r.bytes for _, r in block.placed if r.mbarriers and r.alias_of is None]
    if not sizes or None in sizes:
        return None
    return sum(filter(None, sizes)) // block.target.mbarrier_bytes


def _by_name(block: Block, pipelines: tuple[Pipeline, ...]) -> Iterator[Breach]:
    """Groups that have the name of a pipeline, against its stages and the room for them."""
    if not any(line.name for line in pipelines):
        return
    named: dict[str, int] = {}
    for each in block.mbarriers:
        if each.name is not None and each.count is not None:
            named[each.name] = named.get(each.name, 0) + each.count
    for index, line in enumerate(pipelines):
        have = named.get(line.name) if line.name is not None else None
        if have is None:
            continue
        need, room = line.stages or 0, line.barrier_bytes
        if have < need and line.barriers_per_stage != 0:
            yield Breach(
                f"{label(line, index)} has {some(need, 'stage')}, its group of mbarriers {have:,}",
                path=f"pipelines[{index}].stages",
                value=have,
                limit=need,
                over=need - have,
                fix=f"count {need:,} in the group",
                severity="warning" if line.barriers_per_stage is None else None,
            )
        elif room is not None and have * block.target.mbarrier_bytes > room:
            taken = have * block.target.mbarrier_bytes
            yield Breach(
                f"the {some(have, 'mbarrier')} of {label(line, index)} take {size(taken)},"
                f" {size(taken - room)} over the {size(room)} in the layout",
                path=f"pipelines[{index}].barrier_bytes",
                value=room,
                limit=taken,
                over=taken - room,
                fix=f"give them {size(taken)}",
            )
