"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kcfg.cli import console, validating
from kcfg.core.finding import Finding
from kcfg.core.spec.documents import STDIN
from kcfg.core.validate.catalog import known
from kcfg.core.validate.result import Judged, Located, Waived
from kcfg.core.validate.run import Run
from kcfg.core.version import VERSION

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LEVELS = {"error": "error", "warning": "warning", "info": "note"}
ROOT = "SRCROOT"
FINGERPRINT = "kcfgFinding/v1"
NUMBER = re.compile(r"\d[\d,.]*")
NUMBERS = ("value", "limit", "over", "unit", "fix", "path")
"""What of a finding goes into a result's property bag."""


def write(run: Run) -> None:
    """Write one log with one run, once everything has been judged."""
    ids = [rule.id for rule in known()]
    prints = Fingerprints()
    results = [result for judged in run for result in _results(judged, ids, prints)]
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver()},
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(run)],
                "originalUriBaseIds": {ROOT: {"uri": Path.cwd().as_uri() + "/"}},
                "results": results,
            }
        ],
    }
    console.document(json.dumps(log, indent=2) + "\n")


def _driver() -> dict[str, Any]:
    return {
        "name": "kcfg",
        "version": VERSION,
        "semanticVersion": VERSION,
        "rules": [
            {
                "id": rule.id,
                "name": rule.name.title().replace("_", ""),
                "shortDescription": {"text": rule.title},
                "fullDescription": {"text": rule.page},
                "help": {"text": f"{rule.page}\n\n`kcfg rules {rule.id}` shows this page."},
                "defaultConfiguration": {"level": LEVELS[rule.severity]},
            }
            for rule in known()
        ],
    }


def _invocation(run: Run) -> dict[str, Any]:
    return {
        "executionSuccessful": not run.tally.unread,
        "exitCode": validating.exit_code(run),
    }


class Fingerprints:
    """What tells findings apart when lines move and numbers change."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, finding: Finding, spec: str) -> str:
        """The same for the same rule, spec and key, counted where there are several."""
        about = finding.path or NUMBER.sub("#", finding.message)
        name = "\0".join((finding.rule, finding.file, spec, about))
        self._seen[name] += 1
        return f"{sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()}:{self._seen[name]}"


def _results(judged: Judged, ids: list[str], prints: Fingerprints) -> Iterator[dict[str, Any]]:
    """The findings of a document; those that its comments take out are suppressed."""
    every: list[tuple[Located, Waived | None]] = [(each, None) for each in judged.found]
    every += [(Located(each.finding), each) for each in judged.waived]
    for located, waived in every:
        result = _result(located, ids.index(located.finding.rule))
        print_of = prints.of(located.finding, judged.name if judged.spec else "")
        result["partialFingerprints"] = {FINGERPRINT: print_of}
        if waived is not None:
            why = {"justification": waived.reason} if waived.reason else {}
            result["suppressions"] = [{"kind": "inSource", **why}]
        yield result


def _result(located: Located, index: int) -> dict[str, Any]:
    finding = located.finding
    place = (finding.line, finding.column)
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": _physical(finding.file, *place)}],
        "properties": {
            key: value for key in NUMBERS if (value := getattr(finding, key)) not in (None, "")
        },
    }
    if located.rests_on:
        result["relatedLocations"] = [
            {
                "physicalLocation": _physical(finding.file, each.line, each.column),
                "message": {"text": each.key},
            }
            for each in located.rests_on
        ]
    return result


def _physical(file: str, line: int, column: int) -> dict[str, Any]:
    uri = quote(os.fsencode(file.replace(os.sep, "/")), safe="/")
    location = {"uri": f"file://{uri}"} if os.path.isabs(file) else {"uri": uri, "uriBaseId": ROOT}
    if file == STDIN or file.startswith(("preset:", "--")):  # nothing below the folder
        location = {"uri": f"kcfg:{uri}"}
    place: dict[str, Any] = {"artifactLocation": location}
    if line:
        place["region"] = {"startLine": line, "startColumn": column}
    return place
