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

    Several specs follow each other under a comment each; a later one's values win.
    Truth values are ``true`` and ``false``; an absent value is empty.
    """
    for _, report in derived:
        about = title(None, report["kernel"], report["release"], "")
        console.write(f"# {about} {report['source']!r}\n")
        for name, value in report["values"].items():
            console.write(f"{variable(name)}={quote(_text(value))}\n")


def variable(name: str) -> str:
    """The shell variable a value's name becomes."""
    return "KCFG_" + re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper()


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
