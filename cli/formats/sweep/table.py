"""A table for people: the first rows, or the best."""

from __future__ import annotations

from kcfg.cli.pages.sweep_rows import page
from kcfg.cli.render import draw
from kcfg.core.sweep.query import Heads
from kcfg.core.sweep.rows import Rows


def write(heads: Heads, rows: Rows, title: str, found: int) -> None:
    """Show rows under a title; ``found`` is how many there were to choose from."""
    draw(page(heads, rows, title, found))
