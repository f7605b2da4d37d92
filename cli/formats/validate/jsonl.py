"""JSON Lines: one object a finding, each on a line, as they come."""

from __future__ import annotations

import json

from kcfg.cli import console
from kcfg.core.validate.run import Run


def write(run: Run) -> None:
    """Write each finding on a line of its own."""
    for judged in run:
        for located in judged.found:
            console.document(json.dumps(located.to_json(), separators=(",", ":")) + "\n")
