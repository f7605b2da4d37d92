"""Files that are written: whole or not at all, and by one run at a time.

What a path stands for decides. A device, a pipe or an open file of this process
(``/dev/stdout``, ``/dev/fd/3``) is written to as it is. Anything else is made beside its
place and put there once it is whole: a link stays a link, a file keeps its mode and owner,
and what is read-only stays as it is. What a run that was killed left beside the file, the
next one clears away.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, BinaryIO
from zlib import crc32

PATIENCE = 10.0
"""Seconds to wait for another run that writes a file as a whole, which takes a moment."""
AGAIN = 0.05
"""Seconds from one look at another run's lock to the next."""
LINKS = 40
"""Links that are followed from one to the next."""
TOLD = 100
"""Characters of what another run says of itself that are read."""

LOCKLESS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
"""How file systems say that they have no locks: there nobody can be kept out."""


class SaveError(Exception):
    """A file that could not be written, in a sentence; its old content is still there."""


def save(path: str, data: bytes, *, new: bool = False) -> bool:
    """Write a file as a whole; returns whether its content changed.

    A file that has this content already is left alone, its time too. With ``new`` any file
    that is there is refused. Raises `SaveError`.
    """
    with told(path):
        out = through(path)
        if out is not None:
            with out:
                write(out, data)
            return True
        place = os.path.realpath(path)
        if not new and _holds(place, data):
            return False
        refuse(path)
        with alone(path, PATIENCE):
            if new and os.path.lexists(place):
                raise SaveError(f"{path}: this exists already: name another file")
            ready = beside(place, "tmp")
            try:
                with open(cleared(ready), "xb", buffering=0) as file:
                    write(file, data)
                    os.fsync(file.fileno())
                put(ready, place)
            finally:
                cleared(ready)
    return True


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turn what the system says of a file being written into a `SaveError`.

    Of a pipe whose reader has gone it is a `BrokenPipeError`, as of standard output.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else None
        raise SaveError(f"{path}: cannot be written: {reason or error}") from error


def refuse(path: str) -> None:
    """Raise `SaveError` for what a rename would pass over, or report in fewer words.

    A file that nobody may write to is read-only for root too.
    """
    place = os.path.realpath(path)
    folder = os.path.dirname(place)
    if os.path.islink(place):
        raise SaveError(f"{path}: this link leads back to itself")
    if os.path.isdir(place):
        raise SaveError(f"{path}: this is a directory; name a file in it")
    if not os.path.isdir(folder):
        raise SaveError(f"{path}: there is no directory {folder}; create it first")
    if os.path.exists(place) and not (os.access(place, os.W_OK) and _mode(place) & 0o222):
        raise SaveError(f"{path}: the file is read-only")
    if not os.access(folder, os.W_OK):
        raise SaveError(f"{path}: the directory {folder} is read-only")


def through(path: str) -> BinaryIO | None:
    """What is written to as it is, opened; None for a file, there or not yet.

    Raises OSError, or ValueError for what is no path.
    """
    number = _descriptor(path)
    if number is not None:
        sys.stdout.flush()  # what was said before stands before
        return os.fdopen(os.dup(number), "wb", buffering=0)
    return open(path, "wb", buffering=0) if goes_through(path) else None


def goes_through(path: str) -> bool:
    """Whether a path is written to as it is."""
    if _descriptor(path) is not None:
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # not there, or no path: whoever opens it says so
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def write(file: IO[bytes], data: bytes) -> None:
    """Write all of it; an unbuffered file may take a part at a time."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def put(ready: str, place: str) -> None:
    """Give a file that is whole its place, with the mode and owner of what was there."""
    with suppress(FileNotFoundError):
        old = os.stat(place)
        with suppress(PermissionError):
            os.chown(ready, old.st_uid, old.st_gid)
        os.chmod(ready, stat.S_IMODE(old.st_mode))
    os.replace(ready, place)


@contextmanager
def alone(path: str, patience: float = 0.0) -> Iterator[None]:
    """Keep every other run from writing this file; raises `SaveError` where one is at it.

    The lock is the system's and goes with the process, however that ends.
    """
    lock = beside(os.path.realpath(path), "lock")
    held = _locked(lock, path, time.monotonic() + patience)
    try:
        os.write(held, f"process {os.getpid()} on {os.uname().nodename}".encode())
        yield
    finally:
        with suppress(OSError):
            os.unlink(lock)
        os.close(held)


def _locked(lock: str, path: str, until: float) -> int:
    """A lock file that is new, this run's own, and locked: what a dead run left is taken away."""
    while True:
        try:
            held, fresh = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666), True
        except FileExistsError:
            try:
                held, fresh = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW), False
            except FileNotFoundError:  # gone since
                continue
        try:
            if _taken(held):
                if not _is_at(held, lock):  # taken away since
                    pass
                elif fresh:
                    return held
                else:
                    os.unlink(lock)
            elif time.monotonic() >= until:
                by = os.pread(held, TOLD, 0).decode("utf-8", "replace") or "another process"
                raise SaveError(
                    f"{path}: {by} is writing this file; wait for it, or name another file"
                )
            else:
                time.sleep(AGAIN)
        except BaseException:
            os.close(held)
            raise
        os.close(held)


def _taken(held: int) -> bool:
    """Whether an open file could be locked."""
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in LOCKLESS:
            raise
    return True


def _is_at(held: int, path: str) -> bool:
    """Whether an open file is still the one of this name."""
    try:
        return os.path.samestat(os.fstat(held), os.lstat(path))
    except FileNotFoundError:
        return False


def beside(place: str, ending: str) -> str:
    """The name of what is beside a file while it is written, short whatever the file's own is.

    Only a run that is `alone` may touch it.
    """
    folder, name = os.path.split(place)
    return os.path.join(folder, f".kcfg-{crc32(os.fsencode(name)):08x}.{ending}")


def cleared(path: str) -> str:
    """A path where nothing is left."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    return path


def _holds(place: str, data: bytes) -> bool:
    """Whether this is what a file holds; where it cannot be read, it does not."""
    try:
        if os.path.getsize(place) != len(data):
            return False
        with open(place, "rb") as file:
            return file.read() == data
    except OSError:  # whoever writes it will say why not
        return False


def _mode(place: str) -> int:
    return stat.S_IMODE(os.stat(place).st_mode)


def _descriptor(path: str) -> int | None:
    """The number of the open file that a path such as ``/dev/stdout`` stands for, if any."""
    for _ in range(LINKS):
        folder, name = os.path.split(path)
        if name.isascii() and name.isdecimal() and len(name) < 8 and _same(folder, "/dev/fd"):
            return int(name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


def _same(folder: str, other: str) -> bool:
    try:
        return os.path.samefile(folder or os.curdir, other)
    except (OSError, ValueError):
        return False
