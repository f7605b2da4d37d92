"""Names of kernels: as compilers mangle them, as people write them, and which are meant."""

from __future__ import annotations

import re
from functools import lru_cache

from kcfg.core.check import demangling

SPACES = re.compile(r"\s*([^\w\s])\s*")
CASTS = re.compile(r"\(\w[\w ]*\)(?=-?\d)")
"""How some tools write the type of a number: ``tile<(int)64>``."""
SUFFIXES = re.compile(r"(?<=\d)(?:ul?l?|ll?)\b")
"""How others do: ``tile<64u>``."""

EXACT, WORD, PART, PATTERN, PATTERN_PART = 5, 4, 3, 2, 1
"""How well a wanted name fits, best first: whole, as a word, as a part; then as a pattern."""


@lru_cache(maxsize=1 << 10)
def demangled(name: str) -> str:
    """A name of C++ as it is written; any other, or a broken one, as it is."""
    return (demangling.demangled(name) or name) if name.startswith("_Z") else name


def fit(wanted: str, name: str) -> int:
    """How well a wanted name or pattern fits a kernel; 0 if not at all.

    It may be a part of the mangled or demangled name, or a pattern with ``*`` and ``?``.
    Only the kernels that fit best count. Spaces do not matter, nor how the type of a number
    is written.
    """
    return max(_fit(_plain(wanted), _plain(each)) for each in {name, demangled(name)})


def _fit(wanted: str, name: str) -> int:
    if wanted == name:
        return EXACT
    if wanted in name:
        word = rf"(?<!\w){re.escape(wanted)}(?!\w)"
        return WORD if re.search(word, name) else PART
    if not any(mark in wanted for mark in "*?"):
        return 0
    pattern = re.escape(wanted).replace(r"\*", ".*").replace(r"\?", ".")
    if re.fullmatch(pattern, name):
        return PATTERN
    return PATTERN_PART if re.search(pattern, name) else 0


@lru_cache(maxsize=1 << 10)
def _plain(name: str) -> str:
    return SUFFIXES.sub("", CASTS.sub("", SPACES.sub(r"\1", name)))
