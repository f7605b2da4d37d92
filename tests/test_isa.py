"""Shapes of matrix instructions against PTX's table, and targets against what ptxas took."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from kcfg.core.findings import findings
from kcfg.core.hardware import isa
from kcfg.core.spec import Spec, read

DATA = Path(__file__).parent / "data"
TABLE = json.loads((DATA / "mma_shapes.json").read_text())["shapes"]
PTXAS = json.loads((DATA / "ptxas_features.json").read_text())
ACCEPTED: dict[str, list[str]] = PTXAS["accepted"]


def columns(entry: dict[str, Any]) -> tuple[int, ...]:
    """Every N of a row of the table."""
    n = entry["N"]
    return tuple(n["values"]) if "values" in n else tuple(range(n["min"], n["max"] + 1, n["step"]))


def plain(shape: isa.Shape) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    return shape.M, shape.N, shape.K


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
    assert set(map(plain, isa.shapes(kind, cta_group, ws, sparse))) == wanted


def test_shapes_of_wgmma_are_those_of_ptx() -> None:
    by_eight = tuple(range(8, 257, 8))
    of_integers = (8, 16, 24, *range(32, 257, 16))
    for kind, n, k in (
        ("f16", by_eight, 16),
        ("tf32", by_eight, 8),
        ("f8f6f4", by_eight, 32),
        ("i8", of_integers, 32),
    ):
        assert plain(isa.wgmma(kind, sparse=False)) == ((64,), n, k)
        assert plain(isa.wgmma(kind, sparse=True)) == ((64,), n, 2 * k)


KINDS = {
    feature.split("kind::")[1].split()[0]: accepted
    for feature, accepted in ACCEPTED.items()
    if feature.startswith("tcgen05.mma kind::")
}
INSTRUCTIONS = [feature for feature in ACCEPTED if feature.startswith(("tcgen05", "wgmma"))]


@pytest.mark.parametrize(("feature", "arch"), list(product(INSTRUCTIONS, PTXAS["asked"])))
def test_targets_have_what_ptxas_took(feature: str, arch: str) -> None:
    unit = feature.partition(".")[0]
    has = isa.has_unit(arch, unit)
    if "kind::" in feature:
        has = has and isa.has_kind(arch, unit, feature.split("kind::")[1].split()[0])
    assert has == (arch in ACCEPTED[feature])


def found(arch: str, shape: str) -> dict[str, str]:
    """What the rules find in a launch for a target: rules and severities."""
    (spec,) = read(f"{{kernel: launch, target: {arch}, shape: {{{shape}}}}}", "test.yaml")
    assert isinstance(spec, Spec), [str(problem) for problem in spec]
    return {each.rule: each.severity for each in findings(spec.derive())}


@pytest.mark.parametrize("arch", PTXAS["asked"])
def test_rules_about_targets_say_what_ptxas_says(arch: str) -> None:
    assert KINDS.keys() == isa.K.keys()
    for kind, accepted in KINDS.items():
        rules = found(arch, f"unit: tcgen05, mma: [{{kind: {kind}}}]")
        assert ("MMA005" in rules or "MMA006" in rules) != (arch in accepted)
    rules = found(arch, "registers: {warpgroups: [40]}")
    assert ("SMR008" in rules) != (arch in ACCEPTED["setmaxnreg"])
    more = arch in ACCEPTED["static shared memory over 49,152 bytes"]
    assert found(arch, "shared: {static: 49168}")["SMEM003"] == ("warning" if more else "error")


@pytest.mark.parametrize(
    ("arch", "shape", "advised"),
    [
        ("sm_100", "unit: tcgen05", ["sm_100a", "sm_100f"]),
        ("sm_110", "tmem: {allocations: [64]}", ["sm_110a", "sm_110f"]),
        ("sm_100", "unit: tcgen05, mma: [{kind: i8}]", ["sm_100a"]),
        ("sm_103", "mma: [{kind: mxf4nvf4}, {kind: f16}]", ["sm_103a"]),
        ("sm_90", "unit: wgmma", ["sm_90a"]),
        ("sm_120", "unit: tcgen05", []),
        ("sm_90", "registers: {warpgroups: [40]}", ["sm_90a"]),
        ("sm_121", "registers: {warpgroups: [40]}", ["sm_121a", "sm_121f"]),
    ],
)
def test_a_target_that_advice_names_has_what_was_asked(
    arch: str, shape: str, advised: list[str]
) -> None:
    asked = {"MMA005", "MMA006", "SMR008"}
    (spec,) = read(f"{{kernel: launch, target: {arch}, shape: {{{shape}}}}}", "test.yaml")
    assert isinstance(spec, Spec)
    (said,) = (each for each in findings(spec.derive()) if each.rule in asked)
    assert re.findall(r"sm_\w+", said.fix) == advised
    assert not any(asked & found(name, shape).keys() for name in advised)


@pytest.mark.parametrize("unit", ["tcgen05", "wgmma"])
def test_what_nobody_tried_is_not_known(unit: str) -> None:
    assert isa.has_unit("sm_130a", unit) is None
    assert isa.has_unit("sm_130a", "mma.sync")


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
