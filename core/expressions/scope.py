"""The names that an expression may use, what they mean, and how it is told of a wrong one."""

from __future__ import annotations

import ast
from typing import NamedTuple, Protocol

from kcfg.core.expressions.words import Kind


class ExpressionError(ValueError):
    """What is wrong with an expression, and at which ``column`` (from 1)."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


class NeverError(ExpressionError):
    """A text is compared with what it never is: what is asked can be worked out all the same."""


class UnknownNameError(LookupError):
    """A name that nobody declared; its text says what was meant."""


class Meaning(NamedTuple):
    """What a name stands for: the kind and unit of its value, and the tree that reads it.

    ``texts`` are all that a text may be, where that is known.
    """

    kind: Kind
    unit: str
    tree: ast.expr
    texts: tuple[str, ...] = ()


class Scope(Protocol):
    """The names that an expression may use; ``nulls`` says whether values may be absent."""

    nulls: bool

    def meaning(self, name: str) -> Meaning:
        """What a name, dots included, stands for; raises `UnknownNameError`."""
