"""Options and arguments that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from kcfg.cli import formats
from kcfg.cli.intake import helps


def completing(what: str) -> Any:
    """What offers the words of a kind to a shell: one of ``completion.KINDS``."""

    def offer(ctx: typer.Context, incomplete: str) -> list[str]:
        from kcfg.cli.intake.completion import offered

        return offered(what, ctx.params, incomplete)

    return offer


Specs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SPEC",
        help=helps.SPECS,
        show_default=False,
        autocompletion=completing("specs"),
    ),
]
Preset = Annotated[
    list[str] | None,
    typer.Option(
        "--preset", metavar="NAME", help=helps.PRESET, autocompletion=completing("presets")
    ),
]
Setting = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help=helps.SETTING, autocompletion=completing("settings")
    ),
]


def _said(option: typer.CallbackParam, value: str | None) -> str | None:
    """The value; an empty one is refused, as it is mostly a variable that was never set."""
    if value is not None and not value.strip():
        raise typer.BadParameter(f"--{option.name} is empty: name one, or leave the option out")
    return value


Release = Annotated[
    str | None,
    typer.Option(
        "--release",
        metavar="X.Y",
        help=helps.RELEASE,
        callback=_said,
        autocompletion=completing("releases"),
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="NAME",
        help=helps.TARGET,
        callback=_said,
        autocompletion=completing("targets"),
    ),
]


def Output(help: str, flag: str = "--output") -> Any:
    """An option that names a file to write, or one to compare with."""
    flags = (flag, "-o") if flag == "--output" else (flag,)
    return typer.Option(*flags, metavar="FILE", help=help, callback=_said)


KernelName = typer.Argument(
    metavar="KERNEL",
    help="A kernel's name, such as fa4.",
    autocompletion=completing("kernels"),
)


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
        if not value:
            raise typer.BadParameter(f"name a {what}: {', '.join(known)}")
        if value not in known:
            raise typer.BadParameter(f"unknown {what} {value!r}; known: {', '.join(known)}")
        return value

    def offer(incomplete: str) -> list[str]:
        return [word for word in known if word.startswith(incomplete)]

    return typer.Option(
        flag, metavar="|".join(known), help=help, callback=check, autocompletion=offer
    )


ListFormat = Annotated[str, one_of(["table", "json"])]
