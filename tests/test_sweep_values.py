"""A sweep gives what scalar derivation gives: every value, its type, the verdict and its reason."""

from __future__ import annotations

from math import prod
from typing import Any

import pytest
import shapes
import sweeps
from hypothesis import HealthCheck, given, settings, strategies as st

from kcfg.core import kernels, targets
from kcfg.core.sweep.grid import Axis
from kcfg.core.sweep.query import Query, Tally

pytest.importorskip("numpy")

LARGEST = 1 << 20


def same(one: Any, other: Any) -> bool:
    return bool(one == other) and type(one) is type(other)


def check(query: Query) -> Tally:
    """Compare all of a query's points; the counts."""
    rows, tally = sweeps.swept(query)
    assert sorted(rows) == [number for number in range(query.grid.size) if told(query, number)]
    supported, derived = 0, {number: sweeps.point(query, number) for number in rows}
    for number, row in rows.items():
        kernel = derived[number]
        for head, got, want in zip(
            query.columns, row, sweeps.scalar_row(query, kernel), strict=True
        ):
            assert same(got, want), (head.name, got, want, query.grid.point(number), query.fixed)
        supported += bool("supported" in kernel.quantities and kernel.read("supported"))
    assert (tally.points, tally.supported) == (query.grid.size, supported)
    assert tally.faulty == tally.points - len(rows)
    assert sweeps.refused(query, tally) == sweeps.first_failures(derived.values())
    return tally


def told(query: Query, number: int) -> bool:
    """Whether a spec may say a point."""
    point = {**dict(query.fixed), **query.grid.point(number)}
    names = {member.key: name for name, member in query.cls.inputs.items()}
    inputs = {names[key]: value for key, value in point.items()}
    defaults = {member.key: member.default for member in query.cls.inputs.values()}
    said = [key for key, value in point.items() if value is not None]
    if query.cls.conflicts({**defaults, **point}, said):
        return False
    return not query.cls.faults(targets.find(query.target), inputs)


