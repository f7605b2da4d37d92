"""The comparison as a page: in colour on a terminal, else as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kcfg.cli.pages.diff import pages
from kcfg.cli.pages.diff_stat import pieces
from kcfg.cli.render import draw
from kcfg.core.diff import Diff


def write(diffs: Iterable[Diff], everything: bool) -> None:
    """Show each comparison; ``everything`` also shows what came out the same."""
    draw(pages(diffs, everything))


def stat(diffs: Sequence[Diff]) -> None:
    """Count what differs, a line for each comparison."""
    draw(pieces(diffs))
