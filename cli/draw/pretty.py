"""Colour for terminals, by Rich, at the terminal's width."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from kcfg.cli.draw import plain
from kcfg.cli.page import Block, Code, Grid, Heading, Line, Table, Tone

STYLES: dict[Tone, str] = {
    "": "",
    "good": "bold green",
    "bad": "bold red",
    "warn": "yellow",
    "dim": "dim",
    "strong": "bold",
}


def draw(page: Iterable[Block]) -> None:
    """Show a page on the terminal; NO_COLOR leaves only the shapes."""
    console = Console(highlight=False)
    for block in page:
        _block(console, block)


def _block(console: Console, block: Block) -> None:
    match block:
        case Heading():
            if block.level > 1:
                console.print()
            console.print(Text(block.text, "bold cyan" if block.level > 1 else "bold"))
        case Line():
            shown = plain.wrap(block.text, console.width, block.indent)
            console.print(Text(shown, STYLES[block.tone]))
        case Code():
            console.print(Text(plain.text([block], console.width).rstrip("\n"), "cyan"))
        case Grid():
            for line in plain.grid(block.pairs, console.width):
                console.print(Text(line))
        case Table():
            console.print(_table(block))


def _table(block: Table) -> RichTable:
    headers = any(column.header for column in block.columns)
    table = RichTable(
        box=None, show_header=headers, header_style="dim", pad_edge=True, padding=(0, 1)
    )
    for column in block.columns:
        table.add_column(column.header, justify="right" if column.right else "left")
    for row in block.rows:
        table.add_row(*(Text(cell) for cell in row.cells), style=STYLES[row.tone])
    return table
