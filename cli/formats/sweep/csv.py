"""CSV: a header, then a row for each point."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.core.sweep.rows import Column, Rows
from kcfg.core.sweep.work import Heads

SPECIAL = frozenset(',"\r\n')


def header(heads: Heads) -> bytes:
    """The names of the columns."""
    return (",".join(_quoted(head.name) for head in heads) + "\n").encode()


def encode(heads: Heads, rows: Rows) -> bytes:
    """Rows as lines; truth values as in YAML, nothing for what is absent."""
    return b"".join(map(_encoded, rows.pieces()))


def _encoded(rows: Rows) -> bytes:
    lines = map(",".join, zip(*map(_cells, rows.columns), strict=True))
    return ("\n".join(lines) + "\n").encode()


def _cells(column: Column) -> Iterable[str]:
    values = column.tolist()
    if column.dtype == bool:
        return ["true" if value else "false" for value in values]
    if column.dtype != object:
        return map(str, values)
    return ["" if value is None else _quoted(str(value)) for value in values]


def _quoted(text: str) -> str:
    if SPECIAL.isdisjoint(text):
        return text
    return '"' + text.replace('"', '""') + '"'
