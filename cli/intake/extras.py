"""Packages that do not come with kcfg itself, asked for where they are needed."""

from __future__ import annotations

from importlib import import_module

import typer

from kcfg.cli import console
from kcfg.cli.exits import FAILED
from kcfg.cli.loading import why_not


def needs(module: str) -> None:
    """Leave with a message where an extra is not installed, or cannot be loaded."""
    try:
        if import_module(module).__file__ is None:  # folders that are left of it
            raise ModuleNotFoundError(name=module)
    except Exception as error:  # whatever a broken installation raises
        console.error(why_not(module, error))
        raise typer.Exit(FAILED) from None
