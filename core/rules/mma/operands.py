"""The element types that an instruction reads."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Mma
from kcfg.core.figures import joined
from kcfg.core.hardware import isa
from kcfg.core.hardware.sources import PTX
from kcfg.core.rules import Breach, rule

JUDGED = frozenset(each for kind, types in isa.OPERANDS.items() if kind != "i8" for each in types)
"""Types that say what an element is, where it may be an operand."""


@rule("MMA010", "error", reads="mma", source=f"{PTX}, tcgen05.mma, kinds and their types")
def elements(block: Block, mma: tuple[Mma, ...]) -> Iterator[Breach]:
    """Whether instructions take the elements that lie in shared memory for them.

    A kind says what the bytes are taken for. What instructions read are regions with a matrix
    descriptor, and the stages of pipelines that commits alone give back. Where no such region
    and no tensor map of such a pipeline has a type that any of the kinds takes, all of them read
    something else than is there. Types of whole numbers may stand for bytes, and are not judged.

    Fails: shape: {shared: {regions: [{name: a, of: fp8, shape: [128, 128], descriptor: true}]},
    mma: [{kind: f16}]}

    Passes: shape: {shared: {regions: [{name: a, of: fp8, shape: [128, 128], descriptor: true}]},
    mma: [{kind: f8f6f4}]}
    """
    kinds = list(dict.fromkeys(each.kind for each in mma if each.kind is not None))
    unsaid = any(each.kind is None for each in mma)
    takes = {each for kind in kinds for each in isa.OPERANDS[kind]}
    found = {name: of for name, of in _read(block) if of in JUDGED}
    if unsaid or not found or takes & {*found.values()} or "i8" in kinds:
        return
    fitting = [kind for kind, types in isa.OPERANDS.items() if {*found.values()} <= types]
    yield Breach(
        f"{joined(kinds)} {'takes' if len(kinds) == 1 else 'take'} {joined(sorted(takes))}, and"
        f" what there is to read, {joined(found)}, is of"
        f" {joined(sorted({*found.values()}))}",
        path="mma[0].kind",
        value=kinds[0],
        fix=f"such elements are those of {joined(fitting, 'or')}" if fitting else "",
    )


def _read(block: Block) -> Iterator[tuple[str, str | None]]:
    """What instructions are known to read, by name, with its type."""
    from kcfg.core.hardware.tensor_map import in_full

    types = {each.name: in_full(each.dtype) for each in block.tma}
    for index, (_, region) in enumerate(block.placed):
        if region.descriptor:
            yield region.name or f"region {index}", region.of
    for line, home in zip(block.pipelines, block.homes, strict=True):
        if line.consumers and all(each.by == "commit" for each in line.consumers):
            for where in home:
                region = block.placed[where][1]
                yield region.name or f"region {where}", region.of
            for name in line.maps:
                yield f"what {name} brings", types.get(name)
