"""How far a long run has come, told on standard error to whoever waits at a terminal."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from kcfg.cli import console

if TYPE_CHECKING:
    from kcfg.core.sweep.state import State

T = TypeVar("T")

AFTER, EVERY = 1.0, 0.1
"""Seconds until the first word, and between two."""
WIDTH = 30

PATIENCE = 1.0
"""Seconds until a person at a terminal is told how far it is, and from one time to the next."""


def watched(
    items: Iterable[T], many: str, share: Callable[[], float | None] = lambda: None
) -> Iterator[T]:
    """The items themselves; after a second their number is shown, until they end.

    ``many`` is what they are called, ``share`` how much of the work is done, from 0 to 1, or
    None where that cannot be known. Nothing is shown where standard error is no terminal, or
    where results scroll by on the same one.
    """
    if not sys.stderr.isatty() or sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
        return iter(items)
    return _counted(items, many, share)


def _counted(items: Iterable[T], many: str, share: Callable[[], float | None]) -> Iterator[T]:
    begun = time.monotonic()
    due = begun + AFTER
    try:
        for number, item in enumerate(items):
            now = time.monotonic()
            if now >= due:
                console.passing(line(number, many, now - begun, share()))
                due = now + EVERY
            yield item
    finally:
        console.passing("")


def line(number: int, many: str, seconds: float, share: float | None) -> str:
    """What is shown: a bar where the share is known, the number, and the rate."""
    told = f"{number:,} {many}, {number / seconds:,.0f} a second"
    if share is None:
        return told
    full = round(WIDTH * min(max(share, 0.0), 1.0))
    return f"[{'#' * full}{'.' * (WIDTH - full)}] {told}"


def share_of(paths: list[str], read: int) -> float | None:
    """How much of these files has been read, if ``read`` of them were; None if unknown."""
    if paths == ["-"]:
        return _share_of_stdin()
    return read / len(paths) if len(paths) > 1 else None


def _share_of_stdin() -> float | None:
    """How much of standard input has been read; None where it is no file, or an empty one."""
    try:
        about = os.fstat(0)
        if stat.S_ISREG(about.st_mode) and about.st_size:
            return os.lseek(0, 0, os.SEEK_CUR) / about.st_size
    except OSError:  # closed
        pass
    return None


class GridProgress:
    """A line at a terminal that says how much of a grid is done."""

    def __init__(self, size: int, quiet: bool = False) -> None:
        self.size, self.quiet, self.told = size, quiet, False
        self.next = time.monotonic() + PATIENCE

    def tell(self, state: State) -> None:
        """Say it, unless it was said a moment ago or nobody is watching."""
        if self.quiet or time.monotonic() < self.next or not sys.stderr.isatty():
            return
        done = state.tally.points
        sys.stderr.write(f"\r{done / self.size:6.1%} of {self.size:,} points")
        sys.stderr.flush()
        self.told, self.next = True, time.monotonic() + PATIENCE

    def end(self) -> None:
        """Wipe the line."""
        if self.told:
            sys.stderr.write("\r" + " " * 60 + "\r")
