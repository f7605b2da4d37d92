"""``kcfg check``: what a compiler made of a kernel, by its log, against the kernel's spec."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli import validating as shared
from kcfg.cli.intake.options import Format


def check(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="A spec file, a saved report, or a preset's name where no such file exists.",
        ),
    ],
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOG...",
            help="Logs that hold what `ptxas -v` or `cuobjdump --dump-resource-usage` printed; "
            "`-` is standard input.",
        ),
    ],
    kernel_name: Annotated[
        str | None,
        typer.Option(
            "--kernel-name",
            metavar="NAME",
            help="Which kernel of the logs: its name or a part of it, mangled or not, or a "
            "pattern with `*` and `?`.",
        ),
    ] = None,
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
    """Judge what a compiler made, by its logs, against a spec.

    The spec itself is judged as `kcfg validate` does. Exit code 0: no error; 1: an error was
    found; 2: a log, or the kernel in it, could not be found.
    """
    from kcfg.cli.intake.specs import file_of, usage
    from kcfg.core.check.check import Check

    if [spec, *logs].count("-") > 1:
        usage("standard input can be read only once")
    code = shared.validate(
        [file_of(spec)],
        format=format,
        target=target,
        select=select,
        ignore=ignore,
        strict=strict,
        info=info,
        most=most,
        check=Check(logs, kernel_name),
    )
    raise typer.Exit(code)
