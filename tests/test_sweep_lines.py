"""Rows as lines of text: the same bytes, whatever is taken together and whoever does it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

pytest.importorskip("numpy")

import numpy as np

from kcfg.cli.formats.sweep import csv, jsonl
from kcfg.core.sweep import lines
from kcfg.core.sweep.query import Head
from kcfg.core.sweep.rows import Sheet, column_of

SHAPES = ((1,), (7,), (5, 3, 4), (300,), (40, 2, 30), (90, 80))
VALUES = (
    st.integers(-3, 3),
    st.integers(-(1 << 62), (1 << 62) - 1),
    st.integers(-(1 << 70), 1 << 70),
    st.booleans(),
    st.floats(),
    st.sampled_from(["bfloat16", "float32", 'a "b", c', "zwei\nZeilen"]),
    st.one_of(st.none(), st.integers(0, 4)),
    st.sampled_from([True, 1, None, "1"]),
)


@st.composite
def sheets(draw: st.DrawFn) -> Sheet:
    shape = draw(st.sampled_from(SHAPES))
    columns = []
    for values in draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=12)):
        own = tuple(length if draw(st.booleans()) else 1 for length in shape)
        some = draw(st.lists(values, min_size=1, max_size=9))
        size = int(np.prod(own))
        step = draw(st.integers(1, 5))
        column = column_of([some[number // step % len(some)] for number in range(size)])
        columns.append(column.reshape(own))
    return Sheet(shape, tuple(columns))


def rows(sheet: Sheet) -> list[tuple[Any, ...]]:
    """The rows of a sheet, value by value."""
    whole = [np.broadcast_to(column, sheet.shape).reshape(-1).tolist() for column in sheet.columns]
    return list(zip(*whole, strict=True))


@pytest.mark.parametrize("arrow", [True, False], ids=["pyarrow", "NumPy"])
def test_lines_say_every_value_of_every_row(arrow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if arrow:
        pytest.importorskip("pyarrow")
        monkeypatch.setattr(lines, "ENOUGH", 0)
    else:
        monkeypatch.setattr(lines, "_imported", lambda: None)

    @settings(max_examples=60, deadline=None)
    @given(sheets())
    def compare(sheet: Sheet) -> None:
        heads = tuple(Head(f"c{number}", "number") for number in range(len(sheet.columns)))
        wanted = rows(sheet)
        plain = "".join(",".join(map(csv._cell, row)) + "\n" for row in wanted)
        assert csv.encode(heads, sheet) == plain.encode()
        objects = jsonl.encode(heads, sheet).decode().splitlines()
        assert [repr(list(json.loads(each).values())) for each in objects] == [
            repr(list(row)) for row in wanted
        ]
        spread = zip(*(column.tolist() for column in sheet.spread()), strict=True)
        assert repr(list(spread)) == repr(wanted)

    compare()
