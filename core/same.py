"""When two values are the same, for whatever compares reports or inputs."""

from __future__ import annotations

from typing import Any


def same(old: Any, new: Any) -> bool:
    """Whether two values are equal and of one type: 32 is not "32", 1 is not true."""
    return type(old) is type(new) and bool(old == new)
