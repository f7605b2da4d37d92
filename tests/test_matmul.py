"""What a matmul is chosen among, and what MAX launches in place of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import shapes
from hypothesis import given, settings, strategies as st

from kcfg.core.findings import findings
from kcfg.core.spec import Spec, read

SELECTED = shapes.PROBLEM | {"select": True}


def kernel(**changes: Any) -> Any:
    """The matmul that is selected for a problem."""
    return shapes.derive("matmul", "26.7", SELECTED | changes)


def problems(shape: dict[str, Any], release: str = "26.7") -> list[str]:
    """What is wrong with a shape."""
    text = json.dumps({"kernel": "matmul", "release": release, "shape": shape})
    (found,) = read(text, "spec")
    return [] if isinstance(found, Spec) else [str(each) for each in found]


def test_a_selection_wants_one_problem() -> None:
    assert problems(SELECTED) == []
    assert "does not go with select" in problems(SELECTED | {"B": 2})[0]
    assert "`select` does not go with" in problems(shapes.MATMUL | {"select": True})[0]
    assert "unknown key `select`" in problems(SELECTED, "26.6")[0]


@given(
    M=st.sampled_from((*range(8, 256, 8), *range(256, 8193, 64))),
    N=st.integers(1, 40000).map(lambda n: 8 * n + 8),
    K=st.integers(1, 4000).map(lambda k: 16 * k),
    c_dtype=st.sampled_from(("bfloat16", "float32", "float8_e4m3fn")),
)
@settings(deadline=None, max_examples=60)
def test_where_a_kernel_is_built_for_the_rows_the_choice_is_launched(
    M: int, N: int, K: int, c_dtype: str
) -> None:
    asked = {"M": M, "N": N, "K": K, "ab_dtype": "float32", "c_dtype": c_dtype}
    selected = kernel(**asked).values()
    chosen = shapes.derive("matmul", "26.7", asked).values()
    assert selected | {"selects": False} == chosen


@given(M=st.integers(1, 200_000), c_dtype=st.sampled_from(("bfloat16", "float8_e4m3fn")))
@settings(deadline=None, max_examples=60)
def test_one_of_what_is_told_of_was_chosen(M: int, c_dtype: str) -> None:
    found = kernel(M=M, c_dtype=c_dtype)
    (chosen,) = [each for each in found.candidates() if each.chosen]
    assert f"MMA {found.mma_m} x {found.mma_n}" in chosen.name
    assert ("default" in chosen.name) == (not found.settings.keeps_vector)


TOLD = {
    "the table comes first": (
        {"M": 256, "N": 16384, "K": 5376},
        ["tuned for M 256 to 319: MMA 128 x 224: the first that holds; True"],
    ),
    "an entry that splits K is passed over": (
        {"M": 1, "N": 2112, "K": 14336},
        ["tuned for M 1 to 16: MMA 128 x 16: splits K into 8, which is not launched here; False"],
    ),
    "rows are rounded": (
        {"M": 300},
        ["MMA 128 x 160, swapped: 1 wave, 20,480 elements, for M 320; True"],
    ),
    "no kernel is what was chosen": (
        {"M": 31, "N": 3072},
        [
            "MMA 64 x 16, swapped: 1 wave, 1,024 elements, and no kernel like it exists; False",
            "MMA 256 x 256, the default: no kernel is the one wanted, and the caller is told so; "
            "True",
        ],
    ),
    "float8 results have no table": (
        {"ab_dtype": "float8_e4m3fn", "c_dtype": "float8_e4m3fn"},
        ["tuning table: not looked up for a result of float8_e4m3fn; False"],
    ),
}


@pytest.mark.parametrize("case", TOLD)
def test_it_is_told_why(case: str) -> None:
    changes, lines = TOLD[case]
    told = [f"{each.name}: {each.said}; {each.chosen}" for each in kernel(**changes).candidates()]
    assert set(lines) <= set(told)


INSTEAD: dict[str, dict[str, Any]] = {
    "GEMV": {"M": 1},
    "GEMV that splits K": {"ab_dtype": "float32", "c_dtype": "float32", "M": 64, "N": 256},
    "GEMM_MMA_CPASYNC": {"M": 32, "N": 384, "K": 7168},
    "the entry of M 6144": {"ab_dtype": "float8_e4m3fn", "M": 4097, "N": 2304, "K": 16384},
    "cuBLAS multiplies": {"N": 4100},
    "no kernel that exists was found": {
        "ab_dtype": "float32",
        "c_dtype": "float32",
        "M": 31,
        "N": 3072,
    },
    "": {"M": 1, "N": 7168, "K": 8192},
}


@pytest.mark.parametrize("words", INSTEAD)
def test_what_is_launched_in_its_place_is_said(words: str) -> None:
    found = [each for each in findings(kernel(**INSTEAD[words])) if each.rule == "CFG006"]
    assert [words in each.message for each in found] == ([True] if words else [])
