"""The report for people: the verdict first, then groups of values and maps of what sits where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kcfg.cli.pages import inputs, launched, registers, titles
from kcfg.cli.pages.groups import grouped
from kcfg.cli.pages.pieces import Column, Grid, Heading, Line, Piece, Row, Table
from kcfg.cli.pages.units import number
from kcfg.cli.pages.verdicts import told, verdict
from kcfg.cli.pages.words import limit
from kcfg.core.explain.refusal import binding
from kcfg.core.figures import kib
from kcfg.core.kernel import Kernel
from kcfg.core.report import Derived, units as units_of


def pages(derived: Iterable[Derived], everything: bool = False) -> Iterator[list[Piece]]:
    """Each report as pieces; ``everything`` adds the values that only matter to `explain`."""
    for count, each in enumerate(derived):
        yield [*([Line("")] if count else []), *page(each, everything)]


def page(derived: Derived, everything: bool = False) -> Iterator[Piece]:
    """One report as pieces."""
    kernel, report = derived
    yield Heading(titles.configuration(report), 1)
    yield Line(titles.reported(report), "dim")
    yield from judged(derived)
    yield Heading("Inputs")
    yield inputs.grid(report["inputs"])
    yield from inputs.following(kernel.figures())
    yield from [] if everything else launched.launch(kernel, report)
    yield from layout(report)
    yield from _values(type(kernel), report, everything)


def layout(report: dict[str, Any]) -> Iterator[Piece]:
    """What sits where, as tables under their headings; nothing of what is not modelled."""
    yield from _smem(report["smem"])
    yield from _tmem(report["tmem"])
    yield from registers.pieces(report["registers"])
    yield from _barriers(report["barriers"])


def judged(derived: Derived) -> Iterator[Piece]:
    """The verdict, the findings, and what limits the stages."""
    kernel, report = derived
    yield Line(*verdict(report["supported"], report["findings"]))
    for finding in report["findings"]:
        yield told(finding)
    for found in binding(kernel) if report["supported"] else kernel.weighed():
        yield Line(limit(found), "", 2)


def _values(cls: type[Kernel], report: dict[str, Any], everything: bool) -> Iterator[Piece]:
    units = units_of(cls)
    values = {name: report["values"][name] for name in units}
    shown = list(values) if everything else members(cls)
    for heading, names in grouped(shown, units.__getitem__).items():
        yield Heading(heading)
        yield Grid([(name, number(values[name])) for name in names])
    if len(shown) < len(values):
        yield Line("")
        yield Line(
            f"{len(values) - len(shown)} more values, intermediate results and those of nested "
            "structs: --format full",
            "dim",
        )


def members(cls: type[Kernel]) -> list[str]:
    """The values that are members of the upstream struct itself, and not inputs once more."""
    return [
        member.key
        for member in cls.quantities.values()
        if not (member.step or member.place) and "." not in member.key
    ]


def _smem(smem: dict[str, Any] | None) -> Iterator[Piece]:
    if smem is None:
        return
    yield Heading(titles.smem(smem))
    if smem["unplaced"]:
        yield Line(titles.unplaced(smem["unplaced"]), "bad")
    if not smem["regions"]:
        return
    columns = [
        Column("offset", True),
        Column("bytes", True),
        Column("", True),
        Column("stages", True),
        Column("align", True),
        Column("region"),
    ]
    yield Table(columns, [_region(region) for region in smem["regions"]])


def _region(region: dict[str, Any]) -> Row:
    cells = (
        number(region["offset"]),
        number(region["bytes"]),
        kib(region["bytes"]),
        number(region["stages"]) if region["stages"] != 1 else "",
        number(region["align"]) if region["align"] != 1 else "",
        region["name"] + _alias(region),
    )
    return Row(cells, "dim" if region["padding"] or region["alias_of"] else "")


def _alias(region: dict[str, Any]) -> str:
    return f" (shares {region['alias_of']})" if region["alias_of"] else ""


def _tmem(tmem: dict[str, Any] | None) -> Iterator[Piece]:
    if tmem is None:
        return
    yield Heading(titles.tmem(tmem))
    if tmem["unplaced"]:
        yield Line(titles.unplaced(tmem["unplaced"]), "bad")
    if not tmem["regions"]:
        return
    columns = [
        Column("column", True),
        Column("columns", True),
        Column("lanes", True),
        Column("holds"),
    ]
    yield Table(columns, [_columns(region) for region in tmem["regions"]])


def _columns(region: dict[str, Any]) -> Row:
    lanes = f"{region['lane']}-{region['lane'] + region['lanes'] - 1}"
    cells = (
        number(region["column"]),
        number(region["columns"]),
        lanes,
        region["name"] + _alias(region),
    )
    return Row(cells, "dim" if region["alias_of"] else "")


def _barriers(barriers: dict[str, Any] | None) -> Iterator[Piece]:
    if barriers is None:
        return
    yield Heading(titles.barriers(barriers))
    columns = [
        Column("first", True),
        Column("count", True),
        Column("arrivals", True),
        Column("group"),
    ]
    yield Table(
        columns,
        [
            Row([*(number(group[key]) for key in ("first", "count", "arrivals")), group["name"]])
            for group in barriers["groups"]
        ],
    )
