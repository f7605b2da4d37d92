"""JSON Lines: one object a spec, each on a line, as they come."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from kcfg.cli import console
from kcfg.core.kernel import Kernel
from kcfg.core.once import once
from kcfg.core.report import Derived, units

_text = json.JSONEncoder(separators=(",", ":")).encode


def write(derived: Iterable[Derived]) -> None:
    """Write each report on a line of its own."""
    for kernel, report in derived:
        console.write(line(type(kernel), report) + "\n")


def line(kernel: type[Kernel], report: dict[str, Any]) -> str:
    """A report as JSON on one line: what ``json.dumps`` gives, in half the time.

    Most of it are the names and units of the values, which all reports of a kernel share.
    """
    before = _text({key: report[key] for key in _BEFORE})
    found = report["values"].values()
    values = tuple([value if type(value) is int else _word(value) for value in found])
    after = _text({key: value for key, value in report.items() if key not in _WRITTEN})
    return f"{before[:-1]},{_frame(kernel) % values},{after[1:]}"


def _word(value: str | bool | None) -> str:
    if isinstance(value, str):
        return _text(value)
    return "null" if value is None else "true" if value else "false"


_BEFORE = ("schema", "kcfg", "kernel", "release", "target", "name", "source", "inputs")
_WRITTEN = frozenset((*_BEFORE, "values", "units"))


@once
def _frame(kernel: type[Kernel]) -> str:
    """The values with a place for each, and the units."""
    names = units(kernel)
    places = ",".join(f"{_text(name)}:%s" for name in names)
    return f'"values":{{{places}}},"units":{_text(names)}'.replace("%", "%%").replace("%%s", "%s")
