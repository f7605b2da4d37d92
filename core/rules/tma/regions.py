"""Tensor maps, and the regions of shared memory that they fill."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Region, TensorMap
from kcfg.core.block.tensor_boxes import brought, element_bits
from kcfg.core.figures import size
from kcfg.core.hardware.dtypes import bits_of
from kcfg.core.hardware.sources import PTX
from kcfg.core.rules import Breach, rule


@rule(
    "SMEM013",
    "error",
    reads="shared.regions tma",
    blames="tma",
    source=f"{PTX}, cp.async.bulk.tensor",
)
def maps_fill_regions(
    block: Block, regions: tuple[Region, ...], tma: tuple[TensorMap, ...]
) -> Iterator[Breach]:
    """Whether a tensor map and the region of its own name say the same.

    A copy writes elements of the map's type, laid out by the map's swizzle, and a box at a time;
    whoever reads the region takes them for what the region says they are. What ends past a slot
    overwrites the next; of regions that pipelines lie in, that is PIPE007.

    Fails: shape: {tma: [{name: a, box: [64, 128], dtype: fp8}],
    shared: {regions: [{name: a, of: bf16, shape: [128, 64]}]}}

    Passes: shape: {tma: [{name: a, box: [64, 128], dtype: bf16}],
    shared: {regions: [{name: a, of: bf16, shape: [128, 64]}]}}
    """
    known = {region.name: (index, region) for index, region in reversed(list(enumerate(regions)))}
    homes = {where for home in block.homes for where in home}
    for number, each in enumerate(tma):
        if each.name is None or each.name not in known:
            continue
        index, region = known[each.name]
        yield from _elements(each, number, region)
        if each.swizzle and region.swizzle and not each.swizzle.startswith(region.swizzle):
            yield Breach(
                f"the tensor map {each.name} has the swizzle {each.swizzle}, its region"
                f" {region.swizzle}",
                path=f"tma[{number}].swizzle",
                value=each.swizzle,
                limit=region.swizzle,
                fix="give both the same",
            )
        room, bring = region.bytes if region.pitch is None else region.pitch, brought(each)
        if index not in homes and room and bring is not None and bring > room:
            yield Breach(
                f"a box of the tensor map {each.name} brings {size(bring)}, and a slot of its"
                f" region has {size(room)}: {size(bring - room)} over",
                path=f"tma[{number}].box",
                value=bring,
                limit=room,
                over=bring - room,
                fix=f"make a slot {size(bring)}",
            )


def _elements(each: TensorMap, number: int, region: Region) -> Iterator[Breach]:
    bits = element_bits(each) if each.dtype is not None else None
    if bits is not None and region.of is not None and bits != bits_of(region.of):
        yield Breach(
            f"the tensor map {each.name} copies elements of {each.dtype}, {bits} bits each; its"
            f" region is of {region.of}, {bits_of(region.of)} bits",
            path=f"tma[{number}].dtype",
            value=bits,
            limit=bits_of(region.of),
            fix="give both the same type",
        )
