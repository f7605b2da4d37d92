"""Why points are refused: the first condition of the verdict that fails, counted.

The conditions are the verdict's own tree (``kcfg.core.explain.refusal``), asked of arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

from kcfg.core.engine import terms, trees
from kcfg.core.explain.refusal import Condition, conditions
from kcfg.core.kernel import VERDICT, Kernel
from kcfg.core.once import once
from kcfg.core.sweep.arrays import Vocabulary
from kcfg.core.sweep.words import Value


class Reasons:
    """The conditions of a verdict, and how often each is the first to fail.

    Conditions are known by their places in the order of the tree; ``leaves`` has them.
    """

    def __init__(self, cls: type[Kernel], vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.negate: Callable[[Value], Value] = vocabulary.words.get(terms.negate, terms.negate)
        self.root = tree(cls)
        self.leaves = leaves(self.root) if self.root else ()
        self.places = {leaf: place for place, leaf in enumerate(self.leaves)}
        self._holds: dict[Condition, Callable[[Any], Value]] = {}

    def count(self, kernel: Kernel, points: int, asked: Value = True) -> Counter[int]:
        """How many of the points, or of those ``asked`` about, fail at each condition first."""
        found: Counter[int] = Counter()
        if self.root:
            self._fail(kernel, self.root, asked, points, found)
        return found

    def _fail(
        self, kernel: Kernel, node: Condition, asked: Value, points: int, found: Counter[int]
    ) -> None:
        """Count, of the points ``asked`` about, those at which this condition fails."""
        holds = self.holds(node)(kernel)
        failing = asked & self.negate(holds)
        if not np.any(failing):
            return
        if node.word == "pick":
            condition, then, otherwise = node.parts
            taken = self.holds(condition)(kernel)
            self._fail(kernel, then, failing & taken, points, found)
            self._fail(kernel, otherwise, failing & self.negate(taken), points, found)
            return
        followed = _followed(node)
        if not followed:
            found[self.places[node]] += counted(failing, points)
        for part in followed:
            self._fail(kernel, part, failing, points, found)
            failing = failing & self.holds(part)(kernel)

    def holds(self, node: Condition) -> Callable[[Any], Value]:
        """From a kernel to where the condition holds."""
        if node not in self._holds:
            asked = self.vocabulary.expression(node.written).value
            owner = attrgetter(node.asked_at) if node.asked_at else None
            self._holds[node] = asked if owner is None else lambda kernel: asked(owner(kernel))
        return self._holds[node]


@once
def tree(cls: type[Kernel]) -> Condition | None:
    """The verdict's tree; None where there is no verdict, or no source that would say why."""
    if VERDICT not in cls.quantities:
        return None
    try:
        return conditions(cls)
    except trees.NoSourceError:
        return None


def leaves(node: Condition) -> tuple[Condition, ...]:
    """The conditions that can be a reason, in order."""
    inner = node.parts[1:] if node.word == "pick" else _followed(node)
    return tuple(leaf for part in inner for leaf in leaves(part)) if inner else (node,)


def _followed(node: Condition) -> tuple[Condition, ...]:
    """The conditions that a failing one is looked into; none where it is a reason itself."""
    if node.word == "all":
        return node.parts
    return tuple(part for part in node.parts if part.word == "all")


def counted(mask: Value, points: int) -> int:
    """How many of the points a mask holds for."""
    if isinstance(mask, np.ndarray):
        return int(np.count_nonzero(mask)) * (points // mask.size)
    return points if mask else 0
