"""Conditions of a command line: what is said of one that is wrong, and what was likely meant."""

from __future__ import annotations

import re

from kcfg.cli.intake.specs import usage
from kcfg.core.errors import nearest
from kcfg.core.hardware.dtypes import DTYPES, SHORT_NAMES, SWIZZLES
from kcfg.core.kernel import Kernel
from kcfg.core.sweep.expression import ExpressionError, Term, condition

WORDS = ("and", "or", "not", "in", "true", "false", "null")
"""What may stand in a condition beside names, numbers and texts."""
SLIPS = {"=>": ">=", "=<": "<=", "<>": "!=", "&&": "and", "||": "or", "!": "not", "=": "=="}
"""What other languages write, and people by mistake."""
QUOTED = r"\"[^\"]*\"|'[^']*'"
OPERATORS = r"[=!<>&|]+"


def checked(text: str, cls: type[Kernel], option: str) -> Term:
    """The condition of an option; leaves with a message where it is none."""
    try:
        return condition(text, cls, {})
    except ExpressionError as error:
        pointer = " " * (error.column - 1) + "^"
        advised = "write `" in str(error)
        said = f"{error}{'' if advised else _hint(text, error.column)}"
        usage(f"{option}: column {error.column}: {said}\n    {text}\n    {pointer}")


def _hint(text: str, column: int) -> str:
    """What was likely meant by what stands at a column, or before it; empty for no idea."""
    bare = re.sub(QUOTED, lambda found: " " * len(found[0]), text)
    for found in re.finditer(OPERATORS, bare):
        if found[0] in SLIPS:
            return f"; did you mean `{SLIPS[found[0]]}`?"
    here = [
        found[0]
        for found in re.finditer(r"[A-Za-z_][\w.]*", bare)
        if found.start() < column <= found.end() + 1
    ]
    for word in here:
        if word in WORDS:
            continue
        if word in (*DTYPES, *SHORT_NAMES, *SWIZZLES):
            return f"; a text has quotes: '{word}'"
        close = nearest(word, WORDS)
        if close:
            return f"; did you mean `{close}`?"
    return ""
