"""JSON Lines: an object for each point, with the columns as its keys."""

from __future__ import annotations

import json
from collections.abc import Iterable

from kcfg.core.sweep.rows import Column, Rows
from kcfg.core.sweep.work import Heads


def header(heads: Heads) -> bytes:
    """Nothing: every line says its keys."""
    return b""


def encode(heads: Heads, rows: Rows) -> bytes:
    """Rows as lines."""
    line = ",".join(json.dumps(head.name).replace("%", "%%") + ":%s" for head in heads)
    template = "{" + line + "}\n"
    return b"".join(_encoded(template, piece) for piece in rows.pieces())


def _encoded(template: str, rows: Rows) -> bytes:
    cells = zip(*map(_cells, rows.columns), strict=True)
    return "".join([template % row for row in cells]).encode()


def _cells(column: Column) -> Iterable[str]:
    values = column.tolist()
    if column.dtype == bool:
        return ["true" if value else "false" for value in values]
    return map(str if column.dtype.kind == "i" else json.dumps, values)
