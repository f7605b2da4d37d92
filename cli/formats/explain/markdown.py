"""Explanations in Markdown, fit to paste into a code review."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.cli import console
from kcfg.cli.draw import markdown
from kcfg.cli.formats.explain import Told
from kcfg.cli.formats.explain._page import pages


def write(told: Iterable[Told], tree: bool) -> None:
    """Write what is told; as trees of what rests on what where ``tree`` says so."""
    console.write(markdown.text(pages(told, tree)))
