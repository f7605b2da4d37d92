"""A whole sweep: blocks in, counts and rows out, and a state from which it can go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from hashlib import sha256

from kcfg.core.kernel import VERDICT
from kcfg.core.saving import SaveError
from kcfg.core.sweep.engines import Engine
from kcfg.core.sweep.output import Output
from kcfg.core.sweep.query import Outcome, Query
from kcfg.core.sweep.reduce import MOST, Reduction, TooManyError
from kcfg.core.sweep.rows import Rows, joined
from kcfg.core.sweep.state import State
from kcfg.core.sweep.work import Task, worker
from kcfg.core.version import VERSION

EVERY = 1.0
"""Seconds from one save of the state to the next."""

UPSTREAM = "upstream"
"""Who refuses a point that its kernel's own verdict does not take."""
JUDGED = 10_000
"""Rows that rules are asked of at the end, at most: it takes about a tenth of a ms each."""

Write = Callable[[bytes], None]
Tell = Callable[[State], None]


def fingerprint(query: Query, format: str) -> str:
    """What tells a sweep from any other that would write other rows."""
    said = repr((VERSION, format, query._replace(encode=None)))
    return sha256(said.encode()).hexdigest()


class Run:
    """One sweep under way; ``state`` is always that of the blocks that are done."""

    def __init__(self, query: Query, engine: Engine, output: Output | None, write: Write) -> None:
        self.query, self.engine, self.output, self.write = query, engine, output, write
        self.state = State()
        self.rows = joined((), len(query.columns))

    def begin(self, header: bytes, resume: bool) -> None:
        """Write the header, or take up the state of the run to continue."""
        if self.output:
            self.state = self.output.begin(header, resume)
            self.rows = worker(self.query).rows(self.state.kept)
        else:
            self.write(header)

    def go(self, tell: Tell) -> None:
        """Derive all blocks that are left; ``tell`` hears of the state after each.

        Whatever stops it, the state of the blocks that are done is saved.
        """
        try:
            self._collect(self.engine(self._tasks()), tell)
        except SaveError:
            raise
        except BaseException:
            if self.output:
                self.output.save(self.state)
            raise

    @property
    def kept(self) -> Rows:
        """The rows that were kept, in the order they are to be shown, without hidden columns."""
        return Rows(self.rows.points, self.rows.columns[: self.query.shown])

    @cached_property
    def refused(self) -> list[tuple[str, ...]]:
        """Of each row that was kept, who refuses it: upstream, or rules by their ids.

        Rules are asked of rows that a table shows; of more, only what upstream says is known.
        """
        names = [head.name for head in self.query.columns]
        verdicts = (
            self.rows.columns[names.index(VERDICT)].tolist()
            if VERDICT in names
            else [True] * self.rows.size
        )
        if self.query.runs or self.rows.size > JUDGED:
            return [() if good else (UPSTREAM,) for good in verdicts]
        ask = worker(self.query).refusals
        points = self.rows.points.tolist()
        return [
            ask(point) if good else (UPSTREAM,)
            for point, good in zip(points, verdicts, strict=True)
        ]

    def _tasks(self) -> Iterator[Task]:
        """The blocks that are left; once there are enough first rows, to be counted only."""
        keep, numbers = self.query.keep, range(self.state.next, self.query.grid.blocks)
        count = self.query._replace(keep=Reduction("first"))
        for number in numbers:
            enough = keep and keep.kind == "first" and self.rows.size >= keep.most
            yield (count if enough else self.query, number)

    def _collect(self, outcomes: Iterable[Outcome], tell: Tell) -> None:
        saved = -EVERY  # so that the first block is saved at once
        for outcome in outcomes:
            state, kept = self.state, self.state.kept
            if outcome.rows is not None and self.query.keep:
                self.rows = self.query.keep.reduce(
                    joined((self.rows, outcome.rows), len(self.query.columns))
                )
                if self.rows.size > MOST:
                    raise TooManyError(
                        f"more than {MOST:,} points are to be kept, which takes memory for each: "
                        "go by fewer keys, or narrow it down with --where"
                    )
                kept = tuple(self.rows.points.tolist())
            self.write(outcome.data)
            size, check = (self.output.size, self.output.crc32) if self.output else (0, 0)
            tally = state.tally.plus(outcome.tally)
            self.state = State(outcome.number + 1, size, check, tally, kept)
            tell(self.state)
            if self.output and time.monotonic() - saved > EVERY:
                self.output.save(self.state)
                saved = time.monotonic()
