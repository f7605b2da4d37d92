"""Formulas as people read them: ``not``, ``and`` and ``or`` for what also runs over arrays.

A formula writes `negate`, ``&`` and ``|``, since Python's own words would ask an array whether
it is true as a whole. Of the plain values that an explanation shows, they say the same.
"""

from __future__ import annotations

import ast

from kcfg.core.engine.terms import negate
from kcfg.core.engine.trees import rebuilt

JOINTS: dict[type[ast.operator], ast.boolop] = {ast.BitAnd: ast.And(), ast.BitOr: ast.Or()}
"""What joins conditions; formulas join nothing else with these operators."""


def written(tree: ast.expr) -> str:
    """A formula's tree on one line; Python that gives the same value."""
    return ast.unparse(rebuilt(tree, _plainly))


def negated(tree: ast.expr) -> ast.expr:
    """The tree of the opposite condition."""
    return ast.Call(ast.Name(negate.__name__), [tree], [])


def _plainly(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.BinOp) and type(node.op) in JOINTS:
        joint = JOINTS[type(node.op)]
        left, right = rebuilt(node.left, _plainly), rebuilt(node.right, _plainly)
        chain = left.values if isinstance(left, ast.BoolOp) and left.op is joint else [left]
        return ast.BoolOp(joint, [*chain, right])
    if isinstance(node, ast.Call) and ast.unparse(node.func) == negate.__name__:
        return ast.UnaryOp(ast.Not(), rebuilt(node.args[0], _plainly))
    return None
