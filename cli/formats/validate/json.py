"""One JSON object: every finding in order, notes that go with them, and the counts."""

from __future__ import annotations

import json
from typing import Any

from kcfg.cli import console
from kcfg.core.validate.run import Run
from kcfg.core.version import VERSION


def write(run: Run) -> None:
    """Write all findings once everything has been judged."""
    found: list[dict[str, Any]] = []
    notes: list[str] = []
    for judged in run:
        found += (located.to_json() for located in judged.found)
        notes += judged.notes
    summary = run.tally.to_json()
    whole = {"kcfg": VERSION, "findings": found, "notes": notes, "summary": summary}
    console.write(json.dumps(whole, indent=2) + "\n")
