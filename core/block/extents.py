"""Stretches of memory, and how far those reach that start before a place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable


class Extents:
    """Stretches from ``start`` to ``end`` (not included), each with an index of its own.

    Asked of thousands for each of them, which takes a search and not a look at every other.
    """

    def __init__(self, stretches: Iterable[tuple[int, int, int]]) -> None:
        self.starts: list[int] = []
        self.reach: list[tuple[int, int, int]] = [(0, -1, 0)]
        """Of the first so many: the furthest end, whose it is, and the furthest of all others."""
        for start, end, index in sorted(each for each in stretches if each[0] < each[1]):
            furthest, whose, other = self.reach[-1]
            self.starts.append(start)
            if end > furthest:
                self.reach.append((end, index, furthest))
            else:
                self.reach.append((furthest, whose, max(other, end)))

    def before(self, place: int | None, but: int) -> int:
        """The furthest end of those that start before a place, or of all; 0 for none.

        The one of index ``but`` is left out.
        """
        count = len(self.starts) if place is None else bisect_left(self.starts, place)
        furthest, whose, other = self.reach[count]
        return other if whose == but else furthest
