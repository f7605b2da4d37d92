"""Explanations as a page: in colour on a terminal, else as plain text."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.cli.formats.explain import Told
from kcfg.cli.formats.explain._page import pages
from kcfg.cli.page import draw


def write(told: Iterable[Told], tree: bool) -> None:
    """Show what is told; as trees of what rests on what where ``tree`` says so."""
    draw(pages(told, tree))
