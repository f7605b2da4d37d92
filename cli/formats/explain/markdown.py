"""Explanations in Markdown, fit to paste into a code review."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.cli import console
from kcfg.cli.pages.explanation import pages
from kcfg.cli.pages.told import Told
from kcfg.cli.render import markdown


def write(told: Iterable[Told], tree: bool) -> None:
    """Write what is told; as trees of what rests on what where ``tree`` says so."""
    console.document(markdown.text(pages(told, tree)))
