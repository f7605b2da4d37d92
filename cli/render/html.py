"""HTML: a page as elements that a document can hold, with every text escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from kcfg.cli.pages.pieces import Code, Column, Grid, Heading, Line, Piece, Row, Table

Test = Callable[[Row], bool]

DIFFERS = '<span class="mark" role="img" aria-label="differs">&ne;</span>'
"""Stands in front of what is not the same everywhere."""


def text(page: Iterable[Piece], *, top: int = 2, differs: Test | None = None) -> str:
    """The page as HTML; ``top`` is the level of its first headings.

    Rows of tables for which ``differs`` is true are marked.
    """
    return "\n".join(_piece(piece, top, differs) for piece in page)


def _piece(piece: Piece, top: int, differs: Test | None) -> str:
    match piece:
        case Heading():
            level = min(piece.level - 1 + top, 6)
            return f"<h{level}>{escape(piece.text)}</h{level}>"
        case Line():
            return f"<p{_tone(piece.tone)}>{escape(piece.text)}</p>" if piece.text else ""
        case Code():
            return f'<pre tabindex="0"><code>{escape(piece.text)}</code></pre>'
        case Grid():
            columns = (Column(""), Column("", True))
            return table(columns, [Row(pair) for pair in piece.pairs], differs)
        case Table():
            return table(piece.columns, piece.rows, differs)


def table(columns: Sequence[Column], rows: Iterable[Row], differs: Test | None = None) -> str:
    """A table in a box of its own that scrolls where it is too wide."""
    head = ""
    if any(column.header for column in columns):
        cells = "".join(_cell("th", column.header, column.right) for column in columns)
        head = f"<thead><tr>{cells}</tr></thead>"
    body = "\n".join(_row(columns, row, differs is not None and differs(row)) for row in rows)
    return scrolling(f"<table>{head}<tbody>\n{body}\n</tbody></table>")


def scrolling(inner: str, label: str = "table") -> str:
    """Something wide in a box that can be scrolled, by keyboard as well."""
    return f'<div class="wide" role="group" aria-label="{escape(label)}" tabindex="0">{inner}</div>'


def _row(columns: Sequence[Column], row: Row, differs: bool) -> str:
    cells = [
        _cell("td", cell, column.right) for column, cell in zip(columns, row.cells, strict=True)
    ]
    if differs:
        start = cells[-1].index(">") + 1
        cells[-1] = f"{cells[-1][:start]}{DIFFERS} {cells[-1][start:]}"
    styles = " ".join(filter(None, (row.tone, "differs" if differs else "")))
    style = f' class="{styles}"' if styles else ""
    return f"<tr{style}>{''.join(cells)}</tr>"


def _cell(tag: str, text: str, right: bool) -> str:
    style = ' class="right"' if right else ""
    if tag == "th":
        if not text:  # a header of nothing is none
            return f"<td{style}></td>"
        style += ' scope="col"'
    return f"<{tag}{style}>{escape(text)}</{tag}>"


def _tone(tone: str) -> str:
    return f' class="{tone}"' if tone else ""
