"""What is kept of many rows: the first, the best, those none is better than, the extremes.

A reduction selects rows and nothing else, and gives the same whether it sees all rows at
once or what it kept of parts of them. So a worker reduces a block, and whoever collects the
blocks reduces again; and to remember what was kept it is enough to remember the points.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcfg.core.sweep.grid import Indices
from kcfg.core.sweep.rows import Column, Rows

Kind = Literal["first", "best", "front", "bands"]

MOST = 1_000_000
"""Rows that are kept at most: memory is taken for each."""


class TooManyError(RuntimeError):
    """More rows would be kept than `MOST`."""


class Key(NamedTuple):
    """A column to go by, by its place: the least first, or the greatest."""

    column: int
    descending: bool


class Reduction(NamedTuple):
    """Which rows to keep.

    ``first``: the first ``most`` points. ``best``: the ``most`` that come first by ``keys``,
    earlier points before later ones. ``front``: those that no other row beats (as good in
    every key and better in one); of rows alike in every key the first. ``bands``: for each
    combination of the keys but the last, a row where the last is least, and one where it is
    greatest.
    """

    kind: Kind
    keys: tuple[Key, ...] = ()
    most: int = 0

    @property
    def ranks(self) -> bool:
        """Whether rows are kept because others are worse."""
        return self.kind in ("best", "front")

    def reduce(self, rows: Rows) -> Rows:
        """The rows to keep, in the order in which they are to be shown."""
        return rows.take(self.chosen([rows.columns[key.column] for key in self.keys], rows.points))

    def chosen(self, by: Sequence[Column], points: Indices) -> Indices:
        """The places of the rows to keep, from the columns of the keys and the points.

        Rows alike in every key come in the order of their points.
        """
        if self.kind == "first":
            return np.argsort(points, kind="stable")[: self.most]
        if not len(points):
            return np.empty(0, np.int64)
        ranks = [_ranks(one, key.descending) for one, key in zip(by, self.keys, strict=True)]
        if self.kind == "best":
            return _best(ranks, self.most)
        return _front(ranks) if self.kind == "front" else _extremes(ranks)


Ranks = NDArray[Any]


def _ranks(column: Column, descending: bool) -> Ranks:
    """Numbers in the order of a column's values, the first ones smallest."""
    if column.dtype == object:
        values = [(value is not None, value if value is not None else 0) for value in column]
        order = {value: rank for rank, value in enumerate(sorted(set(values)))}
        column = np.array([order[value] for value in values])
    elif column.dtype == bool:
        column = column.astype(np.int64)
    return -column if descending else column


def _best(ranks: list[Ranks], most: int) -> Indices:
    candidates = np.arange(len(ranks[0]))
    if most < len(candidates):  # what is behind the last of the first key cannot be among them
        last = np.partition(ranks[0], most - 1)[most - 1]
        candidates = np.flatnonzero(ranks[0] <= last)
    return candidates[_order([rank[candidates] for rank in ranks])[:most]]


def _order(ranks: list[Ranks]) -> Indices:
    """The places in the order of the ranks, those of the first before those of the next.

    What is alike stays in its order. Where it fits, all ranks become one number first.
    """
    spans = [int(rank.max() - rank.min()) + 1 for rank in ranks if rank.dtype.kind == "i"]
    if len(spans) < len(ranks) or prod(spans) >= 1 << 62:
        return np.lexsort(ranks[::-1])
    together = np.zeros(len(ranks[0]), np.int64)
    for rank, span in zip(ranks, spans, strict=True):
        together = together * span + (rank - rank.min())
    return np.argsort(together, kind="stable")


def _begins(ranks: list[Ranks], order: Indices) -> NDArray[np.bool_]:
    """Where in an order something else begins than what stood before."""
    begins = np.ones(len(order), bool)
    begins[1:] = False
    for rank in ranks:
        sorted_rank = rank[order]
        begins[1:] |= sorted_rank[1:] != sorted_rank[:-1]
    return begins


def _front(ranks: list[Ranks]) -> Indices:
    order = _order(ranks)
    left = order[_begins(ranks, order)]
    front = []
    while len(left):
        first = left[0]  # nothing that is left comes before it, so nothing beats it
        front.append(first)
        better = np.zeros(len(left), bool)
        for rank in ranks:
            better |= rank[left] < rank[first]
        left = left[better]
    return np.array(front)


def _extremes(ranks: list[Ranks]) -> Indices:
    order = _order(ranks)
    begins = np.flatnonzero(_begins(ranks[:-1], order))
    ends = np.append(begins[1:], len(order)) - 1
    return np.unique(order[np.concatenate((begins, ends))])
