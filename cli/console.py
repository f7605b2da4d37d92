"""Standard output and standard error: results go to one, messages to the other."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from typing import NoReturn, TypeVar

from kcfg.cli.exits import FAILED, FOUND, INTERRUPTED
from kcfg.core import printing
from kcfg.core.printing import printable_lines

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
    if unfit := _unfit():
        error(unfit)
        sys.exit(FAILED)
    gc.set_threshold(100_000)  # a spec leaves no cycles; looking for them took a fifth of the time
    try:
        try:
            return program()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        abandon()
        sys.exit(FOUND)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as mistake:
        if os.environ.get("KCFG_TRACEBACK"):
            raise
        error(_why(mistake))
        if isinstance(mistake, OSError):
            abandon()
        sys.exit(FAILED)


def _unfit() -> str | None:
    """Why kcfg cannot be what it is as it was started; None where all is well."""
    if sys.flags.optimize > 1:
        return (
            "python -OO takes out the texts that kcfg shows and writes into files: run it without "
            "-OO (or PYTHONOPTIMIZE=2)"
        )
    if not (__file__.endswith(".py") and os.path.isfile(__file__)):
        return (
            "kcfg finds its kernels, rules and formulas in its own source files, which are not at "
            f"{os.path.dirname(__file__)}: install it, or unpack the archive it is in"
        )
    return None


def _why(mistake: Exception) -> str:
    """What to say of what no command could deal with itself."""
    if isinstance(mistake, RecursionError):
        return "the input is nested too deeply for kcfg to read"
    if isinstance(mistake, MemoryError):
        return "this takes more memory than there is"
    from kcfg.cli.loading import not_loaded
    from kcfg.core.errors import BrokenModuleError

    if isinstance(mistake, BrokenModuleError):
        return str(mistake)

    if said := not_loaded(mistake):
        return said
    if isinstance(mistake, OSError):
        reason = mistake.strerror or str(mistake)
        if mistake.filename is not None:
            return f"{mistake.filename}: {reason}"
        if _is_nowhere():
            return f"the current directory is not there any more: {reason}"
        return f"cannot write the results: {reason}"  # a full disk, a closed terminal
    return (
        f"kcfg itself failed, which is a mistake of its own: {type(mistake).__name__}: {mistake}. "
        "Please report it, with what KCFG_TRACEBACK=1 shows."
    )


def _is_nowhere() -> bool:
    """Whether the directory in which this process is was taken away."""
    try:
        os.getcwd()
    except OSError:
        return True
    return False


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
    printing.listening = error


def abandon() -> None:
    """Drop what is still buffered, so that leaving does not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def write(text: str) -> None:
    """Write results to standard output, for people: in the encoding of the stream."""
    sys.stdout.write(text)


def document(text: str) -> None:
    """Write what is a file of its own to standard output: in UTF-8, whatever the stream's is."""
    encoding = getattr(sys.stdout, "encoding", None) or ""
    if encoding.lower() != "utf-8" and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.stdout.write(text)


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def error(message: object) -> None:
    """Write a message to standard error, on lines of its own; where it is full, to nobody.

    What it repeats of the input cannot act on a terminal.
    """
    from contextlib import suppress

    with suppress(OSError):
        passing("")
        sys.stderr.write(f"{printable_lines(str(message))}\n")


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
