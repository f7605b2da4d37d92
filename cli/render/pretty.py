"""Colour for terminals, by Rich, at the terminal's width."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from kcfg.cli.console import may_colour
from kcfg.cli.pages.pieces import Code, Grid, Heading, Line, Piece, Row, Table, Tone
from kcfg.cli.render import plain

STYLES: dict[Tone, str] = {
    "": "",
    "good": "bold green",
    "bad": "bold red",
    "warn": "yellow",
    "dim": "dim",
    "strong": "bold",
}


def draw(page: Iterable[Piece]) -> None:
    """Show a page on the terminal; NO_COLOR leaves only the text, without bold or dim."""
    console = Console(highlight=False, color_system="auto" if may_colour() else None)
    for piece in page:
        _piece(console, piece)


def _piece(console: Console, piece: Piece) -> None:
    match piece:
        case Heading():
            if piece.level > 1:
                console.print()
            console.print(Text(piece.text, "bold cyan" if piece.level > 1 else "bold"))
        case Line():
            shown = plain.wrap(piece.text, console.width, piece.indent)
            console.print(Text(shown, STYLES[piece.tone]))
        case Code():
            console.print(Text(plain.text([piece], console.width).rstrip("\n"), "cyan"))
        case Grid():
            for line in plain.grid(piece.pairs, console.width):
                console.print(Text(line))
        case Table():
            for row, lines in _table(piece, console.width):
                console.print(Text("\n".join(lines), STYLES[row.tone]), soft_wrap=True)


def _table(piece: Table, width: int) -> list[tuple[Row, list[str]]]:
    """A table's rows with their lines, never with a cell cut: one too wide is stacked."""
    found = list(plain.rows(piece, width))
    fits = all(len(line) <= width for _, lines in found for line in lines)
    return found if fits else list(plain.stacked(piece, width))
