"""JSON Lines: one object a spec, each on a line, as they come."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import orjson

from kcfg.cli import console
from kcfg.core.kernel import Kernel
from kcfg.core.once import once
from kcfg.core.report import Derived, units


def write(derived: Iterable[Derived]) -> None:
    """Write each report on a line of its own."""
    for kernel, report in derived:
        console.document(line(type(kernel), report) + "\n")


def line(kernel: type[Kernel], report: dict[str, Any]) -> str:
    """A report as JSON on one line, in printable ASCII as ``json.dumps`` gives it."""
    try:
        shared = {"units": _units(kernel)} if units(kernel) else {}
        text = orjson.dumps({**report, **shared})
        if text.isascii() and b"\x7f" not in text:
            return text.decode()
    except TypeError:  # an integer of more than 64 bits, or half of a surrogate pair
        pass
    return json.dumps(report, separators=(",", ":"))


@once
def _units(kernel: type[Kernel]) -> orjson.Fragment:
    """The units, which all reports of a kernel share."""
    return orjson.Fragment(orjson.dumps(units(kernel)))
