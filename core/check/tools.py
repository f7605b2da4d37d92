"""NVIDIA's ``cuobjdump``: where it is, and what it prints of an object."""

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

NAME = "cuobjdump"
PACKAGE = "nvidia-cuda-cuobjdump"
HOMES = ("CUDA_HOME", "CUDA_PATH")
"""Variables that name the folder of a CUDA toolkit."""
PATIENCE = 300.0
"""Seconds that it may take over one file."""
MISSING = (
    f"objects are read by NVIDIA's {NAME}, and there is none on PATH, in CUDA_HOME or as a package:"
    f" `pip install {PACKAGE}`, or install the CUDA toolkit"
)
EXPLAINS = 1 << 12
"""Bytes of what it says of a file that it cannot read."""


class Tool(NamedTuple):
    """A program and how it was found."""

    path: str
    found: str


class ToolError(Exception):
    """Why a file could not be read, in words."""


def find() -> Tool | None:
    """The ``cuobjdump`` of PATH, of CUDA_HOME or of a package here; None where there is none."""
    if path := shutil.which(NAME):
        return Tool(path, "on PATH")
    for name in HOMES:
        home = os.environ.get(name)
        if home and (path := shutil.which(os.path.join(home, "bin", NAME))):
            return Tool(path, f"in {name}")
    for path in _packaged():
        if found := shutil.which(path):
            return Tool(found, f"of the package {PACKAGE}")
    return None


def _packaged() -> Iterator[str]:
    """Where a package of this Python has put it."""
    from importlib.metadata import PackageNotFoundError, files

    with suppress(PackageNotFoundError):
        for each in files(PACKAGE) or ():
            if each.stem == NAME:
                yield os.fspath(each.locate())


@contextmanager
def dumped(tool: Tool, path: str) -> Iterator[IO[bytes]]:
    """What it prints of an object's kernels.

    Raises `ToolError` at the end where it could not read the file, or took too long.
    """
    file = path if os.path.isabs(path) else os.path.join(os.curdir, path)  # never an option
    command = [tool.path, "--dump-elf", "--dump-resource-usage", file]
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
            raise ToolError(f"{NAME} took more than {PATIENCE:.0f} seconds over it")
        if process.returncode:
            errors.seek(0)
            said = errors.read(EXPLAINS).decode("utf-8", "replace").strip().partition("\n")[0]
            raise ToolError(f"{NAME} could not read it: {said or process.returncode}")
