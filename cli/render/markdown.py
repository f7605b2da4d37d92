"""Markdown, fit to paste into a code review."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kcfg.cli.pages.blocks import Block, Code, Column, Grid, Heading, Line, Table


def text(page: Iterable[Block]) -> str:
    """The page as GitHub-flavoured Markdown."""
    return "\n".join(_block(block) for block in page)


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"{'#' * (block.level + 1)} {_escape(block.text)}\n"
        case Line():
            return f"{_escape(block.text)}\n"
        case Code():
            return f"```\n{block.text}\n```\n"
        case Grid():
            return _table((Column("name"), Column("value", True)), block.pairs)
        case Table():
            return _table(block.columns, [row.cells for row in block.rows])


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
