"""JUnit XML, for test reports: a suite for every file, a case for every finding.

A document without findings is a case that passes, warnings and notes are such with their words,
and what a comment takes out is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from time import perf_counter
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from kcfg.cli import console
from kcfg.core.finding import Finding
from kcfg.core.spec.problem import printable
from kcfg.core.validate.result import Judged
from kcfg.core.validate.run import Run

COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}
"""The totals of a suite, by the elements that they count."""


class Timed(NamedTuple):
    """A document, and the seconds that judging it took."""

    judged: Judged
    seconds: float


def write(run: Run) -> None:
    """Write the suites once everything has been judged."""
    suites = Element("testsuites", name="kcfg validate")
    for file, documents in groupby(_timed(run), key=lambda each: each.judged.file):
        suite = SubElement(suites, "testsuite", name=printable(file))
        _total(suite, [_case(suite, *each) for each in _cases(documents)])
    _total(suites, [case for suite in suites for case in suite])
    indent(suites)
    text = tostring(suites, encoding="unicode")
    console.document(f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n')


def _timed(run: Run) -> Iterator[Timed]:
    begun = perf_counter()
    for judged in run:
        now = perf_counter()
        yield Timed(judged, now - begun)
        begun = perf_counter()


def _total(suite: Element, cases: list[Element]) -> None:
    suite.set("tests", str(len(cases)))
    for total, element in COUNTED.items():
        suite.set(total, str(sum(case.find(element) is not None for case in cases)))
    suite.set("time", f"{sum(float(case.attrib['time']) for case in cases):.6f}")


Case = tuple[Judged, float, Finding | None, str, str]
"""A document, seconds, a finding if there is any, its element and that element's words."""


def _cases(documents: Iterator[Timed]) -> Iterator[Case]:
    """A case for every finding; the time of a document goes to its first."""
    for judged, seconds in documents:
        found: list[tuple[Finding | None, str, str]] = []
        for finding, _, unread, _ in judged.found:
            kind = ("error" if unread else "failure") if finding.severity == "error" else ""
            found.append((finding, kind, finding.message))
        found += [(each.finding, "skipped", each.reason or "waived") for each in judged.waived]
        for number, each in enumerate(found or [(None, "", "")]):
            yield (judged, 0.0 if number else seconds, *each)


def _case(
    suite: Element, judged: Judged, seconds: float, finding: Finding | None, kind: str, said: str
) -> Element:
    name = f"{judged.name} ({judged.source})" if judged.spec else judged.source
    case = SubElement(suite, "testcase", classname=printable(judged.file))
    case.set("time", f"{seconds:.6f}")
    if finding is None:
        case.set("name", printable(name))
        return case
    at = f":{finding.line}:{finding.column}" if finding.line else ""
    case.set("name", printable(f"{name}: {finding.rule}{f' {finding.path}'.rstrip()}{at}"))
    text = printable(f"{finding.file}{at}: {finding.message}")
    if kind:
        told = SubElement(case, kind, message=printable(said))
        told.text = text
        if kind != "skipped":
            told.set("type", finding.rule)
    else:
        SubElement(case, "system-out").text = f"{finding.severity} {finding.rule} {text}"
    return case
