"""The ``kcfg`` program: a Typer application that imports only the command it runs."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer import Typer

COMMANDS = (
    "derive",
    "explain",
    "diff",
    "draw",
    "report",
    "validate",
    "sweep",
    "check",
    "emit",
    "define",
    "model",
    "presets",
    "kernels",
    "targets",
    "rules",
    "schema",
)
"""Every command, in the order ``kcfg --help`` lists them; each is ``cli/commands/<name>.py``."""

COMPLETION = ("--install-completion", "--show-completion")
"""Options that Typer brings."""
ASKING = "_KCFG_COMPLETE"
"""Set where a shell asks what a command line could go on with."""
NAMED = "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"
"""Set, Typer takes the shell as named behind these options, in place of looking for it."""


def main() -> None:
    """Run ``kcfg`` with the arguments of this process, and exit."""
    from kcfg.cli import console

    arguments = sys.argv[1:]
    if arguments == ["--version"]:  # what installers and hooks ask: no need to read commands
        console.safely(_show_version)
        return
    try:
        console.safely(lambda: application(arguments)())
    except SystemExit as end:
        if arguments[:1] != ["sweep"] and isinstance(end.code, int):
            console.leave(end.code)
        raise  # in order: a sweep may have had processes and threads of its own


def application(arguments: list[str]) -> Typer:
    """The Typer application; with only the asked command in it where that is clear."""
    import typer

    completed = ASKING in os.environ
    if completed:
        from kcfg.cli.intake.completion import typed

        arguments = typed()
    asked = arguments[0] if arguments else ""
    if asked in COMPLETION and len(arguments) > 1:
        os.environ[NAMED] = "1"
    app = typer.Typer(
        name="kcfg",
        help="Kernel configurations for NVIDIA's B200, before anything compiles.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=asked not in COMMANDS or completed,
        no_args_is_help=True,
    )
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        module = import_module(f"kcfg.cli.commands.{name}")
        app.command(name)(getattr(module, name))

    @app.callback(invoke_without_command=True)
    def callback(
        version: bool = typer.Option(False, "--version", help="Show kcfg's version and exit."),
    ) -> None:
        if version:
            _show_version()
            raise typer.Exit

    return app


def _show_version() -> None:
    from kcfg.cli import console
    from kcfg.core.version import VERSION

    console.write(f"kcfg {VERSION}\n")


if __name__ == "__main__":
    main()
