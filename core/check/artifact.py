"""A file that a build leaves: a log, an object, PTX or Triton's cache, and the kernels in it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from tempfile import NamedTemporaryFile
from typing import IO, BinaryIO

from kcfg.core.check import log, nvdisasm, tools, triton
from kcfg.core.check.build import Build
from kcfg.core.check.nvdisasm import Nvdisasm
from kcfg.core.check.ptx import Ptx
from kcfg.core.check.text import NotTextError, lines
from kcfg.core.spec.documents import STDIN, opened

SNIFFED = 1 << 13
"""Bytes by which a file is told from others."""
ELF, DEVICE = b"\x7fELF", (190).to_bytes(2, "little")
"""How an ELF file begins, and what a cubin has for its machine (EM_CUDA), at byte 18."""
OBJECTS = (ELF, b"!<arch>\n", b"\x50\xed\x55\xba", b"MZ")
"""How cubins, objects and shared libraries, archives, fatbins, and those of Windows begin."""
PTX = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s+|//[^\n]*\n|/\*.*?\*/)*\.version\s+\d+\.\d+\s", re.S)
PTX_MARKS = (b".", b"call", b"shared", b"/*", b"*/")
LARGEST = 1 << 30
"""Bytes of an object that comes through a pipe."""
HELD = 512
"""Kernels of a file that are kept: of one with more they are read again when asked for again."""
HOW = (
    "is it the output of `nvcc -Xptxas -v`, or of `cuobjdump --dump-resource-usage`, or an object"
    " with device code, PTX, or what Triton keeps?"
)


class RefusedError(Exception):
    """Why no kernels can be read out of a file, in words."""


class Artifact:
    """One file of a build; ``file`` is its name in messages.

    One that is ``silent`` belongs to a build, and is not to tell of any kernel.
    """

    def __init__(self, path: str) -> None:
        self.path, self.file = path, STDIN if path == "-" else path
        self._held: list[Build] | None = None
        self.silent = False

    def builds(self) -> Iterator[Build]:
        """Its kernels, in order; standard input and pipes are read once.

        Raises OSError for a file that cannot be opened, `RefusedError` for one that cannot be
        understood.
        """
        if self._held is not None:
            yield from self._held
            return
        held: list[Build] = []
        again = self.path != "-" and os.path.isfile(self.path)
        try:
            for build in self._read():
                build.file = self.file
                if len(held) < HELD or not again:
                    held.append(build)
                yield build
        except NotTextError as error:
            raise RefusedError(str(error)) from None
        if len(held) < HELD or not again:
            self._held = held

    def _read(self) -> Iterator[Build]:
        with opened(self.path) as stream:
            begins = _peeked(stream)
            if begins.startswith(OBJECTS):
                yield from self._object(stream, cubin=_is_cubin(begins))
            elif begins.lstrip()[:1] == b"{" and self._named_json(begins):
                yield from self._triton(stream.read(triton.LARGEST))
            elif PTX.match(begins):
                reader = Ptx()
                for line in lines(stream, PTX_MARKS):
                    reader.read(line)
                yield from reader.end()
            else:
                yield from log.builds(stream)

    def _named_json(self, begins: bytes) -> bool:
        return self.path.endswith(triton.ENDING) or b'"num_warps"' in begins

    def _object(self, stream: BinaryIO, *, cubin: bool) -> Iterator[Build]:
        """The kernels of an object, with what Triton says of one of its own."""
        tool = tools.find(cubin=cubin)
        if tool is None:
            raise RefusedError(tools.MISSING)
        with ExitStack() as stack:
            path = self.path
            if path == "-" or not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                path = stack.enter_context(NamedTemporaryFile(suffix=".o")).name
                _copied(stream, path)
            other = triton.beside(path) if path.endswith(triton.CODE) else ""
            yield from _merged(list(_dumped(tool, path)) if other else _dumped(tool, path), other)

    def _triton(self, data: bytes) -> Iterator[Build]:
        """The kernel of Triton's file, with what its cubin says where that can be read."""
        if triton.is_group(data):
            self.silent = True
            return
        if triton.read(data) is None:
            raise RefusedError(triton.NOT_ONE)
        code, tool = triton.beside(self.path), tools.find(cubin=True)
        if code and tool is not None:
            yield from _merged(list(_dumped(tool, code)), self.path)
            return
        build = triton.read(data)
        assert build is not None
        if code:
            build.by = f"; its cubin is not read: {tools.MISSING}"
        yield build


def _dumped(tool: tools.Tool, path: str) -> Iterator[Build]:
    """The kernels of an object; no line of it is worth telling."""
    try:
        with tools.dumped(tool, path) as stream:
            for build in _read(tool, stream):
                build.line, build.lines = 0, dict.fromkeys(build.lines, 0)
                build.by = f" ({tool.found}: {tool.path})"
                yield build
    except tools.ToolError as error:
        raise RefusedError(str(error)) from None


def _read(tool: tools.Tool, stream: IO[bytes]) -> Iterator[Build]:
    """The kernels in what a tool prints."""
    if tool.program is tools.CUOBJDUMP:
        yield from log.builds(stream, whole=True)
        return
    reader = Nvdisasm()
    for line in lines(stream, nvdisasm.MARKS, whole=True):
        reader.read(line)
    yield from reader.end()


def _is_cubin(begins: bytes) -> bool:
    return begins.startswith(ELF) and begins[18:20] == DEVICE


def _merged(builds: Iterator[Build] | list[Build], path: str) -> Iterator[Build]:
    """Kernels of a cubin, with what Triton's file says of the one that it names."""
    said = None
    if path:
        with open(path, "rb") as file:
            said = triton.read(file.read(triton.LARGEST))
    for build in builds:
        if said is not None and said.name == build.name:
            build.put(0, **{k: v for k, v in said.values.items() if k != "maxnreg"})
            build.others |= said.others
            build.tool = f"Triton and {build.tool}"
        yield build


def _peeked(stream: BinaryIO) -> bytes:
    """How a file begins, without taking it."""
    peek = getattr(stream, "peek", None)
    return bytes(peek(SNIFFED)[:SNIFFED]) if peek is not None else b""


def _copied(stream: BinaryIO, path: str) -> None:
    """A pipe's bytes in a file that can be named, as far as they go."""
    left = LARGEST
    with open(path, "wb") as file:
        while left > 0 and (data := stream.read(min(left, 1 << 20))):
            file.write(data)
            left -= len(data)
    if not left:
        raise RefusedError(f"more than {LARGEST:,} bytes through a pipe: name the file instead")
