"""Bytes to YAML documents: one after the other, each decoded on its own.

A line that begins with ``---`` at column 1 starts a document wherever it stands, and
``...`` ends one, so documents are told apart without parsing them: a mistake in one
hides none of the others, and only one at a time is in memory.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from kcfg.core.spec.problem import Problem

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

LARGEST = 1 << 16
"""The most bytes one document may have; a spec has a few hundred."""

BOM = b"\xef\xbb\xbf"
MARKS = b"-." + BOM[:1]
"""The first bytes of the lines that may be markers."""
BLANKS = (b"", b" ", b"\t", b"\n", b"\r")


_BLANK = r"(?:---(?=\s|$)|\.\.\.(?=\s|$)|\s|#[^\n]*)*+"

STDIN = "<stdin>"
"""The name of standard input in messages."""


class Document(NamedTuple):
    """The ``number``-th document of a file (from 1); its text begins at ``line`` (from 1)."""

    number: int
    line: int
    text: str

    @property
    def blank(self) -> bool:
        """Whether nothing stands here but markers and comments."""
        start = self.text.lstrip("-.").lstrip()[:1]  # by which most are told from blank ones
        return start in "#-." and re.fullmatch(_BLANK, self.text) is not None


class _Pending:
    """The lines of the document that is being collected."""

    def __init__(self, line: int, offset: int) -> None:
        self.line, self.offset = line, offset
        self.lines: list[bytes] = []
        self.begun = False  # a marker or some content was seen, not only comments or directives


def opened(path: str) -> AbstractContextManager[BinaryIO]:
    """A file's bytes, or standard input's for ``-``; raises OSError, whatever the reason."""
    if path == "-":
        if sys.stdin is None or sys.stdin.closed:
            raise OSError("standard input is closed")
        from contextlib import nullcontext

        return nullcontext(sys.stdin.buffer)
    try:
        return open(path, "rb")
    except ValueError as error:  # a NUL in the name
        raise OSError(str(error)) from error


def why_unread(error: OSError, path: str) -> str:
    """Why a file could not be opened or read, in a few words."""
    if isinstance(error, FileNotFoundError):
        link = os.path.islink(path)
        return f"a link to {os.readlink(path)}, where nothing is" if link else "no such file"
    if isinstance(error, IsADirectoryError):
        return "this is a directory; name the files in it"
    if isinstance(error, PermissionError):
        return "no permission to read this file"
    return f"cannot be read: {error.strerror or error}"


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """A stream's lines; one that is longer than any document may be comes in pieces."""
    return iter(partial(stream.readline, LARGEST + 1), b"")


def documents(lines: Iterable[bytes], file: str) -> Iterator[Document | Problem]:
    """Every document of a file, in order, or the reason why it cannot be one.

    Blank ones, as a last ``---`` leaves them or a spec that is commented out, are passed
    over, unless there is nothing else.
    """
    blank, others = None, False
    for document in _all(lines, file):
        if isinstance(document, Document) and document.blank:
            blank = blank or document
        else:
            others = True
            yield document
    if blank and not others:
        yield blank


def _all(lines: Iterable[bytes], file: str) -> Iterator[Document | Problem]:
    number = row = offset = 0
    pending = _Pending(1, 0)
    for row, line in enumerate(lines, 1):
        mark = b""
        if not pending.begun or line[0] in MARKS:
            if row == 1 and (problem := _other_encoding(line, file)):
                yield problem
                return
            mark = _marker(line)
            if mark == b"---" and pending.begun:
                number += 1
                yield _decoded(pending, number, file)
                pending = _Pending(row, offset)
            pending.begun = pending.begun or (mark != b"..." and _begins(line))
        pending.lines.append(line)
        offset += len(line)
        if mark == b"...":
            if pending.begun:
                number += 1
                yield _decoded(pending, number, file)
            pending = _Pending(row + 1, offset)
        if offset - pending.offset > LARGEST:
            message = f"document {number + 1} has more than {LARGEST:,} bytes: this is no spec"
            yield Problem(file, pending.line, 1, "", message, "unreadable")
            return
    if pending.begun or any(line.startswith(b"%") for line in pending.lines):
        yield _decoded(pending, number + 1, file)
    elif not number:
        message = f"no spec here: {'nothing but comments' if offset else 'the file is empty'}"
        yield Problem(file, max(row, 1), 1, "", message, "unreadable")


def _marker(line: bytes) -> bytes:
    """The ``---`` or ``...`` that a line begins with, if it does."""
    start, behind = line.removeprefix(BOM)[:3], line.removeprefix(BOM)[3:4]
    return start if start in (b"---", b"...") and behind in BLANKS else b""


def _begins(line: bytes) -> bool:
    """Whether a line has content or a marker, not only a comment or a directive."""
    text = line.removeprefix(BOM).lstrip()
    return bool(text) and not text.startswith((b"#", b"%"))


def _decoded(pending: _Pending, number: int, file: str) -> Document | Problem:
    data = b"".join(pending.lines)
    mark = len(BOM) if data.startswith(BOM) else 0
    try:
        return Document(number, pending.line, data[mark:].decode())
    except UnicodeDecodeError as error:
        at = mark + error.start
        before = data[mark:at].decode()
        line, column = place(before, len(before), pending.line)
        message = (
            f"not UTF-8: byte 0x{data[at]:02x} at offset {pending.offset + at:,} of the file "
            f"({error.reason}); save the file as UTF-8"
        )
        return Problem(file, line, column, "", message, "unreadable")


def place(text: str, at: int, line: int = 1) -> tuple[int, int]:
    """Line and column of an offset in a text that begins at ``line``."""
    return line + text.count("\n", 0, at), at - text.rfind("\n", 0, at)


def _other_encoding(line: bytes, file: str) -> Problem | None:
    if line.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in line[:4]:
        message = "not UTF-8: this looks like UTF-16, UTF-32 or a binary file; save it as UTF-8"
        return Problem(file, 1, 1, "", message, "unreadable")
    return None
