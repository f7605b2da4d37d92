"""How deep an expression nests, found without following it down."""

from __future__ import annotations

import ast

DEEPEST = 50
"""Levels that an expression may nest: of brackets, and of what stands within what."""
LONGEST_RUN = 100
"""Levels of a sum or product written without brackets, which nests in the tree alone."""

NESTED = f"this is nested too deeply: at most {DEEPEST} levels"


def too_deep(expression: str | ast.expr) -> bool:
    """Whether a text has too many open brackets, or a tree too many levels."""
    if isinstance(expression, str):
        return _brackets(expression) > DEEPEST
    waiting = [(expression, 1, 1)]
    while waiting:
        node, level, whole = waiting.pop()
        if level > DEEPEST or whole > LONGEST_RUN:
            return True
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.keyword):
                child = child.value
            if isinstance(child, ast.expr):
                waiting.append((child, level + (not _runs_on(node, child)), whole + 1))
    return False


def _runs_on(node: ast.expr, child: ast.expr) -> bool:
    """Whether a child is the beginning of the same sum, product or chain of names."""
    if isinstance(node, ast.BinOp):
        return child is node.left and isinstance(child, ast.BinOp)
    return isinstance(node, ast.Attribute)


def _brackets(text: str) -> int:
    """The most brackets that are open at a time, those in quoted texts left out."""
    quote, opened, most = "", 0, 0
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            opened += 1
            most = max(most, opened)
        elif character in ")]}":
            opened -= 1
    return most
