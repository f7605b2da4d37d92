"""Logs against a spec: which kernel is meant, what the rules find in it, what nobody can tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcfg.core.block.block import Block
from kcfg.core.check.build import Build
from kcfg.core.check.found import Found, title, where
from kcfg.core.check.log import builds
from kcfg.core.check.untold import Reported, untold
from kcfg.core.figures import some
from kcfg.core.kernel import Kernel
from kcfg.core.rules import judge_build
from kcfg.core.spec import Spec
from kcfg.core.spec.documents import STDIN, opened, why_unread
from kcfg.core.spec.problem import listed, shown
from kcfg.core.validate import checks
from kcfg.core.validate.problems import of
from kcfg.core.validate.result import Beside, Located

HOW = "is it the output of `nvcc -Xptxas -v`, or of `cuobjdump --dump-resource-usage`?"


class Check:
    """Judges what logs report of a kernel beside what a spec says; reads them once.

    ``wanted`` is the kernel's name, a part of it or a pattern; without one the logs
    have to be about one kernel.
    """

    def __init__(self, logs: Iterable[str], wanted: str | None) -> None:
        self.logs, self.found = tuple(logs), Found(wanted)
        self._troubles: tuple[Located, ...] | None = None

    def __call__(self, spec: Spec, subject: Kernel) -> Beside:
        """What is to be said of a spec's kernel, and the notes that go with it."""
        if self._troubles is None:
            self._troubles = tuple(self._read())
        block = subject.block
        picked = self.found.pick(block.target)
        if picked.several:
            return Beside(
                (*self._troubles, self._several(picked.several)), self.found.listing(picked.several)
            )
        reported = [_reported(block, build) for build in picked.builds]
        reported = [each for each in reported if each.build.name or each.says_something]
        judged = tuple(found for each in reported for found in _judged(each))
        if any(build.name for build in picked.builds):
            return Beside((*self._troubles, *judged), _notes(reported))
        missing = self._none() if self.found.names or not (judged or self._troubles) else ()
        return Beside((*self._troubles, *missing, *judged), self.found.listing() or _only(reported))

    def _read(self) -> Iterator[Located]:
        """Take every log in; what cannot be read, or tells of no kernel, is a problem."""
        for path in self.logs:
            file, seen = STDIN if path == "-" else path, False
            try:
                with opened(path) as stream:
                    for build in builds(stream):
                        build.file, seen = file, True
                        self.found.add(build)
            except OSError as error:
                yield _trouble(checks.UNREADABLE, why_unread(error, path), file)
            else:
                if not seen:
                    yield _trouble(checks.NO_KERNEL, f"this log tells of no kernel: {HOW}", file)

    def _several(self, names: tuple[str, ...]) -> Located:
        first = self.found.first(names[0])
        fit = "fit" if self.found.wanted is not None else "are in"
        given = f" {shown(self.found.wanted)}" if self.found.wanted is not None else " the logs"
        every = listed(_named(names), 8)
        message = f"{len(names)} kernels {fit}{given}; say which by --kernel-name: {every}"
        return _trouble(checks.NO_KERNEL, message, first.file, first.line)

    def _none(self) -> tuple[Located, ...]:
        names = tuple(self.found.names)
        seen = some(len(names), "kernel") + (" and more" if self.found.more else "")
        message = (
            f"no kernel fits {shown(self.found.wanted or '')}; the logs have {seen}:"
            f" {listed(_named(names), 8)}"
            if names
            else f"the logs tell of no kernel: {HOW}"
        )
        return (_trouble(checks.NO_KERNEL, message, self._first()),)

    def _first(self) -> str:
        return STDIN if self.logs[0] == "-" else self.logs[0]


def _named(names: Iterable[str]) -> Iterator[str]:
    return (shown(name) if name else "one without a name" for name in names)


def _trouble(check: checks.Check, message: str, file: str, line: int = 0) -> Located:
    return Located(of(check, message, file, (line, min(line, 1))), unread=True)


def _reported(block: Block, build: Build) -> Reported:
    """The launch with what a log says of its build.

    An advisory that may be about another kernel counts where this one sets registers.
    """
    compiled, lines = build.told(advised=not build.uncertain or block.setmaxnreg)
    return Reported(build, block.built(compiled), lines)


def _judged(reported: Reported) -> Iterator[Located]:
    """What the rules find, each at its line of the log."""
    build = reported.build
    for path, finding in judge_build(reported.block):
        line = reported.lines.get(path.removeprefix("compiled."), build.line)
        yield Located(finding._replace(path="", file=build.file, line=line, column=1))


def _only(reported: list[Reported]) -> tuple[str, ...]:
    """That there is nothing but errors or advisories."""
    every = (f"{where(each.build)}: not judged: all else, for want of figures" for each in reported)
    return tuple(every)


def _notes(reported: list[Reported]) -> tuple[str, ...]:
    judged = (
        f"{where(each.build)}: judged: {title(each.build)}, as reported by {each.build.tool}"
        for each in reported
        if each.build.name
    )
    return (*judged, *untold(reported))
