"""From a query and the number of a block to what the block holds: the work of every engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcfg.core import targets
from kcfg.core.findings import refusals
from kcfg.core.kernel import VERDICT, Kernel
from kcfg.core.spec.shape import grammar
from kcfg.core.sweep.arrays import Vocabulary
from kcfg.core.sweep.clashes import Clashes
from kcfg.core.sweep.expression import Term, condition
from kcfg.core.sweep.grid import Block, Cell, Indices, Values
from kcfg.core.sweep.memory import keep_memory
from kcfg.core.sweep.named_values import name_of
from kcfg.core.sweep.query import Outcome, Query, Tally
from kcfg.core.sweep.reasons import Reasons, counted
from kcfg.core.sweep.reduce import Reduction
from kcfg.core.sweep.rows import Column, Rows, Sheet, column_of, joined, narrow, spread
from kcfg.core.sweep.sizes import SIZES, UNKNOWN, Size
from kcfg.core.sweep.words import ARRAYS, Value

FEW = 1000
"""A row in so many is derived on its own: arrays would be worked out for all the others too."""

ROUNDS = 16
"""How often the best are judged and those refused put aside, before all that is left is judged."""
AHEAD = 20
"""Rows that are judged at a time at least."""

Task = tuple[Query, int]
"""A query and the number of a block."""


def work(task: Task) -> Outcome:
    """Derive a block; what engines send to their workers."""
    query, number = task
    return worker(query).run(number)


@lru_cache(maxsize=2)
def worker(query: Query) -> Worker:
    """The worker of a query, made once in a process."""
    keep_memory()
    return Worker(query)


OVER_ARRAYS, OVER_SIZES, PLAIN = Vocabulary(ARRAYS), Vocabulary(SIZES), Vocabulary({})


class View:
    """A kernel's class, the condition and the reasons, all in one vocabulary."""

    def __init__(self, query: Query, vocabulary: Vocabulary) -> None:
        cls, words = query.cls, vocabulary.words
        self.struct: type[Kernel] = vocabulary.over(cls) if words else cls
        self.where: Term | None = condition(query.where, cls, words) if query.where else None
        self.reasons = Reasons(cls, vocabulary)


