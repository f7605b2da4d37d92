"""The comparison in Markdown, fit to paste into a code review."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.cli import console
from kcfg.cli.draw import markdown
from kcfg.cli.formats.diff._page import pages
from kcfg.core.diff import Diff


def write(diffs: Iterable[Diff], everything: bool) -> None:
    """Write each comparison; ``everything`` also shows what came out the same."""
    console.write(markdown.text(pages(diffs, everything)))
