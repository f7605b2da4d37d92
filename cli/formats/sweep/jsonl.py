"""JSON Lines: an object for each point, with the columns as its keys."""

from __future__ import annotations

import json

from kcfg.cli.formats.sweep._cells import texts
from kcfg.core.sweep.query import Heads
from kcfg.core.sweep.rows import Rows


def header(heads: Heads) -> bytes:
    """Nothing: every line says its keys."""
    return b""


def encode(heads: Heads, rows: Rows) -> bytes:
    """Rows as lines."""
    line = ",".join(json.dumps(head.name).replace("%", "%%") + ":%s" for head in heads)
    template = "{" + line + "}\n"
    return b"".join(_encoded(template, piece) for piece in rows.pieces())


def _encoded(template: str, rows: Rows) -> bytes:
    columns = (texts(column, json.dumps) for column in rows.columns)
    return "".join([template % row for row in zip(*columns, strict=True)]).encode()
