"""Functions that answer once for each class, and remember."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def once(function: Callable[P, T]) -> Callable[P, T]:
    """`functools.cache`, with the function's own signature.

    For functions of a struct's class, which mypy takes for something without a hash.
    """
    remembering: Callable[..., T] = cache(function)
    return remembering
