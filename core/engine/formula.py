"""A quantity's own formula as data: what it says, what it reads, its numbers, step by step.

The formula stands in one place: the tree that a quantity carries, or else the method under
`quantity`, whose source has it. This module reads it there, so that no view needs a second
copy. It is imported by the views that explain, compare or document, never to derive a value.

An explanation is held to one law by ``tests/test_formula.py``: every line of
`steps` is Python that evaluates to the quantity's value, with the words of
``kcfg.core.engine.arith``, ``kcfg.core.engine.terms`` and ``kcfg.core.hardware.dtypes``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from kcfg.core.engine import arith
from kcfg.core.engine.quantity import Input, Part, Quantity
from kcfg.core.engine.struct import Struct
from kcfg.core.engine.trees import (
    children,
    compiled,
    is_plain,
    is_ready,
    is_value,
    literal,
    path_of,
    preorder,
    rebuilt,
    returned,
    written_as,
)
from kcfg.core.engine.wording import written

Kind = Literal["input", "quantity", "part", "target", "constant", "unknown"]


class Read(NamedTuple):
    """One name a formula reads: ``name`` as its text has it, ``key`` as reports and specs do.

    ``member`` is the declaration of an input or quantity (of a part's struct where the
    name is dotted), None for a target's limit, a constant, or a part read as a whole.
    """

    name: str
    key: str
    kind: Kind
    member: Input | Quantity[Any] | None

    @property
    def label(self) -> str:
        """The name as formulas are shown: the key of what no person could name in code."""
        return self.name if self.name.isascii() else self.key


class Expression:
    """A formula, or an expression within one, with the names its module knows."""

    def __init__(self, tree: ast.expr, names: dict[str, Any]) -> None:
        self.tree, self.names = tree, names

    @cached_property
    def text(self) -> str:
        """The expression as written, on one line, ``self.`` taken off."""
        return written(written_as(self.tree) or rebuilt(self.tree, _without_self))

    @cached_property
    def value(self) -> Callable[[Struct], Any]:
        """What the expression gives for a struct, as a function compiled at its first use."""
        me = ast.arguments([], [ast.arg("self")], None, [], [], None, [])
        value: Callable[[Struct], Any] = eval(compiled(ast.Lambda(me, self.tree)), self.names)
        return value

    def within(self, tree: ast.expr) -> Expression:
        """A smaller expression of this one."""
        return Expression(tree, self.names)

    @cached_property
    def meanings(self) -> dict[str, Any]:
        """What the names of its module stand for: constants and functions."""
        used = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        return {name: self.names[name] for name in used if name in self.names}

    @cached_property
    def function(self) -> Any:
        """What the expression calls, or None where it is no call of a plain name."""
        if isinstance(self.tree, ast.Call) and isinstance(self.tree.func, ast.Name):
            return self.names.get(self.tree.func.id)
        return None

    @cached_property
    def arguments(self) -> tuple[Expression, ...]:
        """The positional arguments of a call."""
        assert isinstance(self.tree, ast.Call)
        return tuple(self.within(argument) for argument in self.tree.args)

    @cached_property
    def named(self) -> dict[str, Expression]:
        """The named arguments of a call."""
        assert isinstance(self.tree, ast.Call)
        return {word.arg: self.within(word.value) for word in self.tree.keywords if word.arg}

    @cached_property
    def operands(self) -> tuple[Expression, ...]:
        """The expressions directly within this one; none within a chain of names."""
        return () if path_of(self.tree) else tuple(map(self.within, children(self.tree)))

    @cached_property
    def quotient(self) -> tuple[Expression, Expression] | None:
        """Dividend and divisor of ``div(a, b)`` or ``a // b``, or None."""
        if self.function is arith.div:
            dividend, divisor = self.arguments
            return dividend, divisor
        if isinstance(self.tree, ast.BinOp) and isinstance(self.tree.op, ast.FloorDiv):
            return self.within(self.tree.left), self.within(self.tree.right)
        return None

    def reads(self, struct: type[Struct]) -> tuple[Read, ...]:
        """The names it reads, each once, in the order of the text."""
        found: dict[str, Read] = {}
        for node in preorder(self.tree):
            read = self._read(struct, node)
            if read is not None:
                found.setdefault(read.name, read)
        return tuple(found.values())

    def _read(self, struct: type[Struct], node: ast.expr) -> Read | None:
        path = path_of(node)
        if path:
            return resolve(struct, path)
        if isinstance(node, ast.Name) and is_plain(self.names.get(node.id, ...)):
            return Read(node.id, node.id, "constant", None)
        return None

    def with_numbers(self, struct: Struct) -> ast.expr:
        """The tree with the struct's numbers in place of the names."""

        def number(node: ast.expr) -> ast.expr | None:
            read = self._read(type(struct), node)
            if read is not None and read.name == ".".join(path_of(node) or (read.name,)):
                value = self.names[read.name] if read.kind == "constant" else found(struct, read)
                return literal(value) if is_plain(value) else None
            if isinstance(node, ast.Compare):  # no literal is compared with "is"
                sides = (rebuilt(side, number) for side in (node.left, *node.comparators))
                operators = [_EQUAL.get(type(operator), operator) for operator in node.ops]
                return ast.Compare(next(sides), operators, list(sides))
            infix = _INFIX.get(self.within(node).function)
            if infix is not None and isinstance(node, ast.Call):
                left, right = node.args
                if self.within(right).value(struct):
                    return ast.BinOp(rebuilt(left, number), infix, rebuilt(right, number))
            return None

        return rebuilt(self.tree, number)

    def substituted(self, struct: Struct) -> str:
        """The expression with this struct's numbers; Python that gives its value."""
        return written(self.with_numbers(struct))

    def steps(self, struct: Struct) -> tuple[str, ...]:
        """The same, worked out line by line down to the value."""
        tree = self.with_numbers(struct)
        lines = [written(tree)]
        while not is_value(tree):
            tree = rebuilt(tree, self._reduced)
            line = written(tree)
            if line == lines[-1]:  # nothing left that Python can write down
                line, tree = repr(self.value(struct)), ast.Constant(None)
            lines.append(line)
        return tuple(lines)

    def _reduced(self, node: ast.expr) -> ast.expr | None:
        """The value of an operation on bare values; None for what must wait or stays."""
        if is_value(node) or isinstance(node, ast.Name):
            return node
        if not is_ready(node):
            return None
        value = eval(compiled(node), self.names)
        return literal(value) if is_plain(value) else node


