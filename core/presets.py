"""The specs that come with kcfg: shapes of real models, one YAML file each.

A preset's name is its file's. The comment at a file's top says what the preset is, in its
first line, then where its numbers come from.
"""

from __future__ import annotations

import os
from functools import cache

import kcfg.presets
from kcfg.core.errors import UnknownError

ENDING = ".yaml"


@cache
def names() -> tuple[str, ...]:
    """Every preset's name, in alphabetical order."""
    files = (os.path.splitext(file) for file in os.listdir(_folder()))
    return tuple(sorted(stem for stem, ending in files if ending == ENDING))


def path(name: str) -> str:
    """The file of a preset; raises `UnknownError` for a name that is none."""
    if name not in names():
        raise UnknownError("preset", name, names())
    return os.path.join(_folder(), name + ENDING)


def text(name: str) -> str:
    """The YAML of a preset; raises `UnknownError` for a name that is none."""
    with open(path(name), encoding="utf-8") as file:
        return file.read()


def summary(name: str) -> str:
    """What a preset is, in one line; raises `UnknownError` for a name that is none."""
    with open(path(name), encoding="utf-8") as file:
        return file.readline().removeprefix("#").strip()


def _folder() -> str:
    return kcfg.presets.__path__[0]
