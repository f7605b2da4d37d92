"""What sections state of a block, for other sections to be held against."""

from __future__ import annotations

from typing import NamedTuple

from kcfg.core.emit.conditions import Number


class Slots(NamedTuple):
    """A region as conditions name it: where it starts, its size, and how many slots it has."""

    offset: Number
    size: Number
    stages: Number


class Parts:
    """Numbers of a block by what they are.

    ``smem``, ``tmem`` and ``entry`` are the totals that a launch is held against, ``slots`` the
    regions by their names, ``playing`` every number that states a key of the block, by that key
    as `Kernel.plays` has it.
    """

    def __init__(self) -> None:
        self.smem: Number | None = None
        self.tmem: Number | None = None
        self.entry: Number | None = None
        self.slots: dict[str, Slots] = {}
        self.playing: dict[str, list[Number]] = {}

    def plays(self, path: str, number: Number) -> Number:
        """Note that a number states a key of the block; returns it."""
        self.playing.setdefault(path, []).append(number)
        return number
