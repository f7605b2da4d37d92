"""A table for people: the first rows, or the best."""

from __future__ import annotations

from kcfg.cli.pages.blocks import Block, Column, Heading, Line, Row, Table
from kcfg.cli.pages.units import number
from kcfg.cli.render import draw
from kcfg.core.sweep.query import Heads
from kcfg.core.sweep.rows import Rows

ROWS = 20
"""Rows that are shown unless told otherwise."""


def write(heads: Heads, rows: Rows, title: str, found: int) -> None:
    """Show rows under a title; ``found`` is how many there were to choose from."""
    columns = [Column(head.name, head.kind in ("number", "float")) for head in heads]
    cells = zip(*(column.tolist() for column in rows.columns), strict=True)
    shown = [Row([number(value) for value in row]) for row in cells]
    blocks: list[Block] = [Heading(title, 1), Table(columns, shown)]
    if len(shown) < found:
        blocks.append(Line(f"{len(shown):,} of {found:,} points", "dim"))
    draw(blocks)
