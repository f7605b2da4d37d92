"""Launches that a real driver took or refused, and what is said of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings, strategies as st

from kcfg.core.finding import Finding
from kcfg.core.findings import findings
from kcfg.core.kernel import Kernel
from kcfg.core.report import report
from kcfg.core.spec import Spec, read

REFUSALS = {
    1: {"BLK001", "BLK002", "GRD001", "SMEM001", "SMEM002"},
    701: {"REG002"},
    720: {"GRD002", "REG002"},
    912: {"CLU001", "CLU003", "CLU006"},
}
"""The rules that may say why, by the driver's code.

Of several reasons it names one: 720 also where not a single block fits.
"""


class Row(NamedTuple):
    """A launch and the driver's answers: its code, static bytes as it counts them, blocks per SM.

    The blocks are None where it was not asked.
    """

    shape: dict[str, Any]
    driver: int
    static: int
    blocks: int | None


@cache
def rows() -> list[Row]:
    path = Path(__file__).parent / "golden" / "launch_edges_h200.jsonl"
    columns, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Row(**dict(zip(columns, line, strict=True))) for line in lines]


def launched(shape: dict[str, Any]) -> Kernel:
    (spec,) = read(json.dumps({"kernel": "launch", "target": "h200", "shape": shape}), "test.yaml")
    assert isinstance(spec, Spec), [str(problem) for problem in spec]
    return spec.derive()


def errors(shape: dict[str, Any]) -> set[str]:
    return {each.rule for each in findings(launched(shape)) if each.severity == "error"}


def shared(shape: dict[str, Any], key: str) -> Any:
    return shape["shared"].get(key)


def test_what_the_driver_refuses_is_an_error_and_nothing_else() -> None:
    for row in rows():
        said = errors(row.shape)
        assert bool(said) == (row.driver != 0), row
        assert not row.driver or said & REFUSALS[row.driver], row
    assert {row.driver for row in rows()} == {0, *REFUSALS}


def test_as_many_blocks_share_an_sm_as_the_driver_says() -> None:
    asked = [row for row in rows() if row.blocks is not None]
    for row in asked:
        said = [each.value for each in findings(launched(row.shape)) if each.rule == "OCC001"]
        assert said == [row.blocks], row
    assert {0, 1, 2, 32} <= {row.blocks for row in asked}
    assert any(shared(row.shape, "carveout") for row in asked)


def test_static_memory_is_counted_as_the_driver_counts_it() -> None:
    padded = set()
    for row in rows():
        given = shared(row.shape, "static")
        if given is not None:
            smem = report(launched(row.shape))["smem"]
            assert smem["static"] == row.static, row
            assert smem["used"] + smem["static"] + smem["free"] == smem["limit"]
            padded.add((row.static > given, shared(row.shape, "base_align")))
    assert {(True, align) for align in (1, 4, 16, 128, 256, 1024, 2048)} <= padded
    assert {align for grown, align in padded if not grown} >= {None, 1024}


def test_a_grid_of_clusters_is_left_to_the_driver_where_only_it_knows() -> None:
    clustered = [row for row in rows() if "active_clusters" in row.shape]
    unknown = set()
    for row in clustered:
        shape = {key: value for key, value in row.shape.items() if key != "active_clusters"}
        said = [each.severity for each in findings(launched(shape)) if each.rule == "GRD002"]
        if said == ["info"]:
            unknown.add(row.driver)
        elif said:
            assert row.driver == 720, row
        else:
            assert prod(row.shape["grid"]) <= prod(row.shape["cluster"]), row
    assert unknown == {0, 720}


# What padding does, whatever the sizes


ALIGNS = st.sampled_from([1, 4, 16, 64, 128, 256, 512, 1024])


def memory(static: int, dynamic: int, **more: Any) -> dict[str, Any]:
    return {"threads": 32, "shared": {"static": static, "dynamic": dynamic, **more}}


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 200_000), ALIGNS)
def test_the_largest_launch_leaves_the_padding_out(static: int, align: int) -> None:
    step = max(align, 16)
    most = 232448 - -(-static // step) * step
    assert errors(memory(static, most, base_align=align)) == set()
    assert errors(memory(static, most + 1, base_align=align)) == {"SMEM001"}


def advised(found: Finding, dynamic: int) -> Iterator[int]:
    """The dynamic bytes that a fix leaves."""
    if found.fix.startswith("take out "):
        yield dynamic - int(found.fix.split()[2].replace(",", ""))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 100_000), st.integers(100_000, 240_000), st.none() | ALIGNS, st.integers(1, 3)
)
def test_what_is_to_be_taken_out_is_enough(
    static: int, dynamic: int, align: int | None, blocks: int
) -> None:
    shape = memory(static, dynamic, **({"base_align": align} if align else {}))
    shape["blocks_per_sm"] = blocks
    for found in findings(launched(shape)):
        for left in advised(found, dynamic):
            if left >= 0:
                shape["shared"]["dynamic"] = left
                after = {each.rule for each in findings(launched(shape)) if each.fix}
                assert not after & {"SMEM001", "SMEM004", "OCC001"}


@pytest.mark.parametrize("dynamic", range(232_400, 232_410))
def test_padding_beside_an_array_that_nobody_speaks_of_is_a_warning(dynamic: int) -> None:
    said = {each.rule: each.severity for each in findings(launched(memory(40, dynamic)))}
    assert said.get("SMEM001") == (
        None if dynamic <= 232_400 else "warning" if dynamic <= 232_408 else "error"
    )


@pytest.mark.parametrize(
    ("dynamic", "says"),
    [(17408, "1,024 B (1.0 KiB) is kept"), (16384, "ask for 17,408 B")],
)
def test_no_alignment_above_the_systems_share_is_kept(dynamic: int, says: str) -> None:
    regions = [{"name": "a", "bytes": 16384, "align": 2048}]
    shape = {"shared": {"dynamic": dynamic, "base_align": 2048, "regions": regions}}
    (found,) = [each for each in findings(launched(shape)) if each.rule == "SMEM009"]
    assert found.severity == "warning"
    assert says in found.message
