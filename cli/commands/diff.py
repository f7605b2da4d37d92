"""``kcfg diff``: what changed from one configuration to another, and because of what."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake import helps
from kcfg.cli.intake.options import Format, Preset, completing

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="A B...",
        help="Spec files, directories of specs, `-` for standard input, presets by name where no "
        "such file exists, or reports that `kcfg derive --format json` (or jsonl, yaml) saved. A "
        "is compared with every B, or several configurations in A with as many. A alone is "
        "compared with a variation of itself, or a saved report with what kcfg derives now from "
        f"its inputs. {helps.ONE}",
        show_default=False,
        autocompletion=completing("specs"),
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=OLD..NEW",
        help="Set an input to one value on each side, or with KEY=VALUE on both; repeatable.",
        autocompletion=completing("settings"),
    ),
]
Releases = Annotated[
    str | None,
    typer.Option(
        "--release",
        metavar="OLD..NEW",
        help="Derive as of two upstream releases.",
        autocompletion=completing("releases"),
    ),
]
Targets = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="OLD..NEW",
        help="Derive for two GPUs.",
        autocompletion=completing("targets"),
    ),
]
Stat = Annotated[
    bool, typer.Option("--stat", help="Show a line for each comparison: what differs, counted.")
]
Everything = Annotated[bool, typer.Option("--all", help="Show what came out the same as well.")]


def diff(
    names: Names = None,
    preset: Preset = None,
    settings: Settings = None,
    release: Releases = None,
    target: Targets = None,
    everything: Everything = False,
    stat: Stat = False,
    format: Annotated[str, Format("diff")] = "text",
) -> None:
    """Show what changed between two configurations, and because of what.

    The changes a result is put down to, set back, give its old value: kcfg derives to
    make sure. Exit code 0: given alike and come out alike; 1: different, or a file says what
    is wrong; 2: trouble.
    """
    from importlib import import_module

    from kcfg.cli.exits import FINE, FOUND
    from kcfg.cli.intake.sides import pairs, variation
    from kcfg.cli.intake.specs import usage
    from kcfg.core.diff import compare

    writer = import_module(f"kcfg.cli.formats.diff.{format}")
    if stat and not hasattr(writer, "stat"):
        usage(f"--stat is for people to read: {format} has all there is to count")
    sides = pairs(names or (), preset or (), variation(settings, release, target))
    found = [compare(*each) for each in sides]
    if stat:
        writer.stat(found)
    else:
        writer.write(found, everything)
    raise typer.Exit(FINE if all(each.same for each in found) else FOUND)
