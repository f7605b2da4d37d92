"""The targets that have an instruction's kind."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Mma
from kcfg.core.figures import joined
from kcfg.core.hardware import isa
from kcfg.core.hardware.sources import PTXAS
from kcfg.core.rules import Breach, rule


@rule("MMA005", "error", reads="mma unit_used", blames="mma", source=PTXAS)
def kind_on_target(block: Block, mma: tuple[Mma, ...], unit: str) -> Iterator[Breach]:
    """Whether the compilation target has an instruction's kind.

    sm_103a dropped i8; a family target (f) has what all its members share, so neither i8
    nor mxf4nvf4.

    Fails: {target: b300, shape: {mma: [{kind: i8, M: 128, N: 128}]}}

    Passes: {target: b200, shape: {mma: [{kind: i8, M: 128, N: 128}]}}
    """
    if not isa.has_unit(block.arch, unit):
        return
    for index, each in enumerate(mma):
        if each.kind is not None and not isa.has_kind(block.arch, unit, each.kind):
            others = [kind for kind in isa.K if isa.has_kind(block.arch, unit, kind)]
            yield Breach(
                f"{unit} of {block.arch} has no kind::{each.kind}",
                path=f"mma[{index}].kind",
                value=each.kind,
                fix=f"it has {joined(others)}",
            )
