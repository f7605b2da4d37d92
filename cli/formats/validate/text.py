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
    unasked = Unasked()
    for judged in run:
        if run.options.statistics:
            continue
        for located in judged.found:
            console.write(_finding(located, coloured))
        if run.options.quiet:
            continue
        if run.options.infos:
            console.write(_not_judged(judged))
        else:
            unasked.count(judged)
        for note in judged.notes:
            console.write(f"{printable(note)}\n")
    if run.options.statistics:
        _count(run.tally)
    if not run.options.quiet:
        console.write(unasked.told())
        console.write(f"{summary(run.tally)}\n")


def _count(tally: Tally) -> None:
    """The findings of each rule, with what it checks, as a table."""
    from kcfg.cli.pages.pieces import Column, Row, Table
    from kcfg.cli.render import draw
    from kcfg.core.validate.catalog import known

    titles = {rule.id: rule.title for rule in known()}
    rows = [
        Row((f"{each.findings:,}", f"{each.waived:,}", rule, each.severity, titles[rule]))
        for rule, each in tally.by_rule().items()
    ]
    headers = Column("findings", True), Column("waived", True), Column("rule"), Column("severity")
    if rows:
        draw([Table([*headers, Column("what it checks")], rows)])


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

    waiting = "; ".join(not_judged(judged.block)) if judged.block is not None else ""
    return f"{printable(judged.source)}: not judged: {waiting}\n" if waiting else ""


class Unasked:
    """How many rules were not asked of launches, for a line at the end of them all.

    A launch can give what they lack. A derived kernel says what its source does, and most
    of the rules it lacks something for were not even imported.
    """

    def __init__(self) -> None:
        self.launches = 0
        self.counts: set[int] = set()
        self.first = ""

    def count(self, judged: Judged) -> None:
        """Add a document's."""
        if judged.block is None or judged.block.derived:
            return
        from kcfg.core.rules import unasked

        rules = sum(map(len, unasked(judged.block).values()))
        if rules:
            self.first = self.first or judged.source
            self.launches += 1
            self.counts.add(rules)

    def told(self) -> str:
        """The line, or nothing where every rule was asked."""
        if not self.counts:
            return ""
        least, most = min(self.counts), max(self.counts)
        of = printable(self.first) if self.launches == 1 else f"{self.launches:,} launches"
        rules = some(most, "rule") if least == most else f"{least} to {most} rules"
        each = " each" if self.launches > 1 else ""
        return f"{of}: not judged: {rules}{each}, for want of keys; --info lists them\n"


def summary(tally: Tally) -> str:
    """The counts in a line."""
    counts = [some(tally.errors, "error"), some(tally.warnings, "warning")]
    if tally.infos:
        counts.append(some(tally.infos, "note"))
    waived = f"; {tally.waived:,} waived" if tally.waived else ""
    hidden = f"; {some(tally.hidden, 'finding')} not shown" if tally.hidden else ""
    defined = f", {some(tally.definitions, 'definition')}" if tally.definitions else ""
    seen = f"{some(tally.files, 'file')}{defined}, {some(tally.specs, 'spec')}"
    refused = f", {tally.refused:,} not understood" if tally.refused else ""
    return f"{seen}{refused}: {', '.join(counts)}{waived}{hidden}"
