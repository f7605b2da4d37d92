"""CSV: a header, then a row for each point."""

from __future__ import annotations

from typing import Any

from kcfg.cli.formats.sweep._cells import texts
from kcfg.core.sweep.query import Heads
from kcfg.core.sweep.rows import Rows

SPECIAL = frozenset(',"\r\n')


def header(heads: Heads) -> bytes:
    """The names of the columns."""
    return (",".join(_cell(head.name) for head in heads) + "\n").encode()


def encode(heads: Heads, rows: Rows) -> bytes:
    """Rows as lines; truth values as in YAML, nothing for what is absent."""
    return b"".join(map(_encoded, rows.pieces()))


def _encoded(rows: Rows) -> bytes:
    columns = (texts(column, _cell) for column in rows.columns)
    return ("\n".join(map(",".join, zip(*columns, strict=True))) + "\n").encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return text if SPECIAL.isdisjoint(text) else '"' + text.replace('"', '""') + '"'
