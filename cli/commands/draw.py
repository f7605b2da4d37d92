"""``kcfg draw``: what sits where, as a picture."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import Output, Preset, Release, Setting, Specs, Target

OTHERS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".html", ".htm", ".txt")
"""Endings of files that are no SVG."""

File = Annotated[str | None, Output("Write an SVG; `-` is standard output.")]
Width = Annotated[
    int | None,
    typer.Option(
        "--width",
        metavar="N",
        min=40,
        max=10_000,
        help="Columns of the bars; else those of the terminal, or what COLUMNS says, or 80.",
    ),
]


def draw(
    specs: Specs = None,
    preset: Preset = None,
    output: File = None,
    width: Width = None,
    settings: Setting = None,
    release: Release = None,
    target: Target = None,
) -> None:
    """Draw what sits where in a block, to scale: bars of letters, or an SVG with -o.

    Several specs are drawn at the same scales, one below the other; of two, what moved is
    linked. Exit code 0: drawn; 1: drawn, and a configuration is not supported or cannot
    run; 2: trouble.
    """
    from kcfg.cli.intake.specs import Intake, spare, usage
    from kcfg.cli.pictures.given import derived, leave
    from kcfg.cli.pictures.scene import scene

    if output is not None and output.lower().endswith(OTHERS):
        usage(f"kcfg draw writes SVG: name a file that ends in .svg, not {output}")
    intake = Intake(specs, preset, settings=settings, release=release, target=target)
    spare(output, intake.paths)
    scenes = [scene(each) for each in derived(intake)]
    if output is not None:
        from kcfg.cli.pictures.svg import picture

        leave(intake, output, picture.document(scenes))
    from kcfg.cli import console, render
    from kcfg.cli.pictures import terminal

    if width is None and console.is_terminal():
        render.draw(terminal.pages(scenes, terminal.columns()))
    else:
        from kcfg.cli.render import plain

        width = width or max(console.columns(), terminal.LEAST)
        console.write(plain.text(terminal.pages(scenes, width), width))
    raise typer.Exit(intake.exit_code)
