"""A launch written by hand: nothing is derived, so what the rules say is all there is to tell."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.cli.pages import inputs, registers
from kcfg.cli.pages.pieces import Heading, Line, Piece
from kcfg.cli.pages.told import Told
from kcfg.cli.pages.verdicts import told as line, verdict


def pieces(told: Told) -> Iterator[Piece]:
    """The verdict, every finding, and what was given."""
    yield Line("A launch written by hand is judged by the rules; nothing is derived.", "dim")
    yield Line(*verdict(None, told.findings))
    for finding in told.findings:
        yield line(finding)
    yield Heading("Asked")
    yield inputs.grid(told.asked or {})
    yield from registers.brief(told.registers)
