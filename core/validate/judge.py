"""One document judged: read, derived, ruled, its pins held, its comments heard."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from kcfg.core import targets
from kcfg.core.finding import Finding
from kcfg.core.findings import findings
from kcfg.core.spec import Defined, Spec, read_document
from kcfg.core.spec.documents import Document
from kcfg.core.spec.known import Known
from kcfg.core.spec.overrides import AS_IT_IS, Overrides
from kcfg.core.spec.problem import Problem
from kcfg.core.spec.section import Position
from kcfg.core.validate.advice import Advice
from kcfg.core.validate.result import Beside, Judged, Located, Waived
from kcfg.core.validate.selection import EVERYTHING, Selection

if TYPE_CHECKING:
    from kcfg.core.kernel import Kernel
    from kcfg.core.saved.report import Report
    from kcfg.core.validate.ignores import Waivers

BesideOf = Callable[[Spec, "Kernel"], Beside]
"""Judges what there is of a spec's kernel beside the spec."""

SAVED = "\nvalues:"
"""What a document must hold to be a saved report."""

OCCUPANCY = "OCC001"
"""The rule of which more is told beside its finding."""

MARK = "kcfg:"
"""What a document must hold to have comments for kcfg."""


class Mode(NamedTuple):
    """How the documents of one file are judged; ``infos`` shows those of severity "info" too.

    ``advice`` has what would mend the refused ones, ``beside`` judges what else there is of a
    spec's kernel, such as a compiler's log.
    """

    file: str
    overrides: Overrides
    selection: Selection
    strict: bool
    infos: bool
    advice: Advice
    definitions: list[Waivers]
    """The comments of the file's definitions so far, which are heard of their specs too."""
    beside: BesideOf | None = None

    def shows(self, finding: Finding) -> bool:
        """Whether a finding is to be seen."""
        wanted = self.infos or finding.severity != "info"
        return wanted and (self.selection is EVERYTHING or self.selection.shows(finding.rule))


class Waiting(NamedTuple):
    """A definition that was read; ``idle`` is what it says in vain.

    It waits for what comes behind it: the command line's settings are about the specs of a file,
    and about its definitions where there are no specs.
    """

    written: Document
    defined: Defined
    idle: tuple[Finding, ...]


def document(written: Document, mode: Mode, known: Known) -> Judged | Waiting:
    """What is to be said about one YAML document: a spec, or a report that was saved as YAML.

    A definition is judged by `definition`.
    """
    if SAVED in written.text and _is_report(written):
        from kcfg.core.validate.saved import of_yaml

        return saved(of_yaml(written, mode.file), written.number, mode)
    spec = read_document(written, mode.file, mode.overrides, known)
    if isinstance(spec, Defined):
        return _read(spec, written, mode)
    if not isinstance(spec, Spec):
        return refused(spec, mode.file, f"{mode.file}#{written.number}:{written.line}")
    return _judged(spec, mode, waivers=_waivers(written, mode))


def _waivers(written: Document, mode: Mode) -> Waivers | None:
    """The comments of a document that waive findings; None where it has none for kcfg."""
    if MARK not in written.text:
        return None
    from kcfg.core.validate.ignores import Waivers

    return Waivers(written, mode.file)


def _read(defined: Defined, written: Document, mode: Mode) -> Waiting:
    """A definition, of which the comments are heard from now on."""
    idle, waivers = _idle(defined.cls, mode), _waivers(written, mode)
    if waivers:
        mode.definitions.append(waivers)
        idle = (*idle, *waivers.complaints(mode.selection, unused=False))
    return Waiting(written, defined, idle)


def definition(waiting: Waiting, mode: Mode, known: Known) -> Judged:
    """What is to be said about a definition, by what it derives of its defaults.

    It has to have them for all of its inputs.
    """
    written, defined, idle = waiting
    source = f"{mode.file}#{written.number}:{written.line}"
    cls = defined.cls
    if cls.needed or cls.refuses(targets.find(cls.default_target or targets.DEFAULT)):
        shown, waived = _heard(map(Located, idle), None, mode)
        judged = Judged(mode.file, source, cls.kernel, shown, waived=waived)
        return judged._replace(spec=False, definition=True)
    spec = read_document(defined.spec, mode.file, mode.overrides, known)
    if not isinstance(spec, Spec):
        problems = [] if isinstance(spec, Defined) else spec
        return refused([_of_text(each, defined, mode) for each in problems], mode.file, source)
    judged = _judged(spec, mode, also=idle, in_text=True)
    return judged._replace(spec=False, definition=True)


def _idle(cls: type[Kernel], mode: Mode) -> tuple[Finding, ...]:
    """What a definition says in vain."""
    if not cls.doubts:
        return ()
    from kcfg.core.validate import checks, problems

    return tuple(
        problems.of(checks.IDLE, message, mode.file, (line, column), path)
        for path, message, line, column in cls.doubts
    )


