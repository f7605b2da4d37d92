"""The formulas of a definition: read, checked against the names, and kept in their order."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

from kcfg.core.block.parts import MAX
from kcfg.core.definitions.names import BrokenNameError, Names, attribute_of, read
from kcfg.core.definitions.text import Said
from kcfg.core.engine.quantity import Unit
from kcfg.core.engine.trees import compiled, path_of, preorder, rebuilt, written_as, written_for
from kcfg.core.expressions.grammar import Checked, call, checked
from kcfg.core.expressions.scope import ExpressionError, NeverError
from kcfg.core.expressions.words import FUNCTIONS, Kind
from kcfg.core.spec.nodes import ScalarNode
from kcfg.core.spec.problem import shown
from kcfg.core.spec.scalars import is_null, kind_of

COUNTED = f"`{MAX}` is for a launch; a formula counts them here, as (limit - fixed) // stage"

LARGEST = (1 << 63) - 1
"""The largest number that a formula may come to."""


def is_large(value: Any) -> bool:
    """Whether a value is a number past what a definition computes with."""
    return type(value) is int and not -LARGEST <= value <= LARGEST


def too_large(key: str, at: str = "") -> str:
    """What is said of a formula that comes to such a number; ``at`` is where it stands."""
    return f"`{key}`{at} comes to more than 2**63 - 1, the largest number there is"


class Formula(NamedTuple):
    """What becomes a quantity: its key and attribute, its tree, and what is said of it.

    ``said`` is where the formula stands, None for one that follows from what is said.
    """

    key: str
    attribute: str
    tree: ast.expr
    kind: Kind
    unit: Unit
    doc: str
    source: str
    step: bool
    place: bool
    said: Said | None


class Formulas:
    """Every formula of one definition, by attribute, in the order in which they stand.

    ``said`` is the definition: the place of what is wrong with a formula that nobody wrote.
    """

    def __init__(self, names: Names, said: Said) -> None:
        self.names, self.said = names, said
        self.all: dict[str, Formula] = {}
        self._constants: dict[str, Any] = {}
        """The values of those that rest on no input and no limit."""

    def check(self, said: Said, path: str, kind: Kind | None = None) -> Checked | None:
        """The formula that stands at a place; None, and noted, where it is none.

        With ``kind`` it must give such a value. What reads a name with mistakes is None as well.
        """
        node = said.value
        if not isinstance(node, ScalarNode) or is_null(node):
            given = "nothing" if is_null(node) else kind_of(node)
            hint = "" if is_null(node) else "; one that begins with a bracket needs quotes"
            said.wrong(path, f"expected a formula, not {given}{hint}")
            return None
        if said.text.cut_short(node):
            said.text.whole_value(node, path)
            return None
        if node.value == MAX and not node.style:
            said.wrong(path, COUNTED)
            return None
        self.names.inherited = said.text.heir is not None
        try:
            found = self._checked(said, path, node.value.replace("\n", " "))
        except ExpressionError as error:
            said.wrong(path, str(error), error.column)
            return None
        except BrokenNameError:
            return None
        if kind is not None and found.kind != kind:
            said.wrong(path, _unlike(kind, found.kind, node.value))
            return None
        return found

    def _checked(self, said: Said, path: str, formula: str) -> Checked:
        """A formula in the names so far; a text that never comes up in it is only in doubt."""
        try:
            return checked(formula, self.names)
        except NeverError as error:
            said.text.doubt(said.value, path, str(error), error.column)
            self.names.inherited = True
            return checked(formula, self.names)

    def number(self, said: Said, path: str, least: int = 0) -> Checked | None:
        """A formula that counts something: a constant below ``least`` is refused."""
        found = self.check(said, path, "number")
        value = None if found is None else self.constant(found.tree)
        if value is not None and value < least:
            plain = said.value.value == str(value)
            given = f"{value} is" if plain else f"{shown(said.value.value)} is {value},"
            why = "a negative number" if value < 0 else "too small"
            said.wrong(path, f"{given} {why}: at least {least}")
            return None
        return found

    def add(
        self,
        key: str,
        found: Checked,
        unit: Unit,
        *,
        doc: str = "",
        source: str = "",
        step: bool = False,
        place: bool = True,
        said: Said | None = None,
    ) -> str:
        """Keep a formula under a name; its attribute is returned."""
        attribute = attribute_of(key)
        if key in self.names.known:
            attribute = self.names.known[key].attribute
        else:
            self.names.declare(key, found.kind, unit)
        kept = Formula(key, attribute, found.tree, found.kind, unit, doc, source, step, place, said)
        self.all[attribute] = kept
        value = self.constant(found.tree)
        if value is None:
            return attribute
        if is_large(value):  # and what reads it is no constant: it is told of once
            at = said or self.said
            at.wrong(key, too_large(key))
        else:
            self._constants[attribute] = value
        return attribute

    def constant(self, tree: ast.expr) -> Any:
        """The value of a tree that rests on no input and no limit; None where it does."""
        known: dict[str, Any] = {}
        for attribute in reads(tree):
            if attribute not in self._constants:
                return None
            known[attribute] = self._constants[attribute]
        return evaluated(tree, known)


def evaluated(tree: ast.expr, known: dict[str, Any]) -> Any:
    """The value of a checked tree for the values of what it reads, by attribute."""
    me = ast.arguments([], [ast.arg("self")], None, [], [], None, [])
    function = eval(compiled(ast.Lambda(me, tree)), {"__builtins__": {}, **FUNCTIONS})
    return function(SimpleNamespace(**known))


def reads(tree: ast.expr) -> Iterator[str]:
    """The attributes that a tree reads, and ``target`` for its limits."""
    for node in preorder(tree):
        path = path_of(node)
        if path:
            yield path[0]


# Trees of what follows from what is said


def constant(value: int) -> ast.expr:
    """A whole number of 0 or more as a tree."""
    return ast.Constant(value)


def named(attribute: str, key: str) -> ast.expr:
    """The tree that reads a name, as a person would write it."""
    return written_for(
        read(attribute), ast.parse(key, mode="eval").body if "." in key else _name(key)
    )


def _name(key: str) -> ast.expr:
    return ast.Name(key, ast.Load())


def written(tree: ast.expr) -> ast.expr:
    """How a person would write a tree."""
    return written_as(tree) or rebuilt(tree, _without_self)


def _without_self(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.Name) or not isinstance(node, ast.Attribute):
        return written_as(node)
    path = path_of(node)
    return ast.parse(".".join(path), mode="eval").body if path else None


def added(left: ast.expr, right: ast.expr) -> ast.expr:
    return _operated(left, ast.Add(), right)


def less(left: ast.expr, right: ast.expr) -> ast.expr:
    return _operated(left, ast.Sub(), right)


def times(left: ast.expr, right: ast.expr) -> ast.expr:
    """A product, without a factor of 1."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ast.Constant) and one.value == 1:
            return other
    return _operated(left, ast.Mult(), right)


def word(name: str, *given: ast.expr) -> ast.expr:
    """A call of a word."""
    return written_for(call(name, *given), call(name, *map(written, given)))


def _operated(left: ast.expr, operator: ast.operator, right: ast.expr) -> ast.expr:
    if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
        return ast.Constant(evaluated(ast.BinOp(left, operator, right), {}))
    tree = ast.BinOp(left, operator, right)
    return written_for(tree, ast.BinOp(written(left), operator, written(right)))


def _unlike(kind: Kind, found: Kind, text: str) -> str:
    if kind == "truth":
        return f"expected a condition, not {shown(text)}: compare it with something"
    plain = text in ("true", "false") or len(text) >= 30
    hint = f": write `1 if {text} else 0`" if found == "truth" and not plain else ""
    return f"expected a {'number' if kind == 'number' else kind}, not {shown(text)}{hint}"
