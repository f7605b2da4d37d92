"""Markdown, fit to paste into a code review."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kcfg.cli.pages.pieces import Code, Column, Grid, Heading, Line, Piece, Table

INLINE = re.compile(r"[\\`*_~$|<&\[]")
"""What may begin code, emphasis, a formula, a cell, HTML, an entity, a link or a picture."""
LEADING = re.compile(r"^(\d*)([-+=#>.)])|(#)(?=#*$)")
"""What may begin a list, a heading or a quotation at the start of a line, or end a heading."""


def text(page: Iterable[Piece]) -> str:
    """The page as GitHub-flavoured Markdown."""
    return "\n".join(_piece(piece) for piece in page)


def _piece(piece: Piece) -> str:
    match piece:
        case Heading():
            return f"{'#' * (piece.level + 1)} {_line(piece.text)}\n"
        case Line():
            return f"{_line(piece.text)}\n"
        case Code():
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", piece.text)), default=0))
            return f"{fence}\n{piece.text}\n{fence}\n"
        case Grid():
            return _table((Column("name"), Column("value", True)), piece.pairs)
        case Table():
            return _table(piece.columns, [row.cells for row in piece.rows])


def _table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> str:
    lines = [
        _row([column.header for column in columns]),
        _row(["--:" if column.right else "---" for column in columns]),
    ]
    return "\n".join([*lines, *(_row([_escape(cell) for cell in row]) for row in rows)]) + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _line(text: str) -> str:
    return LEADING.sub(lambda match: f"{match[1] or ''}\\{match[2] or match[3]}", _escape(text))


def _escape(text: str) -> str:
    return INLINE.sub(r"\\\g<0>", text)
