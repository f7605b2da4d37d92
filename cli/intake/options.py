"""Options and arguments that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from kcfg.cli import formats
from kcfg.cli.intake import helps

Specs = Annotated[
    list[str] | None,
    typer.Argument(metavar="SPEC...", help=helps.SPECS, show_default=False),
]
Preset = Annotated[list[str] | None, typer.Option("--preset", metavar="NAME", help=helps.PRESET)]
Setting = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help=helps.SETTING)
]


def _said(option: typer.CallbackParam, value: str | None) -> str | None:
    """The value; an empty one is refused, as it is mostly a variable that was never set."""
    if value is not None and not value.strip():
        raise typer.BadParameter(f"--{option.name} is empty: name one, or leave the option out")
    return value


Release = Annotated[
    str | None,
    typer.Option("--release", metavar="X.Y", help=helps.RELEASE, callback=_said),
]
Target = Annotated[
    str | None,
    typer.Option("--target", metavar="NAME", help=helps.TARGET, callback=_said),
]


KernelName = typer.Argument(metavar="[KERNEL]", help="A kernel's name, such as fa4.")


def Format(command: str) -> Any:
    """The ``--format`` option of a command."""
    return one_of(formats.names(command))


def one_of(
    known: Sequence[str],
    what: str = "format",
    flag: str = "--format",
    help: str = "How to write it.",
) -> Any:
    """An option that takes one of the ``known`` words, each of them a ``what``."""

    def check(value: str) -> str:
        if value not in known:
            raise typer.BadParameter(f"unknown {what} {value!r}; known: {', '.join(known)}")
        return value

    return typer.Option(flag, metavar="|".join(known), help=help, callback=check)


ListFormat = Annotated[str, one_of(["table", "json"])]
