"""``kcfg rules``: what ``kcfg validate`` checks."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import ListFormat, completing


def rules(
    id: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="Show this rule's page, as SMEM001, or list a group, as SMEM.",
            autocompletion=completing("rules"),
        ),
    ] = None,
    format: ListFormat = "table",
) -> None:
    """List the rules, or show the page of one: what it checks, why, and its source."""
    from kcfg.cli.formats.listing import show
    from kcfg.cli.intake.specs import known as known_name
    from kcfg.cli.pages.pieces import Column, Heading, Line, Piece, Row, Table
    from kcfg.core.validate.catalog import find, group, known

    listed = known() if id is None else group(id)
    if listed:
        columns = [Column("rule"), Column("severity"), Column("what it checks")]
        rows = [Row((each.id, ", ".join(each.severities), each.title)) for each in listed]
        names = ("id", "severity", "severities", "title")
        facts = [{name: getattr(each, name) for name in names} for each in listed]
        show(format, facts, [Table(columns, rows)])
        return
    with known_name():
        rule = find(id or "")
    page: list[Piece] = [Heading(f"{rule.id} ({', '.join(rule.severities)})", 1)]
    for paragraph in rule.page.split("\n\n"):
        page += [Line(""), Line(" ".join(paragraph.split()))]
    show(format, {**rule._asdict()}, page)
