"""A table for people: the first rows, or the best."""

from __future__ import annotations

from kcfg.cli.pages.sweep_rows import page
from kcfg.cli.render import draw
from kcfg.core.sweep.run import Run


def write(run: Run, title: str) -> None:
    """Show the rows that were kept, under a title."""
    draw(page(run, title))
