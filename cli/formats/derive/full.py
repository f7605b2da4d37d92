"""The table with every value: intermediate results and nested structs as well."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.cli.formats.derive import table
from kcfg.core.report import Derived


def write(derived: Iterable[Derived]) -> None:
    """Show each report with all there is."""
    table.write(derived, everything=True)
