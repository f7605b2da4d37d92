"""Trying changes of a refused configuration: which sets of them, and whether they pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import combinations, product
from typing import Any, NamedTuple

from kcfg.core.engine.trees import NoSourceError
from kcfg.core.explain.moves import Move, distance
from kcfg.core.explain.refusal import Condition, conditions, inputs_of
from kcfg.core.kernel import VERDICT, Kernel

Changes = dict[str, Any]
"""New values by the inputs' attributes."""


class Change(NamedTuple):
    """One input, by its key in a spec: its value now, and the one that passes."""

    key: str
    given: Any
    passes: Any


class Varied(NamedTuple):
    """What inputs were given: so many ``values``, integers from ``least`` to ``most``.

    They are tried the closest first, until one passes. ``keys`` are several where equal
    inputs moved together; ``beside`` are the values for when other inputs change too.
    """

    keys: tuple[str, ...]
    values: int
    least: int | None
    most: int | None
    beside: tuple[Any, ...]


class Search(NamedTuple):
    """One search: sets of changes each of which passes by itself, the fewest changes first.

    Of the same inputs only the smallest change is told, and no set with needless changes.
    ``together`` is how many moves were made at a time at most, ``tried`` how many
    configurations were looked at; ``complete`` says that these were all within the bounds
    that could mend every failed condition.
    """

    found: tuple[tuple[Change, ...], ...]
    varied: tuple[Varied, ...]
    together: int
    tried: int
    complete: bool


class Searching:
    """Changes of one configuration, and whether they pass.

    ``rests`` are the inputs that each failed condition rests on: changes that leave one
    of these alone cannot mend that condition, and are not tried. ``goals`` are asked beside
    the conditions of the verdict; what holds in all of them must be accepted in the end.
    """

    def __init__(
        self,
        kernel: Kernel,
        rests: list[frozenset[str]],
        goals: Iterable[Asked] = (),
        accepted: Callable[[Kernel], bool] = lambda kernel: True,
    ) -> None:
        self.kernel, self.rests, self.accepted = kernel, rests, accepted
        self.given = {name: getattr(kernel, name) for name in kernel.inputs}
        self.asked = [*goals, *(asked(type(kernel), part) for part in _parts(type(kernel)))]

    def passes(self, changes: Changes) -> bool:
        """Whether a changed configuration is supported; asks first what failed last."""
        inputs = {**self.given, **changes}
        if not self._said(inputs):
            return False
        kernel = Lazy(self.kernel, inputs)
        for place, asked in enumerate(self.asked):
            if not asked.holds(kernel, changes):
                self.asked.insert(0, self.asked.pop(place))
                return False
        return kernel.derived.verdict is not False and self.accepted(kernel.derived)

    def _said(self, inputs: Changes) -> bool:
        """Whether a spec may say these inputs: otherwise nothing may be derived of them."""
        cls, members = type(self.kernel), self.kernel.inputs
        asked = {member.key: inputs[name] for name, member in members.items()}
        given = [each.key for name, each in members.items() if inputs[name] != each.default]
        return not (cls.conflicts(asked, given) or cls.faults(self.kernel.target, inputs))

    def among(self, allowed: list[Move], sizes: range, tries: int, beyond: int) -> Search:
        """Search with so many moves at a time; once some pass, with so many more ``beyond``."""
        hits: list[Hit] = []
        varied: set[tuple[str, ...]] = set()
        tried, together, complete = 0, 0, True
        for size in sizes:
            if hits and size > hits[0].moves + beyond:
                break
            for chosen in self._sets(allowed, size):
                names = frozenset(name for move in chosen for name in move.names)
                if any(hit.names <= names or names <= hit.names for hit in hits):
                    continue
                if tried == tries:
                    complete = False
                    break
                together = size
                varied |= {move.keys for move in chosen}
                options = _combined(chosen)
                complete &= len(options) <= tries - tried
                for far, changes in options[: tries - tried]:
                    tried += 1
                    if self.passes(changes):
                        hits.append(Hit(size, far, names, changes))
                        break
        return Search(
            found=tuple(self._changes(hit) for hit in sorted(hits, key=lambda hit: hit[:2])),
            varied=tuple(_varied(move, together) for move in allowed if move.keys in varied),
            together=together,
            tried=tried,
            complete=complete,
        )

    def _sets(self, allowed: list[Move], size: int) -> list[tuple[Move, ...]]:
        """The sets of moves that bear on every failed condition.

        Equal inputs together come first, then what may be the smallest change.
        """
        bearing = (
            chosen
            for chosen in combinations(allowed, size)
            if _apart(chosen) and all(_touches(chosen, keys) for keys in self.rests)
        )
        return sorted(bearing, key=_order)

    def _changes(self, hit: Hit) -> tuple[Change, ...]:
        return tuple(
            Change(self.kernel.inputs[name].key, self.given[name], value)
            for name, value in hit.changes.items()
        )


