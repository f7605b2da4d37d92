"""JSON as several commands write it: an object for one of them, a list for several."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain
from textwrap import indent
from typing import Any

from kcfg.cli import console


def write(objects: Iterable[dict[str, Any]], step: str = "  ") -> None:
    """Write objects as they come, one at a time in memory; those of a list are set in by ``step``.

    Nothing is written where there is none.
    """
    rest = iter(objects)
    first = next(rest, None)
    if first is None:
        return
    second = next(rest, None)
    if second is None:
        console.document(_text(first) + "\n")
        return
    separator = "[\n"
    for each in chain((first, second), rest):
        console.document(separator + indent(_text(each), step))
        separator = ",\n"
    console.document("\n]\n")


def _text(one: dict[str, Any]) -> str:
    return json.dumps(one, indent=2)
