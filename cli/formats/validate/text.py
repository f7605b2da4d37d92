"""A line for every finding, as compilers write them, and the counts at the end."""

from __future__ import annotations

from kcfg.cli import console
from kcfg.core.figures import some
from kcfg.core.spec.problem import listed, printable
from kcfg.core.validate.result import Judged, Located, Tally
from kcfg.core.validate.run import Run

COLOURS = {"error": "1;31", "warning": "33", "info": "2"}
"""Of a terminal, by severity."""

OTHERS = 6
"""Keys that a finding also rests on, as many as are listed."""


def write(run: Run) -> None:
    """Write every document's findings as they come; colour is for terminals only.

    NO_COLOR, set to anything, forbids it.
    """
    coloured = console.is_terminal() and console.may_colour()
    for judged in run:
        for located in judged.found:
            console.write(_finding(located, coloured))
        if judged.block is not None and (run.options.infos or not judged.block.derived):
            console.write(_not_judged(judged))
        for note in judged.notes:
            console.write(f"{printable(note)}\n")
    console.write(f"{summary(run.tally)}\n")


def _finding(located: Located, coloured: bool) -> str:
    finding = located.finding
    place = f":{finding.line}:{finding.column}" if finding.line else ""
    what = f"{finding.severity} {finding.rule}"
    path = f"{finding.path}: " if finding.path else ""
    if coloured:
        what = f"\x1b[{COLOURS[finding.severity]}m{what}\x1b[0m"
    where, said = printable(f"{finding.file}{place}"), printable(f"{path}{finding.message}")
    line = f"{where}: {what} {said}\n"
    if located.rests_on:
        others = (f"{key} ({row}:{column})" for key, row, column in located.rests_on)
        line += f"    rests on {listed(others, OTHERS)} too\n"
    return line


def _not_judged(judged: Judged) -> str:
    from kcfg.core.rules import not_judged

    assert judged.block is not None
    waiting = "; ".join(not_judged(judged.block))
    return f"{printable(judged.source)}: not judged: {waiting}\n" if waiting else ""


def summary(tally: Tally) -> str:
    """The counts in a line."""
    counts = [some(tally.errors, "error"), some(tally.warnings, "warning")]
    if tally.infos:
        counts.append(some(tally.infos, "note"))
    hidden = f"; {some(tally.hidden, 'finding')} not shown" if tally.hidden else ""
    defined = f", {some(tally.definitions, 'definition')}" if tally.definitions else ""
    seen = f"{some(tally.files, 'file')}{defined}, {some(tally.specs, 'spec')}"
    refused = f", {tally.refused:,} not understood" if tally.refused else ""
    return f"{seen}{refused}: {', '.join(counts)}{hidden}"
