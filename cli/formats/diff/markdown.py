"""The comparison in Markdown, fit to paste into a code review."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kcfg.cli import console
from kcfg.cli.pages.diff import pages
from kcfg.cli.pages.diff_stat import pieces
from kcfg.cli.render import markdown
from kcfg.core.diff import Diff


def write(diffs: Iterable[Diff], everything: bool) -> None:
    """Write each comparison; ``everything`` also shows what came out the same."""
    console.document(markdown.text(pages(diffs, everything)))


def stat(diffs: Sequence[Diff]) -> None:
    """Count what differs, a line for each comparison."""
    console.document(markdown.text(pieces(diffs)))
