"""Two bars of one part, one above the other at one scale, with what moved linked."""

from __future__ import annotations

from collections.abc import Sequence

from kcfg.cli.pictures.bars import Bar, Span
from kcfg.cli.pictures.svg.paper import Lines, Paper
from kcfg.cli.pictures.svg.track import Look, track
from kcfg.core.diff.moves import Move

BAND = 56.0


def pair(old: Bar, new: Bar, moves: Sequence[Move], width: float, look: Look) -> Paper:
    """Both bars with the links between them: of what moved filled, of what stayed dashed."""
    paper = Paper(width)
    paper.below(track(old, width, look._replace(up=True)))
    scale, top = width / max(look.extent, 1), paper.height + 3
    moved = {move.name for move in moves}
    before, after = _inside(old), _inside(new)
    for name, span in before.items():
        if name in after:
            paper.add(_link(span, after[name], scale, top, name in moved))
    paper.height += BAND
    paper.below(track(new, width, look))
    return paper


def _link(old: Span, new: Span, scale: float, top: float, moved: bool) -> Lines:
    low, high = top, top + BAND - 6
    ends = ((old.start, low), (old.end, low), (new.end, high), (new.start, high))
    points = tuple((at * scale, y) for at, y in ends)
    if not moved:
        return Lines(points, "stayed")
    says = f"{old.name}: from {old.start:,} to {new.start:,}; {old.text}, then {new.text}"
    return Lines(points, "moved", says)


def _inside(bar: Bar) -> dict[str, Span]:
    """The regions of a bar by name, without those that share the place of another."""
    return {span.name: span for span in bar.spans if span.kind == "region" and not span.beside}
