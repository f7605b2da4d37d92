"""Logs as lines of text, whatever made them: streamed, decoded, without colour."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

LONGEST = 1 << 17
"""Bytes of a line that are looked at; mangled names have some thousand."""

ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
"""What terminals take for colours, movements and titles."""


class Line(NamedTuple):
    """One line, by its number from 1; not ``whole`` where its end is missing."""

    number: int
    text: str
    whole: bool


def lines(stream: BinaryIO, marks: tuple[bytes, ...]) -> Iterator[Line]:
    """The lines of a log that hold one of ``marks``.

    What a progress display wrote over is a line of the same number. Compilers write ASCII,
    and names in UTF-8. UTF-16, which PowerShell makes of that and appends to files of other
    encodings too, is the same with zero bytes between: those are dropped, and what then is
    no UTF-8 is replaced.
    """
    number, begins = 1, True
    while data := stream.readline(LONGEST):
        ended = data.endswith(b"\n")
        if begins:
            data = data.replace(b"\0", b"")
            if any(mark in data for mark in marks):
                yield from _parts(number, data, ended)
        begins = ended
        number += ended


def _parts(number: int, data: bytes, ended: bool) -> Iterator[Line]:
    text = data.decode("utf-8", "replace")
    *over, last = ESCAPES.sub("", text).rstrip("\r\n").split("\r")
    for part in over:
        yield Line(number, part, True)
    yield Line(number, last, ended)
