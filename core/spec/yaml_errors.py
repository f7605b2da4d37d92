"""A YAML parser's complaint in a person's terms: where to look, and what to do there."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import yaml

from kcfg.core.spec.documents import Document
from kcfg.core.spec.problem import Problem, shown

NESTED = "nested too deeply: no spec has that many levels"
TAB = "a tab cannot indent YAML: use spaces"


class _At(NamedTuple):
    """A place in the document's text, from 0."""

    line: int
    column: int


class _Complaint(NamedTuple):
    """What the parser found at ``at``, in a construct that began at ``since``."""

    problem: str
    context: str
    at: _At
    since: _At
    lines: list[str]
    first: int

    def character(self, at: _At) -> str:
        """The character at a place; empty at the end of a line and after the last one."""
        line = self.lines[at.line] if at.line < len(self.lines) else ""
        return line[at.column : at.column + 1]


Told = tuple[_At, str]
"""The place to look at, and the message."""


def breakage(error: BaseException, document: Document, file: str) -> Problem:
    """What is wrong with a document that does not parse: a YAMLError, or a RecursionError."""
    lines = document.text.splitlines()
    if isinstance(error, yaml.MarkedYAMLError):
        at, message = _told(error, lines, document.line)
    elif isinstance(error, yaml.reader.ReaderError):
        at, message = _control_character(lines)
    elif isinstance(error, RecursionError):
        at, message = _At(0, 0), NESTED
    else:
        at, message = _At(0, 0), f"not YAML: {error}"
    line, column = document.line + at.line, at.column + 1
    return Problem(file, line, column, "", message, "unreadable")


def _told(error: yaml.MarkedYAMLError, lines: list[str], first: int) -> Told:
    problem, context = str(error.problem or ""), str(error.context or "")
    found = error.problem_mark or error.context_mark
    began = error.context_mark or found
    at = _At(found.line, found.column) if found else _At(0, 0)
    since = _At(began.line, began.column) if began else at
    complaint = _Complaint(problem or context, context, at, since, lines, first)
    line = lines[at.line] if at.line < len(lines) else ""
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent:
        return _At(at.line, indent.index("\t")), TAB
    for part, tell in TELLERS:
        if part in context or part in problem:
            return tell(complaint)
    return at, f"not YAML: {complaint.problem}"


def _nested(complaint: _Complaint) -> Told:
    return complaint.at, NESTED


def _bracket(complaint: _Complaint) -> Told:
    opened = complaint.since
    mark = complaint.character(opened)
    closing = "]" if mark == "[" else "}"
    found = complaint.character(complaint.at)
    if found and complaint.at != opened:
        where = f"{complaint.first + opened.line}:{opened.column + 1}"
        wanted = f"expected `,` or `{closing}`, not {shown(found)}"
        return complaint.at, f"{wanted}: bracket `{mark}` at {where} is still open"
    return opened, f"bracket `{mark}` is never closed: `{closing}` is missing"


def _no_value(complaint: _Complaint) -> Told:
    found = complaint.character(complaint.at)
    if found in ("]", "}"):
        return complaint.at, f"bracket `{found}` was never opened"
    if found or "flow" not in complaint.context:
        return complaint.at, f"expected a value here{f', not {shown(found)}' if found else ''}"
    opened = complaint.at
    for row, line in enumerate(complaint.lines):
        column = max(line.rfind("["), line.rfind("{"))
        opened = _At(row, column) if column >= 0 else opened
    return opened, f"bracket {shown(complaint.character(opened))} is never closed"


def _directive(complaint: _Complaint) -> Told:
    return complaint.at, "this directive is unknown: write `%YAML 1.2`, or leave the line out"


def _quote(complaint: _Complaint) -> Told:
    if "escape" in complaint.problem:
        return complaint.at, "unknown escape: double the backslash, or use single quotes"
    return complaint.since, f"quote {complaint.character(complaint.since)} is never closed"


def _block_text(complaint: _Complaint) -> Told:
    mark = complaint.character(complaint.since)
    return complaint.since, f'a value that begins with `{mark}` needs quotes, as in "{mark}= 4"'


def _start(complaint: _Complaint) -> Told:
    mark = complaint.character(complaint.at)
    if mark == "\t":
        return complaint.at, TAB
    return complaint.at, f"a value cannot begin with {shown(mark)}: put it in quotes"


def _colon(complaint: _Complaint) -> Told:
    line = complaint.lines[complaint.at.line] if complaint.at.line < len(complaint.lines) else ""
    choice = " (a choice is written `a if c else b`)" if " ? " in line else ""
    message = "a `:` cannot stand here: the line is indented too far, or the value needs quotes"
    return complaint.at, message + choice


def _indentation(complaint: _Complaint) -> Told:
    return complaint.at, "expected a key here, in the column of the keys above"


def _bare_key(complaint: _Complaint) -> Told:
    return complaint.since, "expected `key: value`: there is no `:` behind this key"


TELLERS: tuple[tuple[str, Callable[[_Complaint], Told]], ...] = (
    ("nesting depth", _nested),
    ("flow sequence", _bracket),
    ("flow mapping", _bracket),
    ("expected node content", _no_value),
    ("quoted scalar", _quote),
    ("block scalar", _block_text),
    ("cannot start any token", _start),
    ("mapping values are not allowed", _colon),
    ("did not find expected key", _indentation),
    ("could not find expected ':'", _bare_key),
    ("incompatible YAML document", _directive),
    ("unknown directive", _directive),
)
"""Part of the parser's words, and who says it better; the first that fits speaks."""


def _control_character(lines: list[str]) -> Told:
    for row, line in enumerate(lines):
        for column, c in enumerate(line):
            if not (c == "\t" or " " <= c <= "~" or c >= "\xa0") or c in "\ufeff\ufffe\uffff":
                message = f"control character U+{ord(c):04X} is not allowed in YAML"
                return _At(row, column), message
    return _At(0, 0), "a control character is not allowed in YAML"
