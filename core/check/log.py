"""A log: the kernels that its lines tell of, and compilations that failed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from kcfg.core.check.build import Build, Unit
from kcfg.core.check.cuobjdump import Cuobjdump
from kcfg.core.check.ptxas import Ptxas
from kcfg.core.check.text import lines

MARKS = (
    b"ptxas",
    b"registers",
    b"stack frame",
    b"setmaxnreg",
    b"REG:",
    b"Function ",
    b"arch = ",
    b"Fatbin ",
    b"-bit ELF",
    b".nv.info.",
    b"EIATTR_",
    b" FUNC ",
    b"Value:",
    b"] ",
)
"""What a line that matters has one of; most lines of a build do not."""

STREAM = re.compile(r"\s*(\d+)>|\s*#(\d+) ")
"""How MSBuild and Docker number the lines of jobs that run side by side."""

STREAMS = 256
"""Jobs that are told apart; the rest count as one."""


def builds(stream: IO[bytes], *, whole: bool = False) -> Iterator[Build]:
    """The kernels of a log, in order; behind them its compilations without a kernel.

    Raises `NotTextError` for what is binary or has no end, unless the ``whole`` of it is known
    to be text.
    """
    jobs: dict[str, Ptxas] = {}
    dump = Cuobjdump()
    for line in lines(stream, MARKS, whole=whole):
        if "nvlink" in line.text:  # it has figures of its own, in other words
            continue
        found = STREAM.match(line.text)
        key = found[0].strip() if found else ""
        if key not in jobs:
            key = key if len(jobs) < STREAMS else ""
            jobs.setdefault(key, Ptxas())
        yield from jobs[key].read(line)
        yield from dump.read(line)
    for job in jobs.values():
        yield from job.end()
        for unit, target in job.failed:
            yield _failed(unit, target)


def _failed(unit: Unit, target: str | None) -> Build:
    line = min(number for number, _ in (*unit.errors, *unit.ignored))
    return Build("ptxas", "", line, target, unit)
