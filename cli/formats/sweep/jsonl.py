"""JSON Lines: an object for each point, with the columns as its keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from kcfg.core.sweep.lines import lines
from kcfg.core.sweep.query import Heads
from kcfg.core.sweep.rows import Sheet


def header(heads: Heads, about: dict[str, str] | None = None) -> bytes:
    """Nothing: every line says its keys."""
    return b""


def encode(heads: Heads, sheet: Sheet) -> bytes:
    """Rows as lines."""
    return lines(sheet, [_entry(head.name) for head in heads], between=",", start="{", end="}\n")


def _entry(name: str) -> Callable[[Any], str]:
    """What says a value under its name."""
    key = json.dumps(name)
    return lambda value: f"{key}:{json.dumps(value)}"
