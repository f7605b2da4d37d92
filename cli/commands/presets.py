"""``kcfg presets``: the specs that come with kcfg."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import ListFormat, completing


def presets(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="Print this preset's YAML.", autocompletion=completing("presets")
        ),
    ] = None,
    format: ListFormat = "table",
) -> None:
    """List the shipped specs, or print one to copy from."""
    from kcfg.cli import console
    from kcfg.cli.formats.listing import show
    from kcfg.cli.intake.specs import known
    from kcfg.cli.pages.pieces import Column, Row, Table
    from kcfg.core import presets as shipped

    if name is not None:
        with known():
            console.document(shipped.text(name))
        return
    found = [{"name": each, "summary": shipped.summary(each)} for each in shipped.names()]
    rows = [Row((each["name"], each["summary"])) for each in found]
    show(format, found, [Table([Column("preset"), Column("what it is")], rows)])
