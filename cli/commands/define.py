"""``kcfg define``: a definition to start from."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import Output


def define(
    release: Annotated[
        str | None,
        typer.Argument(metavar="RELEASE", help="The release, with --like; else the newest."),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            "--like",
            metavar="KERNEL",
            help="Write this kernel out as a definition; of `launch`, a launch by hand.",
        ),
    ] = None,
    new: Annotated[
        str | None,
        typer.Option("--new", metavar="NAME", help="Write a commented skeleton of this name."),
    ] = None,
    output: Annotated[
        str | None,
        Output("Write to this file, a new one, instead of standard output."),
    ] = None,
) -> None:
    """Write a definition of a kernel of one's own, or a launch by hand, to start from.

    Exit code 0: written; 1: the kernel has formulas that no definition can have; 2: trouble.
    """
    from kcfg.cli import console
    from kcfg.cli.exits import FAILED, FOUND
    from kcfg.cli.intake.specs import usage
    from kcfg.cli.saving import STDOUT, SaveError, save
    from kcfg.core.definitions import writing
    from kcfg.core.definitions.names import NAME

    if (like is None) == (new is None):
        usage("say --like KERNEL or --new NAME")
    if new is not None:
        if not NAME.fullmatch(new) or not new[0].isalpha():
            usage(f"--new: expected a name of letters, digits and _, a letter first, not {new!r}")
        text = writing.new(new)
    else:
        assert like is not None
        try:
            text = _like(like, release)
        except writing.BeyondError as error:
            console.error(str(error))
            for name, why in error.reasons.items():
                console.error(f"  {name}: {why}")
            raise typer.Exit(FOUND) from None
    try:
        save(STDOUT if output is None else output, text, new=True)
    except SaveError as error:
        console.error(str(error))
        raise typer.Exit(FAILED) from None


def _like(kernel: str, release: str | None) -> str:
    """A shipped kernel as a definition, or a launch as an example of one."""
    from kcfg.cli.intake.specs import known, usage
    from kcfg.core.definitions import writing
    from kcfg.core.launch import example
    from kcfg.core.spec.known import LAUNCH, release_of

    if kernel == LAUNCH:
        if release is not None:
            usage("a launch written by hand has no release")
        return example.text()
    with known():
        return writing.like(release_of(kernel, release))
