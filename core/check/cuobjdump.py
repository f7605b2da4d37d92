"""What ``cuobjdump`` prints: ``--dump-resource-usage``, and ``--dump-elf`` before it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import prod
from typing import Any

from kcfg.core.check.build import Build, Unit, figure
from kcfg.core.check.text import Line

CODE = re.compile(r"\bFatbin (?:elf|ptx) code:")
ARCH = re.compile(r"\barch = (sm_\w+)\s*$")
ELF = re.compile(r"^\d+-bit ELF: type=(\w+),.*\bsm=(\w+)")
RELOCATABLE = "ET_REL"
"""The type of a file that is not linked yet, in which no kernel has its shared memory."""
DEVICE_FUNCTION = re.compile(r"\sFUNC\s(?!.*\sENTRY\s).*\s(\S+)\s*$")
"""A symbol of code that no launch can name."""
FUNCTION = re.compile(r"(?:^|\s)Function (\S.*?)\s*:\s*$")
FIGURE = re.compile(r"\b(REG|STACK|SHARED|LOCAL|TEXTURE|SURFACE):(\d+)(?=\s)")
"""More follow on the same line, so one that is the last is cut."""
CONSTANT = re.compile(r"\bCONSTANT\[\d+\]:(\d{1,19})(?=\s)")
INFO = re.compile(r"^\.nv\.info\.(\S+)\s*$")
ATTRIBUTE = re.compile(r"^\s*Attribute:\s*EIATTR_(\w+)\s*$")
VALUE = re.compile(r"^\s*Value:((?:\s+0x[0-9a-f]{1,8}){1,3})\s*$")

KEYS = {"REG": "registers", "STACK": "stack", "SHARED": "shared"}
BESIDE = {"LOCAL": "bytes_of_local_memory", "TEXTURE": "textures", "SURFACE": "surfaces"}
"""What no configuration says."""
DIMENSIONS = {"REQNTID": "threads", "CTA_PER_CLUSTER": "cluster"}
"""Attributes of x, y, z."""
COUNTS = {
    "NUM_BARRIERS": "barriers",
    "MAXREG_COUNT": "maxnreg",
    "MAX_CLUSTER_RANK": "max_cluster",
}
MOST = 1 << 16
"""Functions of one ELF file whose attributes are kept until their figures come."""


def attributed(attribute: str, numbers: tuple[int, ...]) -> dict[str, Any]:
    """What an attribute of a kernel says, as a figure of its build; empty for any other."""
    if attribute in DIMENSIONS:
        return {DIMENSIONS[attribute]: numbers}
    if attribute == "MAX_THREADS":
        return {"max_threads": prod(numbers)}
    return {COUNTS[attribute]: numbers[0]} if attribute in COUNTS and len(numbers) == 1 else {}


class Cuobjdump:
    """Reads one stream of cuobjdump; a single cubin names no target without its ELF dump."""

    def __init__(self) -> None:
        self._arch: str | None = None
        self._arch_line = 0
        self._function: tuple[int, str] | None = None
        self._infos: dict[str, dict[str, tuple[int, Any]]] = {}
        self._info: dict[str, tuple[int, Any]] = {}
        self._attribute = ""
        self._relocatable = False
        self._no_kernels: set[str] = set()

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
            self._arch, self._arch_line = f"sm_{match[2]}", line.number
            self._begin(relocatable=match[1] == RELOCATABLE)
        elif " FUNC " in text and (match := DEVICE_FUNCTION.search(text)):
            if len(self._no_kernels) < MOST:
                self._no_kernels.add(match[1])
        elif "arch = " in text and (match := ARCH.search(text)):
            self._arch, self._arch_line = match[1], line.number
        elif "Function " in text and (match := FUNCTION.search(text)):
            self._function = (line.number, match[1])
        elif "Fatbin " in text and CODE.search(text):
            self._arch = self._function = None
            self._begin()
        return ()

    def _begin(self, *, relocatable: bool = False) -> None:
        """The next file of several."""
        self._infos, self._no_kernels, self._relocatable = {}, set(), relocatable

    def _value(self, line: Line) -> None:
        """What an attribute of a kernel says; a cap of 255 registers is none."""
        match, name, self._attribute = VALUE.search(line.text), self._attribute, ""
        if match is None:
            return
        numbers = tuple(int(each, 16) for each in match[1].split())
        for key, value in attributed(name, numbers).items():
            self._info[key] = (line.number, value)

    def _figures(self, line: Line) -> Iterable[Build]:
        if self._function is None:
            return ()
        (number, name), self._function = self._function, None
        if name in self._no_kernels:
            return ()
        build = Build("cuobjdump", name, number, None, Unit())
        build.put(self._arch_line, target=self._arch)
        for key, (at, value) in self._infos.pop(name, {}).items():
            build.put(at, **{key: value})
        said = {key: figure(value) for key, value in FIGURE.findall(line.text)}
        if self._relocatable:
            said.pop("SHARED", None)
        build.put(line.number, **{key: said.get(word) for word, key in KEYS.items()})
        build.beside(**{key: said.get(word) for word, key in BESIDE.items()})
        constant = sum(map(int, CONSTANT.findall(line.text)))
        build.beside(bytes_of_constant_memory=constant)
        return (build,)
