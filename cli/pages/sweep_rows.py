"""The points of a sweep that were kept: the first, or the best."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.cli.pages.pieces import Column, Heading, Line, Piece, Row, Table
from kcfg.cli.pages.units import number
from kcfg.core.kernel import VERDICT
from kcfg.core.sweep.query import Query
from kcfg.core.sweep.reduce import Kind
from kcfg.core.sweep.run import UPSTREAM, Run

MARK = "refused"
"""What stands behind a row that upstream does not support, or that rules refuse."""

WHY: dict[Kind, str] = {
    "first": "the first; --top N shows more, --sort and --pareto the best",
    "best": "the first by --sort; --top N shows more",
    "front": "no other beats them by --pareto",
}
"""Why of the points there are only these are shown."""


def page(run: Run, title: str) -> Iterator[Piece]:
    """Rows under a title, and how many there were to choose from."""
    heads, kept, refused = run.query.heads, run.kept, run.refused
    columns = [Column(head.name, head.kind in ("number", "float")) for head in heads]
    texts = [[number(value) for value in column.tolist()] for column in kept.columns]
    shown = [[column[row] for column in texts] for row in range(kept.size)]
    if any(refused):
        columns.append(Column(""))
        shown = [[*row, _mark(bad)] for row, bad in zip(shown, refused, strict=True)]
    yield Heading(title, 1)
    rows = [Row(row, "dim" if bad else "") for row, bad in zip(shown, refused, strict=True)]
    if columns:
        yield Table(columns, rows)
    yield from _count(run.query, len(shown), run.state.tally.kept)


def _mark(refused: tuple[str, ...]) -> str:
    if not refused:
        return ""
    return MARK if refused == (UPSTREAM,) else f"{MARK}: {', '.join(refused)}"


def _count(query: Query, shown: int, found: int) -> Iterator[Piece]:
    """How many of the points are shown, and why not all."""
    assert query.keep
    matching = "match --where" if query.where else ""
    wanted = " and ".join(filter(None, (f"are {VERDICT}" if query.supported else "", matching)))
    if not found or (query.runs and not shown):
        hint = "; --all shows refused ones" if query.runs else ""
        wanted = "run" if found else wanted
        yield Line(f"no points {f'that {wanted}' if wanted else 'here'}{hint}", "dim")
    elif shown < found:
        those = f" that {wanted}" if wanted else ""
        yield Line(f"{shown:,} of {found:,} points{those}: {WHY[query.keep.kind]}", "dim")
