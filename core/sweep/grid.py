"""A grid of points and its numbered blocks, neither of which is ever written out.

A grid is a product of axes; the last axis varies fastest, and points are numbered in that
order. A block is a range of those numbers that is a product itself: whole axes at the end,
a piece of the axis before them, one value of each axis before that. So any block is made
from its number alone, and a formula needs one result only for each combination of the
inputs it rests on: NumPy's broadcasting does the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = Sequence[Any]
"""The values of one input along an axis: a range, or a tuple."""

Indices = NDArray[np.int64]


class Axis(NamedTuple):
    """Inputs that advance together, by their keys, each with its values."""

    keys: tuple[str, ...]
    values: tuple[Values, ...]

    @property
    def length(self) -> int:
        return len(self.values[0])


class Cell(NamedTuple):
    """Points of a block that can be derived as arrays, those of a product again.

    ``inputs`` by key are plain values, or arrays along a dimension of their own. The
    dimensions are those ``axes`` that vary here, the longest last, as NumPy likes it.
    ``positions`` are the points' places within the block along every axis.
    """

    inputs: dict[str, Any]
    axes: tuple[int, ...]
    positions: tuple[Indices, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(self.positions[axis]) for axis in self.axes)

    @property
    def points(self) -> int:
        return prod(map(len, self.positions))

    def ordered(self, array: Any) -> NDArray[Any]:
        """An array with a dimension for each of ``axes``, for all points, in their order."""
        return self.in_order(np.broadcast_to(array, self.shape)).reshape(-1)

    def in_order(self, array: NDArray[Any]) -> NDArray[Any]:
        """An array whose dimensions are the axes that vary in their own order, still narrow."""
        back = sorted(range(len(self.axes)), key=lambda dimension: self.axes[dimension])
        whole = (1,) * (len(self.axes) - array.ndim) + array.shape
        return array.reshape(whole).transpose(back)

    def numbers(self, block: Block) -> Indices:
        """The numbers of the points."""
        found: Any = np.array([block.first])
        stride = block.size
        for part, positions in zip(block.slices, self.positions, strict=True):
            stride //= part.stop - part.start
            found = (found[:, None] + positions * stride).reshape(-1)
        return found  # type: ignore[no-any-return]

    def places(self, chosen: Indices) -> tuple[Indices, ...]:
        """Where some points, chosen by their order, are along each of ``axes``."""
        lengths = tuple(map(len, self.positions))
        found = np.unravel_index(chosen, lengths) if lengths else ()
        return tuple(found[axis] for axis in self.axes)


class Block(NamedTuple):
    """Points ``first`` to ``first + size`` (not included) of a grid.

    ``slices`` are the stretches of the axes it is the product of.
    """

    number: int
    first: int
    size: int
    slices: tuple[slice, ...]


class Grid:
    """The points of a product of axes, in blocks of at most ``most`` points."""

    def __init__(self, axes: Sequence[Axis], most: int) -> None:
        self.axes, self.most = tuple(axes), most
        self.lengths = tuple(axis.length for axis in self.axes)
        self.size = prod(self.lengths)
        cut, inner = len(self.axes), 1
        while cut and inner * self.lengths[cut - 1] <= most:
            cut -= 1
            inner *= self.lengths[cut]
        self.cut, self.inner = cut - 1, inner
        """The axis that is cut into pieces, -1 for none, and the points of those behind it."""
        pieces = -(-self.lengths[self.cut] // max(1, most // inner)) if cut else 1
        self.pieces = pieces
        self.blocks = prod(self.lengths[: max(self.cut, 0)]) * pieces

    def block(self, number: int) -> Block:
        """The block of a number below ``blocks``."""
        if self.cut < 0:
            return Block(0, 0, self.size, tuple(slice(0, length) for length in self.lengths))
        lead, piece = divmod(number, self.pieces)
        length = self.lengths[self.cut]
        start, stop = (at * length // self.pieces for at in (piece, piece + 1))
        first = (lead * length + start) * self.inner
        slices = [slice(0, length) for length in self.lengths]
        slices[self.cut] = slice(start, stop)
        for axis in reversed(range(self.cut)):
            lead, digit = divmod(lead, self.lengths[axis])
            slices[axis] = slice(digit, digit + 1)
        return Block(number, first, (stop - start) * self.inner, tuple(slices))

    def cells(self, block: Block) -> Iterator[Cell]:
        """The cells of a block: within one, no text differs, nor whether an input is given."""
        stretches = [
            _groups(axis, part) for axis, part in zip(self.axes, block.slices, strict=True)
        ]
        for combination in product(*stretches):
            yield self._cell(combination)

    def _cell(self, groups: tuple[_Group, ...]) -> Cell:
        lengths = [len(group.positions) for group in groups]
        varied = [axis for axis, length in enumerate(lengths) if length > 1]
        varied.sort(key=lambda axis: lengths[axis])
        inputs: dict[str, Any] = {}
        for number, (axis, group) in enumerate(zip(self.axes, groups, strict=True)):
            along = [-1 if number == other else 1 for other in varied]
            for key, values in zip(axis.keys, group.values, strict=True):
                array = isinstance(values, np.ndarray) and len(values) > 1
                inputs[key] = values.reshape(along) if array else _plain(values[0])
        return Cell(inputs, tuple(varied), tuple(group.positions for group in groups))

    def point(self, number: int) -> dict[str, Any]:
        """The varied inputs of a point, by key."""
        found: dict[str, Any] = {}
        for axis in reversed(self.axes):
            number, place = divmod(number, axis.length)
            found |= {
                key: values[place] for key, values in zip(axis.keys, axis.values, strict=True)
            }
        return found


class _Group(NamedTuple):
    """Places along an axis that share their texts; each input's values there."""

    positions: Indices
    values: tuple[Any, ...]


def _groups(axis: Axis, part: slice) -> list[_Group]:
    values = [column[part] for column in axis.values]
    texts = [column for column in values if not isinstance(column, range) and _has_text(column)]
    if not texts:
        arrays = tuple(map(_array, values))
        return [_Group(np.arange(part.stop - part.start), arrays)]
    places: dict[tuple[Any, ...], list[int]] = {}
    for place, row in enumerate(zip(*values, strict=True)):
        key = tuple(value if _is_text(value) else ... for value in row)
        places.setdefault(key, []).append(place)
    return [
        _Group(np.array(found), tuple(_array([column[i] for i in found]) for column in values))
        for found in places.values()
    ]


def _is_text(value: Any) -> bool:
    """Whether a value is no number: a text, or the absence of one."""
    return value is None or isinstance(value, str)


def _has_text(values: Values) -> bool:
    return any(map(_is_text, values))


def _array(values: Values) -> Any:
    if isinstance(values, range):
        return np.arange(values.start, values.stop, values.step)
    return values if _is_text(values[0]) else np.array(values)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
