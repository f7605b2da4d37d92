"""Formulas as Python's syntax trees: read from their files, walked, rebuilt, written down.

What a tree means for a struct is the matter of `kcfg.core.engine.formula`.
"""

from __future__ import annotations

import ast
import linecache
import operator
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from types import CodeType
from typing import Any

BRANCHES: dict[type[ast.AST], str] = {
    ast.BoolOp: "and, or",
    ast.IfExp: "if",
    ast.Lambda: "a lambda",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.NamedExpr: "an assignment",
    ast.JoinedStr: "an f-string",
}
"""What no formula contains: it would not run over arrays, or hides what is read."""


class NoSourceError(LookupError):
    """The source of a formula is not there, as in an archive of compiled files."""


@cache
def definition(function: Any) -> ast.FunctionDef:
    """The code of a function, from its file; raises `NoSourceError` where there is none."""
    code: CodeType = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    ends = (end for _, end, _, _ in code.co_positions() if end is not None)
    last = max(ends, default=len(lines))  # without positions: all that follows is parsed
    text = "".join(lines[code.co_firstlineno - 1 : last])
    with suppress(SyntaxError, IndexError):
        node = ast.parse(f"if True:\n{text}" if text[:1] == " " else text).body[0]
        node = node.body[0] if isinstance(node, ast.If) else node
        if isinstance(node, ast.FunctionDef):
            return node
    raise NoSourceError(f"the source of {function.__qualname__} is not available")


def is_one_return(function: Any) -> bool:
    """Whether a function is a docstring and one ``return``; raises `NoSourceError`."""
    docstring, *rest = definition(function).body
    return isinstance(docstring, ast.Expr) and [type(line) for line in rest] == [ast.Return]


def returned(function: Any) -> ast.expr:
    """The expression a function returns; raises `NoSourceError` where it has none."""
    for statement in definition(function).body:
        if isinstance(statement, ast.Return) and statement.value is not None:
            return statement.value
    raise NoSourceError(f"{function.__qualname__} returns nothing")


def written_for(tree: ast.expr, written: ast.expr) -> ast.expr:
    """The tree itself, which remembers how a person wrote what it says."""
    tree.written = written  # type: ignore[attr-defined]
    return tree


def written_as(tree: ast.expr) -> ast.expr | None:
    """How a person wrote what a tree says, where that is not the tree itself."""
    return getattr(tree, "written", None)


def path_of(node: ast.expr) -> tuple[str, ...]:
    """The names of a chain ``self.a.b``; empty for anything else."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return tuple(reversed(names)) if isinstance(node, ast.Name) and node.id == "self" else ()


def rebuilt(node: ast.expr, replace: Callable[[ast.expr], ast.expr | None]) -> ast.expr:
    """A tree with the nodes that ``replace`` gives in place of branches; it shares all others."""

    def of(value: Any) -> Any:
        if isinstance(value, list):
            items = [of(item) for item in value]
            return value if all(map(operator.is_, items, value)) else items
        if not isinstance(value, ast.AST) or not value._fields:
            return value
        if isinstance(value, ast.expr):
            new = replace(value)
            if new is not None:
                return new
        fields = dict(ast.iter_fields(value))
        found = {
            name: of(inner) if isinstance(inner, ast.AST | list) else inner
            for name, inner in fields.items()
        }
        return (
            value
            if all(map(operator.is_, found.values(), fields.values()))
            else type(value)(**found)
        )

    result: ast.expr = of(node)
    return result


def preorder(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions of a tree in reading order, a chain of attributes as one."""
    yield node
    if path_of(node):
        return
    inner = [node.func, *children(node)] if isinstance(node, ast.Call) else children(node)
    for child in inner:
        yield from preorder(child)


def children(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        return [*node.args, *(word.value for word in node.keywords)]
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]


def is_ready(node: ast.expr) -> bool:
    """Whether nothing but bare values stands below an operation."""
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.BinOp):
        for run in (ast.Add | ast.Sub, ast.Mult):  # a sum or product is one step
            if isinstance(node.op, run) and isinstance(node.left.op, run):
                return is_value(node.right) and is_ready(node.left)
    return all(is_value(child) or isinstance(child, ast.Name) for child in children(node))


def is_value(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return isinstance(node.operand, ast.Constant) and type(node.operand.value) in (int, float)
    if isinstance(node, ast.Tuple):
        return all(map(is_value, node.elts))
    return isinstance(node, ast.Constant)


def is_plain(value: Any) -> bool:
    """Whether Python can write a value down as a literal."""
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(is_plain, value))
    return value is None or isinstance(value, int | float | str)


def literal(value: Any) -> ast.expr:
    """A plain value as Python writes it."""
    if value is None or isinstance(value, str | bool) or (type(value) is int and value >= 0):
        return ast.Constant(value)
    return ast.parse(repr(value), mode="eval").body


def compiled(tree: ast.expr) -> CodeType:
    whole = ast.fix_missing_locations(ast.Expression(tree))
    return compile(whole, "<formula>", "eval")
