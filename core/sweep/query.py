"""What is asked of a sweep and what a block answers, as plain data for any process."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from kcfg.core import kernels
from kcfg.core.expressions.words import Kind
from kcfg.core.kernel import Kernel
from kcfg.core.sweep.grid import Axis, Grid
from kcfg.core.sweep.reduce import Reduction
from kcfg.core.sweep.rows import Rows, Sheet
from kcfg.core.version import VERSION

Encode = Callable[["Heads", Sheet], bytes]
"""From the heads of the columns and a sheet of rows to what an output holds for them."""


@lru_cache(maxsize=8)
def loaded(origin: Any) -> type[Kernel]:
    """The class that an origin gives, made once in a process."""
    found: type[Kernel] = origin.load()
    return found


class Head(NamedTuple):
    """A column: its name, and what sort of values it has."""

    name: str
    kind: Kind


Heads = tuple[Head, ...]


class Query(NamedTuple):
    """A sweep as plain data, which any process can work on.

    ``fixed`` are the inputs that do not vary, by key. The first ``shown`` of the ``columns``
    are written; the others are there to sort by. Without ``keep`` every row is written, with
    ``encode`` as bytes; with it the rows themselves are handed on. Where ``supported``,
    points that upstream refuses are counted and not kept. Where ``runs``, nothing is kept that a
    rule refuses.
    """

    kernel: str
    release: str
    target: str
    arch: str
    fixed: tuple[tuple[str, Any], ...]
    axes: tuple[Axis, ...]
    block: int
    where: str | None
    columns: Heads
    shown: int
    keep: Reduction | None
    encode: Encode | None
    supported: bool = False
    runs: bool = False
    origin: Any = None
    """How a process finds the kernel where its name and release do not say it."""

    @property
    def heads(self) -> Heads:
        """The columns that are written."""
        return self.columns[: self.shown]

    @property
    def grid(self) -> Grid:
        return Grid(self.axes, self.block)

    @property
    def cls(self) -> type[Kernel]:
        return loaded(self.origin) if self.origin else kernels.find(self.kernel, self.release)


def about(query: Query) -> dict[str, str]:
    """What makes a sweep reproducible, as text by names: its kernel, inputs and what was asked."""
    axes = [dict(zip(axis.keys, map(_values, axis.values), strict=True)) for axis in query.axes]
    said = {
        "version": VERSION,
        "kernel": query.kernel,
        "release": query.release,
        "digest": query.cls.digest,
        "target": query.target,
        "arch": query.arch,
        "inputs": dict(query.fixed),
        "axes": axes,
        "where": query.where,
    }
    return {
        f"kcfg.{name}": value if isinstance(value, str) else json.dumps(value)
        for name, value in said.items()
    }


def _values(values: Any) -> Any:
    """The values of an axis, a long range by its ends."""
    if isinstance(values, range):
        return {"from": values.start, "to": values[-1], "step": values.step}
    return list(values)


class Tally(NamedTuple):
    """Counts of points: all, supported, those there are to keep, derived one by one, refused.

    ``refused`` counts by the place of the verdict's condition that failed first. ``faulty`` are
    the points that no spec could ask for, which have no numbers; ``why`` is the first's reason.
    ``ruled`` counts what would have been kept but for a rule, by the first such rule's id.
    """

    points: int = 0
    supported: int = 0
    kept: int = 0
    singly: int = 0
    refused: tuple[tuple[int, int], ...] = ()
    faulty: int = 0
    why: str = ""
    ruled: tuple[tuple[str, int], ...] = ()

    def plus(self, other: Tally) -> Tally:
        refused = Counter(dict(self.refused))
        refused.update(dict(other.refused))
        ruled = Counter(dict(self.ruled))
        ruled.update(dict(other.ruled))
        return Tally(
            self.points + other.points,
            self.supported + other.supported,
            self.kept + other.kept,
            self.singly + other.singly,
            tuple(sorted(refused.items())),
            self.faulty + other.faulty,
            self.why or other.why,
            tuple(sorted(ruled.items())),
        )


class Outcome(NamedTuple):
    """What a block holds: its counts, and its rows or their bytes."""

    number: int
    tally: Tally
    rows: Rows | None
    data: bytes
