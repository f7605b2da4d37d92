"""What a picture shows, before anything decides how: bars of spans, to scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_uppercase
from typing import Any, Literal, NamedTuple

from kcfg.core.diff.moves import Move, between

Kind = Literal["region", "whole", "padding", "free", "reserved", "over"]
"""``whole`` is a known total without a layout, ``reserved`` what the system keeps,
``over`` what lies past a limit."""

Key = Literal["smem", "tmem", "registers", "sm"]

KEYS: tuple[Key, ...] = ("smem", "tmem", "registers", "sm")
"""The parts of a scene, in their order; those a report has are called as there."""


class Span(NamedTuple):
    """A range of a bar: ``size`` from ``start``, made of ``slots`` equal ones.

    ``text`` is the size in words, ``detail`` more of it. A span that shares the place of
    another lies beside the bar: ``alias_of`` names that one.
    """

    name: str
    start: int
    size: int
    kind: Kind = "region"
    text: str = ""
    detail: str = ""
    slots: int = 1
    alias_of: str = ""

    @property
    def end(self) -> int:
        return self.start + self.size

    @property
    def beside(self) -> bool:
        """Whether it is drawn beside the bar and not in it."""
        return bool(self.alias_of) or self.kind == "over"


class Mark(NamedTuple):
    """A place on a bar that has a name, such as its limit."""

    at: int
    text: str


class Bar(NamedTuple):
    """Spans along a line from 0 to ``extent``, in ``unit``; ``label`` says which of several."""

    label: str
    unit: str
    extent: int
    spans: tuple[Span, ...]
    marks: tuple[Mark, ...] = ()

    def inside(self) -> list[list[Span]]:
        """The spans of the bar itself, in rows: several where they differ in their lanes only."""
        return _rows(span for span in self.spans if not span.beside)

    def beside(self) -> list[list[Span]]:
        """The spans drawn beside the bar, in rows."""
        return _rows(span for span in self.spans if span.beside)


class Part(NamedTuple):
    """One part of a block: its title, its bars, and what else is to be said of it.

    Bars of one part have a scale of their own each, or one for all where ``together``.
    ``bad`` says that something of it cannot be.
    """

    key: Key
    title: str
    bars: tuple[Bar, ...] = ()
    notes: tuple[str, ...] = ()
    together: bool = True
    bad: bool = False


class Scene(NamedTuple):
    """One configuration: its report, title, verdict, and parts."""

    report: dict[str, Any]
    title: str
    verdict: str
    good: bool | None
    parts: tuple[Part, ...]

    def part(self, key: Key) -> Part:
        """The part of this key; every scene has them all."""
        return next(part for part in self.parts if part.key == key)


def _rows(spans: Iterable[Span]) -> list[list[Span]]:
    """Spans in as many rows as it takes for none to be over another."""
    rows: list[list[Span]] = []
    for span in sorted(spans, key=lambda span: span.start):
        for row in rows:
            if row[-1].end <= span.start:
                row.append(span)
                break
        else:
            rows.append([span])
    return rows


def names(parts: Iterable[Part]) -> dict[str, int]:
    """A number for every name of a region, the same in all parts, in order of appearance."""
    spans = (span for part in parts for bar in part.bars for span in bar.spans)
    found = (span.name for span in spans if span.kind in ("region", "whole"))
    return {name: number for number, name in enumerate(dict.fromkeys(found))}


def letters(count: int) -> list[str]:
    """What several configurations are called in one picture: A, B and so on; one has no name."""
    if count == 1:
        return [""]
    return [ascii_uppercase[n % 26] * (1 + n // 26) for n in range(count)]


def moves(scenes: Sequence[Scene], key: Key) -> list[Move] | None:
    """What moved in a part from the first of two scenes to the second.

    None where there are not two, or one has no layout of that part.
    """
    if len(scenes) != 2 or any(scene.report.get(key) is None for scene in scenes):
        return None
    old, new = scenes
    return [move for move in between(old.report, new.report) if move.space == key]


def said(moves: Sequence[Move]) -> str:
    """What moved, what went and what came, in words."""
    found = {
        "moved or resized": [move.name for move in moves if move.old and move.new],
        "went": [move.name for move in moves if not move.new],
        "came": [move.name for move in moves if not move.old],
    }
    return "; ".join(f"{what}: {', '.join(names)}" for what, names in found.items() if names) or (
        "nothing moved"
    )
