"""The report for people: the verdict first, then groups of values and maps of what sits where."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.cli.pages.report import pages
from kcfg.cli.render import draw
from kcfg.core.report import Derived


def write(derived: Iterable[Derived]) -> None:
    """Show each report, as it comes, with the values of the upstream struct itself."""
    for page in pages(derived):
        draw(page)
