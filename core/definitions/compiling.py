"""Checked formulas as functions, all compiled at once; and whether they rest on themselves."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

from kcfg.core.definitions.formulas import Formula
from kcfg.core.expressions.words import FUNCTIONS


def compiled(
    formulas: dict[str, Formula], borrowed: dict[str, Any]
) -> dict[str, Callable[[Any], Any]]:
    """A function for every formula, all compiled at once.

    ``borrowed`` is what names mean in the trees that are those of a kernel in Python.
    """
    arguments = ast.arguments([], [ast.arg("self")], None, [], [], None, [])
    body: list[ast.stmt] = [
        ast.FunctionDef(f"formula_{number}", arguments, [ast.Return(each.tree)], [], None)
        for number, each in enumerate(formulas.values())
    ]
    module = ast.fix_missing_locations(ast.Module(body, []))
    names: dict[str, Any] = {"__builtins__": {}, "__name__": __name__, **borrowed, **FUNCTIONS}
    exec(compile(module, "<definition>", "exec"), names)
    return {attribute: names.pop(f"formula_{number}") for number, attribute in enumerate(formulas)}


def circle(start: str, reads_of: Callable[[str], list[str]], done: set[str]) -> list[str]:
    """The attributes of a circle that a formula leads into; empty for none."""
    path, stack = [start], [iter(reads_of(start))]
    while stack:
        following = next(stack[-1], None)
        if following is None:
            stack.pop()
            done.add(path.pop())
        elif following in path:
            return path[path.index(following) :]
        elif following not in done:
            path.append(following)
            stack.append(iter(reads_of(following)))
    return []


def allow(formulas: int) -> None:
    """Let so many formulas wait for each other, each by a few calls, should they form a chain."""
    most = ROOM + CALLS * formulas
    if most > sys.getrecursionlimit():
        sys.setrecursionlimit(most)


ROOM, CALLS = 600, 4
