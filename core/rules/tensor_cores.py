"""The tensor-core instructions of a target."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.hardware import isa
from kcfg.core.hardware.sources import PTXAS
from kcfg.core.rules import Breach, rule


@rule("MMA006", "error", reads="unit_used", blames="unit", source=PTXAS)
def unit_on_target(block: Block, unit: str) -> Iterator[Breach]:
    """Whether the compilation target has the tensor-core instructions used.

    tcgen05 belongs to the a and f targets of 10.x and 11.0, wgmma to sm_90a alone. A
    workstation Blackwell (12.x) has neither.

    Fails: {target: rtx_pro_6000, shape: {unit: tcgen05}}

    Passes: {target: b200, shape: {unit: tcgen05}}
    """
    if not isa.has_unit(block.arch, unit):
        target, specific = block.target, f"{block.arch.rstrip('af')}a"
        compiles = isa.has_unit(specific, unit)
        yield Breach(
            f"{block.arch} has no {unit}",
            path=block.unit_key,
            value=unit,
            fix=f"compile for {specific}" if compiles else f"{target.name} has {target.mma}",
        )
