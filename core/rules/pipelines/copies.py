"""What copies bring into the stages of a pipeline, and what its full barriers wait for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Pipeline, TensorMap
from kcfg.core.block.rings import copies, label, paired, slot
from kcfg.core.engine.arith import ceildiv
from kcfg.core.figures import joined, offered, size
from kcfg.core.hardware.sources import H200_KERNELS, PTX
from kcfg.core.rules import Breach, rule

Lines = tuple[Pipeline, ...]

MOST_TX = (1 << 20) - 1
"""Bytes that one phase of an mbarrier can wait for."""

MANY = 1000
"""Sums of boxes beyond which not every way to bring bytes is looked at."""


@rule(
    "PIPE004",
    "error",
    reads="pipelines",
    unit="bytes",
    source=f"{PTX}, mbarrier, contents; {H200_KERNELS}",
)
def transaction_bytes(block: Block, pipelines: Lines) -> Iterator[Breach]:
    """Whether a full barrier waits for just the bytes its copies bring.

    Its count of pending bytes has 20 bits. A phase that expects fewer bytes than come ends
    early or not as meant, one that expects more never ends. Where several CTAs of a cluster
    each bring a part of a tile to all of them, and where the barrier of a pair's first CTA
    counts the bytes of both, a box comes as many times as there are such CTAs.

    Fails: shape: {pipelines: [{name: kv, expect_tx: 32768, boxes: [16384, 32768]}]}

    Passes: shape: {pipelines: [{name: kv, expect_tx: 49152, boxes: [16384, 32768]}]}
    """
    for index, line in enumerate(pipelines):
        yield from _nothing(line, index)
        boxes = copies(block, line)
        bring = sum(boxes) if boxes else None
        phase = bring if line.expect_tx is None else line.expect_tx
        path = f"pipelines[{index}].{'boxes' if line.expect_tx is None else 'expect_tx'}"
        if phase is not None and phase > MOST_TX:
            yield Breach(
                f"{label(line, index)} waits for {size(phase)} in one phase,"
                f" {size(phase - MOST_TX)} over the {size(MOST_TX)} an mbarrier counts",
                path=path,
                value=phase,
                limit=MOST_TX,
                over=phase - MOST_TX,
                fix="split the copies over two barriers",
            )
        if line.expect_tx is None or bring is None:
            continue
        if not _may_bring(boxes, line.expect_tx, _times(block)):
            early = line.expect_tx < bring
            yield Breach(
                f"{label(line, index)} expects {size(line.expect_tx)} but its copies bring"
                f" {size(bring)}, {size(abs(bring - line.expect_tx))}"
                f" {'more: the phase ends wrong' if early else 'fewer: the phase never ends'}",
                path=path,
                value=line.expect_tx,
                limit=bring,
                over=abs(bring - line.expect_tx),
                fix=f"expect {size(bring)}",
            )


def _nothing(line: Pipeline, index: int) -> Iterator[Breach]:
    for number, box in enumerate(line.boxes):
        if not box:
            yield Breach(
                f"copy {number} into {label(line, index)} brings 0 B",
                path=f"pipelines[{index}].boxes[{number}]",
                value=0,
                limit=1,
                fix="leave it out",
            )
    if line.expect_tx == 0 and line.tma and not line.boxes:
        yield Breach(
            f"TMA fills {label(line, index)}, and its barrier expects 0 B",
            path=f"pipelines[{index}].expect_tx",
            value=0,
            limit=1,
            fix="expect what its copies bring",
        )


def _times(block: Block) -> list[int]:
    """How many CTAs may bring a copy that one barrier counts, itself included."""
    size = prod(block.cluster) or 1
    pair = 2 if 2 in block.cta_groups.values() else 1
    return [n for n in range(1, min(size, 64) + 1) if size % n == 0] + [2] * (pair > size)


def _may_bring(boxes: tuple[int, ...], expected: int, times: list[int]) -> bool:
    """Whether boxes, each brought one of so many times, may add up to what is expected."""
    sums = {0}
    for box in boxes:
        sums = {end + box * n for end in sums for n in times if end + box * n <= expected}
        if len(sums) > MANY:
            return sum(boxes) <= expected <= max(times) * sum(boxes)
    return expected in sums


@rule(
    "PIPE007",
    "error",
    also=("warning",),
    reads="pipelines",
    unit="bytes",
    source="follows from how rings of buffers lie in memory",
)
def copies_fit_stage(block: Block, pipelines: Lines) -> Iterator[Breach]:
    """Whether a stage holds what its copies bring.

    Nothing stops a copy at the end of a stage: what does not fit overwrites the next one. A
    stage is as long as it says, or as the slots of its region are; a box whose tensor map has a
    region of its own name goes into a slot of that. The barrier of a pair's first CTA may count
    the bytes of both, and `boxes` list the copies of both: half lies in each. A box lies in one,
    and every map that is named brings one there.

    Fails: shape: {pipelines: [{name: kv, stages: 4, stage_bytes: 40960, expect_tx: 49152}]}

    Passes: shape: {pipelines: [{name: kv, stages: 4, stage_bytes: 49152, expect_tx: 49152}]}
    """
    for index, line in enumerate(pipelines):
        if line.stage_bytes == 0:
            yield Breach(
                f"a stage of {label(line, index)} has 0 B",
                path=f"pipelines[{index}].stage_bytes",
                value=0,
                limit=1,
                fix="give what it holds, or leave it out",
                severity="warning",
            )
        halves = 2 if paired(block) else 1
        own = ceildiv(line.expect_tx or 0, halves)
        bring = {"expect_tx": own, "boxes": _least(line, copies(block, line), halves)}
        key = max(bring, key=bring.__getitem__)
        need = bring[key]
        step = slot([block.placed[where][1] for where in block.homes[index]])
        rooms = [room for room in (line.stage_bytes, step) if room is not None]
        if not rooms or need <= min(rooms):
            yield from _past_slots(block, line, index)
            continue
        room = min(rooms)
        yield Breach(
            f"copies bring {size(need)} into a stage of {label(line, index)}, which has"
            f" {size(room)}: they overwrite {size(need - room)} of the next",
            path=f"pipelines[{index}].{key if line.boxes or key == 'expect_tx' else 'maps'}",
            value=need,
            limit=room,
            over=need - room,
            fix=f"make a stage {size(need)}",
        )


def _least(line: Pipeline, boxes: tuple[int, ...], halves: int) -> int:
    """Bytes of boxes that lie in the stage of a single CTA at the least."""
    by_map = dict(zip(() if line.boxes else line.maps, boxes, strict=False))
    return max(max(boxes, default=0), sum(by_map.values()), ceildiv(sum(boxes), halves))


def _past_slots(block: Block, line: Pipeline, index: int) -> Iterator[Breach]:
    """Boxes that are longer than a slot of the region of their name, where a stage holds all."""
    from kcfg.core.block.tensor_boxes import brought

    regions = {block.placed[where][1].name: where for where in block.homes[index]}
    for number, each in enumerate(block.tma):
        if each.name is None or each.name not in regions:
            continue
        region, bring = block.placed[regions[each.name]][1], brought(each)
        room = region.bytes if region.pitch is None else region.pitch
        if room and bring is not None and bring > room:
            yield Breach(
                f"a box of the tensor map {each.name} brings {size(bring)} into a stage of"
                f" {label(line, index)}, and a slot of {each.name} has {size(room)}:"
                f" {size(bring - room)} over",
                path=f"tma[{number}].box",
                value=bring,
                limit=room,
                over=bring - room,
                fix=f"make a slot {size(bring)}",
            )


@rule(
    "PIPE008",
    "error",
    also=("warning",),
    reads="pipelines tma",
    blames="pipelines",
    unit="bytes",
    source=f"{PTX}, cp.async.bulk.tensor; {H200_KERNELS}",
)
def boxes_of_maps(block: Block, pipelines: Lines, tma: tuple[TensorMap, ...]) -> Iterator[Breach]:
    """Whether the copies into a stage are those of the tensor maps that make them.

    A copy brings the box of its tensor map, whatever the barrier expects. A pipeline names its
    maps, each as often as it copies into a stage; one that names none uses the map of its own
    name. Where neither is so, some map should bring what some copy does: a warning.

    Fails: shape: {tma: [{name: k, box: [64, 64], dtype: bf16}],
    pipelines: [{name: kv, boxes: [16384], maps: [k]}]}

    Passes: shape: {tma: [{name: k, box: [64, 64], dtype: bf16}],
    pipelines: [{name: kv, boxes: [8192], maps: [k]}]}
    """
    from kcfg.core.block.tensor_boxes import brought

    maps = {each.name: brought(each) for each in tma}
    for index, line in enumerate(pipelines):
        yield from _unknown(line, index, sorted(name for name in maps if name))
        if not line.boxes:
            continue
        found = [maps.get(name) for name in line.maps or (line.name,) if name is not None]
        known = [each for each in found if each is not None]
        if line.maps:
            if len(known) == len(found) and Counter(known) != Counter(line.boxes):
                who = f"the boxes of {joined(line.maps)} bring"
                yield _unlike(line, index, known, who, ", or name a map once for each copy")
        elif known:
            if known[0] not in line.boxes:
                yield _unlike(line, index, known, "the box of its tensor map brings")
        else:
            every = list(dict.fromkeys(brought(each) for each in tma))
            some = [each for each in every if each is not None]
            if some == every and not set(some) & set(line.boxes):
                breach = _unlike(line, index, some, "the boxes of the tensor maps bring")
                yield breach._replace(severity="warning")


def _unknown(line: Pipeline, index: int, known: list[str]) -> Iterator[Breach]:
    for number, name in enumerate(line.maps):
        if known and name not in known:
            yield Breach(
                f"{name} fills {label(line, index)}, and is no tensor map",
                path=f"pipelines[{index}].maps[{number}]",
                value=name,
                fix=f"name {offered(list(known))}",
            )


def _unlike(line: Pipeline, index: int, bring: list[int], who: str, otherwise: str = "") -> Breach:
    return Breach(
        f"copies into {label(line, index)} bring {joined(size(box) for box in line.boxes)}, but"
        f" {who} {joined(size(box) for box in bring)}",
        path=f"pipelines[{index}].boxes",
        value=sum(line.boxes),
        limit=sum(bring),
        over=abs(sum(line.boxes) - sum(bring)),
        fix=f"say boxes: [{', '.join(map(str, bring))}]{otherwise}",
    )
