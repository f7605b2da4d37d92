"""A launch written by hand: nothing is derived, so what the rules say is all there is to tell."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.cli.formats.derive.table import flat
from kcfg.cli.formats.explain import Told
from kcfg.cli.page import Block, Grid, Heading, Line
from kcfg.cli.units import number
from kcfg.cli.verdicts import told as line, verdict


def blocks(told: Told) -> Iterator[Block]:
    """The verdict, every finding, and what was given."""
    yield Line("A launch written by hand is judged by the rules; nothing is derived.", "dim")
    yield Line(*verdict(None, told.findings))
    for finding in told.findings:
        yield line(finding)
    yield Heading("Asked")
    yield Grid([(key, number(value)) for key, value in flat(told.asked or {}).items()])
