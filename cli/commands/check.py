"""``kcfg check``: what a compiler made of a kernel, by its log, against the kernel's spec."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli import validating as shared
from kcfg.cli.intake.judging import Ignore, Info, Most, Quiet, Select, Statistics, Strict
from kcfg.cli.intake.options import Format, Preset, Release, Setting, Target, completing

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="[SPEC] LOG...",
        help="A spec file, a directory of specs, a saved report, or a preset's name where no such "
        "file exists; with --preset only logs. Logs hold what `ptxas -v` or `cuobjdump "
        "--dump-resource-usage` printed. One of all may be `-`, standard input.",
        show_default=False,
        autocompletion=completing("logs"),
    ),
]
KernelName = Annotated[
    str | None,
    typer.Option(
        "--kernel-name",
        metavar="NAME",
        help="Which kernel of the logs: its name or a part of it, mangled or not, or a "
        "pattern with `*` and `?`.",
    ),
]


def check(
    words: Words,
    preset: Preset = None,
    settings: Setting = None,
    release: Release = None,
    target: Target = None,
    kernel_name: KernelName = None,
    format: Annotated[str, Format("validate")] = "text",
    select: Select = None,
    ignore: Ignore = None,
    strict: Strict = None,
    info: Info = False,
    most: Most = None,
    quiet: Quiet = False,
    statistics: Statistics = False,
) -> None:
    """Judge what a compiler made, by its logs, against a spec.

    The spec itself is judged as `kcfg validate` does. Exit code 0: no error; 1: an error was
    found; 2: a log, or the kernel in it, could not be found.
    """
    from kcfg.cli.intake.specs import known, once, usage
    from kcfg.core.check.check import Check

    once(words)
    specs = [] if preset else words[:1]
    logs = words[len(specs) :]
    if not logs:
        usage("name a log as well: what `ptxas -v` or `cuobjdump --dump-resource-usage` printed")
    with known():
        code = shared.validate(
            specs,
            presets=preset,
            settings=settings,
            release=release,
            target=target,
            format=format,
            select=select,
            ignore=ignore,
            strict=strict,
            info=info,
            most=most,
            quiet=quiet,
            statistics=statistics,
            check=Check(logs, kernel_name),
        )
    raise typer.Exit(code)
