"""``kcfg validate``: specs, pins and saved reports against the limits of a GPU."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli import validating as shared
from kcfg.cli.intake.judging import Ignore, Info, Most, Quiet, Select, Statistics, Strict
from kcfg.cli.intake.options import Format, Preset, Release, Setting, Specs, Target


def validate(
    specs: Specs = None,
    preset: Preset = None,
    settings: Setting = None,
    release: Release = None,
    target: Target = None,
    format: Annotated[str, Format("validate")] = "text",
    select: Select = None,
    ignore: Ignore = None,
    strict: Strict = None,
    info: Info = False,
    most: Most = None,
    quiet: Quiet = False,
    statistics: Statistics = False,
) -> None:
    """Judge specs, pins and saved reports against a GPU's limits."""
    from kcfg.cli.intake.specs import known

    with known():
        code = shared.validate(
            specs or (),
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
        )
    raise typer.Exit(code)
