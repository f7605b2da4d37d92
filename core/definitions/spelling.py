"""The formulas of a kernel written in Python, spelled in the grammar of definitions."""

from __future__ import annotations

import ast
from typing import Any

from kcfg.core.definitions.names import refused
from kcfg.core.engine import arith, formula, terms, trees
from kcfg.core.engine.formula import Expression
from kcfg.core.engine.quantity import Input, Quantity
from kcfg.core.engine.struct import Struct
from kcfg.core.expressions.words import WORDS
from kcfg.core.hardware.dtypes import dtype_bytes
from kcfg.core.kernel import VERDICT

NAMES: dict[Any, str] = {word.function: name for name, word in WORDS.items()} | {
    dtype_bytes: "bytes_of"
}
"""The word for every function that has one."""
INFIX: dict[Any, ast.operator] = {arith.div: ast.FloorDiv(), arith.mod: ast.Mod()}
JOINS: dict[type[ast.operator], ast.boolop] = {ast.BitAnd: ast.And(), ast.BitOr: ast.Or()}
PLAIN = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)


class UnreachedError(ValueError):
    """What the grammar has no words for; the text says what that is."""


def name_of(struct: type[Struct], member: Input | Quantity[Any]) -> str:
    """The name that an input or value has in a definition: its key, without dots.

    Where a word, a place or an input has that name, a value gets another.
    """
    name = member.key.replace(".", "_")
    taken = isinstance(member, Quantity) and any(
        name == each.key for each in struct.inputs.values()
    )
    return f"{name}_derived" if taken or refused(name, "value") else name


def spelled(expression: Expression, struct: type[Struct]) -> str:
    """A formula as a definition would write it; raises `UnreachedError`."""
    return ast.unparse(_Spelling(expression.names, struct).of(expression.tree))


class _Spelling:
    """One formula: what its names mean, and the struct whose values it reads."""

    def __init__(self, names: dict[str, Any], struct: type[Struct]) -> None:
        self.names, self.struct = names, struct

    def of(self, node: ast.expr) -> ast.expr:
        path = trees.path_of(node)
        if path:
            return self.read(path)
        match node:
            case ast.Constant():
                return _literal(node.value)
            case ast.Name():
                return _literal(self.names.get(node.id, ...))
            case ast.Call():
                return self.call(node)
            case ast.BinOp() if type(node.op) in JOINS:
                return ast.BoolOp(JOINS[type(node.op)], [self.of(node.left), self.of(node.right)])
            case ast.BinOp(op=ast.LShift(), right=ast.Constant(value=int() as bits)):
                return ast.BinOp(self.of(node.left), ast.Mult(), ast.Constant(2**bits))
            case ast.BinOp() if isinstance(node.op, PLAIN):
                return ast.BinOp(self.of(node.left), node.op, self.of(node.right))
            case ast.UnaryOp(ast.USub()):
                return ast.UnaryOp(ast.USub(), self.of(node.operand))
            case ast.Compare() if not any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
                sides = [self.of(side) for side in node.comparators]
                return ast.Compare(self.of(node.left), node.ops, sides)
        raise UnreachedError(f"`{ast.unparse(node)}` is beyond the grammar of definitions")

    def read(self, path: tuple[str, ...]) -> ast.expr:
        if path[0] == "target" and len(path) == 2:
            return ast.Attribute(ast.Name("target", ast.Load()), path[1], ast.Load())
        member = self.struct.inputs.get(path[0]) or self.struct.quantities.get(path[0])
        if path == (VERDICT,) and member is not None:  # which has no name in formulas
            verdict = formula.of(self.struct.quantities[VERDICT])
            return _Spelling(verdict.names, self.struct).of(verdict.tree)
        if member is None or len(path) > 1:
            raise UnreachedError(f"`{'.'.join(path)}` belongs to a struct within the struct")
        return ast.Name(name_of(self.struct, member), ast.Load())

    def call(self, node: ast.Call) -> ast.expr:
        function = self.names.get(node.func.id) if isinstance(node.func, ast.Name) else None
        given = [self.of(each) for each in node.args]
        if function in INFIX:
            return ast.BinOp(given[0], INFIX[function], given[1])
        if function is terms.negate:
            return ast.UnaryOp(ast.Not(), given[0])
        if function is terms.pick:
            return ast.IfExp(*given)
        if function not in NAMES:
            return self.by_case(node, function)
        named = [ast.keyword(each.arg, self.of(each.value)) for each in node.keywords]
        return ast.Call(ast.Name(NAMES[function], ast.Load()), given, named)

    def by_case(self, node: ast.Call, function: Any) -> ast.expr:
        """A function that is no word, of an input that is one of a few texts: what it gives for
        each of them."""
        path = trees.path_of(node.args[0]) if len(node.args) == 1 and not node.keywords else ()
        member = self.struct.inputs.get(path[0]) if len(path) == 1 else None
        if function is None or member is None or member.kind is not str:
            raise UnreachedError(f"`{ast.unparse(node.func)}` is no word of formulas")
        name = ast.Name(member.key, ast.Load())
        cases: dict[Any, list[ast.expr]] = {}
        for text in member.choices:
            cases.setdefault(function(text), []).append(ast.Constant(text))
        if set(cases) == {True, False}:
            return _among(name, cases[True])
        *others, last = cases
        chosen = _literal(last)
        for value in reversed(others):
            chosen = ast.IfExp(_among(name, cases[value]), _literal(value), chosen)
        return chosen


def _among(name: ast.expr, texts: list[ast.expr]) -> ast.expr:
    if len(texts) == 1:
        return ast.Compare(name, [ast.Eq()], texts)
    return ast.Compare(name, [ast.In()], [ast.List(texts, ast.Load())])


def _literal(value: Any) -> ast.expr:
    if isinstance(value, bool):
        return ast.Name(str(value).lower(), ast.Load())
    if isinstance(value, int | str):
        return ast.Constant(value)
    raise UnreachedError("a value that is no number, text or truth value")
