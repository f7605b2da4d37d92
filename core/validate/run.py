"""One run of ``validate``: paths in, what was found in each document out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import BinaryIO, NamedTuple

from kcfg.core.spec.documents import BOM, documents, lines_of, opened, why_unread
from kcfg.core.spec.known import Known, picked
from kcfg.core.spec.overrides import NOTHING, Overrides
from kcfg.core.spec.problem import Problem
from kcfg.core.spec.sources import NOT_PICKED, Source, sources
from kcfg.core.validate import judge
from kcfg.core.validate.advice import Advice
from kcfg.core.validate.judge import BesideOf, Mode, Waiting, refused
from kcfg.core.validate.result import Judged, Located, Tally
from kcfg.core.validate.selection import EVERYTHING, Selection
from kcfg.core.validate.settings import Projects, Settings

LARGEST_REPORT = 1 << 26
"""The most bytes a file of saved reports may have."""


class Options(NamedTuple):
    """What a command line asks for; None leaves a choice to the project's settings.

    ``overrides`` go before what the specs say. ``select`` and ``ignore`` are ids or their
    beginnings. ``infos`` shows findings of severity "info" too, ``most`` bounds how many
    findings are shown in all. ``quiet`` and ``statistics`` are for who writes them: findings
    and nothing else, counts by rule.
    """

    overrides: Overrides = NOTHING
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    strict: bool | None = None
    infos: bool = False
    most: int | None = None
    quiet: bool = False
    statistics: bool = False


class Run:
    """Judges every document of every file; iterating does the work and fills ``tally``."""

    def __init__(
        self,
        paths: Iterable[str],
        options: Options,
        beside: BesideOf | None = None,
        presets: Iterable[str] = (),
    ) -> None:
        self.paths, self.options, self.beside = list(paths), options, beside
        self.presets = list(presets)
        self.tally = Tally(options.most)
        self.watch: Callable[[Iterator[Judged]], Iterator[Judged]] = iter
        """What the documents pass through on their way out."""
        self._projects = Projects()
        self._advice = Advice()
        self._modes: dict[Settings, Mode] = {}

    def __iter__(self) -> Iterator[Judged]:
        return self.watch(self._judged())

    def _judged(self) -> Iterator[Judged]:
        for source in dict.fromkeys(sources(self.paths, self.presets)):
            if isinstance(source, Problem):
                self.tally.files += source.kind == "unreadable" and not os.path.isdir(source.file)
                yield self._refused(source)
                continue
            self.tally.files += 1
            mode = self._mode(self._projects.of(source.home))
            while self._projects.problems:
                yield self._refused(self._projects.problems.pop(0))
            mode = mode._replace(file=source.file)
            for judged in _file(source, mode):
                yield self.tally.count(judged, mode.strict)

    def _refused(self, problem: Problem) -> Judged:
        return self.tally.count(refused([problem], problem.file), strict=False)

    def _mode(self, settings: Settings) -> Mode:
        """How files with these settings are judged: the command line goes before them."""
        if settings not in self._modes:
            asked = self.options
            select = settings.select if asked.select is None else asked.select
            ignore = settings.ignore if asked.ignore is None else asked.ignore
            said_by = f"{settings.file}: tool.kcfg.target"
            self._modes[settings] = Mode(
                file="",
                overrides=asked.overrides._replace(
                    default_target=(settings.target, said_by) if settings.target else None
                ),
                selection=Selection(select, ignore) if select or ignore else EVERYTHING,
                strict=settings.strict if asked.strict is None else asked.strict,
                infos=asked.infos,
                advice=self._advice,
                definitions=[],
                beside=self.beside,
            )
        return self._modes[settings]


def _file(source: Source, mode: Mode) -> Iterator[Judged]:
    """Every document of a file; one that cannot be read is a problem like any other."""
    try:
        with opened(source.path) as stream:
            lines = lines_of(stream)
            first = next(lines, b"")
            if first.removeprefix(BOM).lstrip()[:1] in (b"{", b"["):
                yield from _json(first, stream, mode, source.only)
            else:
                lines = chain((first,) if first else (), lines)
                yield from _documents(lines, mode, source.only)
    except OSError as error:
        yield refused([_unreadable(mode.file, why_unread(error, source.path))], mode.file)


def _documents(lines: Iterable[bytes], mode: Mode, number: int | None) -> Iterator[Judged]:
    return _told_once(_each(lines, mode._replace(definitions=[]), number))


def _each(lines: Iterable[bytes], mode: Mode, number: int | None) -> Iterator[Judged]:
    """Every document; what the command line sets is about definitions only where all are."""
    known, only = Known(mode.file), True
    unset = mode._replace(overrides=mode.overrides._replace(set=()))
    waiting: list[Waiting] = []
    for document in picked(documents(lines, mode.file), number, mode.file):
        if isinstance(document, Problem):
            found: Judged | Waiting = refused([document], mode.file)
        else:
            found = judge.document(document, mode, known)
        if isinstance(found, Waiting):
            waiting.append(found)
            continue
        only = False
        yield from (judge.definition(each, unset, known) for each in waiting)
        waiting.clear()
        yield found
    for each in waiting:
        yield judge.definition(each, mode if only else unset, known)


def _told_once(every: Iterable[Judged]) -> Iterator[Judged]:
    """The same without what is told of a definition and of a spec of it, of the definition.

    Nothing waits for the end of the file but what comes behind a definition that has findings.
    """
    waiting: list[Judged] = []
    for each in every:
        if waiting or (each.definition and each.found):
            waiting.append(each)
        else:
            yield each
    told = {_what(located) for each in waiting if each.spec for located in each.found}
    for each in waiting:
        left = tuple(located for located in each.found if _what(located) not in told)
        yield each._replace(found=left) if each.definition else each


def _what(located: Located) -> tuple[object, ...]:
    """What a finding says, and where."""
    found = located.finding
    return found.rule, found.message, found.file, found.line, found.column


def _json(first: bytes, stream: BinaryIO, mode: Mode, number: int | None) -> Iterator[Judged]:
    """Saved reports, or else specs: JSON is YAML too."""
    data = first + stream.read(LARGEST_REPORT)
    text = data.removeprefix(BOM).decode(errors="replace")
    from kcfg.core.saved.reading import is_json
    from kcfg.core.validate import saved

    if not is_json(text):
        yield from _documents(data.splitlines(keepends=True), mode, number)
    elif number is not None:
        yield refused([_unreadable(mode.file, NOT_PICKED)], mode.file)
    elif len(data) > LARGEST_REPORT:
        message = f"more than {LARGEST_REPORT:,} bytes: too large for saved reports"
        yield refused([_unreadable(mode.file, message)], mode.file)
    else:
        for count, report in enumerate(saved.reports(text, mode.file), 1):
            yield judge.saved(report, count, mode)


def _unreadable(file: str, message: str) -> Problem:
    return Problem(file, 0, 0, "", message, "unreadable")
