"""What moved in the block, as tables: offsets and sizes, old and new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kcfg.cli.pages.pieces import Column, Heading, Piece, Row, Table
from kcfg.cli.pages.units import number
from kcfg.core.diff.moves import SPACES, Move, Space

HEADINGS: dict[Space, str] = {
    "smem": "Moved in shared memory, bytes",
    "tmem": "Moved in tensor memory",
    "barriers": "Moved among the mbarriers",
    "registers": "Roles that changed",
}
OPTIONAL = ("stages", "lane", "lanes", "arrivals", "alias_of")
"""What is shown only where it changed for one of the entries at least."""


def pieces(moves: Iterable[Move]) -> Iterator[Piece]:
    """A table for every space in which something moved."""
    every = list(moves)
    for space, _, _, fields in SPACES:
        found = [move for move in every if move.space == space]
        if found:
            shown = [field for field in fields if field not in OPTIONAL or _changes(found, field)]
            headers = [Column(field.replace("_", " "), True) for field in shown]
            yield Heading(HEADINGS[space])
            yield Table([*headers, Column("")], [_row(move, shown) for move in found])


def _changes(moves: list[Move], field: str) -> bool:
    return any(
        move.old is not None and move.new is not None and move.old[field] != move.new[field]
        for move in moves
    )


def _row(move: Move, fields: list[str]) -> Row:
    mark = " (gone)" if move.new is None else " (new)" if move.old is None else ""
    return Row([*(_cell(move, field) for field in fields), move.name + mark])


def _cell(move: Move, field: str) -> str:
    values = [_text(side[field]) for side in (move.old, move.new) if side is not None]
    return " -> ".join(dict.fromkeys(values))


def _text(value: Any) -> str:
    if isinstance(value, list) and len(value) == 2:
        first, last = value
        return f"{first}" if first == last else f"{first}-{last}"
    return number(value)
