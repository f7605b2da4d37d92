"""Numbers as people read them: thousands separators, bytes with KiB, words for units."""

from __future__ import annotations

from typing import Any

from kcfg.core.figures import size

_WORDS = {"bytes": "B", "count": "", "factor": "", "index": "", "address": ""}
"""Units that are written another way behind a number, or not at all."""


def number(value: Any) -> str:
    """A value as text: 1,024; yes or no; - where there is none."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def measured(value: Any, unit: str) -> str:
    """A value with its unit: 230,636 B (225.2 KiB), 5 stages, yes."""
    if not isinstance(value, int) or isinstance(value, bool):
        return number(value)
    return size(value) if unit == "bytes" else f"{value:,}{_unit(unit, value)}"


def change(delta: int, unit: str) -> str:
    """A difference with its sign and unit: +17,064 B, -1 stage."""
    return f"{delta:+,}{_unit(unit, delta)}"


def _unit(unit: str, value: int) -> str:
    word = _WORDS.get(unit, unit)
    if abs(value) == 1 and word.endswith("s"):
        word = word.removesuffix("s")
    return f" {word}" if word else ""
