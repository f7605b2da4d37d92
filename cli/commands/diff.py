"""``kcfg diff``: what changed from one configuration to another, and because of what."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import Format

Old = Annotated[
    str,
    typer.Argument(
        metavar="A",
        help="A spec file, `-` for standard input, a preset's name where no such file exists, or "
        "a report that `kcfg derive --format json` (or jsonl, yaml) saved.",
    ),
]
New = Annotated[
    str | None,
    typer.Argument(
        metavar="[B]",
        help="The same. Without it A is compared with a variation of itself, or a saved report "
        "with what kcfg derives now from its inputs.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=OLD..NEW",
        help="Set an input to one value on each side, or with KEY=VALUE on both; repeatable.",
    ),
]
Releases = Annotated[
    str | None,
    typer.Option("--release", metavar="OLD..NEW", help="Derive as of two upstream releases."),
]
Targets = Annotated[
    str | None, typer.Option("--target", metavar="OLD..NEW", help="Derive for two GPUs.")
]
Everything = Annotated[bool, typer.Option("--all", help="Show what came out the same as well.")]


def diff(
    old: Old,
    new: New = None,
    settings: Settings = None,
    release: Releases = None,
    target: Targets = None,
    everything: Everything = False,
    format: Annotated[str, Format("diff")] = "text",
) -> None:
    """Show what changed between two configurations, and because of what.

    The changes a result is put down to, set back, give its old value: kcfg derives to
    make sure. Exit code 0: given alike and come out alike; 1: different; 2: trouble.
    """
    from importlib import import_module

    from kcfg.cli.exits import FINE, FOUND
    from kcfg.cli.intake.sides import pairs, variation
    from kcfg.core.diff import compare

    found = [compare(*sides) for sides in pairs(old, new, variation(settings, release, target))]
    import_module(f"kcfg.cli.formats.diff.{format}").write(found, everything)
    raise typer.Exit(FINE if all(each.same for each in found) else FOUND)
