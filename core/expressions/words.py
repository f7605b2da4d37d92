"""The words of an expression: what each takes and gives, and the function behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from kcfg.core.engine import arith, terms
from kcfg.core.hardware.dtypes import bits_of, bytes_of

Kind = Literal["number", "float", "truth", "text", "null"]
"""What sort of value an expression has."""

MANY = -1
"""In place of a number of arguments: two or more."""
NAMED = -2
"""In place of a number of arguments: terms with names."""


class Word(NamedTuple):
    """A word: how many arguments of which kind it takes, and the kind of what it gives."""

    function: Callable[..., Any]
    takes: int
    of: Kind = "number"
    gives: Kind = "number"


WORDS = {
    "div": Word(arith.div, 2),
    "mod": Word(arith.mod, 2),
    "ceildiv": Word(arith.ceildiv, 2),
    "up": Word(arith.up, 2),
    "down": Word(arith.down, 2),
    "gcd": Word(arith.gcd, 2),
    "halved": Word(arith.halved, 2),
    "min": Word(min, MANY),
    "max": Word(max, MANY),
    "abs": Word(abs, 1),
    "next_pow2": Word(arith.next_pow2, 1),
    "prev_pow2": Word(arith.prev_pow2, 1),
    "pick": Word(terms.pick, 3),
    "least": Word(terms.least, NAMED),
    "most": Word(terms.most, NAMED),
    "total": Word(terms.total, NAMED),
    "all_of": Word(terms.all_of, NAMED, "truth", "truth"),
    "any_of": Word(terms.any_of, NAMED, "truth", "truth"),
    "bytes_of": Word(bytes_of, 1, "text"),
    "bits_of": Word(bits_of, 1, "text"),
}
"""Every word by its name; ``pick`` alone takes arguments of several kinds."""


def is_null(one: Any, two: Any) -> bool:
    """Whether two values, of which one is null, are the same: both are absent."""
    return one is None and two is None


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: word.function for name, word in WORDS.items()},
    "negate": terms.negate,
    "is_null": is_null,
}
"""What the names in a checked tree stand for: the words, and those that nobody writes."""
