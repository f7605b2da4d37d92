"""Comments that waive findings: ``# kcfg: ignore[SMEM004] reason``.

On the line of the key that is blamed, on a line of its own above it, or at the document's
head for all of the document.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import yaml

from kcfg.core.finding import Finding
from kcfg.core.printing import printable, shortened
from kcfg.core.spec.documents import Document, place
from kcfg.core.spec.nodes import Untyped
from kcfg.core.spec.problem import listed, meant
from kcfg.core.spec.section import MOST_PROBLEMS, TOO_MANY, Position
from kcfg.core.validate import checks
from kcfg.core.validate.catalog import known
from kcfg.core.validate.problems import of
from kcfg.core.validate.result import Located, Waived
from kcfg.core.validate.selection import Selection

COMMENT = re.compile(r"(?:^|(?<=\s))#\s*kcfg:\s*(.*)", re.MULTILINE)
IGNORE = re.compile(r"ignore\s*\[([^\]]*)\]\s*(.*)")
OF_BUILDS = "CHK"
"""How the ids begin of rules about what a compiler made."""
BEHIND = "nothing follows it that it could be about"
FEW = 8
"""Ids of a comment that are listed."""
FORM = "write `# kcfg: ignore[ID, ID] reason`"


class Ignore(NamedTuple):
    """One comment: the rules it waives on ``line``, in the whole document where that is 0.

    Behind everything else of the document it waives nothing: ``line`` is -1.
    """

    ids: tuple[str, ...]
    reason: str
    line: int
    position: Position

    def covers(self, located: Located, file: str) -> bool:
        """Whether it is about a finding; in another file, such as a log, it has no line."""
        finding = located.finding
        here = finding.file == file and self.line in (finding.line, located.given)
        return finding.rule in self.ids and (here or self.line == 0)


class Waivers:
    """The comments of one document: what they waive, and what is wrong with them."""

    def __init__(self, document: Document, file: str) -> None:
        self.file = file
        self.ignores: list[Ignore] = []
        self._malformed: list[Finding] = []
        self._used: set[tuple[Ignore, str]] = set()
        for position, line, text in _comments(document):
            match = IGNORE.fullmatch(text.strip())
            if match:
                written = filter(None, re.split(r"[,\s]+", match[1].upper()))
                ids = tuple(dict.fromkeys(written))
                self.ignores.append(Ignore(ids, match[2].strip("-: "), line, position))
            if not match or not self.ignores[-1].ids:
                message = f"`# kcfg: {_brief(text.strip())}` is not understood; {FORM}"
                self._malformed.append(of(checks.MALFORMED, message, file, position))

    def waives(self, located: Located) -> Waived | None:
        """A finding that a comment covers, with its reason; the comment counts as used then."""
        finding = located.finding
        covering = [ignore for ignore in self.ignores if ignore.covers(located, self.file)]
        self._used.update((ignore, finding.rule) for ignore in covering)
        reason = next((ignore.reason for ignore in covering if ignore.reason), "")
        return Waived(finding, reason) if covering else None

    def complaints(self, selection: Selection, unused: bool = True) -> Iterator[Finding]:
        """What is wrong with the comments themselves, once every finding was asked about.

        Those of a definition may be about specs elsewhere: they are not ``unused`` for that.
        """
        every = self._complaints(selection, unused)
        yield from islice(every, MOST_PROBLEMS)
        for beyond in islice(every, 1):
            yield beyond._replace(message=TOO_MANY)

    def _complaints(self, selection: Selection, unused: bool) -> Iterator[Finding]:
        yield from self._malformed
        for ignore in self.ignores:
            if ignore.ids and not ignore.reason:
                ids = listed(map(_brief, ignore.ids), FEW)
                message = f"this ignore of {ids} gives no reason: add why"
                yield self._of(checks.NO_REASON, message, ignore)
            for id in ignore.ids:
                yield from self._about(ignore, id, selection, unused)

    def _about(
        self, ignore: Ignore, id: str, selection: Selection, unused: bool
    ) -> Iterator[Finding]:
        waivable = [rule.id for rule in known() if rule.waivable]
        if id not in {rule.id for rule in known()}:
            message = f"unknown rule {_brief(id)}; {meant(id, waivable)}"
            yield self._of(checks.UNKNOWN, message, ignore)
        elif id not in waivable:
            message = f"{id} cannot be ignored: what is not understood is not judged"
            yield self._of(checks.UNKNOWN, message, ignore)
        elif id.startswith(OF_BUILDS):
            return  # found in a log, which is not always there
        elif unused and (ignore, id) not in self._used and selection.shows(id):
            where = "this document" if not ignore.line else f"line {ignore.line}"
            why = f"{id} finds nothing in {where}" if ignore.line >= 0 else BEHIND
            message = f"this ignore waives nothing: {why}; take it out"
            yield self._of(checks.UNUSED, message, ignore)

    def _of(self, check: checks.Check, message: str, ignore: Ignore) -> Finding:
        return of(check, message, self.file, ignore.position)


def _comments(document: Document) -> Iterator[tuple[Position, int, str]]:
    """Every comment to kcfg: its position, the line it is about (0 for all), its text."""
    text = document.text
    scalars, content = _tokens(text)
    for match in COMMENT.finditer(text):
        before = bisect_right(scalars, (match.start(), len(text))) - 1
        if before >= 0 and match.start() < scalars[before][1]:
            continue  # part of a value
        line, column = place(text, match.start(), document.line)
        row = line - document.line
        following = bisect_left(content, row)
        if not content or row < content[0]:
            about = 0
        elif following < len(content):
            about = document.line + content[following]
        else:
            about = -1  # behind everything: about nothing
        yield (line, column), about, match[1]


def _brief(text: str) -> str:
    return printable(shortened(text))


def _tokens(text: str) -> tuple[list[tuple[int, int]], list[int]]:
    """Where the scalars of a document are in its text, and the rows that have any content."""
    spans, rows = [], set()
    for token in yaml.scan(text, Loader=Untyped):
        if isinstance(token, yaml.ScalarToken):
            spans.append((token.start_mark.index, token.end_mark.index))
            rows.add(token.start_mark.line)
    return spans, sorted(rows)
