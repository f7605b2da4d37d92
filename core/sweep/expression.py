"""The condition of a sweep: an expression over a kernel's values, in the words of arrays or not.

The grammar is that of ``kcfg.core.expressions``, as in a definition.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from kcfg.core.engine.trees import compiled
from kcfg.core.expressions.grammar import as_condition, checked
from kcfg.core.expressions.scope import ExpressionError, Meaning
from kcfg.core.expressions.words import FUNCTIONS, Kind
from kcfg.core.kernel import Kernel
from kcfg.core.sweep.named_values import name_of
from kcfg.core.sweep.words import Value, Words

__all__ = ["ExpressionError", "Term", "condition"]

Run = Callable[[Any], Value]
"""From a kernel to the value of an expression."""


class Term(NamedTuple):
    """An expression, compiled; ``names`` are those it reads."""

    kind: Kind
    run: Run
    names: tuple[str, ...]


def condition(text: str, cls: type[Kernel], words: Words) -> Term:
    """A condition in these words; raises `ExpressionError`."""
    scope = _Names(cls)
    found = as_condition(checked(text, scope), text)
    meanings = {name: words.get(word, word) for name, word in FUNCTIONS.items()}
    me = ast.arguments([], [ast.arg("self")], None, [], [], None, [])
    run: Run = eval(
        compiled(ast.Lambda(me, found.tree)), {"__builtins__": {}, **meanings, **scope.readers}
    )
    return Term(found.kind, run, found.names)


class _Names:
    """The names of a kernel's values and inputs; ``readers`` read those that were asked for."""

    nulls = True

    def __init__(self, cls: type[Kernel]) -> None:
        self.cls = cls
        self.readers: dict[str, Run] = {}

    def meaning(self, name: str) -> Meaning:
        found = name_of(self.cls, name)
        reader = f"read_{len(self.readers)}"
        self.readers[reader] = found.read
        me: ast.expr = ast.Name("self", ast.Load())
        return Meaning(found.kind, found.unit, ast.Call(ast.Name(reader, ast.Load()), [me], []))
