"""LLVM's demangler, held to bounds.

A mangled name refers back to its own parts, and so a name of two hundred characters can
stand for one of gigabytes. Where a name has many such references a process with little
memory and time works it out, and a name that is too much for it stays mangled.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from select import select
from subprocess import DEVNULL, PIPE, Popen
from sys import executable
from typing import Any

LONGEST = 1 << 12
"""Characters of a mangled name that is demangled; the demangler calls itself for its parts."""
REFERENCES = re.compile(r"[ST][0-9A-Z]*_")
FEW = 10
"""References that cannot do harm: each of them doubles a name at most."""
PATIENCE = 2.0
"""Seconds that a name may take."""
LOST = 3
"""Names that were too much, after which no other one like them is tried."""
LARGEST = 1 << 16
"""Characters of a name as it was written."""

PROGRAM = f"""
import resource, sys, pydemumble
resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
for line in sys.stdin:
    found = pydemumble.demangle(line.rstrip("\\n"))
    print(found if len(found) <= {LARGEST} else "", flush=True)
"""
"""Demangles a line at a time, in half a gigabyte; an empty line is a name that is too long."""


def demangled(name: str) -> str:
    """A name as it was written, empty where that cannot be told."""
    if len(name) > LONGEST or _library() is None:
        return ""
    if len(REFERENCES.findall(name)) <= FEW:
        return str(_library().demangle(name))
    return _helper().ask(name)


@cache
def _library() -> Any:
    """LLVM's demangler; None where it is not installed, and names stay as they are."""
    try:
        return import_module("pydemumble")
    except ImportError:
        return None


@cache
def _helper() -> _Helper:
    return _Helper()


class _Helper:
    """The process that demangles, started when it is asked and again when a name was its end."""

    def __init__(self) -> None:
        self._process: Popen[str] | None = None
        self._lost = 0

    def ask(self, name: str) -> str:
        if self._lost == LOST:
            return ""
        if self._process is None:  # -P: with nothing from the current directory
            command = [executable, "-P", "-X", "utf8", "-c", PROGRAM]
            self._process = Popen(
                command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, encoding="utf-8"
            )
        process = self._process
        assert process.stdin and process.stdout
        try:
            process.stdin.write(f"{name}\n")
            process.stdin.flush()
            answered = select([process.stdout], [], [], PATIENCE)[0]
            line = process.stdout.readline() if answered else ""
        except BrokenPipeError:
            line = ""
        if not line.endswith("\n"):  # dead, or too slow
            process.kill()
            process.wait()
            self._process = None
            self._lost += 1
        return line.removesuffix("\n")
