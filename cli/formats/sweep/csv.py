"""CSV: a header, then a row for each point."""

from __future__ import annotations

from typing import Any

from kcfg.cli.formats.cells import defused
from kcfg.core.sweep.lines import lines
from kcfg.core.sweep.query import Heads
from kcfg.core.sweep.rows import Sheet

SPECIAL = frozenset(',"\r\n')


def header(heads: Heads, about: dict[str, str] | None = None) -> bytes:
    """The names of the columns."""
    return (",".join(_cell(head.name) for head in heads) + "\n").encode()


def encode(heads: Heads, sheet: Sheet) -> bytes:
    """Rows as lines; truth values as in YAML, nothing for what is absent."""
    return lines(sheet, [_cell] * len(heads), between=",", end="\n")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = defused(value) if isinstance(value, str) else str(value)
    return text if SPECIAL.isdisjoint(text) else '"' + text.replace('"', '""') + '"'
