"""The slots of regions of shared memory."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Region
from kcfg.core.engine.arith import down, up
from kcfg.core.figures import size, some
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.regions import named


@rule(
    "SMEM010",
    "error",
    also=("warning",),
    reads="shared.regions",
    unit="bytes",
    source="follows from how rings of buffers lie in memory",
)
def whole_slots(block: Block, regions: tuple[Region, ...]) -> Iterator[Breach]:
    """Whether a region is made of the slots it says.

    Every slot has a place of its own within the region. A region of no bytes, and one that does
    not make equal slots, are a warning: of the latter no slot but the first is judged.

    Fails: shape: {shared: {regions: [{name: kv, bytes: 4096, stages: 4, stride: 2048}]}}

    Passes: shape: {shared: {regions: [{name: kv, bytes: 8192, stages: 4, stride: 2048}]}}
    """
    for index, region in enumerate(regions):
        length, slots, path = region.bytes, region.stages, f"shared.regions[{index}]"
        if length == 0:
            yield Breach(
                f"{named(region, index)} has 0 B",
                path=f"{path}.bytes",
                value=0,
                limit=1,
                fix="leave it out",
                severity="warning",
            )
        if slots == 0:
            yield Breach(
                f"{named(region, index)} is made of 0 slots",
                path=f"{path}.stages",
                value=0,
                limit=1,
                fix="give how many it has, or leave stages out",
            )
        if length and slots and slots > 1:
            yield from _slots(region, index, length, slots)


def _slots(region: Region, index: int, length: int, slots: int) -> Iterator[Breach]:
    stride = region.stride
    if stride == 0:
        yield Breach(
            f"the {some(slots, 'slot')} of {named(region, index)} are 0 B apart: all are one",
            path=f"shared.regions[{index}].stride",
            value=0,
            limit=1,
            fix=f"put them at most {size(length // slots)} apart" if length >= slots else "",
        )
    elif stride is not None and (slots - 1) * stride >= length:
        end = (slots - 1) * stride
        yield Breach(
            f"slot {slots - 1:,} of {named(region, index)} starts at {size(end)} of it,"
            f" {size(end - length)} past its {size(length)}",
            path=f"shared.regions[{index}].stride",
            value=end,
            limit=length,
            over=end - length,
            fix=f"make it {size(slots * stride)}",
        )
    elif stride is None and length % slots:
        below = down(length, slots)
        near = f"{size(below)} or {size(up(length, slots))}" if below else size(slots)
        yield Breach(
            f"{size(length)} of {named(region, index)} make no {slots:,} equal slots",
            path=f"shared.regions[{index}].bytes",
            value=length,
            limit=slots,
            over=length % slots,
            fix=f"make it {near}, or give the stride from one slot to the next",
            severity="warning",
        )
