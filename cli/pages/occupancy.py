"""How many blocks share an SM: every limit, and how near another number of blocks is."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.cli.pages.pieces import Column, Heading, Line, Piece, Row, Table
from kcfg.cli.pages.units import number
from kcfg.core.explain.residency import Limit, Residency, near
from kcfg.core.figures import joined, some


def pieces(found: Residency) -> Iterator[Piece]:
    """A table of what the SM shares out, under the blocks that come of it."""
    yield Heading(f"Occupancy: {said(found)}")
    yield from limits(found)


def said(found: Residency) -> str:
    """Blocks and warps of an SM, and what stops one more block."""
    share = some(found.blocks, "block") + " per SM"
    warps = f"{found.warps:,} of {found.most_warps:,} warps"
    return f"{share}, {warps} (limited by {joined(found.limiters)})"


def limits(found: Residency) -> Iterator[Piece]:
    """Every limit with what this block has of it, and the nearest amounts that change it."""
    columns = [
        Column("limit"),
        Column("here", True),
        Column("alone allows", True),
        Column("more with at most", True),
        Column("fewer from", True),
    ]
    yield Table(columns, [_row(found, each) for each in found.limits])
    silent = [each.name for each in found.limits if each.given is None and each.name != "blocks"]
    if silent:
        yield Line(f"Not given, and taken not to limit: {joined(silent)}.", "dim", 2)
    changes = near(found.limits)
    if not changes:
        yield Line("No other amount of one of these alone changes the number of blocks.", "", 2)


def _row(found: Residency, limit: Limit) -> Row:
    size = "B" if limit.unit == "bytes" else ""
    amounts = (
        "" if each is None else f"{number(each)} {size}".rstrip()
        for each in (limit.given, limit.more, limit.fewer)
    )
    given, more, fewer = amounts
    binds = limit.blocks is not None and limit.blocks == found.blocks
    allowed = "" if limit.blocks is None else number(limit.blocks)
    return Row((limit.name, given, allowed, more, fewer), "strong" if binds else "")
