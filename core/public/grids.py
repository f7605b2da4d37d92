"""Queries of ``kcfg.core.sweep``, run in this process: what grids and candidates share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kcfg.core.expressions.scope import ExpressionError, UnknownNameError
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Kernel
from kcfg.core.spec.problem import Problem
from kcfg.core.sweep.grid import Axis
from kcfg.core.sweep.named_values import name_of
from kcfg.core.sweep.query import Head, Query, Tally
from kcfg.core.sweep.rows import Rows, joined
from kcfg.core.sweep.work import Worker
from kcfg.errors import Error, error

BLOCK = 1 << 17
"""Points that are derived at a time."""
MOST = 1 << 30
"""Numbers that a call gives at most, of every point of its grid."""


def query(
    cls: type[Kernel],
    target: Target,
    given: dict[str, Any],
    axes: tuple[Axis, ...],
    columns: Iterable[str],
    where: str | None = None,
) -> Query:
    """What to derive; ``given`` are inputs by attribute, those along the axes included.

    Raises `Error` for a column that there is not.
    """
    varied = {key for axis in axes for key in axis.keys}
    varied |= {each.means for each in cls.spellings if each.word in varied}
    fixed = tuple(
        (member.key, given[name])
        for name, member in cls.inputs.items()
        if name in given and member.key not in varied
    )
    try:
        heads = tuple(Head(name, name_of(cls, name).kind) for name in columns)
    except UnknownNameError as unknown:
        raise error(str(unknown), "columns") from None
    return Query(
        kernel=cls.kernel,
        release=cls.release,
        target=target.name,
        arch=target.arch,
        fixed=fixed,
        axes=axes,
        block=BLOCK,
        where=where,
        columns=heads,
        shown=len(heads),
        keep=None,
        encode=None,
        origin=cls.origin,
    )


def check_size(points: int, columns: int, of: str) -> None:
    """Raise `Error` for more numbers than a call gives."""
    if points * columns > MOST:
        raise error(
            f"{points:,} {of} of {columns:,} columns are more than {MOST:,} numbers: "
            "name fewer columns, or keep fewer points with where"
        )


def run(asked: Query) -> tuple[Tally, Rows]:
    """The counts and the rows of a query; raises `Error` for a condition that is none."""
    try:
        worker = Worker(asked)
    except ExpressionError as wrong:
        raise Error([Problem("where", 1, wrong.column, "", str(wrong))]) from None
    tally, parts = Tally(), []
    for number in range(asked.grid.blocks):
        outcome = worker.run(number)
        tally = tally.plus(outcome.tally)
        parts.append(outcome.rows)
        check_size(tally.kept, len(asked.columns), "and more points")
    return tally, joined([rows for rows in parts if rows is not None], len(asked.columns))
