"""``kcfg report``: one HTML file with everything about one or more configurations."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import Preset, Release, Setting, Specs, Target

Output = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="The file; `-` is standard output."),
]


def report(
    output: Output,
    specs: Specs = None,
    preset: Preset = None,
    settings: Setting = None,
    release: Release = None,
    target: Target = None,
) -> None:
    """Write an HTML page: verdict, inputs, pictures, tables, and why each value is what it is.

    Several specs stand side by side, with what differs marked. The page needs no other
    file and no network. Exit code 0: written; 1: written, and a configuration is not
    supported or cannot run; 2: trouble.
    """
    from kcfg.cli.intake.specs import Intake
    from kcfg.cli.pictures.given import derived, leave
    from kcfg.cli.pictures.html import page

    intake = Intake(specs, preset, settings=settings, release=release, target=target)
    leave(intake, output, page.document(derived(intake)))
