"""PTX: what it says of a kernel's launch, before a compiler has made any code of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import prod

from kcfg.core.check.build import Build, Long, Unit, figure
from kcfg.core.check.columns import Allocations
from kcfg.core.check.text import Line
from kcfg.core.engine.arith import up
from kcfg.core.numbers import bounded

TARGET = re.compile(r"^\s*\.target\s+sm_(\w+)")
ENTRY = re.compile(r"\.entry\s+([\w$%.]+)")
FUNCTION = re.compile(r"(?:^|\s)\.func\b")
DIRECTIVE = re.compile(
    r"(?<!\S)\.(reqntid|reqnctapercluster|maxntid|minnctapersm|maxnreg|maxclusterrank)"
    r"\s+(\d+(?:\s*,\s*\d+)*)"
)
DIMENSIONS = ("reqntid", "reqnctapercluster")
SHARED = re.compile(
    r"(?P<extern>\.extern\s+)?\.shared\s+(?:\.align\s+(?P<align>\d+)\s+)?"
    r"\.(?P<type>[a-z]\w*)\s+(?P<name>[\w$]+)(?P<sizes>(?:\[\d*\])*)\s*;"
)
COMMENT = re.compile(r"/\*.*?\*/")
BITS = re.compile(r"(\d+)(?:x(\d+))?$")
WORD = re.compile(r"[\w$]+")
CALL = re.compile(r"(?:^|\s)call\b")
SETMAXNREG = re.compile(r"\bsetmaxnreg\.[\w.]+\s+([^\s;]+)")

KEYS = {
    "reqntid": "threads",
    "reqnctapercluster": "cluster",
    "maxntid": "max_threads",
    "minnctapersm": "min_blocks",
    "maxnreg": "maxnreg",
    "maxclusterrank": "max_cluster",
}
MOST = 1 << 12
"""Shared variables of a file that are kept; of one with more no sum is told."""


class Variable:
    """A shared variable: bytes and alignment; None for bytes that cannot be told."""

    def __init__(self, size: int | None, align: int) -> None:
        self.size, self.align = size, align


class Ptx:
    """Reads one file; kernels come out at the end, when all shared variables are known."""

    def __init__(self) -> None:
        self._target: str | None = None
        self._target_line = 0
        self._kernels: list[_Kernel] = []
        self._kernel: _Kernel | None = None
        self._variables: dict[str, Variable] = {}
        self._dynamic = 1  # the largest alignment of a dynamic array
        self._sure = True
        self._comment = False

    def read(self, line: Line) -> Iterable[Build]:
        """Take a line in."""
        text = self._bare(line.text)
        if ".target" in text and (match := TARGET.search(text)):
            self._target, self._target_line = f"compute_{match[1]}", line.number
        elif ".entry" in text and (match := ENTRY.search(text)):
            self._kernel = _Kernel(Build("its PTX", match[1], line.number, None, Unit()))
            self._kernels.append(self._kernel)
            self._directive(self._kernel, line.number, text[match.end() :])
        elif ".func" in text and FUNCTION.search(text):
            self._kernel = None
        elif ".shared" in text and (match := SHARED.search(text)):
            self._shared(match)
        elif self._kernel is not None:
            self._directive(self._kernel, line.number, text)
        return ()

    def _bare(self, text: str) -> str:
        """A line without its comments, which may go on for several."""
        if self._comment:
            _, end, text = text.partition("*/")
            self._comment = not end
        text = COMMENT.sub(" ", text).partition("//")[0]
        text, begins, _ = text.partition("/*")
        self._comment |= bool(begins)
        return text

    def _directive(self, kernel: _Kernel, number: int, text: str) -> None:
        said = DIRECTIVE.findall(text) if "." in text else ()
        for word, digits in said:
            given = [figure(each.strip()) for each in digits.split(",")]
            long = next((each for each in given if isinstance(each, Long)), None)
            whole = tuple(each for each in given if isinstance(each, int))
            value = whole if word in DIMENSIONS else prod(whole)
            if len(given) <= len("xyz"):
                kernel.build.put(number, **{KEYS[word]: long or value})
        if not said:
            kernel.words.update(WORD.findall(text) if len(kernel.words) < MOST else ())
            kernel.calls |= CALL.search(text) is not None
            kernel.allocations.read(text)
            if "setmaxnreg" in text and len(kernel.counts) < MOST:
                kernel.counts |= set(map(_count, SETMAXNREG.findall(text)))

    def _shared(self, match: re.Match[str]) -> None:
        align = bounded(match["align"]) or 1
        if match["extern"] and match["sizes"] in ("", "[]"):
            self._dynamic = max(self._dynamic, align)
        elif match["extern"] or len(self._variables) == MOST:
            self._sure = False  # lies in another file
        else:
            self._variables[match["name"]] = Variable(_bytes(match["type"], match["sizes"]), align)

    def end(self) -> Iterator[Build]:
        """The kernels of the file."""
        for kernel in self._kernels:
            build = kernel.build
            build.put(self._target_line, target=self._target)
            build.put(build.line, smem=self._static(kernel))
            count = len(kernel.allocations.asked)
            columns = None if kernel.calls else kernel.allocations.columns
            build.put(build.line, tmem_columns=columns)
            build.put(build.line, setmaxnreg=kernel.registers_set)
            if columns is None and count:
                build.unclear = "tensor memory: what it allocates cannot be told"
            yield build

    def _static(self, kernel: _Kernel) -> int | None:
        """Static shared memory of a kernel: as ptxas counts it, where its order cannot matter."""
        used = [self._variables[word] for word in kernel.words if word in self._variables]
        if not self._sure or kernel.calls or len(kernel.words) >= MOST:
            return None
        sizes = [each.size for each in used]
        if None in sizes:
            return None
        widest = max((each.align for each in used), default=1)
        least = sum(each or 0 for each in sizes)
        most = sum(up(each or 0, widest) for each in sizes)
        least, most = up(least, self._dynamic), up(most, self._dynamic)
        return least if least == most or len(used) < 2 else None


class _Kernel:
    """A kernel as far as it was read, with the words in it that may be variables."""

    def __init__(self, build: Build) -> None:
        self.build = build
        self.words: set[str] = set()
        self.calls = False
        self.counts: set[int | None] = set()
        self.allocations = Allocations()

    @property
    def registers_set(self) -> tuple[int, ...] | None:
        """The counts that it sets, 0 for none; None where that cannot be told."""
        known = [each for each in self.counts if each is not None]
        if self.calls or len(known) < len(self.counts):
            return None
        return tuple(sorted(known)) or (0,)


def _count(operand: str) -> int | None:
    """A register count as an instruction has it; None for what is no number of decimal digits."""
    return bounded(operand) if operand.isascii() and operand.isdecimal() else None


def _bytes(type: str, sizes: str) -> int | None:
    """Bytes of a variable of a type such as b8 or f32, with its dimensions."""
    bits = BITS.search(type)
    counts = [bounded(each) for each in re.findall(r"\d+", sizes)]
    if bits is None or None in counts:
        return None
    return int(bits[1]) * int(bits[2] or 1) // 8 * prod(each or 0 for each in counts)
