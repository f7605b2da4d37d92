"""What ``nvdisasm`` prints of a cubin: the attributes and sections of its kernels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kcfg.core.check.build import Build, Unit
from kcfg.core.check.cuobjdump import MOST, attributed
from kcfg.core.check.text import Line

TARGET = re.compile(r"^\s*\.target\s+(sm_\w+)")
SECTION = re.compile(r"^\s*\.section\s+(\.nv\.(?:info|shared|constant\d+))(?:\.([^\s,]+))?,")
OTHER = re.compile(r"^\s*\.section\s")
ATTRIBUTE = re.compile(r"nvinfo : EIATTR_(\w+)")
NUMBER = re.compile(r"\.(?:word|short|byte)\s+(0x[0-9a-f]{2,8})\s*$")
OF = re.compile(r"\.word\s+index@\(([^)]+)\)")
ZEROS = re.compile(r"^\s*\.zero\s+(\d{1,12})\s*$")
ENTRY = re.compile(r'^\s*\.other\s+(\S+?)\s*,\s*@"STO_CUDA_ENTRY')

OF_KERNELS = {"REGCOUNT": "registers", "FRAME_SIZE": "stack"}
"""Attributes of the whole file, each of which names the kernel that it is of."""
MARKS = (b".target", b".section", b"EIATTR_", b".word", b".short", b".byte", b".zero", b"STO_CUDA")
"""What a line that matters has one of; those of instructions have none."""


class Nvdisasm:
    """Reads one cubin; its kernels come out at the end, as their figures stand apart."""

    def __init__(self) -> None:
        self._target: str | None = None
        self._kernels: dict[str, Build] = {}
        self._entries: dict[str, None] = {}
        self._section = self._name = ""
        self._attribute = self._of = ""
        self._numbers: list[int] = []
        self._constant: dict[str, int] = {}

    def read(self, line: Line) -> Iterable[Build]:
        """Take a line in."""
        text = line.text
        if match := SECTION.search(text):
            self._close()
            self._section, self._name = match[1], match[2] or ""
            if match[1] == ".nv.shared":
                self._kernel(self._name).put(0, shared=0)
        elif OTHER.search(text) or (match := TARGET.search(text)):
            self._close()
            self._section = self._name = ""
            self._target = match[1] if match else self._target
        elif match := ENTRY.search(text):
            self._entries |= {match[1]: None} if len(self._entries) < MOST else {}
        elif match := ATTRIBUTE.search(text):
            self._close()
            self._attribute, self._of = match[1], self._name
        elif match := ZEROS.search(text):
            self._zeros(int(match[1]))
        elif self._attribute:
            self._value(text)
        return ()

    def end(self) -> Iterator[Build]:
        """The kernels of the file, in the order of their code."""
        self._close()
        for name in self._entries:
            build = self._kernel(name)
            build.put(0, target=self._target)
            build.beside(bytes_of_constant_memory=self._constant.get(name))
            yield build

    def _kernel(self, name: str) -> Build:
        if name in self._kernels:
            return self._kernels[name]
        build = Build("nvdisasm", name, 0, None, Unit())
        if len(self._kernels) < MOST:
            self._kernels[name] = build
        return build

    def _zeros(self, size: int) -> None:
        if self._section == ".nv.shared":
            build = self._kernel(self._name)
            build.put(0, shared=build.values["shared"] + size)
        elif self._section.startswith(".nv.constant"):
            self._constant[self._name] = self._constant.get(self._name, 0) + size

    def _value(self, text: str) -> None:
        """A number of an attribute, or the kernel that it is of."""
        if match := OF.search(text):
            self._of = match[1]
        elif match := NUMBER.search(text):
            self._numbers += [int(match[1], 16)] if len(self._numbers) < len("xyz") else []

    def _close(self) -> None:
        """The end of an attribute, whose numbers are then all there."""
        attribute, numbers = self._attribute, tuple(self._numbers)
        self._attribute, self._numbers = "", []
        if not (numbers and self._of):
            return
        build = self._kernel(self._of)
        if attribute in OF_KERNELS:
            build.put(0, **{OF_KERNELS[attribute]: numbers[0]})
        else:
            build.put(0, **attributed(attribute, numbers))
