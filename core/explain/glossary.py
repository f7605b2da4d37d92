"""The words that formulas are written in, each with what it means: read off the functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from inspect import signature
from typing import Any, NamedTuple

from kcfg.core import kernels
from kcfg.core.docs import paragraphs
from kcfg.core.engine import formula, terms
from kcfg.core.engine.graph import graph
from kcfg.core.engine.quantity import Quantity


class Meaning(NamedTuple):
    """A word as formulas call it, and what it gives."""

    call: str
    meaning: str


BUILTIN = {
    min: Meaning("min(a, b, ...)", "The smallest of its arguments."),
    max: Meaning("max(a, b, ...)", "The largest of its arguments."),
    abs: Meaning("abs(a)", "The distance of a from 0."),
}
"""Functions of Python itself, whose own documentation says more than formulas mean."""

SIGNS = (
    Meaning("not a, a and b, a or b", "Conditions: the opposite, both, at least one."),
    Meaning("a // b", "The quotient, as div gives it; b is never 0 here."),
    Meaning("a % b", "The remainder, as mod gives it; b is never 0 here."),
    Meaning("target.name", "A limit of the GPU; `kcfg targets NAME` lists them."),
)
"""What is no function: operators, and the names of limits."""


SEVERAL = {"VAR_KEYWORD": "name=...", "VAR_POSITIONAL": "..."}
"""How arguments are written of which there may be any number, by the kind of their parameter."""


def words() -> tuple[Meaning, ...]:
    """Every word that the formula of a kernel uses; raises `NoSourceError` without their source."""
    used = {function.__name__: function for function in _called()}
    spoken = {terms.negate.__name__}  # shown as `not`
    return (
        *(_word(used[name]) for name in sorted(used.keys() - spoken, key=str.lower)),
        *SIGNS,
    )


def _called() -> Iterator[Any]:
    """The functions that formulas call, of all kernels and releases."""
    for kernel in kernels.names():
        for release in kernels.releases(kernel):
            plain = kernels.find(kernel, release)
            for cls in filter(None, (plain, plain.of_call())):
                for name in graph(cls).reads:
                    member = formula.resolve(cls, tuple(name.split("."))).member
                    if isinstance(member, Quantity):
                        yield from _calls(member)


def _calls(quantity: Quantity[Any]) -> Iterator[Any]:
    expression = formula.of(quantity)
    for node in ast.walk(expression.tree):
        if isinstance(node, ast.Call):
            function = expression.within(node).function
            if function is not None:
                yield function


def _word(function: Any) -> Meaning:
    if function in BUILTIN:
        return BUILTIN[function]
    given = signature(function).parameters.values()
    names = [SEVERAL.get(each.kind.name, each.name) for each in given]
    meaning = paragraphs(function.__doc__).partition("\n\n")[0].replace("``", "`")
    return Meaning(f"{function.__name__}({', '.join(names)})", meaning)
