"""Markdown, fit to paste into a code review."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kcfg.cli.pages.pieces import Code, Column, Grid, Heading, Line, Piece, Table


def text(page: Iterable[Piece]) -> str:
    """The page as GitHub-flavoured Markdown."""
    return "\n".join(_piece(piece) for piece in page)


def _piece(piece: Piece) -> str:
    match piece:
        case Heading():
            return f"{'#' * (piece.level + 1)} {_escape(piece.text)}\n"
        case Line():
            return f"{_escape(piece.text)}\n"
        case Code():
            return f"```\n{piece.text}\n```\n"
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


def _escape(cell: str) -> str:
    for special in "\\|*_`<":
        cell = cell.replace(special, f"\\{special}")
    return cell
