"""Sweeps for tests: grids of any kernel, and what scalar derivation says of their points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from shapes import derive

from kcfg.core import kernels, targets
from kcfg.core.explain.refusal import failures
from kcfg.core.kernel import Kernel
from kcfg.core.sweep.grid import Axis
from kcfg.core.sweep.named_values import name_of
from kcfg.core.sweep.query import Head, Query, Tally
from kcfg.core.sweep.reasons import leaves, tree
from kcfg.core.sweep.reduce import Reduction
from kcfg.core.sweep.rows import Rows, joined
from kcfg.core.sweep.work import worker

EVERYTHING = Reduction("first", (), 1 << 40)


def query(
    kernel: str,
    release: str,
    values: dict[str, list[Any]],
    *,
    where: str | None = None,
    columns: tuple[str, ...] = (),
    keep: Reduction | None = EVERYTHING,
    block: int = 1 << 17,
) -> Query:
    """A query for the product of these values; by default every value, of every point."""
    cls = kernels.find(kernel, release)
    names = columns or tuple(key for key, _ in cls.declared())
    return Query(
        kernel=kernel,
        release=release,
        target="b200",
        arch=targets.find().arch,
        fixed=tuple((key, one[0]) for key, one in values.items() if len(one) == 1),
        axes=tuple(Axis((key,), (tuple(one),)) for key, one in values.items() if len(one) > 1),
        block=block,
        where=where,
        columns=tuple(Head(name, name_of(cls, name).kind) for name in names),
        shown=len(names),
        keep=keep,
        encode=None,
    )


def swept(asked: Query) -> tuple[dict[int, tuple[Any, ...]], Tally]:
    """Every row of a query by its point, and the counts."""
    rows: dict[int, tuple[Any, ...]] = {}
    tally = Tally()
    for number in range(asked.grid.blocks):
        outcome = worker(asked).run(number)
        tally = tally.plus(outcome.tally)
        assert outcome.rows is not None
        columns = [column.tolist() for column in outcome.rows.columns]
        rows |= zip(outcome.rows.points.tolist(), zip(*columns, strict=True), strict=True)
    return rows, tally


def point(asked: Query, number: int) -> Kernel:
    """A point of a query, derived on its own."""
    return derive(asked.kernel, asked.release, {**dict(asked.fixed), **asked.grid.point(number)})


def scalar_row(asked: Query, kernel: Kernel) -> tuple[Any, ...]:
    """What a point's own report says in the columns; every column is a value here."""
    values = kernel.values()
    return tuple([values[head.name] for head in asked.columns])


def first_failures(points: Iterable[Kernel]) -> Counter[tuple[str, tuple[str, ...]]]:
    """The first condition that each point fails, by name and path, as scalar code tells it."""
    found = map(failures, points)
    return Counter((each[0].name, each[0].path) for each in found if each)


def refused(asked: Query, tally: Tally) -> Counter[tuple[str, tuple[str, ...]]]:
    """The same as a sweep counted it."""
    root = tree(asked.cls)
    conditions = leaves(root) if root else ()
    counts: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for place, count in tally.refused:
        counts[conditions[place].name, conditions[place].path] += count
    return counts


def joined_rows(asked: Query) -> Rows:
    """What a query with a reduction keeps of all blocks together."""
    assert asked.keep
    kept = joined((), len(asked.columns))
    for number in range(asked.grid.blocks):
        rows = worker(asked).run(number).rows
        assert rows is not None
        kept = asked.keep.reduce(joined((kept, rows), len(asked.columns)))
    return kept
