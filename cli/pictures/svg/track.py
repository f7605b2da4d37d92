"""One bar, to scale: its spans, its marks, and a magnified strip of what is too small to name.

What does not belong to the bar itself (spans beside it, the axis, the strip) lies on its
outer side: below it, or above where the bar is the upper one of two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kcfg.cli.pictures.bars import Bar, Span
from kcfg.cli.pictures.svg import axis, strip
from kcfg.cli.pictures.svg.paper import Box, Lines, Paper, Text, widest
from kcfg.cli.pictures.svg.strip import Cell, Cluster
from kcfg.cli.pictures.svg.style import MOST, ink

TALL, LOW = 44.0, 26.0
LANE = 24.0
AXIS = 19.0
FAN = 16.0
LETTERS = 4.0
"""From the middle of a line of text to its baseline."""


class Look(NamedTuple):
    """How bars are drawn: ink numbers by name, the id prefix of fills, the scale's extent.

    ``up`` turns a bar's outer side upwards; ``low`` makes it one line high; ``ticks`` adds
    figures along it.
    """

    inks: dict[str, int]
    prefix: str
    extent: int
    up: bool = False
    low: bool = False
    ticks: bool = True


def track(bar: Bar, width: float, look: Look) -> Paper:
    """A bar on a paper of its own; the bar's inner edge is the paper's edge."""
    return _Track(bar, width, look).paper


class _Track:
    def __init__(self, bar: Bar, width: float, look: Look) -> None:
        self.bar, self.look, self.width = bar, look, width
        self.scale = width / max(look.extent, 1)
        self.rows, self.lanes = bar.inside() or [[]], bar.beside()
        self.low = look.low or len(self.rows) > 1
        self.thick = LOW * len(self.rows) if self.low else TALL
        self.paper = Paper(width)
        lane = LANE * len(self.lanes)
        figures = AXIS if look.ticks or any(mark.text for mark in bar.marks) else 0.0
        clusters = strip.arranged(list(self._clusters()), width)
        fan = FAN if clusters else 0.0
        rows = strip.height(clusters)
        self.paper.height = self.thick + lane + figures + fan + rows
        self._fans(clusters, lane, lane + figures + fan)
        self._bar()
        self._figures(clusters, lane, figures)
        self._strip(clusters, lane + figures + fan)

    def out(self, away: float, height: float = 0) -> float:
        """The upper edge of something ``height`` high that begins ``away`` from the bar."""
        if self.look.up:
            return self.paper.height - self.thick - away - height
        return self.thick + away

    def x(self, at: int) -> float:
        return at * self.scale

    # What is drawn in its place

    def _bar(self) -> None:
        top = self.paper.height - self.thick if self.look.up else 0
        frame = Box(0, top, self.x(self.bar.extent), self.thick, "frame")
        self.paper.add(frame)
        for number, row in enumerate(self.rows):
            high = self.thick / len(self.rows)
            for span in row:
                self._span(span, top + number * high, high)
        for number, row in enumerate(self.lanes):
            for span in row:
                self._span(span, self.out(number * LANE, LANE) + 3, LANE - 6)
        for mark in self.bar.marks:
            x = self.x(mark.at)
            self.paper.add(Lines(((x, top - 3), (x, top + self.thick + 3)), "mark"))

    def _span(self, span: Span, top: float, thick: float) -> None:
        start, size = self.x(span.start), span.size * self.scale
        self.paper.add(self._box(span, start, top, size, thick))
        each = size / span.slots
        if span.slots > 1 and each >= 3:
            for slot in range(1, span.slots):
                x = start + slot * each
                self.paper.add(Lines(((x, top), (x, top + thick)), "slot"))
        if self._fits(span):
            lines = self._lines(span)
            middle = start + size / 2
            if span.slots % 2 == 0 and widest(lines) + 8 <= each:
                middle -= each / 2  # within a slot, not across the line between two
            self._label(span, lines, middle, top + thick / 2)

    def _box(self, span: Span, x: float, y: float, width: float, height: float) -> Box:
        says = f"{span.name}: {span.detail}"
        if span.kind == "free":
            return Box(x, y, width, height, "free", says=says)
        inked = span.kind in ("region", "whole")
        fill = str(self.look.inks[span.name] % MOST) if inked else span.kind
        return Box(x, y, width, height, "region", self.look.prefix + fill, says)

    def _label(self, span: Span, lines: Sequence[str], middle: float, centre: float) -> None:
        """The lines of a label on a plate of their ground, so that no pattern runs through them."""
        ground: str = "paper" if span.kind in ("free", "padding") else span.kind
        if span.name in self.look.inks:
            ground = str(ink(self.look.inks[span.name]))
        wide, high = widest(lines) + 2, len(lines) * strip.LINE - 2
        plate = Box(middle - wide / 2, centre - high / 2, wide, high, f"plate on-{ground}")
        self.paper.add(plate)
        first = centre - (len(lines) - 1) * strip.LINE / 2 + LETTERS
        for number, line in enumerate(lines):
            style = "quiet" if span.kind == "free" else ""
            y = first + number * strip.LINE
            self.paper.add(Text(middle, y, line, style, "middle"))

    def _lines(self, span: Span) -> list[str]:
        lines = [line for line in (span.name, span.text) if line]
        return [" ".join(lines)] if span.beside or self.low else lines

    def _fits(self, span: Span) -> bool:
        return span.size * self.scale >= widest(self._lines(span)) + 8

    # What is too small

    def _clusters(self) -> Iterator[Cluster]:
        """Small spans that follow each other, together."""
        found: list[Span] = []
        for span in sorted(self.bar.spans, key=lambda span: (span.start, span.beside)):
            if not self._fits(span):
                found.append(span)
            elif found and not span.beside:
                yield self._cluster(found)
                found = []
        if found:
            yield self._cluster(found)

    def _cluster(self, spans: list[Span]) -> Cluster:
        placed = self.look.ticks and self.bar.unit in ("bytes", "columns")
        cells = tuple(strip.cell(span, placed) for span in spans)
        start, end = min(s.start for s in spans), max(s.end for s in spans)
        return Cluster(self.x(start), self.x(end), cells)

    def _fans(self, clusters: list[Cluster], lane: float, away: float) -> None:
        """From the place of each cluster to its cells in the nearest row."""
        near, bend, far = (self.out(a) for a in (lane, away - FAN, away))
        for cluster in clusters:
            cells = [cell for cell in cluster.cells if not cell.row]
            if cells:
                left, right = cells[0].x, cells[-1].x + cells[-1].width
                start, end = cluster.start, max(cluster.end, cluster.start + 1)
                ends = ((start, near), (start, bend), (left, far), (right, far))
                self.paper.add(Lines((*ends, (end, bend), (end, near)), "fan"))

    def _strip(self, clusters: list[Cluster], away: float) -> None:
        high = strip.row_height(clusters)
        for cluster in clusters:
            for cell in cluster.cells:
                self._cell(cell, self.out(away + cell.row * high, high), high)

    def _cell(self, cell: Cell, top: float, high: float) -> None:
        self.paper.add(self._box(cell.span, cell.x, top, cell.width, high - 2))
        self._label(cell.span, cell.lines, cell.x + cell.width / 2, top + high / 2 - 1)

    # Figures

    def _figures(self, clusters: list[Cluster], lane: float, height: float) -> None:
        if not height:
            return
        y = self.out(lane, height) + height / 2 + LETTERS
        row = axis.Row(self.width, [(each.start - 2, each.end + 2) for each in clusters])
        for mark in self.bar.marks:
            text = row.near(self.x(mark.at), mark.text) if mark.text else None
            if text:
                self.paper.add(text._replace(y=y))
        if self.look.ticks:
            for at, figure in axis.ticks(self.look.extent, self.bar.unit):
                text = row.place(self.x(at), figure)
                if text:
                    self.paper.add(text._replace(y=y, style="quiet"))
                    self._tick(self.x(at), lane)

    def _tick(self, x: float, lane: float) -> None:
        edge = self.out(lane)
        self.paper.add(Lines(((x, edge), (x, edge - 4 if self.look.up else edge + 4)), "tick"))
