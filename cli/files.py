"""Files that a command writes: whole, or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

STDOUT = "-"


class UnwrittenError(Exception):
    """A file that could not be written; the message says which and why."""


def save(path: str, text: str) -> None:
    """Write a text to a file, or to standard output for ``-``.

    It is written beside the file and renamed, so that no reader ever finds half of it; a
    device or pipe is written to as it is. Raises `UnwrittenError`.
    """
    if path == STDOUT:
        from kcfg.cli import console

        console.write(text)
        return
    try:
        _write(os.path.realpath(path), text.encode("utf-8", "backslashreplace"))
    except (OSError, ValueError) as error:
        raise UnwrittenError(f"cannot write {path}: {_why(error, path)}") from error


def _write(path: str, data: bytes) -> None:
    if os.path.exists(path):
        if not stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "wb") as stream:
                stream.write(data)
            return
        if not os.access(path, os.W_OK):
            raise PermissionError(13, "the file is read-only")
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "xb") as stream:
            stream.write(data)
        if os.path.exists(path):
            os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode))
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):  # it may never have been made
            os.remove(beside)
        raise


def _why(error: Exception, path: str) -> str:
    if isinstance(error, FileNotFoundError):
        return f"there is no directory {os.path.dirname(path) or '.'}"
    return getattr(error, "strerror", None) or str(error)
