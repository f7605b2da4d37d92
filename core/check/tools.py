"""NVIDIA's ``cuobjdump`` or ``nvdisasm``: where it is, and what it prints of an object."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from subprocess import PIPE, Popen
from tempfile import TemporaryFile
from threading import Timer
from typing import IO, NamedTuple


class Program(NamedTuple):
    """A program that reads objects, the package of PyPI that brings it, and how it is asked."""

    name: str
    package: str
    options: tuple[str, ...] = ()


CUOBJDUMP = Program("cuobjdump", "nvidia-cuda-cuobjdump", ("--dump-elf", "--dump-resource-usage"))
NVDISASM = Program("nvdisasm", "nvidia-cuda-nvdisasm")
"""It reads cubins alone."""
HOMES = ("CUDA_HOME", "CUDA_PATH")
"""Variables that name the folder of a CUDA toolkit."""
PATIENCE = 300.0
"""Seconds that it may take over one file."""
MISSING = (
    f"objects are read by NVIDIA's {CUOBJDUMP.name} (a cubin by its {NVDISASM.name} too), and there"
    f" is none on PATH, in CUDA_HOME or as a package: `pip install {CUOBJDUMP.package}`, or install"
    " the CUDA toolkit"
)
EXPLAINS = 1 << 12
"""Bytes of what it says of a file that it cannot read."""


class Tool(NamedTuple):
    """A program, where it is and how it was found."""

    program: Program
    path: str
    found: str


class ToolError(Exception):
    """Why a file could not be read, in words."""


def find(*, cubin: bool) -> Tool | None:
    """What reads an object here, on PATH, in CUDA_HOME or of a package; None where nothing does.

    A ``cubin`` is read by nvdisasm where there is no cuobjdump.
    """
    programs = (CUOBJDUMP, NVDISASM) if cubin else (CUOBJDUMP,)
    return next((tool for tool in map(_find, programs) if tool is not None), None)


def _find(program: Program) -> Tool | None:
    if path := shutil.which(program.name):
        return Tool(program, path, "on PATH")
    for name in HOMES:
        home = os.environ.get(name)
        if home and (path := shutil.which(os.path.join(home, "bin", program.name))):
            return Tool(program, path, f"in {name}")
    for path in _packaged(program):
        if found := shutil.which(path):
            return Tool(program, found, f"of the package {program.package}")
    return None


def _packaged(program: Program) -> Iterator[str]:
    """Where a package of this Python has put it."""
    from importlib.metadata import PackageNotFoundError, files

    with suppress(PackageNotFoundError):
        for each in files(program.package) or ():
            if each.stem == program.name:
                yield os.fspath(each.locate())


@contextmanager
def dumped(tool: Tool, path: str) -> Iterator[IO[bytes]]:
    """What it prints of an object's kernels.

    Raises `ToolError` at the end where it could not read the file, or took too long.
    """
    file = path if os.path.isabs(path) else os.path.join(os.curdir, path)  # never an option
    command, name = [tool.path, *tool.program.options, file], tool.program.name
    with TemporaryFile() as errors, Popen(command, stdout=PIPE, stderr=errors) as process:
        assert process.stdout is not None
        timer = Timer(PATIENCE, process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield process.stdout
        finally:
            late = not timer.is_alive()
            timer.cancel()
            process.kill() if sys.exc_info()[0] else process.wait()
        if late:
            raise ToolError(f"{name} took more than {PATIENCE:.0f} seconds over it")
        if process.returncode:
            errors.seek(0)
            said = errors.read(EXPLAINS).decode("utf-8", "replace").strip().partition("\n")[0]
            raise ToolError(f"{name} could not read it: {said or process.returncode}")
