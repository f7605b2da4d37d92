"""The one error of the library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kcfg.core.spec.problem import Problem


class Error(ValueError):
    """What was given cannot be done: its ``problems`` say what is wrong and what would do.

    Each has a ``message``, the ``path`` of the key it is about (``shape.depth``), and where the
    text came from a file or a string its ``file``, ``line`` and ``column`` (from 1; 0 for none).
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(each).removeprefix(": ") for each in self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems,)


class MissingError(Error, KeyError):
    """There is nothing under a name: a `KeyError` too, as of any mapping."""

    def __str__(self) -> str:
        return Exception.__str__(self)


def error(message: str, path: str = "") -> Error:
    """An error of one problem that stands in no text."""
    return Error([Problem("", 0, 0, path, message)])
