"""What was given, as pairs of a name and a value, and what follows from keys of a launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kcfg.cli.pages.pieces import Column, Grid, Heading, Piece, Row, Table
from kcfg.cli.pages.units import number
from kcfg.core.kernel import Figure


def grid(inputs: dict[str, Any]) -> Grid:
    """Inputs by their paths."""
    return Grid([(name, number(value)) for name, value in flat(inputs).items()])


def following(figures: Sequence[Figure]) -> Iterator[Piece]:
    """Figures that follow from what is given, each with where it comes from."""
    if figures:
        columns = [Column("key"), Column("", True), Column("which is")]
        yield Heading("Worked out")
        yield Table(columns, [Row((each.path, number(each.value), each.how)) for each in figures])


def flat(inputs: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Inputs by their paths, those inside of groups and lists one by one."""
    found: dict[str, Any] = {}
    for name, value in inputs.items():
        items = (
            {f"[{index}]": each for index, each in enumerate(value)} if _groups(value) else value
        )
        place = f"{path}.{name}" if path and not name.startswith("[") else path + name
        found |= flat(items, place) if isinstance(items, dict) else {place: _plain(items)}
    return found


def _groups(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _plain(value: Any) -> Any:
    """A list as a spec has it: numbers without commas of their own."""
    if not isinstance(value, list):
        return value
    return f"[{', '.join(str(each) if type(each) is int else number(each) for each in value)}]"
