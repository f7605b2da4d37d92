"""What changed from one configuration to another, and because of what."""

from __future__ import annotations

from kcfg.configuration import Configuration
from kcfg.core.diff import Diff, Side, compare
from kcfg.errors import error
from kcfg.given import shown

Difference = Diff
"""A comparison: ``verdict``, ``given``, ``changed`` results with what they are because of,
``formulas`` that differ, and what ``moves`` in the block."""


def diff(old: Configuration, new: Configuration) -> Difference:
    """Compare two configurations, also of two releases, targets or kernels.

    Raises `Error` for anything else.
    """
    for each in (old, new):
        if not isinstance(each, Configuration):
            raise error(
                f"diff compares configurations, as derive and read give them, not {shown(each)}"
            )
    return compare(Side(old.report(), old.derived), Side(new.report(), new.derived))
