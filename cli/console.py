"""Standard output and standard error: results go to one, messages to the other."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from typing import NoReturn, TypeVar

from kcfg.cli.exits import FAILED, FOUND

T = TypeVar("T")

WIDTH = 80
"""Columns of a terminal that does not say."""

NARROW = 20
"""Columns below which COLUMNS is no width that could be meant."""

_passing = ""
"""The passing line that is shown."""


def safely(program: Callable[[], T]) -> T:
    """Run a whole program: whatever happens to its streams, it ends without a traceback."""
    prepare()
    gc.set_threshold(100_000)  # a spec leaves no cycles; looking for them took a fifth of the time
    try:
        try:
            return program()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        abandon()
        sys.exit(FOUND)
    except RecursionError:
        error("the input is nested too deeply for kcfg to read")
        sys.exit(FAILED)
    except OSError as trouble:
        # Results could not be written: a full disk, a closed terminal.
        error(f"cannot write the results: {trouble.strerror or trouble}")
        abandon()
        sys.exit(FAILED)
    except Exception as mistake:
        if os.environ.get("KCFG_TRACEBACK"):
            raise
        from kcfg.core.errors import BrokenModuleError

        if isinstance(mistake, BrokenModuleError):
            error(mistake)
        else:
            error(
                f"kcfg itself failed, which is a mistake of its own: {type(mistake).__name__}: "
                f"{mistake}. Please report it, with what KCFG_TRACEBACK=1 shows."
            )
        sys.exit(FAILED)


def leave(code: int) -> NoReturn:
    """End the process; to take the interpreter down in order lasts as long as to derive a spec."""
    try:
        sys.stderr.flush()
    finally:  # or else nobody is there to be told
        os._exit(code)


def prepare() -> None:
    """Make both streams safe: never an encoding error, never a missing stream."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed before we started
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def abandon() -> None:
    """Drop what is still buffered, so that leaving does not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def write(text: str) -> None:
    """Write results to standard output."""
    sys.stdout.write(text)


def error(message: object) -> None:
    """Write a message to standard error, on a line of its own; where it is full, to nobody."""
    from contextlib import suppress

    with suppress(OSError):
        passing("")
        sys.stderr.write(f"{message}\n")


def passing(text: str) -> None:
    """Show a line at the terminal of standard error until the next one, or a message.

    It is cut to the terminal's width: what is on a second line could not be wiped.
    """
    global _passing
    if text or _passing:
        sys.stderr.write(f"\r\033[K{text[: _width() - 1]}")
        sys.stderr.flush()
    _passing = text


def columns() -> int:
    """Columns of plain text: what COLUMNS says, else those of a terminal that does not say."""
    said = os.environ.get("COLUMNS", "")
    wide = int(said) if said.isdecimal() and len(said) < 6 else 0
    return wide if wide >= NARROW else WIDTH


def _width() -> int:
    """Columns of standard error's terminal."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or WIDTH
    except (OSError, ValueError):  # it has none
        return WIDTH


def may_colour() -> bool:
    """Whether colour is allowed: NO_COLOR, set to anything, forbids it."""
    return not os.environ.get("NO_COLOR")


def is_terminal() -> bool:
    """Whether results are read by a person at a terminal that can show colour."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