# What a quantity's formula is, and the questions about it


@cache
def of(quantity: Quantity[Any]) -> Expression:
    """The expression a quantity returns; raises `NoSourceError` where its source is missing."""
    tree = quantity.tree or returned(quantity.formula)
    return Expression(tree, getattr(quantity.formula, "__globals__", {}))


@cache
def of_part(part: Part[Any]) -> Expression:
    """The expression that builds a part; raises `NoSourceError` where its source is missing."""
    return Expression(returned(part.build), getattr(part.build, "__globals__", {}))


def text(quantity: Quantity[Any]) -> str:
    """A quantity's formula as written, on one line, ``self.`` taken off."""
    return of(quantity).text


def dependencies(struct: type[Struct], quantity: Quantity[Any]) -> tuple[Read, ...]:
    """What a quantity reads, each name once, in the order of its formula."""
    return of(quantity).reads(struct)


def substituted(struct: Struct, quantity: Quantity[Any]) -> str:
    """A quantity's formula with the struct's numbers in place of the names."""
    return of(quantity).substituted(struct)


def steps(struct: Struct, quantity: Quantity[Any]) -> tuple[str, ...]:
    """A quantity worked out line by line, from `substituted` to its value."""
    return of(quantity).steps(struct)


class Difference(NamedTuple):
    """Two declarations of one quantity: the text of each, and whether they say the same."""

    differs: bool
    before: str
    after: str


def difference(before: Quantity[Any], after: Quantity[Any]) -> Difference:
    """Whether two releases compute a quantity differently; layout and comments do not count.

    A constant with another value does, and so does a helper that is another function.
    """
    one, two = of(before), of(after)
    return Difference(one.text != two.text or one.meanings != two.meanings, one.text, two.text)


def found(struct: Struct, read: Read) -> Any:
    """The value a name has in a struct."""
    return attrgetter(read.name)(struct)


def resolve(struct: type[Struct], path: tuple[str, ...]) -> Read:
    """What a chain of names below ``self`` means for a struct.

    Whatever follows a value (a field of it) is not part of the name.
    """
    name = ".".join(path)
    if path[0] == "target":
        return Read(name, name, "target", None)
    key, scope = "", struct
    for position, attribute in enumerate(path, 1):
        member = scope.inputs.get(attribute) or scope.quantities.get(attribute)
        if member is not None:
            kind: Kind = "input" if isinstance(member, Input) else "quantity"
            return Read(".".join(path[:position]), key + member.key, kind, member)
        inner = struct_of(scope, attribute)
        if inner is None:
            return Read(name, name, "unknown", None)
        scope, key = inner, f"{key}{attribute}."
    return Read(name, name, "part", None)


def struct_of(struct: type[Struct], name: str) -> type[Struct] | None:
    """The class of a struct's part, or None: held, called, or what the called function returns."""
    if name not in struct.parts:
        return None
    if struct.parts[name].holder:
        held: type[Struct] = getattr(struct, struct.parts[name].holder)
        return held
    build = of_part(struct.parts[name])
    called = build.tree.func if isinstance(build.tree, ast.Call) else None
    if called is not None and ast.unparse(called) == "type(self)":
        return struct
    built = build.function
    if not isinstance(built, type):  # a function builds it, and says what
        built = build.names.get(str(struct.parts[name].build.__annotations__.get("return")))
    return built if isinstance(built, type) and issubclass(built, Struct) else None


def _without_self(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.Attribute) and len(path_of(node)) == 1:
        return ast.Name(node.attr)
    return None


_INFIX: dict[Any, ast.operator] = {arith.div: ast.FloorDiv(), arith.mod: ast.Mod()}
"""What reads better between its operands, wherever it does not divide by 0."""

_EQUAL: dict[type[ast.cmpop], ast.cmpop] = {ast.Is: ast.Eq(), ast.IsNot: ast.NotEq()}
