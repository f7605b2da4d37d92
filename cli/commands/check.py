"""``kcfg check``: what a compiler made of kernels, by logs and objects, against their specs."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from kcfg.cli import validating as shared
from kcfg.cli.intake import helps
from kcfg.cli.intake.judging import Ignore, Info, Most, Quiet, Select, Statistics, Strict
from kcfg.cli.intake.options import Format, Preset, Release, Setting, Target, completing
from kcfg.core import presets
from kcfg.core.spec.sources import picked

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="SPEC... BUILD...",
        help="Specs first: a file, a directory of specs, a saved report, or a preset's name where "
        "no such file exists; none is needed with --preset. What follows is a build, unless it is "
        "YAML, a directory or a preset: a log of `ptxas -v` or `cuobjdump --dump-resource-usage`, "
        "a cubin, object, library or fatbin, PTX, or the JSON that Triton keeps beside a cubin. "
        f"One of all may be `-`, standard input. {helps.ONE}",
        show_default=False,
        autocompletion=completing("logs"),
    ),
]
KernelName = Annotated[
    str | None,
    typer.Option(
        "--kernel-name",
        metavar="NAME",
        help="Which kernel of the builds: its name or a part of it, mangled or not, or a "
        "pattern with `*` and `?`. It goes before `build: {kernel: NAME}` of the specs.",
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
    """Judge what a compiler made, by its logs and objects, against specs.

    The specs themselves are judged as `kcfg validate` does. Exit code 0: no error; 1: an error
    was found; 2: a build, or the kernel in it, could not be found or read.
    """
    from kcfg.cli.intake.specs import known, once, usage
    from kcfg.core.check.check import Check

    once(words)
    specs, builds = _told_apart(words, given=bool(preset))
    if not builds:
        order = "" if _is_spec(words[0]) else "specs come first and builds behind them; "
        kinds = "what `ptxas -v` printed, an object, PTX or Triton's JSON"
        usage(f"{order}name a build as well: {kinds}")
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
            check=Check(builds, kernel_name),
        )
    raise typer.Exit(code)


def _told_apart(words: list[str], *, given: bool) -> tuple[list[str], list[str]]:
    """The specs and the builds of a command line; the first is a spec, unless one is ``given``."""
    first = [] if given else words[:1]
    specs = [word for word in words[len(first) :] if _is_spec(word)]
    return first + specs, [word for word in words[len(first) :] if word not in specs]


def _is_spec(word: str) -> bool:
    word, _ = picked(word)
    if word.endswith((".yaml", ".yml")) or os.path.isdir(word):
        return True
    return not os.path.lexists(word) and word in presets.names()
