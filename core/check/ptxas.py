"""What ``ptxas -v`` prints, between whatever else a build prints.

A compilation's warnings, advisories and errors come before the figures of its kernels, and
mostly without a kernel's name. It begins at the first of them behind figures, or at the
line that counts its global memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kcfg.core.check.build import MOST, Build, Long, Unit, figure
from kcfg.core.check.text import Line

ENTRY = re.compile(r"Compiling entry function '([^']*)('?)(?: for '([^']*)')?")
PROPERTIES = re.compile(r"Function properties for '?([^\s':]+)")
FRAME = re.compile(
    r"(\d+) bytes stack frame(?:, (\d+) bytes spill stores)?(?:, (\d+) bytes spill loads)?"
)
USED = re.compile(r"\bUsed (\d+) registers\b(.*)")
PARTS = (
    re.compile(r"(?:used )?(?P<barriers>\d+) barriers"),
    re.compile(r"(?P<smem>\d+)(?:\+\d+)? bytes smem"),
    re.compile(r"(?P<bytes_of_stack_with_calls>\d+)(?:\+\d+)? bytes cumulative stack size"),
    re.compile(r"(?P<bytes_of_constant_memory>\d+)(?:\+\d+)? bytes cmem(?:\[\d+\])?"),
    re.compile(r"(?P<bytes_of_local_memory>\d+)(?:\+\d+)? bytes lmem"),
    re.compile(r"(?P<bytes_of_global_memory>\d+)(?:\+\d+)? bytes gmem"),
    re.compile(r"(?P<textures>\d+) textures?(?:\(s\))?"),
    re.compile(r"(?P<surfaces>\d+) surfaces?(?:\(s\))?"),
    re.compile(r"(?P<samplers>\d+) samplers?(?:\(s\))?"),
)
"""What follows the registers, with commas between."""
JUDGED = ("barriers", "smem")
"""The parts that a configuration has a word for."""
BEGINS = re.compile(r"(\d+) bytes gmem\b")
IGNORED = re.compile(r"\((C750[4-8])\)|'?setmaxnreg'? (?:is )?ignored")
ERROR = re.compile(r"\bptxas\b(?! *(?:info|warning)).*?\b(error|fatal) *: *(.*)")
DIED = re.compile(r"\bnvcc *(?:error|fatal) *: *(.*\bptxas\b.*)")
TARGET_OF = re.compile(r"not supported on \.target '(\w+)'")
ABORTED = "Ptx assembly aborted"
"""How a compilation ends that has said before what is wrong."""
NEXT_JOB = re.compile(r"(?<!\S)\[\d+/\d+\] ")
"""How ninja begins what it shows of a job, which it never mixes with that of another."""


class Ptxas:
    """Reads one stream of ptxas; the kernels it was told of come out as they are complete.

    Where compilations run side by side their lines mix: a kernel begins before another has
    its figures. Whose figures then follow nobody can tell, and so both are ``mixed``, and all
    that begin before none is open.
    """

    def __init__(self) -> None:
        self.unit = Unit()
        self.failed: list[tuple[Unit, str | None]] = []
        """Compilations that end without a kernel, with the target where that is told."""
        self._before_that: Unit | None = None
        self._open: dict[str, Build] = {}
        self._mixed = False
        self._function = ""
        self._frame: dict[str, int | Long | None] = {}
        self._frame_line = 0

    def read(self, line: Line) -> Iterable[Build]:
        """Take a line in; gives the kernels that are complete with it."""
        for mark, pattern, take in FORMS:
            if mark in line.text and (match := pattern.search(line.text)):
                return take(self, line, match)
        return ()

    def end(self) -> Iterator[Build]:
        """End the job: the kernels that were begun and have no figures."""
        yield from self._open.values()
        self._open, self._mixed = {}, False
        if self._before_that is not None and not (self.unit.kernels or self.unit.errors):
            self._before_that.ignored += self.unit.ignored  # said behind the kernels
            self.unit.ignored = []
        self._next_unit()
        self._before_that = None

    def _next_unit(self) -> None:
        if not self.unit.kernels and not self.unit.empty and len(self.failed) < MOST:
            told = (TARGET_OF.search(text) for _, text in self.unit.errors)
            self.failed.append((self.unit, next((match[1] for match in told if match), None)))
        if self.unit.kernels:
            self._before_that = self.unit
        self.unit = Unit()

    def _begin(self) -> None:
        """A line that comes before the kernels it is about: behind others begins a unit."""
        if self.unit.kernels:
            self._next_unit()

    def _memory(self, line: Line, match: re.Match[str]) -> Iterable[Build]:
        self._begin()
        memory = figure(match[1])
        self.unit.memory = memory if isinstance(memory, int) else None
        return ()

    def _ignored(self, line: Line, match: re.Match[str]) -> Iterable[Build]:
        self._begin()
        _keep(self.unit.ignored, line.number, match[1] or line.text.strip())
        return ()

    def _error(self, line: Line, match: re.Match[str]) -> Iterable[Build]:
        self._begin()
        text = match[match.re.groups].strip()
        if not (self.unit.errors and text.startswith(ABORTED)):
            _keep(self.unit.errors, line.number, text)
        if match[1] == "fatal":
            self._next_unit()
        return ()

    def _properties(self, line: Line, match: re.Match[str]) -> Iterable[Build]:
        self._function, self._frame = match[1], {}
        return ()

    def _stack(self, line: Line, match: re.Match[str]) -> Iterable[Build]:
        stack, stores, loads = map(figure, match.groups())
        self._frame = {"stack": stack, "spill_stores": stores, "spill_loads": loads}
        self._frame_line = line.number
        return ()

    def _job(self, line: Line, match: re.Match[str]) -> Iterable[Build]:
        return self.end()

    def _entry(self, line: Line, match: re.Match[str]) -> Iterator[Build]:
        name, target = match[1], match[3] if match[2] else None
        self._mixed = bool(self._open)
        for other in self._open.values():
            other.mixed = True
        if name in self._open:
            yield self._open.pop(name)
        elif len(self._open) == MOST:
            yield self._open.pop(next(iter(self._open)))
        self._open[name] = self._started(line, name, target)
        self._open[name].mixed = self._mixed
        self._function, self._frame = "", {}

    def _started(self, line: Line, name: str, target: str | None) -> Build:
        self.unit.kernels += 1
        return Build("ptxas", name, line.number, target, self.unit)

    def _used(self, line: Line, match: re.Match[str]) -> Iterable[Build]:
        """The kernel with its figures; a new one where the line that begins it is missing."""
        name = self._function
        begun = reversed(self._open) if not name else (n for n in self._open if name.startswith(n))
        key = next(iter(begun), None)
        build = self._started(line, name, None) if key is None else self._open.pop(key)
        build.name = name or build.name  # whole, where the first line was cut
        build.mixed |= self._mixed
        self._mixed &= bool(self._open)
        if build.mixed:
            self._function, self._frame = "", {}
            return (build,)
        if self._frame:
            build.put(self._frame_line, **self._frame)
        whole = line.whole and (key is None or build.target is not None)  # else lines are cut
        parts = _parts(match[2], whole)
        build.put(line.number, registers=figure(match[1]))
        build.put(line.number, **{key: parts.pop(key, None) for key in JUDGED})
        build.beside(bytes_of_global_memory=build.unit.memory)
        build.beside(**parts)
        self._function, self._frame = "", {}
        return (build,)


FORMS = (
    ("Compiling entry", ENTRY, Ptxas._entry),
    ("Function properties", PROPERTIES, Ptxas._properties),
    ("stack frame", FRAME, Ptxas._stack),
    ("Used ", USED, Ptxas._used),
    ("setmaxnreg", IGNORED, Ptxas._ignored),
    ("(C750", IGNORED, Ptxas._ignored),
    ("error", ERROR, Ptxas._error),
    ("fatal", ERROR, Ptxas._error),
    ("nvcc", DIED, Ptxas._error),
    ("bytes gmem", BEGINS, Ptxas._memory),
    ("] ", NEXT_JOB, Ptxas._job),
)
"""What lines look like, the first that fits counts: a mark that is quickly found, and all of it."""


def _keep(found: list[tuple[int, str]], line: int, text: str) -> None:
    if len(found) < MOST:
        found.append((line, text))


def _parts(text: str, whole: bool) -> dict[str, int | Long | None]:
    """What follows the registers, each part behind a comma.

    No static memory is named where there is none. Where the line may be cut, as one without
    any part is, what it does not name is not known.
    """
    found: dict[str, int | Long | None] = {}
    for part in (part.strip() for part in text.removeprefix(",").split(",")):
        match = next((match for each in PARTS if (match := each.fullmatch(part))), None)
        if match is None:
            whole = False
        else:
            for key, digits in match.groupdict().items():
                value, before = figure(digits), found.get(key)
                if isinstance(value, int) and isinstance(before, int):
                    value += before  # another bank of the same memory
                found[key] = value
    return {"smem": 0, **found} if whole else found
