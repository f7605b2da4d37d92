"""One JSON object for one spec, a list of them for several."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain

from kcfg.cli import console
from kcfg.core.report import Derived


def write(derived: Iterable[Derived]) -> None:
    """Write reports as JSON, indented, in the order of the specs."""
    rest = (each.report for each in derived)
    first = next(rest, None)
    if first is None:
        return
    second = next(rest, None)
    if second is None:
        console.document(json.dumps(first, indent=2) + "\n")
        return
    separator = "[\n"
    for report in chain((first, second), rest):
        console.document(separator + json.dumps(report, indent=2))
        separator = ",\n"
    console.document("\n]\n")
