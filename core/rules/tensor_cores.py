"""The tensor-core instructions of a target."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.figures import joined
from kcfg.core.hardware import isa
from kcfg.core.hardware.arch import variants
from kcfg.core.hardware.sources import PTX, PTXAS
from kcfg.core.rules import Breach, rule


@rule("MMA006", "error", reads="unit_used", blames="unit", source=PTXAS)
def unit_on_target(block: Block, unit: str) -> Iterator[Breach]:
    """Whether the compilation target has the tensor-core instructions used.

    tcgen05 belongs to the a and f targets of 10.x and 11.0, wgmma to sm_90a alone. A
    workstation Blackwell (12.x) has neither.

    Fails: {target: rtx_pro_6000, shape: {unit: tcgen05}}

    Passes: {target: b200, shape: {unit: tcgen05}}
    """
    if isa.has_unit(block.arch, unit) is False:
        target, fitting = block.target, joined(_with_unit(block, unit), "or")
        yield Breach(
            f"{block.arch} has no {unit}",
            path=block.unit_key,
            value=unit,
            fix=f"compile for {fitting}" if fitting else f"{target.name} has {target.mma}",
        )


def _with_unit(block: Block, unit: str) -> list[str]:
    """The variants of a plain target that have a unit: those with all kinds used, if any has."""
    kinds = [each.kind for each in block.mma if each.kind is not None]
    having = [name for name in variants(block.arch) if isa.has_unit(name, unit)]
    complete = [name for name in having if all(isa.has_kind(name, unit, kind) for kind in kinds)]
    return complete or having


@rule("MMA008", "error", reads="unit", source=f"{PTX}, tcgen05; {PTXAS}")
def unit_has_forms(block: Block, unit: str) -> Iterator[Breach]:
    """Whether the unit that is named has what else is said of the matrix instructions.

    Tensor memory, pairs of CTAs and .ws belong to tcgen05. Where another unit is named beside
    them one of the two is wrong, and nothing is judged by the right one.

    Fails: {target: h200, shape: {unit: wgmma, tmem: {columns: 128}}}

    Passes: {target: b200, shape: {unit: tcgen05, tmem: {columns: 128}}}
    """
    if unit == "tcgen05":
        return
    for path, what in _of_tcgen05(block):
        yield Breach(
            f"{what} belongs to tcgen05, and the unit is {unit}",
            path=path,
            value=unit,
            limit="tcgen05",
            fix="say unit: tcgen05, or leave it out",
        )


def _of_tcgen05(block: Block) -> Iterator[tuple[str, str]]:
    if block.tmem is not None:
        yield "tmem", "tensor memory"
    for index, each in enumerate(block.mma):
        if each.cta_group == 2:
            yield f"mma[{index}].cta_group", "cta_group 2"
        if each.ws:
            yield f"mma[{index}].ws", ".ws"
        if each.a_in_tmem:
            yield f"mma[{index}].a_in_tmem", "A in tensor memory"
