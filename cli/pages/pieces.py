"""What a command has to say to a person, before anything decides how it looks.

A page is a sequence of pieces. ``kcfg.cli.render`` turns it into plain text,
coloured tables, Markdown or HTML; the page itself knows no width and no colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

Tone = Literal["", "good", "bad", "warn", "dim", "strong"]


class Heading(NamedTuple):
    """A title; ``level`` 1 opens a page, 2 a part of it."""

    text: str
    level: int = 2


class Line(NamedTuple):
    """A paragraph, ``indent`` columns in."""

    text: str
    tone: Tone = ""
    indent: int = 0


class Column(NamedTuple):
    """A column of a table: its header, and whether it holds numbers (set to the right)."""

    header: str
    right: bool = False


class Row(NamedTuple):
    """Cells of a table, and how the row is toned."""

    cells: Sequence[str]
    tone: Tone = ""


class Table(NamedTuple):
    """Rows under columns; an empty header line is not drawn."""

    columns: Sequence[Column]
    rows: Sequence[Row]


class Grid(NamedTuple):
    """Short name-value pairs, set in as many columns as the width has room for."""

    pairs: Sequence[tuple[str, str]]


class Code(NamedTuple):
    """Text to be shown as it is: a formula, a command."""

    text: str


Piece = Heading | Line | Table | Grid | Code
Page = Sequence[Piece]