@st.composite
def grids(draw: st.DrawFn, kernel: str, release: str) -> dict[str, list[Any]]:
    """Inputs of a kernel, some of them with several values; 2 to 60 points."""
    shape = draw(shapes.random(kernel, release))
    inputs = {member.key: member for member in kernels.find(kernel, release).inputs.values()}
    values = {key: [value] for key, value in shape.items()}
    for key in draw(st.permutations(list(values)))[: draw(st.integers(1, 5))]:
        others = draw(st.lists(shapes._values(inputs[key]), min_size=1, max_size=5))
        several = list(dict.fromkeys([*values[key], *others]))
        wider = {**values, key: several}
        if prod(map(len, wider.values())) <= 60:
            values = wider
    return values


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_grids(kernel: str, release: str, data: st.DataObject) -> None:
    values = data.draw(grids(kernel, release))
    block = data.draw(st.sampled_from([7, 50, 1 << 17]))
    check(sweeps.query(kernel, release, values, block=block))


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.id)
def test_grids_around_real_shapes_are_derived_as_arrays(shape: shapes.Shape) -> None:
    cls = kernels.find(shape.kernel, shape.release)
    inputs = {member.key: member for member in cls.inputs.values()}
    near = {
        key: sorted({value, max(inputs[key].least, value // 2), min(inputs[key].most, value + 8)})
        for key, value in shape.inputs.items()
        if type(value) is int
    }
    varied = list(near)[-4:]
    values = {key: near[key] if key in varied else [value] for key, value in shape.inputs.items()}
    asked = sweeps.query(shape.kernel, shape.release, values)
    tally = check(asked)
    # A loop over tiles is point by point, and so is what a spec may not say for other reasons.
    alone = "M" in shape.inputs or sweeps.point(asked, 0).sound() is None
    searched = tally.points > 1 and alone
    assert tally.singly == (tally.points if searched else 0)


def test_points_whose_inputs_do_not_go_together_are_counted_and_not_derived() -> None:
    experts = {"format": ["nvfp4"], "N": [4096], "K": [7168], "estimated_total_m": [9, 900]}
    values = {**experts, "num_experts": [8, 64], "num_active_experts": [4, 32]}
    tally = check(sweeps.query("grouped_matmul", "26.7", values))
    assert (tally.points, tally.faulty, tally.singly) == (8, 2, 0)
    assert tally.why.startswith("shape.num_active_experts: no more experts have rows")
    problem = {"m": [64], "n": [4096], "k": [7168], "select": [True]}
    types = {"a": ["bf16", "fp8"], "b": ["bf16", "fp8"]}
    assert check(sweeps.query("deepgemm", "54e2261", {**problem, **types})).faulty == 2


def test_the_largest_inputs_do_not_wrap_around() -> None:
    values: dict[str, list[Any]] = {key: [value] for key, value in shapes.FA4_26.items()}
    values |= {
        "BM": [128, LARGEST],
        "qk_depth": [1, LARGEST],
        "ov_depth": [1, 509, LARGEST],
        "nope_depth": [-1, 4096, LARGEST],
        "num_qk_stages": [0, LARGEST],
        "rope_dtype": [None, "float32"],
    }
    tally = check(sweeps.query("fa4", "26.7", values))
    assert 0 < tally.singly <= tally.points


def test_a_condition_keeps_the_same_points() -> None:
    values: dict[str, list[Any]] = {key: [value] for key, value in shapes.FA4_26.items()}
    values |= {"qk_depth": list(range(32, 320, 16)), "BM": [32, 64, 128, 256], "group": [1, 3, 4]}
    where = "supported and num_kv_stages >= 2 and qk_depth % 64 != 32"
    asked = sweeps.query("fa4", "26.7", values, where=where)
    rows, tally = sweeps.swept(asked)
    wanted = {}
    for number in range(asked.grid.size):
        kernel = sweeps.point(asked, number)
        if (
            kernel.read("supported")
            and kernel.read("num_kv_stages") >= 2
            and kernel.read("qk_depth") % 64 != 32
        ):
            wanted[number] = sweeps.scalar_row(asked, kernel)
    assert 0 < len(wanted) < asked.grid.size
    assert rows == wanted
    assert tally.kept == len(wanted)


def test_what_is_zipped_advances_together() -> None:
    values: dict[str, list[Any]] = {key: [value] for key, value in shapes.FA4_26.items()}
    values |= {"BM": [64, 128, 256], "page_size": [0, 16, 128]}
    zipped = Axis(
        ("qkv_dtype", "qk_depth", "scale_dtype"),
        (
            ("bfloat16", "float8_e4m3fn", "bfloat16", "float8_e4m3fn"),
            range(64, 321, 64)[:4],
            (None, "float32", None, None),
        ),
    )
    asked = sweeps.query("fa4", "26.7", values)
    fixed = tuple(pair for pair in asked.fixed if pair[0] not in zipped.keys)
    check(asked._replace(axes=(asked.axes[0], zipped, asked.axes[1]), fixed=fixed))


def test_another_word_gives_its_input_at_every_point() -> None:
    values: dict[str, list[Any]] = {key: [value] for key, value in shapes.INDEXER.items()}
    values |= {"num_heads": [4, 8, 30, 32], "depth": [64, 128]}
    asked = sweeps.query("index_prefill", "26.7", values)
    fixed = tuple(pair for pair in asked.fixed if pair[0] != "mma_n")
    words = asked._replace(axes=(*asked.axes, Axis(("n_tokens",), (range(1, 6),))), fixed=fixed)
    rows, tally = sweeps.swept(words)
    assert (tally.points, tally.singly) == (40, 0)
    for number, row in rows.items():
        point = words.grid.point(number)
        inputs = {**dict(fixed), **point, "mma_n": point["num_heads"] * point["n_tokens"]}
        del inputs["n_tokens"]
        assert row == sweeps.scalar_row(words, shapes.derive("index_prefill", "26.7", inputs))
