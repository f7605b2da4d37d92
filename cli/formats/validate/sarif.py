"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote

from kcfg.cli import console, validating
from kcfg.core.validate.catalog import known
from kcfg.core.validate.result import Located
from kcfg.core.validate.run import Run
from kcfg.core.version import VERSION

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LEVELS = {"error": "error", "warning": "warning", "info": "note"}
NUMBERS = ("value", "limit", "over", "unit", "fix", "path")
"""What of a finding goes into a result's property bag."""


def write(run: Run) -> None:
    """Write one log with one run, once everything has been judged."""
    found = [located for judged in run for located in judged.found]
    ids = [rule.id for rule in known()]
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver()},
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(run)],
                "results": [_result(located, ids.index(located.finding.rule)) for located in found],
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
                "shortDescription": {"text": rule.title},
                "fullDescription": {"text": rule.page},
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
    if os.path.isabs(file):
        uri = f"file://{uri}"
    place: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if line:
        place["region"] = {"startLine": line, "startColumn": column}
    return place
