"""Comparisons counted: a line for each."""

from __future__ import annotations

from collections.abc import Sequence

from kcfg.cli.pages.pieces import Column, Line, Piece, Row, Table
from kcfg.cli.pages.verdicts import verdict
from kcfg.core.diff import Diff, Side
from kcfg.core.spec.problem import printable

COLUMNS = (
    Column("old"),
    Column("new"),
    Column("given", True),
    Column("values", True),
    Column("moved", True),
    Column("verdict"),
)


def pieces(diffs: Sequence[Diff]) -> list[Piece]:
    """What was given differently, came out differently and moved, and how both are judged."""
    differ = sum(not diff.same for diff in diffs)
    counts = f"{differ:,} of {len(diffs):,} differ"
    return [Table(COLUMNS, [_row(diff) for diff in diffs]), Line(counts, "dim", 2)]


def _row(diff: Diff) -> Row:
    kinds = ("kernel", "release", "target")
    old, new = diff.old.report, diff.new.report
    given = sum(old[kind] != new[kind] for kind in kinds) + len(diff.given)
    before = verdict(old["supported"], old["findings"])[0]
    after, tone = verdict(new["supported"], new["findings"])
    cells = (
        _label(diff.old),
        _label(diff.new),
        f"{given:,}",
        f"{len(diff.changed):,} of {len(diff.results):,}",
        f"{len(diff.moves):,}",
        after if before == after else f"{before} -> {after}",
    )
    return Row(cells, "dim" if diff.same else tone if tone == "bad" else "")


def _label(side: Side) -> str:
    """A side's name, or where it was read."""
    return printable(side.report.get("name") or side.report.get("source") or "")
