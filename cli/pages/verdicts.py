"""How a configuration is judged, in the words and tones every page uses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kcfg.cli.pages.pieces import Line, Tone

TONES: dict[str, Tone] = {"error": "bad", "warning": "warn", "info": "dim"}
"""The tone of a finding, by its severity."""


def verdict(supported: bool | None, findings: Iterable[dict[str, Any]]) -> tuple[str, Tone]:
    """The verdict of a report, in a word or two."""
    if supported is False:
        return "NOT SUPPORTED", "bad"
    if any(finding["severity"] == "error" for finding in findings):
        return "CANNOT RUN", "bad"
    if supported:
        return "supported", "good"
    return "passes the rules, which alone judge it", "good"


def told(finding: dict[str, Any], mark: str = "") -> Line:
    """A finding as a line of a page."""
    severity = finding["severity"]
    text = f"{mark}{severity} {finding['rule']}: {finding['message']}"
    return Line(text, TONES.get(severity, ""), 2)
