"""CSV: a row for every input and every value, so that kernels of any kind fit one file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from kcfg.cli import console
from kcfg.cli.formats.cells import defused
from kcfg.cli.pages.inputs import flat
from kcfg.core.printing import printable
from kcfg.core.report import Derived

COLUMNS = ("source", "spec", "kernel", "release", "target", "kind", "name", "value", "unit")


def write(derived: Iterable[Derived]) -> None:
    """Write reports as rows under the header `COLUMNS`."""
    _write_row(COLUMNS)
    for _, report in derived:
        source = printable(report["source"])
        spec = [source, *(report[key] for key in ("name", "kernel", "release", "target"))]
        for name, value in flat(report["inputs"]).items():
            _write_row([*spec, "input", name, value, ""])
        for name, value in report["values"].items():
            _write_row([*spec, "value", name, value, report["units"][name]])


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return defused(value)
    return str(value).lower() if isinstance(value, bool) else value


def _write_row(row: Iterable[Any]) -> None:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(map(_cell, row))
    console.document(line.getvalue())
