"""One JSON object: every finding in order, notes that go with them, and the counts.

Specs of which the same rules were not asked share one entry under ``not_judged``.
"""

from __future__ import annotations

import json
from textwrap import indent
from typing import Any

from kcfg.cli import console
from kcfg.core.block.block import Block
from kcfg.core.spec.problem import printable
from kcfg.core.validate.run import Run
from kcfg.core.version import VERSION

STEP = "  "


def write(run: Run) -> None:
    """Write each finding as it comes, and what there is to say of all of them at the end."""
    notes: list[str] = []
    unasked: dict[str, dict[str, Any]] = {}
    opening = f'{{\n{STEP}"kcfg": {json.dumps(VERSION)},\n{STEP}"findings": ['
    console.document(opening)
    between = ""
    for judged in run:
        for located in judged.found:
            console.document(f"{between}\n{indent(_text(located.to_json()), 2 * STEP)}")
            between = ","
        notes += judged.notes
        if judged.block is not None:
            lacking = not_judged(judged.block)
            alike = unasked.setdefault(repr(lacking), {"specs": [], "not_judged": lacking})
            alike["specs"].append(printable(judged.source))
    console.document(f"\n{STEP}]" if between else "]")
    rest: dict[str, Any] = {
        "notes": notes,
        "not_judged": list(unasked.values()),
        "summary": run.tally.to_json(),
    }
    if run.options.statistics:
        counts = run.tally.by_rule().items()
        rest["statistics"] = [{"rule": rule, **vars(each)} for rule, each in counts]
    console.document(f",{_text(rest)[1:]}\n")


def not_judged(block: Block) -> list[dict[str, Any]]:
    """The rules that were not asked, by the keys that would give what they lack."""
    from kcfg.core.rules import unasked

    return [{"without": keys, "rules": ids} for keys, ids in unasked(block).items()]


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=STEP)
