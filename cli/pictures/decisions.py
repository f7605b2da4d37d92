"""A map of a sweep: what is decided at every place of two inputs, in colours with their names.

What all names but the last are has a hue, which the last one shades; that is written into the
cells as well, where these have room.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kcfg.cli.intake.sweep_options import Plot
from kcfg.cli.pages.titles import title
from kcfg.cli.pages.units import number
from kcfg.cli.pictures.figure import figure
from kcfg.core.kernel import VERDICT
from kcfg.core.sweep.query import Query
from kcfg.core.sweep.rows import Rows

HUES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f7f7f")
"""Colours that those who see few colours tell apart as well (Okabe and Ito)."""
PALEST = 0.7
"""How far the last shade of a hue is from it, towards white."""
REFUSED, SEVERAL = "#e4e4e4", "#3a3a3a"
LISTED, ROW = 40, 0.19
"""Decisions that a legend names, and the inches that each takes."""
WRITTEN = 26
"""Cells along either side that have room for a few letters."""
TICKS = 14

Decision = tuple[Any, ...]
"""The values of what is mapped, in order."""
Place = tuple[Any, Any]
"""An x and a y."""
RGB = tuple[float, float, float]


def draw(plot: Plot, query: Query, rows: Rows, format: str) -> bytes:
    """The map of the points that were kept, as a file of this format holds it."""
    heads = [head.name for head in query.heads]
    found: dict[Place, set[Decision]] = {}
    refused: set[Place] = set()
    for row in zip(*(column.tolist() for column in rows.columns), strict=True):
        values = dict(zip(heads, row, strict=True))
        place = values[plot.x], values[plot.y]
        cell = found.setdefault(place, set())
        if values.get(VERDICT, True):
            cell.add(tuple(values[name] for name in plot.map))
        else:
            refused.add(place)
    drawn = _Map(found, refused)

    def cells(axes: Any) -> None:
        drawn.fill(axes)
        drawn.legend(axes, " + ".join(plot.map))
        axes.set_xlabel(plot.x)
        axes.set_ylabel(plot.y)
        axes.set_title(title(None, query.kernel, query.release, query.target))

    return figure(cells, format, 9, max(5, 0.9 + ROW * len(drawn.entries)))


class _Map:
    def __init__(self, found: dict[Place, set[Decision]], refused: set[Place]) -> None:
        self.found, self.refused = found, refused
        self.xs = _sorted(x for x, _ in found)
        self.ys = _sorted(y for _, y in found)
        cells = found.items()
        alone = (cell for place, cell in cells if len(cell) == 1 and place not in refused)
        self.colours = _colours({each for cell in alone for each in cell})
        self.entries = self._entries()

    def fill(self, axes: Any) -> None:
        """Every place as a cell, those of an axis as wide as each other."""
        from matplotlib.colors import to_rgba

        pixels = [[self._colour(x, y) for x in self.xs] for y in self.ys]
        colours = [[to_rgba(each) for each in row] for row in pixels]
        many = len(self.xs) * len(self.ys) > 4096  # else a file of as many shapes
        grid = [[-0.5 + n for n in range(len(all) + 1)] for all in (self.xs, self.ys)]
        if self.found:
            axes.pcolormesh(*grid, colours, edgecolors="none", rasterized=many)
        for axis, values in ((axes.xaxis, self.xs), (axes.yaxis, self.ys)):
            step = -(-len(values) // TICKS) or 1
            axis.set_ticks(range(0, len(values), step), [number(value) for value in values[::step]])
        axes.tick_params(axis="x", labelrotation=45 if len(self.xs) > 6 else 0)
        if len(self.xs) <= WRITTEN and len(self.ys) <= WRITTEN:
            self._write(axes, pixels)

    def _colour(self, x: Any, y: Any) -> str:
        cell = self.found.get((x, y))
        if cell is None:
            return "none"
        if (x, y) in self.refused:
            return SEVERAL if cell else REFUSED
        return SEVERAL if len(cell) > 1 else self.colours[next(iter(cell))]

    def _write(self, axes: Any, pixels: list[list[str]]) -> None:
        """The last value of every decision, and a cross where nothing is supported."""
        for row, y in enumerate(self.ys):
            for column, x in enumerate(self.xs):
                cell, ground = self.found.get((x, y)), pixels[row][column]
                if cell is None or ground == SEVERAL:
                    continue
                text = "x" if ground == REFUSED else number(next(iter(cell))[-1])
                if len(text) * len(self.xs) <= 3.2 * WRITTEN:
                    colour = "black" if _light(ground) else "white"
                    axes.text(column, row, text, ha="center", va="center", size=7, color=colour)

    def _entries(self) -> list[tuple[str, str]]:
        """What each colour stands for."""
        entries = [
            (", ".join(map(number, decision)), colour) for decision, colour in self.colours.items()
        ]
        if len(entries) > LISTED:
            entries[LISTED:] = [(f"and {len(entries) - LISTED:,} more", "none")]
        used = {self._colour(x, y) for x, y in self.found}
        others = (("not supported", REFUSED), ("differs with other inputs", SEVERAL))
        return entries + [each for each in others if each[1] in used]

    def legend(self, axes: Any, what: str) -> None:
        """The colours with what they stand for, beside the map."""
        from matplotlib.patches import Patch

        patches = [Patch(facecolor=colour, label=label) for label, colour in self.entries]
        if patches:
            axes.legend(
                handles=patches, title=what, loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=8
            )


def _colours(decisions: Iterable[Decision]) -> dict[Decision, str]:
    """A colour for each decision, in their order."""
    from colorsys import hsv_to_rgb

    from matplotlib.colors import to_hex, to_rgb

    shades: dict[Any, list[Decision]] = {}
    for each in _sorted(decisions):
        # A text alone has a hue of its own; numbers alone are shades of one.
        alone = len(each) == 1 and isinstance(each[0], str)
        shades.setdefault(each if alone else each[:-1], []).append(each)
    found: dict[Decision, str] = {}
    for count, same in enumerate(shades.values()):
        base = to_rgb(HUES[count % len(HUES)])
        if len(shades) > len(HUES):
            base = hsv_to_rgb(count / len(shades), 0.85, 0.5 + 0.4 * (count % 2))
        for rank, decision in enumerate(same):
            pale = PALEST * rank / max(len(same) - 1, 1)
            found[decision] = to_hex(_paler(base, pale))
    return found


def _paler(colour: RGB, share: float) -> RGB:
    """A colour so far on the way to white."""
    red, green, blue = (part + (1 - part) * share for part in colour)
    return red, green, blue


def _light(colour: str) -> bool:
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5


def _sorted(values: Iterable[Any]) -> list[Any]:
    """Different values in order, numbers before texts, and none first."""

    def key(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(key, value))
        return (value is not None, isinstance(value, str), 0 if value is None else value)

    return sorted(set(values), key=key)
