"""Logs as lines of text, whatever made them: streamed, decoded, without colour."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import IO, NamedTuple

LONGEST = 1 << 17
"""Bytes of a line that are looked at; mangled names have some thousand."""

BLOCK = 1 << 16
MOST_BYTES, MOST_LINES = 1 << 28, 1 << 20
"""Of a log, and of the lines in it that may matter: one that goes on behind them has no end."""
ENDLESS = (
    f"more than {MOST_BYTES:,} bytes, or {MOST_LINES:,} lines of compilers, are no log of a build:"
    " name one of some targets"
)
BEGINS = 1 << 12
"""Bytes by which text is told from what is none."""
CONTROLS = bytes(set(range(0x20)) - set(b"\0\t\n\f\r\b\x1b"))
"""What no text has, but for zero bytes, of which UTF-16 is full."""

ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
"""What terminals take for colours, movements and titles."""


class Line(NamedTuple):
    """One line, by its number from 1; not ``whole`` where its end is missing."""

    number: int
    text: str
    whole: bool


class NotTextError(Exception):
    """Why a file is not read as text, in words."""


def lines(stream: IO[bytes], marks: tuple[bytes, ...], *, whole: bool = False) -> Iterator[Line]:
    """The lines of a log that hold one of ``marks``.

    Raises `NotTextError` for what is binary or has no end, unless the ``whole`` of it is known
    to be text.

    What a progress display wrote over is a line of the same number. Compilers write ASCII,
    and names in UTF-8. UTF-16, which PowerShell makes of that and appends to files of other
    encodings too, is the same with zero bytes between: those are dropped, and what then is
    no UTF-8 is replaced.
    """
    number, begins, left, told = 1, True, MOST_BYTES, 0
    for block in _blocks(stream):
        if not whole:
            left -= len(block)
            if number == 1 and begins and _binary(block):
                raise NotTextError("this is binary, and no object with device code")
            if left < 0 or told > MOST_LINES:
                raise NotTextError(ENDLESS)
        bare = block.replace(b"\0", b"")
        if not any(mark in bare for mark in marks):
            number += block.count(b"\n")
            begins = block.endswith(b"\n")
            continue
        for data in BytesIO(block):
            ended = data.endswith(b"\n")
            bare = data[:LONGEST].replace(b"\0", b"")
            if begins and any(mark in bare for mark in marks):
                told += 1
                yield from _parts(number, bare, ended and len(data) <= LONGEST)
            begins = ended
            number += ended


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """A stream in blocks that end with a line, but for lines of absurd length."""
    while block := stream.read(BLOCK):
        yield block if block.endswith(b"\n") else block + stream.readline(LONGEST)


def _binary(data: bytes) -> bool:
    """Whether a beginning is nothing that anybody wrote: zeros, or control characters by tens."""
    data = data[:BEGINS]
    text = data.replace(b"\0", b"")
    if len(data) > 64 and len(text) * 3 < len(data):
        return True
    return len(text) - len(text.translate(None, CONTROLS)) > 8 + len(text) // 50


def _parts(number: int, data: bytes, ended: bool) -> Iterator[Line]:
    text = data.decode("utf-8", "replace")
    *over, last = ESCAPES.sub("", text).rstrip("\r\n").split("\r")
    for part in over:
        yield Line(number, part, True)
    yield Line(number, last, ended)
