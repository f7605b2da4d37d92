"""A grid's blocks hold every point once, and a sweep's spec is read as strictly as any."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

pytest.importorskip("numpy")

from kcfg.core.spec import Overrides
from kcfg.core.sweep.grid import Axis, Grid
from kcfg.core.sweep.reader import Sweep, read_sweep

AXES = st.lists(
    st.lists(st.integers(-5, 5) | st.sampled_from(["a", "b", None]), min_size=1, max_size=7),
    max_size=4,
)


@settings(deadline=None)
@given(lists=AXES, most=st.integers(1, 60))
def test_blocks_hold_every_point_once_and_in_order(lists: list[list[Any]], most: int) -> None:
    axes = [Axis((f"k{i}",), (tuple(values),)) for i, values in enumerate(lists)]
    grid = Grid(axes, most)
    wanted = [
        dict(zip((axis.keys[0] for axis in axes), row, strict=True))
        for row in itertools.product(*lists)
    ]
    assert grid.size == len(wanted)
    assert [grid.point(number) for number in range(grid.size)] == wanted
    first = 0
    for number in range(grid.blocks):
        block = grid.block(number)
        assert (block.number, block.first) == (number, first)
        assert 0 < block.size <= most
        first += block.size
        found = {}
        for cell in grid.cells(block):
            columns = {
                key: cell.ordered(value).tolist()
                if hasattr(value, "shape")
                else [value] * cell.points
                for key, value in cell.inputs.items()
            }
            for place, point in enumerate(cell.numbers(block).tolist()):
                found[point] = {key: values[place] for key, values in columns.items()}
        assert sorted(found) == list(range(block.first, first))
        assert all(found[point] == wanted[point] for point in found)
    assert first == grid.size


def test_a_grid_of_any_size_is_only_numbers() -> None:
    grid = Grid([Axis((f"k{i}",), (range(1, 1001),)) for i in range(10)], 1 << 17)
    assert grid.size == 10**30
    last = grid.block(grid.blocks - 1)
    assert last.first + last.size == grid.size
    assert set(grid.point(grid.size - 1).values()) == {1000}


HEAD = "kernel: index_prefill\nrelease: 26.7\nshape:\n"
FIXED = "  dtype: float8_e4m3fn\n  ks_dtype: float32\n  BM_key: 128\n"


def read(tmp_path: Path, text: str, *sets: tuple[str, str], zips: Any = ()) -> Any:
    path = tmp_path / "sweep.yaml"
    path.write_text(text)
    found = read_sweep(str(path), Overrides(set=sets), zips)
    if isinstance(found, Sweep):
        return {
            "*".join(axis.keys): [list(values) for values in axis.values] for axis in found.axes
        }
    return [f"{each.line}:{each.column} {each.message}" for each in found]


@pytest.mark.parametrize(
    ("depth", "wanted"),
    [
        ("64..512 step 64", [64, 128, 192, 256, 320, 384, 448, 512]),
        ("5..8", [5, 6, 7, 8]),
        ("5..9 step 3", [5, 8]),
        ("[64, 128]", [64, 128]),
        ("[32, 64..128 step 32, 7]", [32, 64, 96, 128, 7]),
    ],
)
def test_lists_and_ranges(tmp_path: Path, depth: str, wanted: list[int]) -> None:
    text = f"{HEAD}{FIXED}  mma_n: [64, 96]\n  depth: {depth}\n  num_heads: 32\n"
    assert read(tmp_path, text) == {"mma_n": [[64, 96]], "depth": [wanted]}
    plain = f"{HEAD}{FIXED}  mma_n: [64, 96]\n  depth: 1\n  num_heads: [32]\n"
    assert read(tmp_path, plain, ("depth", depth)) == {"mma_n": [[64, 96]], "depth": [wanted]}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("depth: 64..", "9:10 expected a range such as 64..512 or 64..512 step 64, not `64..`"),
        ("depth: 64..32", "9:10 the range ends before it begins; write 32..64"),
        ("depth: 64..128 step 0", "9:10 the step of a range is at least 1"),
        ("depth: 0..128", "9:10 must be at least 1, not 0"),
        ("depth: 1..2000000", "9:10 must be at most 1048576, not 2000000"),
        ("depth: []", "9:10 an empty list: give a value at least"),
        ("depth: [64, 64]", "9:15 the value 64 is given twice"),
        ("depth: [64, [1]]", "9:15 expected a value or a range, not a list"),
        ("depth: [64, abc]", "9:15 expected an integer from 1 to 1048576, not `abc`"),
        ("depth: [64, null]", "9:15 the value is empty, and there is no default"),
        ("dpeth: [64, 128]", "9:3 unknown key `dpeth`; did you mean `depth`?"),
        ("n_tokens: [1, 2]", "9:3 `n_tokens` and `mma_n` give the same input: keep one"),
    ],
)
def test_what_is_wrong_with_a_sweep(tmp_path: Path, line: str, wanted: str) -> None:
    text = f"{HEAD}{FIXED}  mma_n: [64, 96]\n  num_heads: 32\n  {line}\n"
    assert wanted in read(tmp_path, text)


def test_another_word_is_checked_at_the_corners(tmp_path: Path) -> None:
    text = f"{HEAD}{FIXED}  depth: 128\n  num_heads: [1, 32]\n  n_tokens: [1, 40000]\n"
    wanted = "`mma_n`, which this gives, must be at most 1048576, not 1280000"
    assert any(wanted in problem for problem in read(tmp_path, text))


ZIPPED = f"{HEAD}{FIXED}  depth: [1, 2]\n  mma_n: [64, 96, 128]\n  num_heads: [32, 16, 8]\n"


def test_lists_that_advance_together(tmp_path: Path) -> None:
    wanted = {"depth": [[1, 2]], "mma_n*num_heads": [[64, 96, 128], [32, 16, 8]]}
    assert read(tmp_path, ZIPPED, zips=[("mma_n", "num_heads")]) == wanted
    assert read(tmp_path, f"{ZIPPED}sweep:\n  zip: [[mma_n, num_heads]]\n") == wanted


@pytest.mark.parametrize(
    ("section", "wanted"),
    [
        ("zip: [[mma_n, depth]]", "must have as many values: mma_n has 3, depth has 2"),
        ("zip: [[mma_n, dtype]]", "`dtype` has no list or range to zip; known: "),
        ("zip: [[mma_n, num_head]]", "did you mean `num_heads`?"),
        ("zip: [[mma_n, num_heads], [depth, mma_n]]", "`mma_n` is zipped twice"),
        ("zip: mma_n", "expected a list of lists of keys, as [[num_q_heads, group]]"),
        ("zpi: []", "unknown key `zpi`; did you mean `zip`?"),
    ],
)
def test_what_is_wrong_with_a_zip(tmp_path: Path, section: str, wanted: str) -> None:
    found = read(tmp_path, f"{ZIPPED}sweep:\n  {section}\n")
    assert any(wanted in problem for problem in found)


def test_inputs_that_never_go_together_are_refused(tmp_path: Path) -> None:
    text = (
        "kernel: matmul\nshape:\n  ab_dtype: bfloat16\n  c_dtype: bfloat16\n"
        "  M: 128\n  N: 128\n  K: 128\n  num_split_k: [1, 2]\n"
    )
    assert any("`num_split_k` does not go with" in problem for problem in read(tmp_path, text))


def test_a_sweep_is_one_document_of_a_kernel(tmp_path: Path) -> None:
    plain = f"{HEAD}{FIXED}  depth: 1\n  mma_n: 64\n  num_heads: 32\n"
    assert read(tmp_path, plain) == {}
    assert any("a sweep is one document" in one for one in read(tmp_path, f"{plain}---\n{plain}"))
    launch = "kernel: launch\nshape:\n  threads: 128\n"
    (told,) = (one for one in read(tmp_path, launch) if "nothing to sweep" in one)
    assert "--set of other commands changes one of its keys" in told
