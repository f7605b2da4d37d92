"""Logs against a spec: which kernel is meant, what the rules find in it, what nobody can tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcfg.core.block.block import Block
from kcfg.core.check.artifact import HOW, Artifact, RefusedError
from kcfg.core.check.build import Build
from kcfg.core.check.found import Found, title, where
from kcfg.core.check.untold import Reported, untold
from kcfg.core.figures import some
from kcfg.core.kernel import Kernel
from kcfg.core.rules import judge_build
from kcfg.core.spec import Spec
from kcfg.core.spec.documents import why_unread
from kcfg.core.spec.problem import listed, shown
from kcfg.core.validate import checks
from kcfg.core.validate.problems import of
from kcfg.core.validate.result import Beside, Located

NAMELESS = (
    "these are figures of a kernel that is not named: keep the lines `Compiling entry function` or"
    " `Function properties` beside those with `Used`"
)


class Check:
    """Judges what builds tell of a kernel beside what a spec says; reads each of them once.

    ``wanted`` is the kernel's name, a part of it or a pattern; without one the spec may say it,
    and else the files have to be about one kernel.
    """

    def __init__(self, logs: Iterable[str], wanted: str | None) -> None:
        self.logs, self.wanted = tuple(logs), wanted
        self._artifacts = [Artifact(path) for path in self.logs]
        self._found = Found(wanted)
        self._troubles: tuple[Located, ...] | None = None

    def __call__(self, spec: Spec, subject: Kernel) -> Beside:
        """What is to be said of a spec's kernel, and the notes that go with it.

        What is wrong with the files is said beside the first spec.
        """
        wanted = spec.build if self.wanted is None else self.wanted
        first = self._troubles is None
        if self._troubles is None or wanted != self._found.wanted:
            self._found = Found(wanted)
            self._troubles = tuple(self._read())
        told = self._about(subject.block)
        return Beside((*self._troubles, *told.found), told.notes) if first else told

    def _about(self, block: Block) -> Beside:
        found = self._found
        picked = found.pick(block.target)
        if picked.several:
            return Beside((self._several(picked.several),), found.listing(picked.several))
        reported = [_reported(block, build) for build in picked.builds]
        reported = [each for each in reported if each.build.name or each.says_something]
        judged = tuple(finding for each in reported for finding in _judged(each))
        if any(build.name for build in picked.builds):
            return Beside(judged, _notes(reported))
        missing = self._none() if found.names or not (judged or self._troubles) else ()
        return Beside((*missing, *judged), found.listing() or _only(reported))

    def _read(self) -> Iterator[Located]:
        """Take every file in; what cannot be read, or tells of no kernel, is a problem."""
        for artifact in self._artifacts:
            seen = False
            try:
                for build in artifact.builds():
                    seen = True
                    self._found.add(build)
            except OSError as error:
                yield _trouble(checks.UNREADABLE, why_unread(error, artifact.path), artifact.file)
            except RefusedError as error:
                yield _trouble(checks.UNREADABLE, str(error), artifact.file)
            else:
                if not seen and not artifact.silent:
                    message = f"this file tells of no kernel: {HOW}"
                    yield _trouble(checks.NO_KERNEL, message, artifact.file)

    def _several(self, names: tuple[str, ...]) -> Located:
        first, wanted = self._found.first(names[0]), self._found.wanted
        given = "are in the builds" if wanted is None else f"fit {shown(wanted)}"
        every = listed(_named(names), 8)
        how = "by --kernel-name, or by `build: {kernel: NAME}` of the spec"
        message = f"{len(names)} kernels {given}; say which {how}: {every}"
        return _trouble(checks.NO_KERNEL, message, first.file, first.line)

    def _none(self) -> tuple[Located, ...]:
        names = tuple(self._found.names)
        if names and self._found.wanted is None:
            first = self._found.first(names[0])
            return (_trouble(checks.NO_KERNEL, NAMELESS, first.file, first.line),)
        seen = some(len(names), "kernel") + (" and more" if self._found.more else "")
        message = (
            f"no kernel fits {shown(self._found.wanted or '')}; the builds have {seen}:"
            f" {listed(_named(names), 8)}"
            if names
            else f"the builds tell of no kernel: {HOW}"
        )
        return (_trouble(checks.NO_KERNEL, message, self._artifacts[0].file),)


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
    """What the rules find, each at its line of the log; an object has none."""
    build = reported.build
    if build.mixed:
        name = shown(build.name)
        message = (
            f"the lines of {name} are mixed with another kernel's, as compilers write them that run"
            " side by side: whose figures follow cannot be told; build with `--output-sync`, or one"
            " file at a time"
        )
        position = (build.line, min(build.line, 1))
        yield Located(of(checks.MIXED, message, build.file, position))
    for path, finding in judge_build(reported.block):
        line = reported.lines.get(path.removeprefix("compiled."), build.line)
        yield Located(finding._replace(path="", file=build.file, line=line, column=min(line, 1)))


def _only(reported: list[Reported]) -> tuple[str, ...]:
    """That there is nothing but errors or advisories."""
    every = (f"{where(each.build)}: not judged: all else, for want of figures" for each in reported)
    return tuple(every)


def _notes(reported: list[Reported]) -> tuple[str, ...]:
    judged = (
        f"{where(each.build)}: judged: {title(each.build)}, as reported by"
        f" {each.build.tool}{each.build.by}"
        for each in reported
        if each.build.name and not each.build.mixed
    )
    return (*judged, *untold([each for each in reported if not each.build.mixed]))
