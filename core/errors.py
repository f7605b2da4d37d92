"""What is raised for a name that kcfg does not know, and for a module that is broken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from kcfg.core.printing import LONGEST, shortened

LISTS = {
    "kernel": "kcfg kernels",
    "model": "kcfg model",
    "preset": "kcfg presets",
    "rule": "kcfg rules",
}
"""The commands that list what has names, by what it is."""


class UnknownError(LookupError):
    """A name nobody here knows: ``known`` are the names that are, ``nearest`` the likely one.

    ``others`` may be meant too, and are not listed; ``more`` is what else may be done.
    """

    def __init__(
        self,
        what: str,
        name: str,
        known: Iterable[str],
        others: Iterable[str] = (),
        more: str = "",
    ) -> None:
        self.what, self.name, self.known, self.more = what, name, tuple(known), more
        self.nearest = nearest(name, (*self.known, *others))
        super().__init__(self.message())

    def message(self) -> str:
        name = shortened(self.name)
        known, more = f"known: {', '.join(self.known)}", f"; {self.more}" if self.more else ""
        if self.nearest:
            known = f"`{LISTS[self.what]}` lists all" if self.what in LISTS else known
            known = f"did you mean {self.nearest!r}? {known}"
        return f"unknown {self.what} {name!r}; {known}{more}"


class UsageError(ValueError):
    """What a command line asks for cannot be understood, or does not go together."""


class UnfoundError(LookupError):
    """What is named is not to be had; its text says why.

    ``kind`` is "unreadable" where a file cannot be read, "wrong" where it may not be, or is not
    what was meant, "asked" where the command line asks for it.
    """

    def __init__(
        self, message: str, kind: Literal["unreadable", "wrong", "asked"] = "wrong"
    ) -> None:
        super().__init__(message)
        self.kind = kind


class AmbiguousError(UnknownError):
    """A name that several of the known ones answer to: ``known`` are those."""

    def message(self) -> str:
        name = shortened(self.name)
        return f"{self.what} {name!r} may be any of {', '.join(self.known)}; name one of them"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that ``name`` is most likely a slip of, or None.

    No number is a slip, nor is what is longer than any name.
    """
    if name.isdecimal() or len(name) > LONGEST:
        return None
    from difflib import get_close_matches

    by_lower = {entry.lower(): entry for entry in known}
    found = get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[found[0]] if found else None


class BrokenModuleError(Exception):
    """A module found by its file name that cannot be imported: its file, the line, and why."""

    def __init__(self, file: str, line: int, why: str) -> None:
        self.file, self.line, self.why = file, line, why
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: this module cannot be loaded: {why}")
