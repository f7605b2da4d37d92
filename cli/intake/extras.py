"""Modules that do not come with kcfg itself, and what to say where one is missing."""

from __future__ import annotations

from importlib import import_module

import typer

from kcfg.cli import console
from kcfg.cli.exits import FAILED

EXTRAS = {
    "numpy": ("sweep", "NumPy"),
    "pyarrow": ("parquet", "pyarrow"),
    "matplotlib": ("plot", "Matplotlib"),
    "distributed": ("dask", "Dask"),
}
"""What is not installed with kcfg itself, and the extra that brings it."""


def needs(module: str) -> None:
    """Leave with a message where an extra is not installed."""
    extra, name = EXTRAS[module]
    try:
        import_module(module)
    except ImportError:
        how = f"pip install '.[{extra}]' where kcfg was cloned"
        console.error(f"this needs {name}, which is not installed; it comes with: {how}")
        raise typer.Exit(FAILED) from None
