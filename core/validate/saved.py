"""Saved reports of ``kcfg derive``, derived again from their own inputs."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core import report as reporting
from kcfg.core.finding import Finding
from kcfg.core.same import same
from kcfg.core.saved.form import leaves, writer
from kcfg.core.saved.reading import SavedError, in_json, in_yaml
from kcfg.core.saved.report import Report
from kcfg.core.spec import Spec
from kcfg.core.spec.documents import Document
from kcfg.core.spec.problem import Problem, listed
from kcfg.core.version import VERSION

PARTS = ("values", "units", "smem", "tmem", "registers", "barriers", "supported")
"""What of a report is compared; its findings are judged anew."""

SHOWN = 6
"""Drifted values that a message names."""

ABSENT = "(absent)"


def reports(text: str, file: str) -> Iterator[Report | Problem]:
    """The reports of a file: one, a list of several, or one a line."""
    try:
        for found in in_json(text):
            yield Report(found, file)
    except SavedError as error:
        yield Problem(file, *error.position, "", str(error), "unreadable")


def of_yaml(document: Document, file: str) -> Report | Problem:
    """The report of a YAML document."""
    try:
        return Report(in_yaml(document), file)
    except SavedError as error:
        return Problem(file, *error.position, "", str(error), "unreadable")


def drift(report: Report, spec: Spec) -> Finding | None:
    """A finding that names the values which are others now, if there are any."""
    from kcfg.core.validate.checks import STALE
    from kcfg.core.validate.pins import written

    derived = reporting.report(spec.derive())
    now = dict(leaves({part: derived[part] for part in PARTS}))
    old = dict(leaves({part: report.data[part] for part in PARTS}))
    keys = [*old, *(key for key in now if key not in old and _has_all(report))]
    pairs = {key: (old.get(key, ABSENT), now.get(key, ABSENT)) for key in keys}
    drifted = {key: pair for key, pair in pairs.items() if not same(*pair)}
    if not drifted:
        return None
    named = (
        f"{key.removeprefix('values.')} {written(before)} -> {written(after)}"
        for key, (before, after) in drifted.items()
    )
    first = next(iter(drifted))
    line, column = report.position(*first.split(".", 1))
    return Finding(
        STALE.id,
        STALE.severity,
        f"stale report, written by {writer(report.data)}: {listed(named, SHOWN)}"
        f" (kcfg {VERSION}); derive it again",
        path=first,
        value=old.get(first),
        limit=now.get(first),
        file=report.file,
        line=line,
        column=column,
    )


def _has_all(report: Report) -> bool:
    """Whether the report must have every value of today: another kcfg may have had fewer."""
    return report.data.get("kcfg", VERSION) == VERSION or not report.data["values"]
