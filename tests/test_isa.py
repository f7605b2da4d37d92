"""Shapes of matrix instructions against PTX's table, and targets against what ptxas took."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from kcfg.core.hardware import isa

DATA = Path(__file__).parent / "data"
TABLE = json.loads((DATA / "mma_shapes.json").read_text())["shapes"]
ACCEPTED: dict[str, dict[str, bool]] = json.loads((DATA / "ptxas_features.json").read_text())[
    "accepted"
]


def columns(entry: dict[str, Any]) -> tuple[int, ...]:
    """Every N of a row of the table."""
    n = entry["N"]
    return tuple(n["values"]) if "values" in n else tuple(range(n["min"], n["max"] + 1, n["step"]))


@pytest.mark.parametrize(
    ("kind", "cta_group", "ws", "sparse"),
    list(product(isa.K, (1, 2), (False, True), (False, True))),
)
def test_shapes_are_those_of_the_table(kind: str, cta_group: int, ws: bool, sparse: bool) -> None:
    form = {"kind": kind, "cta_group": cta_group, "ws": ws, "sparse": sparse}
    wanted = {
        (tuple(entry["M"]), columns(entry), entry["K"])
        for entry in TABLE
        if all(entry[key] == value for key, value in form.items())
    }
    assert {tuple(shape) for shape in isa.shapes(kind, cta_group, ws, sparse)} == wanted


@pytest.mark.parametrize(("feature", "arch"), [(f, a) for f in ACCEPTED for a in ACCEPTED[f]])
def test_targets_have_what_ptxas_took(feature: str, arch: str) -> None:
    unit = feature.partition(".")[0]
    if unit == "setmaxnreg":
        assert arch.endswith(("a", "f")) == ACCEPTED[feature][arch]
        return
    has = isa.has_unit(arch, unit)
    if "kind::" in feature:
        has = has and isa.has_kind(arch, unit, feature.split("kind::")[1].split()[0])
    assert has == ACCEPTED[feature][arch]


@pytest.mark.parametrize("arch", ["sm_90", "sm_100", "sm_103", "sm_110", "sm_120"])
def test_plain_targets_have_neither_unit(arch: str) -> None:
    assert not isa.has_unit(arch, "tcgen05")
    assert not isa.has_unit(arch, "wgmma")
    assert isa.has_unit(arch, "mma.sync")


@pytest.mark.parametrize(
    ("m", "cta_group", "ws", "sparse", "share"),
    [
        (256, 2, False, False, 1),
        (128, 2, False, False, 2),
        (128, 2, False, True, 1),
        (128, 1, False, False, 1),
        (128, 1, True, False, 1),
        (64, 1, True, False, 2),
        (64, 1, False, False, 1),
        (32, 1, True, False, 4),
    ],
)
def test_columns_of_an_accumulator(
    m: int, cta_group: int, ws: bool, sparse: bool, share: int
) -> None:
    assert isa.columns(m, 256, cta_group, ws, sparse) == 256 // share
