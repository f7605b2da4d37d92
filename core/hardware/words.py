"""Which word for a type, a swizzle or an instruction's kind another word was meant to be.

A number in such a word is a size, and the letters before it say integer or float. A word that
is close by its letters alone may so stand for other data: `fp4` is not fp8, `s32` not f32.
What is suggested has the size and the kind that were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kcfg.core.errors import nearest

SPELLED = {
    "s": "int",
    "i": "int",
    "u": "uint",
    "b": "uint",
    "f": "float",
    "fp": "float",
    "bf": "bfloat",
    "tf": "tfloat",
}
"""What letters stand for before a number of bits."""

UNSIZED = {
    "char": "int8",
    "byte": "uint8",
    "short": "int16",
    "int": "int32",
    "unsigned": "uint32",
    "long": "int64",
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "bfloat": "bfloat16",
    "tfloat": "tfloat32",
}
"""Names of types, in C and elsewhere, that say no size, and those that do."""

KINDS = dict.fromkeys(("int", "uint"), "integer") | dict.fromkeys(
    ("float", "bfloat", "tfloat"), "float"
)
"""What a type counts as, by the letters it begins with."""


def meant_word(word: str, known: Iterable[str]) -> str | None:
    """The known word that ``word`` is most likely a slip of and that says the same, or None."""
    written = spelled(word)
    bits, kind = size_named(written), kind_named(written)
    slip = bits is not None and bits > 8 and bits % 2 == 1  # no data have so many bits
    likely: dict[str, str] = {}
    for name in known:
        other = spelled(name)
        sized = slip or size_named(other) in (None, bits)
        if sized and (not kind or kind_named(other) in (None, kind)):
            likely.setdefault(other, name)
    close = nearest(written, likely)
    return likely[close] if close is not None else None


def spelled(word: str) -> str:
    """A word in small letters, a type in full and without its module: `int32` for `s32`."""
    word = word.lower()
    found = re.fullmatch(r"(?:.*\.)?([a-z]+)(\d.*)", word)
    if found and (found[1] in SPELLED or found[1] in KINDS):
        return SPELLED.get(found[1], found[1]) + found[2]
    return UNSIZED.get(word, word)


def size_named(word: str) -> int | None:
    """The size that a word names: of exponent and mantissa, or its first number; None for none."""
    parts = re.search(r"e(\d)m(\d)", word)
    if parts:
        exponent, mantissa = int(parts[1]), int(parts[2])
        return exponent + mantissa + bool(mantissa)  # without a mantissa there is no sign either
    number = re.search(r"(?<!\d)(?:\d+u(?=\d))?([1-9]\d{0,3})(?!\d)", word)  # 16U4: 16 of 4 bits
    return int(number[1]) if number else None


def kind_named(word: str) -> str | None:
    """Whether a type that is spelled in full is an integer or a float; None for other words."""
    letters = re.match(r"[a-z]+", word)
    return KINDS.get(letters[0]) if letters else None
