"""The line of figures along a bar: its marks first, then as many ticks as have room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcfg.cli.pictures.svg.paper import Anchor, Text, measure

MOST_TICKS = 8
GAP = 4.0
STEP = 2

Range = tuple[float, float]


class Row:
    """Texts on one line, none over another and none where something else passes."""

    def __init__(self, width: float, taken: Iterable[Range]) -> None:
        self.width, self.taken = width, list(taken)

    def place(self, x: float, text: str) -> Text | None:
        """A text centred on a place, or None where it has no room."""
        half = measure(text) / 2
        start = min(max(x - half, 0), self.width - 2 * half)
        return self._put(start, text, "start") if self._free(start, start + 2 * half) else None

    def near(self, x: float, text: str) -> Text | None:
        """A text as near to a place as there is room, rather before it than after it."""
        size = measure(text)
        for away in range(5, int(self.width) + STEP, STEP):
            for start in (x - away - size, x + away):
                if self._free(start, start + size):
                    return self._put(start, text, "start")
        return None

    def _free(self, start: float, end: float) -> bool:
        inside = start >= 0 and end <= self.width
        return inside and all(end + GAP <= low or start - GAP >= high for low, high in self.taken)

    def _put(self, start: float, text: str, anchor: Anchor) -> Text:
        self.taken.append((start, start + measure(text)))
        return Text(start, 0, text, anchor=anchor)


def ticks(extent: int, unit: str) -> Iterator[tuple[int, str]]:
    """Round places along a bar, and what stands there."""
    step = 1
    while extent // step >= MOST_TICKS:
        step *= 2
    for at in range(0, extent + 1, step):
        yield at, _figure(at, step, unit)


def _figure(at: int, step: int, unit: str) -> str:
    if unit == "bytes" and step >= 1024 and at:
        return f"{at // 1024:,} KiB"
    return f"{at:,}"
