"""What is said of an expression that does not parse: what other languages write, and how here."""

from __future__ import annotations

import re

FOREIGN = (
    (r"&&", "write `and`"),
    (r"\|\|", "write `or`"),
    (r"!(?!=)", "write `not`"),
    (r"\?", "write `a if c else b`"),
    (r"(?<![=!<>])=(?!=)", "write `==`"),
)
"""Operators of other languages, and what stands for them here."""


def unreadable(text: str, error: SyntaxError) -> tuple[str, int]:
    """What is wrong with an expression, in a few words, and the column (from 1) it is at."""
    message = (error.msg or "this cannot be read").partition(". ")[0]
    column = min(error.offset or len(text) + 1, len(text) + 1)
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", lambda found: " " * len(found[0]), text)
    for pattern, advice in FOREIGN:
        found = re.search(pattern, bare)
        if found and (found[0] != "=" or "(" not in bare):
            return f"{message}: `{found[0]}` is no operator here; {advice}", found.start() + 1
    return message, column