class Lazy:
    """A changed configuration, derived when it is first asked for."""

    def __init__(self, kernel: Kernel, inputs: Changes) -> None:
        self.kernel, self.inputs = kernel, inputs

    @cached_property
    def derived(self) -> Kernel:
        return type(self.kernel)(target=self.kernel.target, **self.inputs)


def _parts(kernel: type[Kernel]) -> tuple[Condition, ...]:
    """The conditions of the verdict, as far as they are known; none where it has none."""
    if VERDICT not in kernel.quantities:
        return ()
    try:
        root = conditions(kernel)
    except NoSourceError:  # it is asked as a whole
        return ()
    return root.parts if root.word == "all" else (root,)


def asked(kernel: type[Kernel], condition: Condition) -> Asked:
    """A condition of the verdict, to be asked of changed configurations."""
    keys = inputs_of(kernel, (condition,))
    names = frozenset(name for name, member in kernel.inputs.items() if member.key in keys)
    return Asked(names, condition.holds)


class Asked:
    """A condition, asked once for every change of the inputs it rests on, given by ``names``."""

    def __init__(self, names: frozenset[str], condition: Callable[[Kernel], bool]) -> None:
        self.names, self.condition = names, condition
        self.answers: dict[tuple[tuple[str, Any], ...], bool] = {}

    def holds(self, kernel: Lazy, changes: Changes) -> bool:
        known = tuple([each for each in changes.items() if each[0] in self.names])
        if known not in self.answers:
            self.answers[known] = self.condition(kernel.derived)
        return self.answers[known]


class Hit(NamedTuple):
    """Changes that pass: so many moves, over such a distance, of these inputs."""

    moves: int
    far: float
    names: frozenset[str]
    changes: Changes


def _apart(chosen: tuple[Move, ...]) -> bool:
    """Whether no input would move twice."""
    names = [name for move in chosen for name in move.names]
    return len(set(names)) == len(names)


def _touches(chosen: tuple[Move, ...], keys: frozenset[str]) -> bool:
    return any(key in keys for move in chosen for key in move.keys)


def _order(chosen: tuple[Move, ...]) -> tuple[int, float]:
    inputs = sum(len(move.names) for move in chosen)
    return -inputs, sum(distance(move.given, move.values[0]) for move in chosen)


def _combined(chosen: tuple[Move, ...]) -> list[tuple[float, Changes]]:
    """The new values that moves come to together, the closest first."""
    values = [move.few if len(chosen) > 1 else move.values for move in chosen]
    found = []
    for row in product(*values):
        far = sum(distance(move.given, value) for move, value in zip(chosen, row, strict=True))
        pairs = zip(chosen, row, strict=True)
        found.append((far, {name: value for move, value in pairs for name in move.names}))
    return sorted(found, key=lambda each: each[0])


def _varied(move: Move, together: int) -> Varied:
    bounded = type(move.given) is int
    return Varied(
        keys=move.keys,
        values=len(move.values),
        least=min(move.values) if bounded else None,
        most=max(move.values) if bounded else None,
        beside=move.few if together > 1 else (),
    )
