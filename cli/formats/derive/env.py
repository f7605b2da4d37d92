"""Shell assignments, for ``eval "$(kcfg derive a.yaml --format env)"``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from shlex import quote
from typing import Any

from kcfg.cli import console
from kcfg.cli.pages.titles import title
from kcfg.core.report import Derived


def write(derived: Iterable[Derived]) -> None:
    """Write one spec's values as ``KCFG_NAME=value`` lines.

    Several specs follow each other under a comment each; a later one's values win. Of names that
    would be one variable, as n and N, the later ones have a number behind them.
    Truth values are ``true`` and ``false``; an absent value is empty.
    """
    for _, report in derived:
        about = title(None, report["kernel"], report["release"], "")
        console.document(f"# {about} {report['source']!r}\n")
        values = report["values"]
        for name, value in zip(variables(values), values.values(), strict=True):
            console.document(f"{name}={quote(_text(value))}\n")


def variables(names: Iterable[str]) -> list[str]:
    """The shell variables of a report's values, no two of them the same."""
    found: dict[str, None] = {}
    for name in names:
        mine, count = variable(name), 1
        while mine in found:
            count += 1
            mine = variable(f"{name}_{count}")
        found[mine] = None
    return [*found]


def variable(name: str) -> str:
    """The shell variable a value's name becomes."""
    return "KCFG_" + re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper()


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
