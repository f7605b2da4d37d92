"""What is too small to be named where it is, drawn once more in cells of one height."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kcfg.cli.pictures.bars import Span
from kcfg.cli.pictures.svg.paper import widest

GAP = 14.0
PAD = 7.0
LINE = 15.0


class Cell(NamedTuple):
    """A span in its cell; ``x`` and ``row`` say where the cell is."""

    span: Span
    lines: tuple[str, ...]
    width: float
    x: float = 0
    row: int = 0


class Cluster(NamedTuple):
    """Small spans that follow each other: where they are in the bar, and their cells."""

    start: float
    end: float
    cells: tuple[Cell, ...]

    @property
    def width(self) -> float:
        return sum(cell.width for cell in self.cells)


def cell(span: Span, placed: bool) -> Cell:
    """A cell as wide as what it says; with the place of the span where ``placed``."""
    lines = tuple(filter(None, (span.name, span.text, f"at {span.start:,}" if placed else "")))
    return Cell(span, lines, widest(lines) + 2 * PAD)


def height(clusters: Sequence[Cluster]) -> float:
    """How high all rows are."""
    rows = 1 + max((cell.row for each in clusters for cell in each.cells), default=-1)
    return rows * row_height(clusters)


def row_height(clusters: Iterable[Cluster]) -> float:
    """How high one row is."""
    return LINE * max((len(c.lines) for each in clusters for c in each.cells), default=0) + 8


def arranged(clusters: Sequence[Cluster], width: float) -> list[Cluster]:
    """Every cluster below its place in the bar, or in rows where that has no room."""
    needed = sum(cluster.width for cluster in clusters) + GAP * (len(clusters) - 1)
    if needed > width:
        return list(_flowing(clusters, width))
    starts = []
    free = 0.0
    for cluster in clusters:
        middle = (cluster.start + cluster.end) / 2
        starts.append(max(free, middle - cluster.width / 2))
        free = starts[-1] + cluster.width + GAP
    limit = width
    for index in reversed(range(len(starts))):
        starts[index] = min(starts[index], limit - clusters[index].width)
        limit = starts[index] - GAP
    return [_at(cluster, start) for cluster, start in zip(clusters, starts, strict=True)]


def _at(cluster: Cluster, start: float) -> Cluster:
    cells = []
    for each in cluster.cells:
        cells.append(each._replace(x=start))
        start += each.width
    return cluster._replace(cells=tuple(cells))


def _flowing(clusters: Sequence[Cluster], width: float) -> Iterator[Cluster]:
    x, row = 0.0, 0
    for cluster in clusters:
        cells = []
        for each in cluster.cells:
            if x + each.width > width and x:
                x, row = 0.0, row + 1
            cells.append(each._replace(x=x, row=row))
            x += each.width
        x += GAP
        yield cluster._replace(cells=tuple(cells))
