"""Rows: points of a grid with their values, a column of NumPy's for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcfg.core.sweep.grid import Cell, Indices

Column = NDArray[Any]
"""int64, float64 or bool; objects where values are texts, absent, or past 64 bits."""


class Sheet(NamedTuple):
    """Rows to be written: the places of ``shape`` in order, the last axis varying fastest.

    A column has length 1 along what it rests not on, as in NumPy's broadcasting.
    """

    shape: tuple[int, ...]
    columns: tuple[Column, ...]

    @property
    def size(self) -> int:
        return prod(self.shape)

    def spread(self) -> Iterator[Column]:
        """The columns with a value for each row; where these come from is found once a shape."""
        places: dict[tuple[int, ...], Indices] = {}
        for column in self.columns:
            if column.size == self.size:
                yield column.reshape(-1)
                continue
            if column.shape not in places:
                numbers = np.arange(column.size).reshape(column.shape)
                places[column.shape] = np.broadcast_to(numbers, self.shape).reshape(-1)
            yield column.reshape(-1)[places[column.shape]]


class Rows(NamedTuple):
    """Points by their numbers, and their columns."""

    points: Indices
    columns: tuple[Column, ...]

    @property
    def size(self) -> int:
        return len(self.points)

    @property
    def sheet(self) -> Sheet:
        """The rows as they are written."""
        return Sheet((self.size,), self.columns)

    def take(self, places: Any) -> Rows:
        return Rows(self.points[places], tuple(column[places] for column in self.columns))


def joined(parts: Sequence[Rows], columns: int) -> Rows:
    """The rows of all parts, in the order of their points."""
    parts = [part for part in parts if part.size]  # an empty column may be of another type
    if not parts:
        empty = np.empty(0, np.int64)
        return Rows(empty, (empty,) * columns)
    if len(parts) == 1:
        return parts[0]
    points = np.concatenate([part.points for part in parts])
    together = zip(*(part.columns for part in parts), strict=True)
    rows = Rows(points, tuple(np.concatenate(columns) for columns in together))
    return rows.take(np.argsort(points, kind="stable"))


def column_of(values: list[Any]) -> Column:
    """Plain values as a column."""
    kinds = set(map(type, values))
    if kinds == {bool}:
        return np.array(values)
    if kinds == {int} and max(map(abs, values)) < 1 << 63:
        return np.array(values, np.int64)
    if kinds == {float}:
        return np.array(values, np.float64)
    found = np.empty(len(values), object)
    found[:] = values
    return found


def narrow(value: Any, cell: Cell) -> Column:
    """A value of a cell, plain or an array, as a column of the sheet of all its points."""
    if not isinstance(value, np.ndarray):
        return column_of([value]).reshape(())
    found = cell.in_order(value)
    return found.astype(object) if found.dtype.kind == "U" else found


def spread(value: Any, cell: Cell, chosen: Indices | None) -> Column:
    """A value of a cell, plain or an array, as a column of all its points, or of those chosen."""
    if not isinstance(value, np.ndarray):
        return np.repeat(column_of([value]), cell.points if chosen is None else len(chosen))
    if chosen is None:
        found = cell.ordered(value)
    else:
        lengths = zip(cell.places(chosen), value.shape, strict=True)
        found = value[tuple(along if length > 1 else 0 for along, length in lengths)]
    return found.astype(object) if found.dtype.kind == "U" else found
