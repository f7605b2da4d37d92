"""Columns of a sheet as lines of text, without a thought for each cell.

Most values of a sweep rest on few inputs, and on the same ones as the values beside them. So
columns that stand side by side are taken together for as long as few combinations of their
values occur: each combination is put into words once, and a line is made of a few such stretches.
Where pyarrow is installed it looks combinations up and puts lines together, else NumPy and Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcfg.core.sweep.rows import Column, Sheet

ENOUGH = 1 << 12
"""Numbers for which it pays to import pyarrow."""
FEW = 16
"""A combination for so many lines is worth putting into words beforehand."""
LARGEST = 1 << 62
"""What the number of a combination must stay below."""

Codes = NDArray[np.int64]
Say = Callable[[Any], str]


class Coded(NamedTuple):
    """A column as whole numbers: ``codes`` from 0 to ``span``, and what each stands for."""

    codes: Codes
    span: int
    values: Callable[[Codes], list[Any]]


class Taken(NamedTuple):
    """A column of a stretch: its codes by combination, and the combination they were added to."""

    column: Coded
    say: Say
    own: Codes
    before: Codes


class Stretch:
    """Columns side by side, as the combinations of their values that occur."""

    def __init__(self) -> None:
        self.codes: Codes = np.zeros((), np.int64)
        self.count = 1
        self.taken: list[Taken] = []

    def take(self, column: Coded, say: Say, most: int) -> bool:
        """Take a column in, unless that would make more than ``most`` combinations."""
        own = self._follows(column.codes)
        if own is not None:
            self.taken.append(Taken(column, say, own, np.arange(self.count)))
            return True
        if self.count * column.span >= LARGEST:
            return False
        together = self.codes * column.span + column.codes
        codes, found = _distinct(together.reshape(-1))
        if len(found) > most and self.taken:
            return False
        self.codes, self.count = codes.reshape(together.shape), len(found)
        self.taken.append(Taken(column, say, found % column.span, found // column.span))
        return True

    def _follows(self, codes: Codes) -> Codes | None:
        """The code that goes with each combination, where it follows from that; else None."""
        if codes.size == 1:
            return np.full(self.count, codes.reshape(-1)[0])
        if np.broadcast_shapes(codes.shape, self.codes.shape) != self.codes.shape:
            return None
        own = np.empty(self.count, np.int64)
        own[self.codes] = codes
        return own if (own[self.codes] == codes).all() else None

    def texts(self, between: str) -> list[str]:
        """Every combination in words, the columns with ``between`` between them."""
        at = np.arange(self.count)
        columns: list[list[str]] = []
        for column, say, own, before in reversed(self.taken):
            columns.append(_said(column.values(own[at]), say))
            at = before[at]
        return list(map(between.join, zip(*reversed(columns), strict=True)))


def lines(
    sheet: Sheet, says: Sequence[Say], between: str, start: str = "", end: str = "\n"
) -> bytes:
    """The rows of a sheet: what ``says`` make of their values, with ``between`` between these.

    Every line begins with ``start`` and stops with ``end``.
    """
    most = max(sheet.size // FEW, FEW)
    stretches = [Stretch()]
    for column, say in zip(sheet.columns, says, strict=True):
        coded = _coded(column)
        if not stretches[-1].take(coded, say, most):
            stretches.append(Stretch())
            stretches[-1].take(coded, say, most)
    texts = [stretch.texts(between) for stretch in stretches]
    texts[0] = [start + text for text in texts[0]]
    texts[:-1] = [[text + between for text in each] for each in texts[:-1]]
    texts[-1] = [text + end for text in texts[-1]]
    places = [np.broadcast_to(each.codes, sheet.shape).reshape(-1) for each in stretches]
    return _together(texts, places)


def _together(texts: list[list[str]], places: list[Codes]) -> bytes:
    """The texts at some places, one after the other, line by line."""
    arrow = _arrow(len(places[0]))
    if arrow is None:
        parts = (map(each.__getitem__, at.tolist()) for each, at in zip(texts, places, strict=True))
        return "".join(map("".join, zip(*parts, strict=True))).encode()
    taken = [
        arrow.array([text.encode() for text in each], arrow.binary()).take(arrow.array(at))
        for each, at in zip(texts, places, strict=True)
    ]
    joined = arrow.compute.binary_join_element_wise(*taken, b"")
    offsets = np.frombuffer(joined.buffers()[1], np.int32)
    first, last = offsets[joined.offset], offsets[joined.offset + len(joined)]
    return joined.buffers()[2].slice(first, last - first).to_pybytes()  # type: ignore[no-any-return]


def _distinct(codes: Codes) -> tuple[Codes, Codes]:
    """For each number which one it is of the distinct ones, and these."""
    arrow = _arrow(len(codes))
    if arrow is None:
        found, places = np.unique(codes, return_inverse=True)
        return places, found
    encoded = arrow.array(codes).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_numpy()


def _arrow(count: int) -> Any:
    """pyarrow, where it is installed and there is enough to do for it; else None."""
    return _imported() if count >= ENOUGH else None


@cache
def _imported() -> Any:
    try:
        import pyarrow.compute
    except ImportError:
        return None
    return pyarrow


def _coded(column: Column) -> Coded:
    """A column as codes: its numbers less the least, or the places of its distinct values."""
    if column.dtype == object:
        known: dict[tuple[type, Any], int] = {}
        flat = [known.setdefault((type(value), value), len(known)) for value in column.flat]
        distinct = [value for _, value in known]
        codes = np.array(flat, np.int64).reshape(column.shape)
        return Coded(codes, len(known), lambda own: [distinct[place] for place in own.tolist()])
    kind = column.dtype
    numbers = column.view(np.int64) if kind == np.float64 else column.astype(np.int64)
    least, greatest = int(numbers.min()), int(numbers.max())
    if greatest - least < LARGEST:
        span = greatest - least + 1
        return Coded(numbers - least, span, lambda own: _back(own + least, kind).tolist())
    codes, found = _distinct(numbers.reshape(-1))
    return Coded(
        codes.reshape(column.shape), len(found), lambda own: _back(found[own], kind).tolist()
    )


def _back(numbers: Codes, kind: np.dtype[Any]) -> Column:
    """Whole numbers as the values of a type that they stand for."""
    return numbers.view(kind) if kind == np.float64 else numbers.astype(kind)


def _said(values: list[Any], say: Say) -> list[str]:
    """What ``say`` makes of each value; asked once for values of one type that come often."""
    distinct = set(values)
    if 2 * len(distinct) > len(values) or len(set(map(type, values))) > 1:
        return list(map(say, values))
    return list(map({value: say(value) for value in distinct}.__getitem__, values))
