"""Figures of a launch by the paths of their keys, as ``--set`` takes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kcfg.core.block.block import Block
from kcfg.core.block.keys import Group, Key
from kcfg.core.once import once
from kcfg.core.spec.nested import steps
from kcfg.core.spec.scalars import RefusedError

ENTRY = r"\[[^.\[\]=]+\]"
"""An entry of a list, by its number or its name."""


def keys(group: type[Group] = Block, path: str = "") -> Iterator[tuple[str, Key]]:
    """The keys of a group and of the groups in it, by their paths; lists have ``[]``."""
    for name, key in group.keys.items():
        place = f"{path}{name}{'[]' if key.many else ''}"
        yield place, key
        if issubclass(key.kind, Group):
            yield from keys(key.kind, f"{place}.")


@once
def patterns(group: type[Group]) -> dict[str, str]:
    """The units of all numbers of a group, by the patterns of their paths."""
    return {
        re.escape(path).replace(r"\[\]", ENTRY): key.unit
        for path, key in keys(group)
        if key.kind is int
    }


def value(block: Block, path: str) -> Any:
    """What stands under a key of a block, said or worked out; KeyError where nothing does."""
    found: Any = block.plain()
    try:
        for step in steps(path):
            if isinstance(step, str) and isinstance(found, list):
                names = [each.get("name") for each in found if isinstance(each, dict)]
                step = names.index(step.strip("[]"))
            found = found[step]
    except (RefusedError, LookupError, TypeError, ValueError):
        raise KeyError(path) from None
    if isinstance(found, dict | list):
        raise KeyError(path)
    return found


def every(entry: Any, path: str = "") -> Iterator[str]:
    """The paths that `value` takes, of a block as plain data; entries of lists by their names."""
    if isinstance(entry, dict):
        for key, found in entry.items():
            yield from every(found, f"{path}.{key}" if path else key)
    elif isinstance(entry, list):
        for index, found in enumerate(entry):
            name = found.get("name") if isinstance(found, dict) else None
            yield from every(found, f"{path}[{name or index}]")
    else:
        yield path
