"""Which points of a cell no spec may say, because their inputs do not go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

import numpy as np

from kcfg.core.kernel import Conflict, Kernel
from kcfg.core.spec.shape import grammar

MOST = 1 << 16
"""Combinations of values that a cell is asked of; of more, each point is asked by itself."""


class Clashes:
    """What a kernel says of inputs that are each right by themselves, over the points of a grid."""

    def __init__(self, cls: type[Kernel]) -> None:
        self.cls, self.defaults = cls, grammar(cls).defaults

    def of(self, inputs: Mapping[str, Any]) -> list[Conflict]:
        """What is wrong with a point, of which the inputs that are given are by key."""
        return self.cls.conflicts({**self.defaults, **inputs}, _said(inputs))

    def none(self, inputs: Mapping[str, Any]) -> Any:
        """Whether nothing is wrong with the points of a cell, narrow as its ``inputs`` are.

        Only what the kernel looks at is combined; None where that is too much.
        """
        arrays = {key: each for key, each in inputs.items() if isinstance(each, np.ndarray)}
        along = {key: int(np.argmax(each.shape)) for key, each in arrays.items()}
        lengths = np.broadcast_shapes(*(each.shape for each in arrays.values()))
        read: set[str] = set()
        asked: set[int] | None = None
        while asked is None or not asked.issuperset(_dimensions(read, along)):
            asked = _dimensions(read, along)
            shape = tuple(size if at in asked else 1 for at, size in enumerate(lengths))
            if prod(shape) > MOST:
                return None
            found = np.empty(shape, bool)
            for place in np.ndindex(shape):
                point = {
                    key: each.reshape(-1)[place[along[key]]].item() for key, each in arrays.items()
                }
                found[place] = not self._watched({**inputs, **point}, read)
        return found

    def _watched(self, inputs: Mapping[str, Any], read: set[str]) -> list[Conflict]:
        watched: Any = Watched({**self.defaults, **inputs}, read)
        return self.cls.conflicts(watched, _said(inputs))


def _said(inputs: Mapping[str, Any]) -> list[str]:
    return [key for key, each in inputs.items() if each is not None]


def _dimensions(read: set[str], along: Mapping[str, int]) -> set[int]:
    return {along[key] for key in read if key in along}


class Watched(Mapping[str, Any]):
    """Inputs by key, which notes those that are looked at."""

    def __init__(self, inputs: dict[str, Any], read: set[str]) -> None:
        self.inputs, self.read = inputs, read

    def __getitem__(self, key: str) -> Any:
        self.read.add(key)
        return self.inputs[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.inputs)

    def __len__(self) -> int:
        return len(self.inputs)
