"""``kcfg validate``: specs, pins and saved reports against the limits of a GPU."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli import validating as shared
from kcfg.cli.intake.options import Format


def validate(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help=shared.PATHS)],
    format: Annotated[str, Format("validate")] = "text",
    target: Annotated[
        str | None, typer.Option("--target", metavar="NAME", help=shared.TARGET)
    ] = None,
    select: Annotated[
        list[str] | None, typer.Option("--select", metavar="ID", help=shared.SELECT)
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="ID", help=shared.IGNORE)
    ] = None,
    strict: Annotated[bool | None, typer.Option("--strict/--no-strict", help=shared.STRICT)] = None,
    info: Annotated[bool, typer.Option("--info", help=shared.INFO)] = False,
    most: Annotated[
        int | None, typer.Option("--max-findings", metavar="N", help=shared.MOST)
    ] = None,
) -> None:
    """Judge specs, pins and saved reports against a GPU's limits."""
    code = shared.validate(
        paths,
        format=format,
        target=target,
        select=select,
        ignore=ignore,
        strict=strict,
        info=info,
        most=most,
    )
    raise typer.Exit(code)
