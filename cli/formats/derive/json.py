"""One JSON object for one spec, a list of them for several."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.cli.formats import objects
from kcfg.core.report import Derived


def write(derived: Iterable[Derived]) -> None:
    """Write reports as JSON, indented, in the order of the specs."""
    objects.write((each.report for each in derived), step="")
