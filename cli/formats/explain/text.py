"""Explanations as a page: in colour on a terminal, else as plain text."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.cli.pages.explanation import pages
from kcfg.cli.pages.told import Told
from kcfg.cli.render import draw


def write(told: Iterable[Told], tree: bool) -> None:
    """Show what is told; as trees of what rests on what where ``tree`` says so."""
    draw(pages(told, tree))