class Worker:
    """Derives blocks of one query."""

    def __init__(self, query: Query) -> None:
        self.query, self.grid, self.cls = query, query.grid, query.cls
        target = targets.find(query.target)
        self.target = target if target.arch == query.arch else target.replace(arch=query.arch)
        self.columns = [name_of(self.cls, column.name).read for column in query.columns]
        self.verdict = VERDICT in self.cls.quantities
        self.arrays, self.sizes, self.plain = (
            View(query, vocabulary) for vocabulary in (OVER_ARRAYS, OVER_SIZES, PLAIN)
        )
        known = grammar(self.cls)
        self.attributes = {key: name for key, (name, _) in known.inputs.items()}
        self.defaults = known.defaults
        self.spellings = [
            known.spellings[key]
            for axis in self.grid.axes
            for key in axis.keys
            if key in known.spellings
        ]
        self.bounds = {
            key: _bound(values)
            for axis in self.grid.axes
            for key, values in zip(axis.keys, axis.values, strict=True)
        }
        self.clashes = Clashes(self.cls)
        self.fitting: dict[tuple[Any, ...], bool] = {}
        self.ruled: Counter[str] = Counter()

    def run(self, number: int) -> Outcome:
        block = self.grid.block(number)
        tally, parts = Tally(), []
        self.ruled.clear()
        cells = list(self.grid.cells(block))
        with np.errstate(all="ignore"):
            for cell in cells:
                own, found = self._cell(block, cell, alone=len(cells) == 1)
                tally = tally.plus(own)
                parts.append(found)
        tally = tally._replace(ruled=tuple(sorted(self.ruled.items())))
        keep, encode = self.query.keep, self.query.encode
        sheet = parts[0]
        if not isinstance(sheet, Sheet):
            rows = joined([part for part in parts if isinstance(part, Rows)], len(self.columns))
            if keep or not encode:
                return Outcome(number, tally, keep.reduce(rows) if keep else rows, b"")
            sheet = rows.sheet
        data = encode(self.query.heads, sheet) if encode and sheet.size else b""
        return Outcome(number, tally, None, data)

    def rows(self, points: Sequence[int]) -> Rows:
        """The rows of points by their numbers, derived one by one."""
        found = [self._row(self._derived(point)) for point in points]
        return self._collected(list(points), found)

    def refusals(self, point: int) -> tuple[str, ...]:
        """The ids of the rules that refuse a point which its kernel's own verdict takes."""
        kernel = self._derived(point)
        return () if kernel.verdict is False else refusals(kernel)

    def _chosen(self, keep: Reduction, by: Sequence[Column], points: Indices) -> Indices:
        """The places of the rows to keep, of those alone that no rule refuses if so asked.

        Rules judge one configuration at a time, so only what would be kept is judged, until
        nothing of it is refused. What is refused on the way is counted.
        """
        places = keep.chosen(by, points)
        if not self.query.runs:
            return places
        left, good = np.arange(len(points)), set[int]()
        ahead = keep._replace(most=max(keep.most, AHEAD)) if keep.most else keep
        for round in range(ROUNDS + 1):
            if round < ROUNDS:
                places = left[ahead.chosen([column[left] for column in by], points[left])]
            else:
                places = left
            asked = [place for place in places.tolist() if place not in good]
            why = {place: self.refusals(int(points[place])) for place in asked}
            self.ruled.update(ids[0] for ids in why.values() if ids)
            good.update(place for place, ids in why.items() if not ids)
            refused = [place for place, ids in why.items() if ids]
            if not refused:
                break
            left = left[~np.isin(left, refused)]
        return left[keep.chosen([column[left] for column in by], points[left])]

    # A cell as arrays

    def _cell(self, block: Block, cell: Cell, *, alone: bool) -> tuple[Tally, Rows | Sheet]:
        """The counts and rows of a cell; a sheet where it is ``alone`` in a block to be written."""
        if not cell.axes:
            return self._one_by_one(block, cell, 0)
        if not self._fits(cell):
            return self._one_by_one(block, cell, 1)
        view, kernel, points = self.arrays, self._kernel(self.arrays, cell.inputs), cell.points
        sound, together = kernel.sound(), self.clashes.none(self._inputs(cell.inputs))
        if sound is None or together is None:
            return self._one_by_one(block, cell, 1)
        sound = sound & together
        wrong = points - counted(sound, points)
        why = self._fault(block, cell, sound) if wrong else ""
        good = counted(sound & kernel.read(VERDICT), points) if self.verdict else 0
        least = points - wrong if self.verdict else 0
        refused = view.reasons.count(kernel, points, sound) if good < least else {}
        mask = sound & self._wanted(view, kernel)
        kept = counted(mask, points)
        tally = Tally(points, good, kept, 0, tuple(refused.items()), wrong, why)
        if not kept:
            return tally, joined((), len(self.columns))
        if alone and kept == points and self.query.encode and not self.query.keep:
            columns = tuple(narrow(read(kernel), cell) for read in self.columns)
            return tally, Sheet(cell.in_order(np.empty(cell.shape, bool)).shape, columns)
        chosen = np.flatnonzero(cell.ordered(mask)) if kept < points else None
        return tally, self._selected(block, cell, kernel, chosen)

    def _fault(self, block: Block, cell: Cell, sound: Value) -> str:
        """What is wrong with the first of the points that are not sound."""
        first = np.flatnonzero(~cell.ordered(sound))[0]
        return self._singly(int(cell.numbers(block)[first]))[0].why

    def _wanted(self, view: View, kernel: Kernel) -> Value:
        """Which points there are to keep: those of the condition, and supported if need be."""
        wanted: Value = view.where.run(kernel) if view.where else True
        return wanted & kernel.read(VERDICT) if self.query.supported else wanted

    def _selected(self, block: Block, cell: Cell, kernel: Kernel, chosen: Indices | None) -> Rows:
        """The rows of the points chosen; of those, where rows are reduced, only what is kept."""
        keep, numbers = self.query.keep, cell.numbers(block)
        if keep:
            if chosen is None:
                chosen = np.arange(cell.points)
            by = tuple(spread(self.columns[key.column](kernel), cell, chosen) for key in keep.keys)
            chosen = chosen[self._chosen(keep, by, numbers[chosen])]
        if chosen is not None and len(chosen) * FEW < cell.points:
            return self.rows(numbers[chosen].tolist())
        columns = tuple(spread(read(kernel), cell, chosen) for read in self.columns)
        return Rows(numbers if chosen is None else numbers[chosen], columns)

    def _fits(self, cell: Cell) -> bool:
        """Whether no number of a cell can leave 64 bits, and no formula branches on an array."""
        texts = tuple((key, v) for key, v in cell.inputs.items() if v is None or isinstance(v, str))
        if texts not in self.fitting:
            self.fitting[texts] = self._bounded({**self.bounds, **dict(texts)})
        if self.fitting[texts]:
            return True
        return self._bounded(
            {
                key: _bound(value.reshape(-1)) if isinstance(value, np.ndarray) else value
                for key, value in cell.inputs.items()
            }
        )

    def _bounded(self, inputs: dict[str, Any]) -> bool:
        view = self.sizes
        try:
            kernel = self._kernel(view, inputs)
            if self.verdict:
                kernel.read(VERDICT)
            if view.where:
                view.where.run(kernel)
            for read in self.columns:
                read(kernel)
            for name in self.cls.quantities if self.cls.limited else ():
                getattr(kernel, name)
        except Exception:  # numbers without end, or a stranger's formula: each point says it
            return False
        return True

    def _inputs(self, varied: dict[str, Any]) -> dict[str, Any]:
        """All inputs that are given, by key, with those that vary as they are."""
        inputs = {**dict(self.query.fixed), **varied}
        for spelling in self.spellings:
            value = inputs.pop(spelling.word)
            inputs[spelling.means] = spelling.convert(value, {**self.defaults, **inputs})
        return inputs

    def _kernel(self, view: View, varied: dict[str, Any]) -> Kernel:
        attributes = self.attributes
        inputs = {attributes[key]: value for key, value in self._inputs(varied).items()}
        return view.struct(target=self.target, **inputs)

    # Point by point

    def _one_by_one(self, block: Block, cell: Cell, singly: int) -> tuple[Tally, Rows]:
        points, found, tally = [], [], Tally()
        for point in cell.numbers(block).tolist():
            own, kernel = self._singly(point)
            tally = tally.plus(own._replace(singly=singly))
            if own.kept:
                points.append(point)
                found.append(self._row(kernel))
        rows, keep = self._collected(points, found), self.query.keep
        if keep and rows.size:
            by = tuple(rows.columns[key.column] for key in keep.keys)
            rows = rows.take(self._chosen(keep, by, rows.points))
        return tally, rows

    def _singly(self, point: int) -> tuple[Tally, Kernel]:
        varied = self.grid.point(point)
        view, kernel = self.plain, self._kernel(self.plain, varied)
        inputs = {name: getattr(kernel, name) for name in kernel.inputs}
        clashing = self.clashes.of(self._inputs(varied))
        for fault in clashing or self.cls.faults(self.target, inputs):
            at = grammar(self.cls).at(fault.key)
            why = f"{at}: {fault.message}" if fault.key else fault.message
            return Tally(1, faulty=1, why=why), kernel
        kernel.hasten()
        good = self.verdict and kernel.read(VERDICT)
        refused = view.reasons.count(kernel, 1) if self.verdict and not good else {}
        kept = self._wanted(view, kernel)
        return Tally(1, int(good), int(kept), 0, tuple(refused.items())), kernel

    def _derived(self, point: int) -> Kernel:
        kernel = self._kernel(self.plain, self.grid.point(point))
        kernel.hasten()
        return kernel

    def _row(self, kernel: Kernel) -> list[Any]:
        return [read(kernel) for read in self.columns]

    def _collected(self, points: list[int], found: list[list[Any]]) -> Rows:
        if not points:
            return joined((), len(self.columns))
        columns = zip(*found, strict=True)
        return Rows(np.array(points, np.int64), tuple(column_of(list(one)) for one in columns))


def _bound(values: Values | NDArray[Any]) -> Any:
    """The largest magnitude of numbers; of truth values, that they are unknown."""
    if isinstance(values, range):
        return Size(max(abs(values[0]), abs(values[-1])))
    given = [value for value in values if value is not None]
    if not given or isinstance(given[0], bool | np.bool_ | str):
        return UNKNOWN
    return Size(int(max(map(abs, given))))
