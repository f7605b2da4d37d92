"""The files that paths name: themselves, or the specs below a directory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from kcfg.core.spec.documents import BOM
from kcfg.core.spec.problem import Problem

SPECS = (".kcfg.yaml", ".kcfg.yml")
"""Endings of the files that are specs whatever they hold."""

YAML = (".yaml", ".yml")
"""Endings of the files that are specs if their top level has `kernel:`."""

SNIFFED = 1 << 20
"""Bytes of such a file that are looked at."""

KERNEL = rb"""(?m)^(?:---[ \t]+)?\{?[ \t]*["']?kernel["']?[ \t]*:"""
"""A `kernel:` that may belong to the top level: at the start of a line, or in a first bracket."""


def files(paths: Iterable[str]) -> Iterator[str | Problem]:
    """Every file to be read, once each, in the order of the paths and then of the names."""
    seen = set()
    for path in paths:
        for found in _below(path) if path != "-" and os.path.isdir(path) else (path,):
            if found not in seen:
                seen.add(found)
                yield found


def _below(folder: str) -> Iterator[str | Problem]:
    troubles: list[OSError] = []
    empty = True
    for place, folders, names in os.walk(folder, onerror=troubles.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(place, name)
            if name.endswith(SPECS) or (name.endswith(YAML) and _has_kernel(path)):
                empty = False
                yield path
    for trouble in troubles:
        message = f"this directory cannot be read: {trouble.strerror or trouble}"
        yield Problem(str(trouble.filename or folder), 0, 0, "", message, "unreadable")
    if empty and not troubles:
        kinds = f"{' or '.join('*' + ending for ending in SPECS)}, or YAML with `kernel:`"
        yield Problem(folder, 0, 0, "", f"no spec in this directory: no {kinds}", "unreadable")


def _has_kernel(path: str) -> bool:
    """Whether a YAML file looks like a spec; one that cannot be read does not."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            data = file.read(SNIFFED)
    except OSError:
        return False
    return b"kernel" in data and re.search(KERNEL, data.removeprefix(BOM)) is not None
