"""What calls are given: taken as the plain value that it is, or refused with what would do."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import Enum
from operator import index
from typing import Any

from kcfg.core.spec.problem import quoted
from kcfg.errors import error

PLAIN = (str, bytes, bool, int, float, type(None))
"""What messages repeat as it was given; of anything else they say what it is."""
LONGEST = 4096
"""Characters of a path."""


def shown(value: Any) -> str:
    """A given value as a message repeats it, whatever it is."""
    if type(value) in PLAIN:
        return quoted(value)
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def text(value: Any, what: str, path: str = "") -> str:
    """A text; raises `Error` for anything else. ``what`` it is of goes on as 'a release'."""
    if not isinstance(value, str):
        raise error(f"expected {what}, not {shown(value)}", path)
    return str.__str__(value)


def path_of(value: Any, what: str, path: str = "") -> str:
    """The path of a file, as text; raises `Error` for anything else."""
    said = text(os.fspath(value) if isinstance(value, os.PathLike) else value, what, path)
    if len(said) > LONGEST:
        raise error(f"expected {what}, not a text of {len(said):,} characters", path)
    if said == "-":
        raise error(f"expected {what}, not {shown(said)}, which only commands can read", path)
    return said


def several(value: Any, what: str, path: str = "") -> list[Any]:
    """Everything in a list, or whatever gives one thing after the other; raises `Error` else."""
    try:
        if isinstance(value, str | bytes | Mapping):
            raise TypeError
        each = iter(value)
    except TypeError:
        raise error(f"{what}, not {shown(value)}", path) from None
    return list(each)


def mapping(value: Any, what: str) -> Mapping[str, Any]:
    """A mapping whose keys are texts; raises `Error` for anything else."""
    if not isinstance(value, Mapping):
        raise error(f"{what}, not {shown(value)}")
    for key in value:
        if not isinstance(key, str):
            raise error(f"{what}: a name is a text, not {shown(key)}")
    return value


VALUES = {bool, int, str, type(None)}
"""What a value of an input is."""


def settled(value: Any) -> Any:
    """What a value stands for; itself where it stands for nothing, which is then refused."""
    try:
        return value if type(value) in VALUES else plain(value)
    except TypeError:
        return value


def plain(value: Any) -> Any:
    """A value that stands for a number, a truth value or a text, as that; TypeError for others.

    Those are the numbers of NumPy, members of an enumeration, and what Python may index by.
    """
    if isinstance(value, Enum):
        return value.value
    if type(value).__module__ == "numpy" and not getattr(value, "shape", ()):
        return value.item()
    if isinstance(value, str):
        return str.__str__(value)
    if hasattr(type(value), "__index__"):
        return index(value)
    raise TypeError(f"not {shown(value)}")
