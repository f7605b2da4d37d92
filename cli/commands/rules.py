"""``kcfg rules``: what ``kcfg validate`` checks."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import ListFormat, completing


def rules(
    id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="Show this rule's page, as SMEM001.",
            autocompletion=completing("rules"),
        ),
    ] = None,
    format: ListFormat = "table",
) -> None:
    """List the rules, or show the page of one: what it checks, why, and its source."""
    from kcfg.cli.formats.listing import show
    from kcfg.cli.intake.specs import known as known_name
    from kcfg.cli.pages.pieces import Column, Heading, Line, Piece, Row, Table
    from kcfg.core.validate.selection import find, known

    if id is None:
        brief = [(rule.id, rule.severity, rule.title) for rule in known()]
        columns = [Column("rule"), Column("severity"), Column("what it checks")]
        facts = [dict(zip(("id", "severity", "title"), each, strict=True)) for each in brief]
        show(format, facts, [Table(columns, [Row(each) for each in brief])])
        return
    with known_name():
        rule = find(id)
    page: list[Piece] = [Heading(f"{rule.id} ({rule.severity})", 1)]
    for paragraph in rule.page.split("\n\n"):
        page += [Line(""), Line(" ".join(paragraph.split()))]
    show(format, {**rule._asdict()}, page)
