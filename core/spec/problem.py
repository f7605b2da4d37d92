"""What is wrong with an input: where it stands, what was given, what would do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from kcfg.core.errors import nearest
from kcfg.core.printing import LONGEST as LONGEST, printable as printable, shortened

Kind = Literal["unreadable", "wrong", "asked"]
"""``unreadable``: it could not be read or parsed; ``asked``: what the command line asks for
cannot be done (exit code 2 for both); ``wrong``: a file was understood and refused (1)."""


class Problem(NamedTuple):
    """One thing that is wrong, at ``line``:``column`` (from 1; 0 where there is none).

    ``path`` is the key's, as ``shape.depth``, or empty. ``file`` is the option itself,
    as ``--set depth=0``, for what came from the command line.
    """

    file: str
    line: int
    column: int
    path: str
    message: str
    kind: Kind = "wrong"

    @property
    def undone(self) -> bool:
        """Whether nothing could be judged: the file is unreadable, or an option is wrong."""
        return self.kind != "wrong"

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        path = f"{self.path}: " if self.path else ""
        return printable(f"{where}: {path}{self.message}")


def shown(text: str) -> str:
    """A given text as a message repeats it: in backquotes, its middle left out when long."""
    if len(text) > LONGEST:
        return f"`{printable(shortened(text))}` ({len(text):,} characters)"
    return f"`{printable(text)}`" if text else "''"


def quoted(value: Any) -> str:
    """A given value of any kind as a message repeats it."""
    try:
        return shown(repr(value))
    except ValueError:  # which Python does not write down
        return "a number of thousands of digits"


def listed(names: Iterable[str], most: int = 30) -> str:
    """Names with commas between them, cut after ``most``."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def meant(word: str, known: Iterable[str]) -> str:
    """``did you mean ...?`` where a known name is close to the word, else the known names."""
    names = list(known)
    close = nearest(word, names) if len(word) <= LONGEST else None
    return f"did you mean `{close}`?" if close else f"known: {listed(names)}"
