"""The list ``check`` in ``[tool.kcfg]``: which builds are held against which specs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from glob import glob, has_magic
from typing import Any, NamedTuple

EXAMPLE = '{spec = "specs", build = ["build/*.log"]}'
KEYS = ("spec", "build")


class Checked(NamedTuple):
    """Specs and builds that belong together: paths, directories and patterns as the project says.

    What of a build a spec is about it says itself, under ``build``.
    """

    specs: tuple[str, ...]
    builds: tuple[str, ...]


def read(value: Any) -> tuple[Checked, ...]:
    """The list as TOML gives it; raises TypeError for what is no such list."""
    if not isinstance(value, list):
        raise TypeError(f"expected a list of tables, such as [{EXAMPLE}]")
    return tuple(_checked(entry, number) for number, entry in enumerate(value, 1))


def found(folder: str, patterns: Iterable[str]) -> tuple[list[str], list[str]]:
    """The files that patterns name in a folder, and the patterns that name none.

    A name without ``*``, ``?`` or ``[`` is taken as it is.
    """
    paths: list[str] = []
    none: list[str] = []
    for pattern in patterns:
        place = os.path.join(folder, pattern)
        fits = sorted(glob(place, recursive=True)) if has_magic(pattern) else [place]
        paths += fits
        none += [] if fits else [pattern]
    return list(dict.fromkeys(paths)), none


def _checked(entry: Any, number: int) -> Checked:
    from kcfg.core.spec.problem import meant, shown

    if not isinstance(entry, dict):
        raise TypeError(f"entry {number}: expected a table, such as {EXAMPLE}")
    for key in entry:
        if key not in KEYS:
            raise TypeError(f"entry {number}: unknown key {shown(key)}; {meant(key, KEYS)}")
    missing = [key for key in KEYS if key not in entry]
    if missing:
        raise TypeError(f"entry {number}: missing {', '.join(missing)}; such as {EXAMPLE}")
    return Checked(*(_paths(entry[key], f"entry {number}: {key}") for key in KEYS))


def _paths(value: Any, place: str) -> tuple[str, ...]:
    from kcfg.core.spec.problem import quoted

    paths = [value] if isinstance(value, str) else value
    if not (isinstance(paths, list) and paths and all(_is_path(each) for each in paths)):
        raise TypeError(f"{place} takes a path or pattern, or a list of them, not {quoted(value)}")
    return tuple(paths)


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value
