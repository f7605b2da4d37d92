"""The registers of a block: who sets how many, and what each sub-partition of the SM then has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kcfg.cli.pages import titles
from kcfg.cli.pages.pieces import Column, Heading, Line, Piece, Row, Table
from kcfg.cli.pages.units import number


def pieces(registers: dict[str, Any] | None) -> Iterator[Piece]:
    """A report's registers, with every role; nothing where they are not modelled."""
    if registers is None:
        return
    yield Heading(titles.registers(registers))
    columns = [Column("warps", True), Column("registers", True), Column("role")]
    rows = [
        Row((span(*role["warps"]), number(role["cap"]), role["role"]))
        for role in registers["roles"]
    ]
    if rows:
        yield Table(columns, rows)
    yield from sub_partitions(registers["pool"])


def brief(registers: dict[str, Any] | None) -> Iterator[Piece]:
    """The same in short: what the block has, and what its warps come to."""
    if registers is not None:
        yield Heading(titles.registers(registers))
        yield from sub_partitions(registers["pool"])


def sub_partitions(pool: dict[str, Any]) -> Iterator[Piece]:
    """What the warps of each sub-partition ask for; a line where it is the same in all."""
    parts = pool["sub_partitions"]
    if pool["asked"] is None:
        return
    if alike(parts):
        yield Line(f"{titles.share(parts[0])} in each sub-partition", "dim", 2)
        return
    yield Line("By sub-partition, the warps of equal number modulo 4:", "dim", 2)
    columns = [Column("number", True), *(Column(key, True) for key in ("asked", "granted", "free"))]
    yield Table(columns, [_row(first, last, parts[first]) for first, last in runs(parts)])


def alike(parts: list[dict[str, Any]]) -> bool:
    """Whether all sub-partitions have and ask for the same."""
    return len(runs(parts)) == 1


def runs(parts: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Neighbours that have and ask for the same, by their first and last number."""
    found: list[tuple[int, int]] = []
    for place, part in enumerate(parts):
        if found and parts[found[-1][0]] == part:
            found[-1] = (found[-1][0], place)
        else:
            found.append((place, place))
    return found


def _row(first: int, last: int, part: dict[str, Any]) -> Row:
    cells = (span(first, last), *(f"{part[key]:,}" for key in ("asked", "granted", "free")))
    return Row(cells, "bad" if part["free"] < 0 else "")


def span(first: int, last: int) -> str:
    """A range of numbers, as the cell of a table."""
    return f"{first}" if first == last else f"{first}-{last}"
