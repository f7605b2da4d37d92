"""Which candidates of an autotuner can run, before any of them is compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from kcfg.configuration import Configuration, derive
from kcfg.core.kernel import VERDICT
from kcfg.errors import Error, error

C = TypeVar("C", bound=Mapping[str, Any])

BLOCK = 1 << 17
"""Candidates that are derived at a time as arrays."""

FEW = 64
"""Candidates up to which arrays take longer than one after the other."""


class Dropped(NamedTuple, Generic[C]):
    """A candidate that does not pass; why is worked out when it is asked for."""

    candidate: C
    configuration: Configuration

    @property
    def why(self) -> tuple[str, ...]:
        """Every condition that fails, with the numbers on both sides."""
        from kcfg.core.explain.refusal import failures

        said = []
        for each in failures(self.configuration.derived):
            numbers = ", ".join(f"{side.text} is {side.value}" for side in each.sides)
            said.append(f"{each.name}: {each.condition}" + (f"; {numbers}" if numbers else ""))
        return tuple(said)


class Pruned(Sequence[C]):
    """The candidates that pass, in their order, as a sequence; ``dropped`` are the others."""

    def __init__(self, kept: Sequence[C], lost: Sequence[C], fixed: dict[str, Any]) -> None:
        self._kept, self._lost, self._fixed = tuple(kept), tuple(lost), fixed

    @property
    def dropped(self) -> Iterator[Dropped[C]]:
        """Every other candidate, in order."""
        return (Dropped(each, derive(**{**self._fixed, **each})) for each in self._lost)

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, place: Any) -> Any:
        return self._kept[place]

    def __repr__(self) -> str:
        return f"<{len(self._kept):,} of {len(self._kept) + len(self._lost):,} candidates pass>"


def prune(
    kernel: str,
    candidates: Iterable[C],
    release: str | None = None,
    target: str = "b200",
    **fixed: Any,
) -> Pruned[C]:
    """The candidates that a kernel's own verdict takes; ``fixed`` are inputs all of them have.

    A candidate is a mapping of inputs by name. What the verdict refuses does not compile or is
    refused at launch, and nothing else is dropped. The candidates are not changed. Raises
    `Error` for inputs that are unknown, missing, of the wrong kind or out of range, and for a
    kernel without a verdict.
    """
    given = list(candidates)
    common = {"kernel": kernel, "release": release, "target": target, **fixed}
    if not given:
        return Pruned((), (), common)
    first = derive(**{**common, **given[0]})
    if VERDICT not in type(first.derived).quantities:
        raise error(f"{kernel} has no verdict of its own to prune by", "kernel")
    passes = _as_arrays(common, given, first) if len(given) > FEW else None
    if passes is None:
        passes = [bool(derive(**{**common, **each}).supported) for each in given]
    kept = [each for each, good in zip(given, passes, strict=True) if good]
    lost = [each for each, good in zip(given, passes, strict=True) if not good]
    return Pruned(kept, lost, common)


def _as_arrays(
    common: dict[str, Any], given: Sequence[Mapping[str, Any]], first: Configuration
) -> list[bool] | None:
    """Whether each candidate passes, all at once; None where that cannot be done."""
    try:
        from kcfg.core.sweep.grid import Axis
        from kcfg.core.sweep.query import Head, Query
        from kcfg.core.sweep.work import Worker
    except ImportError:  # NumPy is not there
        return None
    cls = type(first.derived)
    keys = tuple(given[0])
    by_key = {member.key: name for name, member in cls.inputs.items()}
    if any(tuple(each) != keys for each in given) or not set(keys) <= set(by_key):
        return None  # they do not all give the same inputs, or spell one in another way
    columns = []
    for key in keys:
        column = [each[key] for each in given]
        checked = {value: _checked(common, given[0], key, value) for value in dict.fromkeys(column)}
        columns.append(tuple(checked[value] for value in column))
    fixed = tuple(
        (member.key, getattr(first.derived, name))
        for name, member in cls.inputs.items()
        if member.key not in keys
    )
    about = first.derived.target
    query = Query(
        kernel=first.kernel,
        release=first.release,
        target=about.name,
        arch=about.arch,
        fixed=fixed,
        axes=(Axis(keys, tuple(columns)),),
        block=BLOCK,
        where=None,
        columns=(Head(VERDICT, "truth"),),
        shown=1,
        keep=None,
        encode=None,
    )
    worker, passes = Worker(query), [False] * len(given)
    for number in range(query.grid.blocks):
        rows = worker.run(number).rows
        assert rows is not None
        for point, good in zip(rows.points.tolist(), rows.columns[0].tolist(), strict=True):
            passes[point] = bool(good)
    return passes


def _checked(common: dict[str, Any], one: Mapping[str, Any], key: str, value: Any) -> Any:
    """A value as the kernel has it; raises `Error` for one it does not take."""
    try:
        return derive(**{**common, **one, key: value}).inputs[key]
    except Error as wrong:
        about = [each for each in wrong.problems if each.path == f"shape.{key}"]
        raise Error(about or wrong.problems) from None
