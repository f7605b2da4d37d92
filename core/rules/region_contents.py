"""What regions of shared memory hold, against the sizes they say."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Region
from kcfg.core.figures import size, some
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.regions import named


@rule(
    "SMEM012",
    "error",
    also=("warning",),
    reads="shared.regions",
    unit="bytes",
    source="follows from the layout: what is in a region lies in its bytes",
)
def contents_fit(block: Block, regions: tuple[Region, ...]) -> Iterator[Breach]:
    """Whether a region has the bytes that its elements, or its mbarriers, take.

    Where it says both, one of them was changed and the other was not. With too few bytes the
    elements lie in whatever comes next; slots that are closer together than they are long lie in
    each other. Bytes that nothing is in are a warning, and so is a region that says a type or a
    shape alone, of which no size follows.

    Fails: shape: {shared: {regions: [{name: a, of: bf16, shape: [128, 64], stages: 4,
    bytes: 49152}]}}

    Passes: shape: {shared: {regions: [{name: a, of: bf16, shape: [128, 64], stages: 4,
    bytes: 65536}]}}
    """
    if not any(map(_says_content, regions)):
        return
    from kcfg.core.block.slots import content, counted, elements, held

    for index, region in enumerate(regions):
        if not _says_content(region):
            continue
        path, name = f"shared.regions[{index}]", named(region, index)
        own, count = elements(region), counted(region)
        barriers = (count or 0) * block.target.mbarrier_bytes
        if own is not None and count is not None and own != barriers:
            yield Breach(
                f"a slot of {name} holds {held(region)}, which are {size(own)}, and"
                f" {some(count, 'mbarrier')}, which are {size(barriers)}",
                path=f"{path}.mbarriers",
                value=barriers,
                limit=own,
                fix="give each a region of its own",
            )
        slot = content(region, block.target)
        if slot is None:
            yield from _open(region, path, name)
            continue
        slots = 1 if region.stages is None else region.stages
        if region.stride is not None and slots > 1 and region.stride < slot:
            yield Breach(
                f"the slots of {name} are {size(region.stride)} apart and hold {size(slot)},"
                f" {held(region)}: each runs {size(slot - region.stride)} into the next",
                path=f"{path}.stride",
                value=region.stride,
                limit=slot,
                over=slot - region.stride,
                fix=f"put them {size(slot)} apart",
            )
        elif region.bytes is not None:
            yield from _sized(region, path, name, slot, slots)


def _says_content(region: Region) -> bool:
    """Whether a region says anything of what is in it."""
    counts = region.mbarriers is not None and not isinstance(region.mbarriers, bool)
    return counts or region.of is not None or bool(region.shape)


def _open(region: Region, path: str, name: str) -> Iterator[Breach]:
    """A region whose size does not follow from what it says, and that says none."""
    if region.bytes is None and (region.of is not None or region.shape):
        says, lacks = ("its elements", "shape") if region.of is not None else ("a shape", "of")
        yield Breach(
            f"{name} says {says} and no `{lacks}`: its size is not known, and nothing behind it is"
            " where it seems",
            path=f"{path}.{'of' if region.of is not None else 'shape'}",
            fix=f"say `{lacks}`, or `bytes`",
            severity="warning",
        )


def _sized(region: Region, path: str, name: str, slot: int, slots: int) -> Iterator[Breach]:
    from kcfg.core.block.slots import held, span

    have, need = region.bytes or 0, span(region, slot, slots)
    most = max(need, slots * (region.stride or 0))
    if need <= have <= most:
        return
    what = held(region) if slots == 1 else f"{some(slots, 'slot')} of {held(region)}"
    fewer = have < need
    rest = f"{size(need - have)} too few" if fewer else f"{size(have - most)} hold nothing"
    yield Breach(
        f"{name} has {size(have)}, and holds {what}, which take {size(need)}: {rest}",
        path=f"{path}.bytes",
        value=have,
        limit=need,
        over=abs(need - have),
        fix=f"make it {size(need)}, or leave bytes out",
        severity=None if fewer else "warning",
    )
