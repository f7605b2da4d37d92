"""The table with every value: intermediate results and nested structs as well."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.cli.pages.report import pages
from kcfg.cli.render import draw
from kcfg.core.report import Derived


def write(derived: Iterable[Derived]) -> None:
    """Show each report, as it comes, with all there is."""
    for page in pages(derived, everything=True):
        draw(page)
