"""A launch written by hand: what the rules say of it, and what follows from its keys."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.cli.pages import inputs, registers, words
from kcfg.cli.pages.pieces import Heading, Line, Piece
from kcfg.cli.pages.told import Told
from kcfg.cli.pages.verdicts import told as line, verdict


def pieces(told: Told) -> Iterator[Piece]:
    """The verdict, every finding, and what was given."""
    figures = "what follows from its keys is worked out" if told.figures else "nothing is derived"
    yield Line(f"A launch written by hand is judged by the rules; {figures}.", "dim")
    yield Line(*verdict(None, told.findings))
    for finding in told.findings:
        yield line(finding)
    yield Heading("Asked")
    yield inputs.grid(told.asked or {})
    yield from worked(told)
    yield from registers.brief(told.registers)


def worked(told: Told) -> Iterator[Piece]:
    """The figures that follow, each with where it comes from, and how many of what fit."""
    yield from inputs.following(told.figures)
    for fit in told.fits:
        yield Line(f"{fit.path[0]}: {words.fit(fit)}", indent=2)
