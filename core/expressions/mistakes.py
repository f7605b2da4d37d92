"""What is said of an expression that does not parse: what other languages write, and how here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kcfg.core.hardware.dtypes import ELEMENTS, SHORT_NAMES
from kcfg.core.spec.problem import shown

FOREIGN = (
    (r"&&", "write `and`"),
    (r"\|\|", "write `or`"),
    (r"!(?!=)", "write `not`"),
    (r"\?", "write `a if c else b`"),
    (r"(?<![=!<>])=(?!=)", "write `==`"),
)
"""Operators of other languages, and what stands for them here."""

MEANT = {
    "align": "up",
    "align_up": "up",
    "round_up": "up",
    "roundup": "up",
    "align_down": "down",
    "round_down": "down",
    "cdiv": "ceildiv",
    "ceil_div": "ceildiv",
    "sizeof": "bytes_of",
    "sum": "total",
    "any": "any_of",
    "all": "all_of",
    "where": "pick",
}
"""Words of other languages for those of this one."""

SIZE = re.compile(r"([0-9]+) ?(KiB|MiB)\b")
FACTORS = {"KiB": "1024", "MiB": "1024 * 1024"}
"""Units of a size, which formulas write out."""


def no_element(said: str, texts: Iterable[str]) -> str:
    """What is said of what is no element type; ``texts`` are all that it may be, if it is one."""
    known = list(texts)
    hint = ""
    if known and all(each in ELEMENTS or each in SHORT_NAMES for each in known):
        hint = f", but a text: list them by `dtype: [{', '.join(known)}]`, not `choices`"
    return f"{shown(said)} is no element type{hint}"


def unreadable(text: str, error: SyntaxError) -> tuple[str, int]:
    """What is wrong with an expression, in a few words, and the column (from 1) it is at."""
    column = min(error.offset or len(text) + 1, len(text) + 1)
    for operator, advice, at in foreign(text):
        if operator != "=" or "(" not in bare_of(text):
            return f"`{operator}` is no operator here; {advice}", at
    size = SIZE.search(bare_of(text))
    if size:
        return f"a formula has no units: write {size[1]} * {FACTORS[size[2]]}", size.start() + 1
    return _in_words(error.msg or "", text, column), column


def _in_words(message: str, text: str, column: int) -> str:
    """What the parser of Python says, for people who write no Python."""
    if message.startswith("unterminated string"):
        return "this quoted text has no end"
    if message and not message.startswith("invalid syntax"):
        return message.partition(". ")[0]
    rest = re.match(r"\s*(\w+|\S)", text[column - 1 :])
    if rest is None:
        return "something is missing at the end"
    return f"`{rest[1][:40]}` cannot stand here"


def bare_of(text: str) -> str:
    """A text with blanks in place of the texts in quotes in it."""
    return re.sub(r"\"[^\"]*\"|'[^']*'", lambda found: " " * len(found[0]), text)


def foreign(text: str) -> Iterator[tuple[str, str, int]]:
    """The operators of other languages in a text: each, what to write, and its column from 1."""
    for pattern, advice in FOREIGN:
        found = re.search(pattern, bare_of(text))
        if found:
            yield found[0], advice, found.start() + 1
