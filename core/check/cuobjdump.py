"""What ``cuobjdump --dump-resource-usage`` prints."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kcfg.core.check.build import Build, Unit
from kcfg.core.check.text import Line
from kcfg.core.numbers import bounded

CODE = re.compile(r"\bFatbin (?:elf|ptx) code:")
ARCH = re.compile(r"\barch = (sm_\w+)\s*$")
FUNCTION = re.compile(r"(?:^|\s)Function (\S.*?)\s*:\s*$")
FIGURE = re.compile(r"\b(REG|STACK|SHARED):(\d+)(?=\s)")
"""More follow on the same line, so one that is the last is cut."""

KEYS = {"REG": "registers", "STACK": "stack", "SHARED": "shared"}


class Cuobjdump:
    """Reads one stream of cuobjdump; a single cubin names no target."""

    def __init__(self) -> None:
        self._arch: str | None = None
        self._arch_line = 0
        self._function: tuple[int, str] | None = None

    def read(self, line: Line) -> Iterable[Build]:
        """Take a line in; gives the kernel that is complete with it."""
        text = line.text
        if "REG:" in text:
            return self._figures(line)
        if "arch = " in text and (match := ARCH.search(text)):
            self._arch, self._arch_line = match[1], line.number
        elif "Function " in text and (match := FUNCTION.search(text)):
            self._function = (line.number, match[1])
        elif "Fatbin " in text and CODE.search(text):
            self._arch = self._function = None
        return ()

    def _figures(self, line: Line) -> Iterable[Build]:
        if self._function is None:
            return ()
        number, name = self._function
        build = Build("cuobjdump", name, number, None, Unit())
        build.put(self._arch_line, target=self._arch)
        figures = {KEYS[key]: bounded(value) for key, value in FIGURE.findall(line.text)}
        build.put(line.number, **figures)
        self._function = None
        return (build,)
