"""``kcfg emit``: a configuration as code that a kernel includes."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import Output, Preset, Release, Setting, Specs, Target, one_of
from kcfg.core.emit import names

Language = Annotated[
    str, one_of(names(), "language", "--lang", "The language to write it in; it has no default.")
]
Name = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="The spec to take, where a file holds several."),
]
Namespace = Annotated[
    str | None,
    typer.Option(
        "--namespace",
        metavar="A::B",
        help="The namespace of C++ and CUDA; kcfg::NAME unless it is given.",
    ),
]
File = Annotated[str | None, Output("Write to this file, whole or not at all.")]
Check = Annotated[str | None, Output("Write nothing: show how this file differs.", "--check")]
Unsupported = Annotated[
    bool,
    typer.Option(
        "--allow-unsupported", help="Emit what cannot run as well, with a warning in the file."
    ),
]


def emit(
    lang: Language = "",
    specs: Specs = None,
    preset: Preset = None,
    name: Name = None,
    namespace: Namespace = None,
    settings: Setting = None,
    release: Release = None,
    target: Target = None,
    output: File = None,
    check: Check = None,
    unsupported: Unsupported = False,
) -> None:
    """Write a configuration as code: constants, offsets, launch numbers, assertions.

    Exit code 0: written, or the checked file is what would be written; 1: it differs, or the
    configuration cannot run; 2: trouble. Without -o it goes to standard output.
    """
    from kcfg.cli import console
    from kcfg.cli.emitting import Specs, compared
    from kcfg.cli.exits import FAILED
    from kcfg.cli.intake.specs import Intake, spare, usage
    from kcfg.cli.saving import STDOUT, SaveError, save
    from kcfg.core.validate.settings import Projects

    if output is not None and check is not None:
        usage("--check compares and --output writes: give one of them")
    intake = Intake(specs, preset, settings=settings, release=release, target=target)
    spare(output, intake.paths)
    source = Specs(intake, Projects())
    text, code = source.emitted(lang, name=name, unsupported=unsupported, namespace=namespace)
    if text is None:
        raise typer.Exit(code)
    if check is not None:
        raise typer.Exit(compared(check, text, "-o in place of --check"))
    try:
        save(output or STDOUT, text)
    except SaveError as error:
        console.error(error)
        raise typer.Exit(FAILED) from error
