"""JSON Lines: one object a finding, each on a line, as they come.

With ``--info`` a spec has a line of its own too: its source, and what was not judged of it.
"""

from __future__ import annotations

import json
from typing import Any

from kcfg.cli import console
from kcfg.cli.formats.validate.json import not_judged
from kcfg.core.spec.problem import printable
from kcfg.core.validate.run import Run


def write(run: Run) -> None:
    """Write each finding on a line of its own."""
    for judged in run:
        for located in judged.found:
            _write(located.to_json())
        if run.options.infos and judged.block is not None:
            _write({"spec": printable(judged.source), "not_judged": not_judged(judged.block)})


def _write(data: dict[str, Any]) -> None:
    console.document(json.dumps(data, separators=(",", ":")) + "\n")
