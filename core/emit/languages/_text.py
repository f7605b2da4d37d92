"""Lines that every language has: the head of a file, comments, warnings."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from kcfg.core.emit.model import Configuration, Constant
from kcfg.core.spec.problem import printable

WIDTH = 100
PLAIN = ("bool", "dtype", "swizzle", "text")
"""Units that a constant's type says already."""


def head(found: Configuration, language: str, mark: str) -> Iterator[str]:
    """The first lines of a file: what it is, and of what."""
    yield f"{mark} Written by kcfg {found.version} for {language}; change the spec and emit again."
    of = f"{' '.join(filter(None, (found.kernel, found.release)))} for {found.target}"
    yield f"{mark} {of}, inputs sha256:{found.digest}{quoted(found.label)}"
    for warning in found.warnings:
        yield from comment(f"warning {warning}", mark)


def quoted(label: str) -> str:
    """A spec's name as a comment may hold it: in quotes, so that nothing ends a line in ``\\``."""
    return f', "{printable(label)}"' if label else ""


def comment(text: str, mark: str, indent: str = "") -> Iterator[str]:
    """A text as comment lines."""
    start = f"{indent}{mark} "
    plain = " ".join(text.split())
    short = len(start + plain) <= WIDTH  # most are, and wrapping takes long
    lines = [plain] if plain and short else wrap(plain, WIDTH - len(start), break_on_hyphens=False)
    yield from (start + line for line in lines)


def fitting(line: str, *folded: str) -> Iterator[str]:
    """A line where it is short enough, else the same ``folded``: the middle line at its spaces."""
    if len(line) <= WIDTH:
        yield line
        return
    start, middle, end = folded
    indent = " " * (len(middle) - len(middle.lstrip()))
    yield start
    yield from wrap(middle, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    yield end


def unit(constant: Constant, mark: str) -> str:
    """The unit behind a constant, as a comment at the line's end."""
    return "" if constant.unit in PLAIN else f"  {mark} {constant.unit}"
