"""The points of a sweep that were kept: the first, or the best."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.cli.pages.pieces import Column, Heading, Line, Piece, Row, Table
from kcfg.cli.pages.units import number
from kcfg.core.sweep.query import Heads
from kcfg.core.sweep.rows import Rows


def page(heads: Heads, rows: Rows, title: str, found: int) -> Iterator[Piece]:
    """Rows under a title; ``found`` is how many there were to choose from."""
    columns = [Column(head.name, head.kind in ("number", "float")) for head in heads]
    cells = zip(*(column.tolist() for column in rows.columns), strict=True)
    shown = [Row([number(value) for value in row]) for row in cells]
    yield Heading(title, 1)
    yield Table(columns, shown)
    if len(shown) < found:
        yield Line(f"{len(shown):,} of {found:,} points", "dim")
