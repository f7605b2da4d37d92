"""Workflow commands, which GitHub shows beside the lines of a change."""

from __future__ import annotations

from kcfg.cli import console
from kcfg.cli.formats.validate.text import summary
from kcfg.core.finding import Finding
from kcfg.core.spec.problem import printable
from kcfg.core.validate.run import Run

COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def write(run: Run) -> None:
    """Write a command for every finding, and the counts for the log."""
    for judged in run:
        for located in judged.found:
            console.document(_command(located.finding))
    console.document(f"{summary(run.tally)}\n")


def _command(finding: Finding) -> str:
    properties = [("file", printable(finding.file))]
    if finding.line:
        properties += [("line", str(finding.line)), ("col", str(finding.column))]
    properties.append(("title", f"kcfg {finding.rule}"))
    given = ",".join(f"{name}={_escaped(text, ':,')}" for name, text in properties)
    return f"::{COMMANDS[finding.severity]} {given}::{_escaped(finding.message)}\n"


def _escaped(text: str, also: str = "") -> str:
    """A text with what would end a command, or a property of it, as percent codes."""
    return "".join(f"%{ord(c):02X}" if c in "%\r\n" + also else c for c in text)