def _in_text(located: Located, spec: Spec, mode: Mode) -> Located:
    """A finding at the place of the definition that says what it is about."""
    finding = located.finding
    line, column = _place_in_text(spec.cls, finding.path, mode)
    return Located(finding._replace(line=line, column=column))


def _of_text(problem: Problem, defined: Defined, mode: Mode) -> Problem:
    """What is wrong with the defaults of a definition, at the place that says them."""
    key = problem.path.removeprefix("shape.")
    line, column = _place_in_text(defined.cls, key, mode)
    return problem._replace(path=key, line=line, column=column)


def _place_in_text(cls: type[Kernel], path: str, mode: Mode) -> Position:
    """Where a definition says a key, or else takes over what says it."""
    from kcfg.core.validate.places import in_text

    return in_text(cls, path, mode.file) or cls.places_in_text[""][1:]


def _is_report(written: Document) -> bool:
    from kcfg.core.saved.reading import is_yaml

    return is_yaml(written.text)


def saved(report: Report | Problem, number: int, mode: Mode) -> Judged:
    """What is to be said about one saved report, the ``number``-th of its file."""
    if not isinstance(report, Problem) and mode.overrides.given:
        report = Problem(mode.file, *report.position(), "", AS_IT_IS, "asked")
    if isinstance(report, Problem):
        return refused([report], mode.file, f"{mode.file}#{number}")
    spec = report.spec()
    if not isinstance(spec, Spec):
        return refused(spec, mode.file, f"{mode.file}#{number}")
    spec = spec._replace(source=f"{mode.file}#{number}:{report.position()[0]}")
    from kcfg.core.validate.saved import drift

    stale = drift(report, spec)
    judged = _judged(spec, mode, also=() if stale is None else (stale,))
    return judged._replace(found=tuple(_of_inputs(each) for each in judged.found))


def refused(problems: Iterable[Problem], file: str, source: str = "") -> Judged:
    """What could not be read or understood."""
    from kcfg.core.validate.problems import told

    where = source or file
    return Judged(file, where, where, told(problems, file), spec=False)


def _judged(
    spec: Spec,
    mode: Mode,
    *,
    waivers: Waivers | None = None,
    also: Iterable[Finding] = (),
    in_text: bool = False,
) -> Judged:
    """A spec judged; ``in_text`` places what is found where its kernel is defined."""
    subject = spec.derive()
    found = [finding for finding in findings(subject) if waivers or mode.shows(finding)]
    located: list[Located] = []
    notes: list[str] = []
    if found:
        from kcfg.core.validate import places

        located += places.located(spec, mode.file, found, subject, mode.advice)
    if in_text:
        located = [_in_text(each, spec, mode) for each in located]
    located += [Located(finding) for finding in also]
    if spec.expect:
        from kcfg.core.validate import pins

        for finding, note in pins.failed(spec, mode.file, subject, mode.advice):
            located.append(Located(finding))
            notes += [note] if note and mode.shows(finding) else []
    beside = mode.beside(spec, subject) if mode.beside else Beside()
    located += beside.found
    shown, waived = _heard(located, waivers, mode)
    block = None if mode.beside else subject.block
    name = spec.name or spec.kernel
    newest = f"{spec.source}: no release given: {spec.release}, the newest"
    said = [newest] if mode.infos and not spec.release_given else []
    if mode.infos and any(each.finding.rule == OCCUPANCY for each in shown):
        from kcfg.core.explain.residency import nearby

        near = nearby(subject.block)
        said += [f"{spec.source}: {OCCUPANCY}: {near}"] if near else []
    return Judged(
        mode.file,
        spec.source,
        name,
        shown,
        block=block,
        notes=(*said, *beside.notes, *notes),
        waived=waived,
    )


def _heard(
    located: Iterable[Located], waivers: Waivers | None, mode: Mode
) -> tuple[tuple[Located, ...], tuple[Waived, ...]]:
    """What is to be shown, in the order of its places, and what comments waive."""
    heard = (*mode.definitions, *((waivers,) if waivers else ()))
    left: list[Located] = []
    waived: list[Waived] = []
    for each in located:
        taken = next(filter(None, (one.waives(each) for one in heard)), None)
        if taken is None:
            left.append(each)
        else:
            waived.append(taken)
    if waivers:
        left += [Located(finding) for finding in waivers.complaints(mode.selection)]
    shown = [each for each in left if mode.shows(each.finding)]
    shown.sort(key=lambda each: _place(each.finding, mode.file))
    return tuple(shown), tuple(each for each in waived if mode.shows(each.finding))


def _of_inputs(located: Located) -> Located:
    """The keys by their names in a report: what is `shape` in a spec is `inputs` there."""
    named = (each._replace(key=each.key.replace("shape", "inputs", 1)) for each in located.rests_on)
    return located._replace(rests_on=tuple(named))


def _place(finding: Finding, file: str) -> tuple[bool, str, int, int]:
    """The order in which findings are shown: those in the spec's own file first."""
    return finding.file != file, finding.file, finding.line, finding.column
