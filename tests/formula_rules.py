"""The rules of a formula, each a check of one struct: tests hold every kernel to them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from kcfg.core import targets
from kcfg.core.engine import arith, formula, terms
from kcfg.core.engine.formula import Expression
from kcfg.core.engine.graph import graph
from kcfg.core.engine.quantity import UNITS, Input, Part, Quantity
from kcfg.core.engine.struct import Struct
from kcfg.core.engine.trees import BRANCHES, is_one_return
from kcfg.core.hardware import dtypes

Member = Input | Quantity[Any] | Part[Any]

PREFER = {
    min: "least",
    max: "most",
    sum: "total",
    all: "all_of",
    any: "any_of",
    abs: "pick",
    round: "div",
    int: "pick",
    bool: "!= 0",
}
"""Builtins that name nothing, and the word that stands for each."""

DIVISIONS = {ast.FloorDiv: ("//", "div"), ast.Mod: ("%", "mod")}
"""Operators that stop at a divisor of 0, where upstream goes on; and the words that do too."""

COINCIDENCES: dict[int, str] = {
    1024: "too common a size to mean the reserve of a block or its most threads",
    2048: "too common a size to mean the threads of an SM",
}
"""Capacities of a target that a formula may write as a number, and why."""


def breaches(struct: type[Struct]) -> list[str]:
    """Every rule a struct's formulas break, as sentences; empty for a good one."""
    found = [
        f"{struct.__module__}.{struct.__qualname__}.{name}: {breach}"
        for name, member in struct.quantities.items()
        for breach in _quantity(struct, member)
    ]
    found += [
        f"{struct.__module__}.{struct.__qualname__}.{name}: {breach}"
        for name, member in struct.parts.items()
        for breach in _part(struct, name, member)
    ]
    return found + [f"{struct.__qualname__}: {cycle}" for cycle in _cycles(struct)]


def _quantity(struct: type[Struct], quantity: Quantity[Any]) -> Iterator[str]:
    if not quantity.doc:
        yield "has no docstring"
    if quantity.unit not in UNITS:
        yield f"has the unknown unit {quantity.unit}"
    if not quantity.source.strip():
        yield "names no source"
    expression = formula.of(quantity)
    yield from _one_return(quantity.formula)
    yield from _plain(expression)
    yield from _capacities(expression)
    yield from _order(struct, quantity.name, expression)
    for read in expression.reads(struct):
        if read.kind == "part" or read.name == "target":
            yield f"reads {read.name} as a whole"


def _part(struct: type[Struct], name: str, part: Part[Any]) -> Iterator[str]:
    if not part.doc:
        yield "has no docstring"
    if formula.struct_of(struct, name) is None:
        yield "does not say what it builds"
    yield from _one_return(part.build)
    yield from _order(struct, name, formula.of_part(part))


def _one_return(function: Any) -> Iterator[str]:
    if not is_one_return(function):
        yield "is not a docstring and one return"


def _plain(expression: Expression) -> Iterator[str]:
    """No branches, and calls of the known words only."""
    for node in ast.walk(expression.tree):
        if type(node) in BRANCHES:
            yield f"uses {BRANCHES[type(node)]}"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield "uses not: write negate"
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            yield "chains comparisons: write &"
        elif isinstance(node, ast.BinOp) and type(node.op) in DIVISIONS:
            if not _is_literal(node.right):
                divides, word = DIVISIONS[type(node.op)]
                yield f"divides by {ast.unparse(node.right)} with {divides}: write {word}"
        elif isinstance(node, ast.Call):
            yield from _call(expression.within(node))


def _is_literal(divisor: ast.AST) -> bool:
    """Whether a divisor is a number, or made of numbers only: it cannot turn out to be 0."""
    return not any(isinstance(node, ast.Name | ast.Call) for node in ast.walk(divisor))


def _call(call: Expression) -> Iterator[str]:
    assert isinstance(call.tree, ast.Call)
    name = ast.unparse(call.tree.func)
    builtin = __builtins__.get(name) if isinstance(__builtins__, dict) else None
    if builtin in PREFER:
        yield f"calls {name}: write {PREFER[builtin]}"
    elif call.function not in vocabulary().values() and not _is_helper(call):
        yield f"calls {name}, which is neither a word of arith, terms or dtypes nor documented"


def _is_helper(call: Expression) -> bool:
    """Whether a formula calls a documented function of kcfg, which its kernel states itself."""
    home = getattr(call.function, "__module__", "")
    return home.startswith("kcfg.core.kernels.") and bool(getattr(call.function, "__doc__", ""))


def _capacities(expression: Expression) -> Iterator[str]:
    for node in ast.walk(expression.tree):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, int) and value in capacities():
            yield f"writes {value}: read target.{capacities()[value]}"


def _order(struct: type[Struct], name: str, expression: Expression) -> Iterator[str]:
    """It reads what stands above it: in its own class body, or in a class that one extends."""
    home = next(cls for cls in struct.__mro__ if name in vars(cls))
    body = list(vars(home))
    above = set(body[: body.index(name)])
    known = above.union(*(vars(ancestor) for ancestor in home.__mro__[1:]))
    for read in expression.reads(struct):
        first = read.name.split(".")[0]
        if read.kind == "unknown":
            yield f"reads {read.name}, which is not declared"
        elif read.kind not in ("target", "constant") and first not in known:
            yield f"reads {read.name}, which is declared below it"


def _cycles(struct: type[Struct]) -> Iterator[str]:
    """Overriding may not close a circle that the order within each class rules out."""
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> Iterator[str]:
        if name in trail:
            yield f"{' -> '.join((*trail[trail.index(name) :], name))} is a circle"
        elif name not in done:
            for read in graph(struct).reads.get(name, ()):
                yield from visit(read.name, (*trail, name))
            done.add(name)

    for name in graph(struct).reads:
        yield from visit(name, ())


@cache
def vocabulary() -> dict[str, Callable[..., Any]]:
    """Every function a formula may call, by name."""
    return {
        name: word
        for module in (arith, terms, dtypes)
        for name, word in vars(module).items()
        if callable(word) and not name.startswith("_") and not isinstance(word, type)
    }


@cache
def capacities() -> dict[int, str]:
    """What a formula reads from its target and never writes as a number: value and limit."""
    return {
        value: name
        for name, value in vars(targets.find()).items()
        if isinstance(value, int) and value > 512 and value not in COINCIDENCES
    }
