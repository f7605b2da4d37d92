"""Columns as text, for formats that are text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kcfg.core.sweep.rows import Column


def texts(column: Column, say: Callable[[Any], str]) -> Iterable[str]:
    """What ``say`` makes of each value; asked once for values that come often."""
    values = column.tolist()
    distinct = set(values)
    if len(distinct) == 1:
        return [say(values[0])] * len(values)
    if 2 * len(distinct) > len(values):
        return map(say, values)
    return map({value: say(value) for value in distinct}.__getitem__, values)
