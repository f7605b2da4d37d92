"""Saved reports as sides of a comparison."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.diff import Side
from kcfg.core.saved.reading import Saved, SavedError, in_json, in_yaml, is_json, is_yaml
from kcfg.core.saved.report import Report
from kcfg.core.spec import Spec
from kcfg.core.spec.documents import documents
from kcfg.core.spec.problem import Problem


def parsed(data: bytes, file: str) -> list[Report] | None:
    """The reports of a file; None where it holds something else, such as specs.

    Raises `SavedError` for what is meant as a report and cannot be read as one.
    """
    text = data.decode("utf-8-sig", "replace")
    if text.lstrip()[:1] in ("{", "["):
        return [Report(each, file) for each in in_json(text)] if is_json(text) else None
    if not is_yaml(text):
        return None
    return [Report(each, file) for each in _of_yaml(data, file)]


def restored(report: Report) -> Side | list[Problem]:
    """A saved report with the kernel that its inputs give now, or why they give none."""
    spec = report.spec()
    return Side(report.data, spec.derive(), report.file) if isinstance(spec, Spec) else spec


def _of_yaml(data: bytes, file: str) -> Iterator[Saved]:
    for document in documents(data.splitlines(keepends=True), file):
        if isinstance(document, Problem):
            raise SavedError(document.message, document[1:3])
        if not document.blank:
            yield in_yaml(document)
