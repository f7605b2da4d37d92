"""The targets that have an instruction."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.figures import joined
from kcfg.core.hardware import isa
from kcfg.core.hardware.sources import PTXAS
from kcfg.core.launch.groups import Mma
from kcfg.core.launch.launch import Launch
from kcfg.core.rules import Breach, rule


@rule("MMA005", "error", reads="mma unit_used", blames="mma", source=PTXAS)
def kind_on_target(launch: Launch, mma: tuple[Mma, ...], unit: str) -> Iterator[Breach]:
    """Whether the compilation target has an instruction's kind.

    sm_103a dropped i8; the family target sm_100f has what all its members share, so
    neither i8 nor mxf4nvf4.

    Fails: {target: b300, shape: {mma: [{kind: i8, M: 128, N: 128}]}}

    Passes: {target: b200, shape: {mma: [{kind: i8, M: 128, N: 128}]}}
    """
    if not isa.has_unit(launch.arch, unit):
        return
    for index, each in enumerate(mma):
        if each.kind is not None and not isa.has_kind(launch.arch, unit, each.kind):
            others = [kind for kind in isa.K if isa.has_kind(launch.arch, unit, kind)]
            yield Breach(
                f"{unit} of {launch.arch} has no kind::{each.kind}",
                path=f"mma[{index}].kind",
                value=each.kind,
                fix=f"it has {joined(others)}",
            )


@rule("MMA006", "error", reads="unit_used", blames="unit", source=PTXAS)
def unit_on_target(launch: Launch, unit: str) -> Iterator[Breach]:
    """Whether the compilation target has the tensor-core instructions used.

    tcgen05 belongs to the a and f targets of 10.x and 11.0, wgmma to sm_90a alone. A
    workstation Blackwell (12.x) has neither.

    Fails: {target: rtx_pro_6000, shape: {unit: tcgen05}}

    Passes: {target: b200, shape: {unit: tcgen05}}
    """
    if not isa.has_unit(launch.arch, unit):
        target, specific = launch.target, f"{launch.arch.rstrip('af')}a"
        compiles = isa.has_unit(specific, unit)
        yield Breach(
            f"{launch.arch} has no {unit}",
            path=launch.unit_key,
            value=unit,
            fix=f"compile for {specific}" if compiles else f"{target.name} has {target.mma}",
        )
