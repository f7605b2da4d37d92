"""What validating yields: a document at a time its findings, and a tally of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kcfg.core.finding import SEVERITIES, Finding, Severity

if TYPE_CHECKING:
    from kcfg.core.block.block import Block


class Place(NamedTuple):
    """A key of a file and where it stands, from 1."""

    key: str
    line: int
    column: int


class Located(NamedTuple):
    """A finding whose position is known, and the other given keys it rests on.

    ``unread`` tells one of what could not be read or parsed. ``given`` is the line of the spec's
    key that is nearest to what is blamed, where its definition says that: 0 where none is.
    """

    finding: Finding
    rests_on: tuple[Place, ...] = ()
    unread: bool = False
    given: int = 0

    def to_json(self) -> dict[str, Any]:
        """The finding as plain data; a file's name as messages show it, UTF-8 or not."""
        from kcfg.core.spec.problem import printable

        found = self.finding._replace(file=printable(self.finding.file)).to_json()
        return {**found, "rests_on": [each._asdict() for each in self.rests_on]}


class Waived(NamedTuple):
    """A finding that a comment takes out, and the reason that it gives."""

    finding: Finding
    reason: str


class Judged(NamedTuple):
    """One document of a file, and what is to be said about it, in the order of its lines.

    ``source`` is the file, the document's number and the line of its first key, ``name``
    the spec's label or kernel, or the source where there is no spec. ``block`` is what
    was judged, None where that is not to be told of; ``notes`` are lines to be read with
    the findings. ``waived`` are the findings that comments take out. A ``definition`` is no
    spec, and was understood.
    """

    file: str
    source: str
    name: str
    found: tuple[Located, ...]
    spec: bool = True
    definition: bool = False
    block: Block | None = None
    notes: tuple[str, ...] = ()
    waived: tuple[Waived, ...] = ()


class Beside:
    """What is to be said of a document beside what it says itself."""

    def __init__(self, found: tuple[Located, ...] = (), notes: tuple[str, ...] = ()) -> None:
        self.found, self.notes = found, notes


class Count:
    """The findings of one rule: how many, how many more are waived, and how bad the worst is."""

    def __init__(self) -> None:
        self.severity: Severity = "info"
        self.findings = self.waived = 0


class Tally:
    """Counts over a whole run. ``most`` findings are shown in all; what is hidden counts too."""

    def __init__(self, most: int | None = None) -> None:
        self.files = self.specs = self.definitions = 0
        self.refused = 0
        """Documents and files that could not be read or understood."""
        self.errors = self.warnings = self.infos = 0
        self.waived = 0
        """Findings that comments take out."""
        self.rules: dict[str, Count] = {}
        self.hidden = 0
        self.unread = False
        """Whether something could not be read or parsed."""
        self.wrong = False
        """Whether there was an error, or a warning where warnings count."""
        self._left = most

    def count(self, judged: Judged, strict: bool) -> Judged:
        """Add a document, and return what of it is shown.

        With ``strict`` its warnings are as bad as errors.
        """
        self.specs += judged.spec
        self.definitions += judged.definition
        self.refused += not (judged.spec or judged.definition)
        for finding, _, unread, _ in judged.found:
            self.errors += finding.severity == "error"
            self.warnings += finding.severity == "warning"
            self.infos += finding.severity == "info"
            self.unread |= unread
            self.wrong |= finding.severity == "error" or (strict and finding.severity == "warning")
            self._of(finding).findings += 1
        for finding, _ in judged.waived:
            self.waived += 1
            self._of(finding).waived += 1
        if self._left is None:
            return judged
        shown = judged.found[: self._left]
        self._left -= len(shown)
        self.hidden += len(judged.found) - len(shown)
        return judged._replace(found=shown)

    def _of(self, finding: Finding) -> Count:
        count = self.rules.setdefault(finding.rule, Count())
        count.severity = min(count.severity, finding.severity, key=SEVERITIES.index)
        return count

    def by_rule(self) -> dict[str, Count]:
        """The counts of every rule that found something, the most findings first."""
        order = sorted(self.rules, key=lambda rule: (-self.rules[rule].findings, rule))
        return {rule: self.rules[rule] for rule in order}

    def to_json(self) -> dict[str, int]:
        """The counts as plain data."""
        keys = ("files", "specs", "errors", "warnings", "infos", "hidden", "waived")
        return {key: getattr(self, key) for key in keys}
