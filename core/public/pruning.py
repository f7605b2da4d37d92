"""Which candidates of an autotuner can run, before any of them is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from kcfg.calls import asked, value_of
from kcfg.configuration import Configuration, derived
from kcfg.core.figures import some
from kcfg.core.kernel import MUST, VERDICT, Kernel
from kcfg.errors import error
from kcfg.given import VALUES, mapping, settled, several, shown
from kcfg.manual import Manual, opened

if TYPE_CHECKING:
    from kcfg.core.sweep.grid import Axis

C = TypeVar("C", bound=Mapping[str, Any])

FEW = 64
"""Candidates up to which arrays take longer than one after the other."""


class Condition(NamedTuple):
    """A condition that fails: its name and text, and the numbers on its two sides by their names.

    ``over`` is how many times the one is the other, at least 1; 0 where they are no two numbers.
    """

    name: str
    text: str
    sides: tuple[tuple[str, Any], ...]
    over: float

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} is {_shown(value)}" for name, value in self.sides)
        return f"{self.name}: {self.text}" + (f"; {numbers}" if numbers else "")


class Dropped(NamedTuple, Generic[C]):
    """A candidate that does not pass; why is worked out when it is asked for."""

    candidate: C
    configuration: Configuration

    @property
    def failing(self) -> tuple[Condition, ...]:
        """Every condition that fails."""
        from kcfg.core.explain.refusal import failures

        derived = self.configuration.derived
        return tuple(
            Condition(each.name, each.condition, tuple(each.sides), _over(each.sides))
            for each in failures(derived, judge(type(derived)) or VERDICT)
        )

    @property
    def why(self) -> tuple[str, ...]:
        """Every condition that fails, with the numbers on both sides; else what rules refuse."""
        conditions = tuple(map(str, self.failing))
        errors = (each for each in self.configuration.findings if each.severity == "error")
        return conditions or tuple(f"{each.rule}: {each.message}" for each in errors)


def _shown(value: Any) -> str:
    return f"{value:,}" if type(value) is int else str(value)


def _over(sides: Sequence[tuple[str, Any]]) -> float:
    numbers = [value for _, value in sides if isinstance(value, int | float)]
    if len(sides) != 2 or len(numbers) != 2 or min(numbers) <= 0:
        return 0.0
    return float(max(numbers) / min(numbers))


class Others(Sequence[Dropped[C]]):
    """The candidates that do not pass, in order, each derived when it is asked for."""

    def __init__(self, candidates: Sequence[C], derive: Callable[[C], Configuration]) -> None:
        self._candidates, self._derive = candidates, derive

    def __len__(self) -> int:
        return len(self._candidates)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple(map(self._dropped, self._candidates[place]))
        return self._dropped(self._candidates[place])

    def _dropped(self, candidate: C) -> Dropped[C]:
        return Dropped(candidate, self._derive(candidate))

    def __repr__(self) -> str:
        return f"<{some(len(self), 'candidate')} dropped>"


class Pruned(Sequence[C]):
    """The candidates that pass, in their order, as a sequence; ``dropped`` are the others.

    ``kept`` are the places of those that pass among all that were given.
    """

    def __init__(
        self, given: Sequence[C], passes: Sequence[bool], call: tuple[Any, Any, Any], fixed: Any
    ) -> None:
        self.kept = tuple(place for place, good in enumerate(passes) if good)
        self._given, self._passes, self._call, self._fixed = tuple(given), passes, call, fixed

    @property
    def dropped(self) -> Others[C]:
        """Every other candidate, in order, as a sequence."""
        judged = zip(self._given, self._passes, strict=True)
        return Others(tuple(each for each, good in judged if not good), self._derived)

    def _derived(self, candidate: C) -> Configuration:
        return derived(*self._call, {**self._fixed, **candidate})

    def judged(self) -> Pruned[C]:
        """Those of them that no rule refuses either: as `Configuration.runs` has it.

        Each is derived and judged on its own, a few thousand a second.
        """
        passes = [
            good and self._derived(each).runs
            for each, good in zip(self._given, self._passes, strict=True)
        ]
        return Pruned(self._given, passes, self._call, self._fixed)

    def __len__(self) -> int:
        return len(self.kept)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple(self._given[each] for each in self.kept[place])
        return self._given[self.kept[place]]

    def __repr__(self) -> str:
        return f"<{len(self.kept):,} of {len(self._given):,} candidates pass>"


def prune(
    kernel: str | PathLike[str] | Manual,
    candidates: Iterable[C],
    release: str | None = None,
    target: str | None = None,
    **fixed: Any,
) -> Pruned[C]:
    """The candidates that can run; ``fixed`` are inputs all of them have.

    A candidate is a mapping of inputs by name. It is dropped where the kernel says that no such
    configuration runs: by a definition's ``must`` where it has one, which holds for every
    configuration that does, else by the kernel's own verdict. Nothing else is dropped, and the
    candidates are not changed. Raises `Error` for inputs that are unknown, missing, of the wrong
    kind or out of range, and for a kernel that has neither.
    """
    given = _listed(candidates)
    call = (opened(kernel), release, target)
    if not given:
        asked(*call, fixed)
        return Pruned((), (), call, fixed)
    alike: dict[tuple[str, ...], list[int]] = {}
    for place, each in enumerate(given):
        alike.setdefault(tuple(each), []).append(place)
    for keys in alike:
        mapping(dict.fromkeys(keys), CANDIDATE)
    first = derived(*call, {**fixed, **given[0]})
    by = judge(type(first.derived))
    if by is None:
        raise error(f"{first.kernel} has no verdict of its own to prune by", "kernel")
    passes = [False] * len(given)
    for places in alike.values():
        group = [given[place] for place in places]
        found = _as_arrays(call, fixed, group, by) if len(group) > FEW else None
        if found is None:
            found = [bool(derived(*call, {**fixed, **each}).derived.read(by)) for each in group]
        for place, good in zip(places, found, strict=True):
            passes[place] = good
    return Pruned(given, passes, call, fixed)


def judge(cls: type[Kernel]) -> str | None:
    """The value by which candidates are dropped; None where a kernel has none."""
    return next((each for each in (MUST, VERDICT) if each in cls.quantities), None)


def _as_arrays(
    call: tuple[Any, Any, Any], fixed: dict[str, Any], given: Sequence[Mapping[str, Any]], by: str
) -> list[bool] | None:
    """Whether each candidate passes, all at once; None where that cannot be done."""
    try:
        from kcfg import grids
        from kcfg.core.sweep.grid import Axis
    except ImportError:  # NumPy is not there
        return None
    first = derived(*call, {**fixed, **given[0]}).derived
    cls, keys = type(first), tuple(given[0])
    if not keys or not set(keys) <= {member.key for member in cls.inputs.values()}:
        return None  # they spell an input in another way
    columns = []
    for key in keys:
        column = [each[key] for each in given]
        if not set(map(type, column)) <= VALUES:
            column = [one if type(one) in VALUES else settled(one) for one in column]
        if not set(map(type, column)) <= VALUES:
            return None  # no value of an input
        if {bool, int} <= set(map(type, column)):
            return None  # true is equal to 1, and is not
        checked = {one: value_of(cls, key, one) for one in set(column)}
        columns.append(tuple(map(checked.__getitem__, column)))
    inputs = {name: getattr(first, name) for name in cls.inputs}
    axes = (Axis(keys, tuple(columns)),)
    passes = [False] * len(given)
    _check_conflicts(cls, inputs, axes[0], {*fixed, *keys})
    tally, rows = grids.run(grids.query(cls, first.target, inputs, axes, (by,)))
    if tally.faulty:
        raise error(tally.why)
    for point, good in zip(rows.points.tolist(), rows.columns[0].tolist(), strict=True):
        passes[point] = bool(good)
    return passes


def _check_conflicts(
    cls: type[Kernel], inputs: dict[str, Any], axis: Axis, given: set[str]
) -> None:
    """Raise `Error` for the first candidate whose inputs do not go together."""
    if cls.conflicts.__func__ is Kernel.conflicts.__func__:  # type: ignore[attr-defined]
        return
    known = {cls.inputs[name].key: value for name, value in inputs.items()}
    for values in zip(*axis.values, strict=True):
        for key, message in cls.conflicts(
            {**known, **dict(zip(axis.keys, values, strict=True))}, given
        ):
            raise error(message, f"shape.{key}")


def _listed(candidates: Any) -> list[Any]:
    """Candidates as a list; raises `Error` where they are none."""
    given = several(candidates, "candidates are several mappings of inputs by name")
    for each in given:
        if type(each) is not dict and not isinstance(each, Mapping):
            raise error(f"{CANDIDATE}, not {shown(each)}")
    return given


CANDIDATE = "a candidate is a mapping of inputs by name"
