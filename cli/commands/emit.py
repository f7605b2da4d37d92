"""``kcfg emit``: a configuration as code that a kernel includes."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import Preset, Release, Setting, Specs, Target, one_of
from kcfg.core.emit import names

Language = Annotated[str, one_of(names(), "language", "--lang", "The language to write it in.")]
Name = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="The spec to take, where a file holds several."),
]
Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file, whole or not at all."),
]
Check = Annotated[
    str | None,
    typer.Option("--check", metavar="FILE", help="Write nothing: show how this file differs."),
]
Unsupported = Annotated[
    bool,
    typer.Option(
        "--allow-unsupported", help="Emit what cannot run as well, with a warning in the file."
    ),
]


def emit(
    lang: Language,
    specs: Specs = None,
    preset: Preset = None,
    name: Name = None,
    settings: Setting = None,
    release: Release = None,
    target: Target = None,
    output: Output = None,
    check: Check = None,
    unsupported: Unsupported = False,
) -> None:
    """Write a configuration as code: constants, offsets, launch numbers, assertions.

    Exit code 0: written, or the checked file is what would be written; 1: it differs, or the
    configuration cannot run; 2: trouble. Without -o it goes to standard output.
    """
    from kcfg.cli import console
    from kcfg.cli.emitting import compared, emitted
    from kcfg.cli.exits import FAILED
    from kcfg.cli.intake.specs import Intake, usage
    from kcfg.cli.saving import SaveError, save

    if output is not None and check is not None:
        usage("--check compares and --output writes: give one of them")
    intake = Intake(specs, preset, settings=settings, release=release, target=target)
    text = emitted(intake, lang, name=name, unsupported=unsupported)
    if text is None:
        raise typer.Exit(intake.exit_code)
    if check is not None:
        raise typer.Exit(compared(check, text))
    if output in (None, "-"):
        console.write(text)
        return
    try:
        save(str(output), text)
    except SaveError as error:
        console.error(error)
        raise typer.Exit(FAILED) from error
