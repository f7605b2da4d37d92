"""JUnit XML, for test reports: a suite for every file, a case for every document."""

from __future__ import annotations

from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from kcfg.cli import console
from kcfg.core.spec.problem import printable
from kcfg.core.validate.result import Judged
from kcfg.core.validate.run import Run


def write(run: Run) -> None:
    """Write the suites once everything has been judged."""
    suites = Element("testsuites", name="kcfg validate")
    for file, documents in groupby(run, key=lambda judged: judged.file):
        _suite(suites, file, list(documents))
    indent(suites)
    text = tostring(suites, encoding="unicode")
    console.document(f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n')


def _suite(suites: Element, file: str, documents: list[Judged]) -> None:
    unread = sum(any(each.unread for each in judged.found) for judged in documents)
    wrong = sum(_fails(judged) for judged in documents) - unread
    suite = SubElement(
        suites,
        "testsuite",
        name=printable(file),
        tests=str(len(documents)),
        failures=str(wrong),
        errors=str(unread),
        skipped="0",
    )
    for judged in documents:
        _case(suite, judged)


def _fails(judged: Judged) -> bool:
    return any(located.finding.severity == "error" for located in judged.found)


def _case(suite: Element, judged: Judged) -> None:
    name = f"{judged.name} ({judged.source})" if judged.spec else judged.source
    case = SubElement(suite, "testcase", classname=printable(judged.file), name=printable(name))
    notes = []
    for finding, _, unread in judged.found:
        text = printable(f"{finding.file}:{finding.line}:{finding.column}: {finding.message}")
        if finding.severity == "error":
            kind = "error" if unread else "failure"
            told = SubElement(case, kind, type=finding.rule, message=printable(finding.message))
            told.text = text
        else:
            notes.append(f"{finding.severity} {finding.rule} {text}")
    if notes:
        SubElement(case, "system-out").text = "\n".join(notes)
