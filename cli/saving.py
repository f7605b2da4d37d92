"""Files that commands write: whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress

STDOUT = "-"


class SaveError(Exception):
    """A file that could not be written; its old content is still there."""


def save(path: str, text: str) -> bool:
    """`save_bytes`, of a text in UTF-8; ``-`` is standard output."""
    if path == STDOUT:
        from kcfg.cli import console

        console.write(text)
        return True
    return save_bytes(path, text.encode("utf-8", "backslashreplace"))


def save_bytes(path: str, data: bytes) -> bool:
    """Write a file beside its place and put it there; returns whether its content changed.

    A device or a pipe is written to as it is. A file that has this content already is left
    alone, its time too. A link stays a link, and a file keeps its mode. Raises `SaveError`,
    with a sentence for the user.
    """
    try:
        place = os.path.realpath(path)
        if os.path.exists(place) and not os.path.isfile(place):
            return _through(path, data)
        old = _content(place)
        if old == data:
            return False
        refuse(path)
        _replace(place, data, None if old is None else os.stat(place).st_mode & 0o7777)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else None
        raise SaveError(f"{path}: cannot be written: {reason or error}") from error
    return True


def _through(path: str, data: bytes) -> bool:
    """Write to a device or a pipe, which nothing can take the place of."""
    if os.path.isdir(path):
        raise SaveError(f"{path}: this is a directory; name a file in it")
    with open(path, "wb") as file:
        file.write(data)
    return True


def _content(place: str) -> bytes | None:
    """What a file holds; empty where it cannot be read, None where there is none."""
    try:
        with open(place, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except PermissionError:
        return b""


def refuse(path: str) -> None:
    """Raise `SaveError` for what a rename would pass over, or report in fewer words."""
    place = os.path.realpath(path)
    folder = os.path.dirname(place)
    if not os.path.isdir(folder):
        raise SaveError(f"{path}: there is no directory {folder}; create it first")
    if os.path.exists(place) and not os.access(place, os.W_OK):
        raise SaveError(f"{path}: the file is read-only")


def _replace(place: str, data: bytes, mode: int | None) -> None:
    beside = os.path.join(os.path.dirname(place), f".kcfg-{os.getpid()}.tmp")
    try:
        with open(beside, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(beside, mode)
        os.replace(beside, place)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside)
