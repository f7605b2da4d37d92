"""``kcfg report``: one HTML file with everything about one or more configurations."""

from __future__ import annotations

from typing import Annotated

from kcfg.cli.intake.options import Output, Preset, Release, Setting, Specs, Target

File = Annotated[str, Output("The file; `-` is standard output.")]


def report(
    output: File,
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
    from kcfg.cli.intake.specs import Intake, spare
    from kcfg.cli.pictures.given import derived, leave
    from kcfg.cli.pictures.html import page

    intake = Intake(specs, preset, settings=settings, release=release, target=target)
    spare(output, intake.paths)
    leave(intake, output, page.document(derived(intake)))
