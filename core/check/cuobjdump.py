"""What ``cuobjdump`` prints: ``--dump-resource-usage``, and ``--dump-elf`` before it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import prod
from typing import Any

from kcfg.core.check.build import Build, Unit
from kcfg.core.check.text import Line
from kcfg.core.numbers import bounded

CODE = re.compile(r"\bFatbin (?:elf|ptx) code:")
ARCH = re.compile(r"\barch = (sm_\w+)\s*$")
ELF = re.compile(r"^\d+-bit ELF: .*\bsm=(\w+)")
FUNCTION = re.compile(r"(?:^|\s)Function (\S.*?)\s*:\s*$")
FIGURE = re.compile(r"\b(REG|STACK|SHARED):(\d+)(?=\s)")
"""More follow on the same line, so one that is the last is cut."""
CONSTANT = re.compile(r"\bCONSTANT\[\d+\]:(\d+)(?=\s)")
INFO = re.compile(r"^\.nv\.info\.(\S+)\s*$")
ATTRIBUTE = re.compile(r"^\s*Attribute:\s*EIATTR_(\w+)\s*$")
VALUE = re.compile(r"^\s*Value:((?:\s+0x[0-9a-f]{1,8}){1,3})\s*$")

KEYS = {"REG": "registers", "STACK": "stack", "SHARED": "shared"}
DIMENSIONS = {"REQNTID": "threads", "CTA_PER_CLUSTER": "cluster"}
"""Attributes of x, y, z."""
COUNTS = {"NUM_BARRIERS": "barriers", "MAXREG_COUNT": "maxnreg"}
MOST = 1 << 16
"""Functions of one ELF file whose attributes are kept until their figures come."""


class Cuobjdump:
    """Reads one stream of cuobjdump; a single cubin names no target without its ELF dump."""

    def __init__(self) -> None:
        self._arch: str | None = None
        self._arch_line = 0
        self._function: tuple[int, str] | None = None
        self._infos: dict[str, dict[str, tuple[int, Any]]] = {}
        self._info: dict[str, tuple[int, Any]] = {}
        self._attribute = ""

    def read(self, line: Line) -> Iterable[Build]:
        """Take a line in; gives the kernel that is complete with it."""
        text = line.text
        if "REG:" in text:
            return self._figures(line)
        if "Value:" in text:
            self._value(line)
        elif "EIATTR_" in text and (match := ATTRIBUTE.search(text)):
            self._attribute = match[1]
        elif ".nv.info." in text and (match := INFO.search(text)):
            self._info, self._attribute = {}, ""
            if len(self._infos) < MOST:
                self._infos[match[1]] = self._info
        elif "-bit ELF" in text and (match := ELF.search(text)):
            self._arch, self._arch_line = f"sm_{match[1]}", line.number
            self._infos = {}
        elif "arch = " in text and (match := ARCH.search(text)):
            self._arch, self._arch_line = match[1], line.number
        elif "Function " in text and (match := FUNCTION.search(text)):
            self._function = (line.number, match[1])
        elif "Fatbin " in text and CODE.search(text):
            self._arch = self._function = None
            self._infos = {}
        return ()

    def _value(self, line: Line) -> None:
        """What an attribute of a kernel says; a cap of 255 registers is none."""
        match, name, self._attribute = VALUE.search(line.text), self._attribute, ""
        if match is None:
            return
        numbers = tuple(int(each, 16) for each in match[1].split())
        if name in DIMENSIONS:
            self._info[DIMENSIONS[name]] = (line.number, numbers)
        elif name == "MAX_THREADS":
            self._info["max_threads"] = (line.number, prod(numbers))
        elif name in COUNTS and len(numbers) == 1:
            self._info[COUNTS[name]] = (line.number, numbers[0])

    def _figures(self, line: Line) -> Iterable[Build]:
        if self._function is None:
            return ()
        number, name = self._function
        build = Build("cuobjdump", name, number, None, Unit())
        build.put(self._arch_line, target=self._arch)
        for key, (at, value) in self._infos.pop(name, {}).items():
            build.put(at, **{key: value})
        figures = {KEYS[key]: bounded(value) for key, value in FIGURE.findall(line.text)}
        build.put(line.number, **figures)
        constant = [bounded(value) for value in CONSTANT.findall(line.text)]
        build.beside(bytes_of_constant_memory=sum(each or 0 for each in constant))
        self._function = None
        return (build,)
