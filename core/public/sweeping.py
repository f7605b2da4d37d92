"""Grids of inputs, derived at every point: the results as NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from math import prod
from os import PathLike
from typing import TYPE_CHECKING, Any

from kcfg.calls import CALL, called, placeless
from kcfg.core.engine.quantity import MOST as LARGEST
from kcfg.core.kernel import VERDICT
from kcfg.core.printing import shortened
from kcfg.core.spec.overrides import NOTHING
from kcfg.core.spec.problem import Problem, listed
from kcfg.errors import MissingError, error
from kcfg.given import several, text
from kcfg.manual import Manual

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Swept(Mapping[str, "NDArray[Any]"]):
    """What a sweep gave: a column by each name, one-dimensional, with an element a point.

    Whole numbers are int64, truth values bool; texts, and what is absent, are objects. Points
    are in the order of `itertools.product` over the inputs that vary, the last one fastest:
    without ``where``, ``swept["smem_used"].reshape(swept.shape)`` has a dimension for each of
    ``varied``. ``points`` counts the grid, ``supported`` those of it that the kernel's verdict
    takes, None where it has none, and ``faulty`` those that no spec may say, as a table has no
    case for them: they are left out.
    """

    def __init__(
        self,
        columns: dict[str, NDArray[Any]],
        varied: tuple[tuple[str, ...], ...],
        shape: tuple[int, ...],
        supported: int | None,
        faulty: int = 0,
    ) -> None:
        self._columns, self.varied, self.shape, self.supported = columns, varied, shape, supported
        self.faulty = faulty

    @property
    def points(self) -> int:
        """How many points the grid has, kept or not."""
        return prod(self.shape)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if text(name, "the name of a column") not in self._columns:
            said = f"no such column: there are {listed(self._columns)}"
            raise MissingError([Problem("", 0, 0, shortened(name), said)])
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def _ipython_key_completions_(self) -> list[str]:
        return [*self]

    def __repr__(self) -> str:
        kept = len(next(iter(self._columns.values()), ()))
        return f"<kcfg sweep: {kept:,} of {self.points:,} points, {len(self):,} columns>"


def sweep(
    kernel: str | PathLike[str] | Manual,
    release: str | None = None,
    target: str | None = None,
    *,
    columns: Iterable[str] | None = None,
    where: str | None = None,
    zip: Iterable[Iterable[str]] = (),
    **inputs: Any,
) -> Swept:
    """A kernel derived at every point of a grid: inputs are values, or lists, ranges and arrays.

    ``columns`` are the inputs and values to give, by default what varies and every value;
    ``where`` is a condition in the words of formulas, as ``"supported and stages >= 4"``; the
    inputs of a group of ``zip`` advance together. Raises `Error` for what `derive` refuses, for
    columns and conditions that are none, and where NumPy is not installed.
    """
    grids, reader, names = _needing_numpy()
    if where is not None and not text(where, "a condition as text", "where").strip():
        raise error("an empty condition: leave it out where every point is to be kept", "where")
    spread = {key: _several(value) for key, value in inputs.items()}
    document, known = called(kernel, release, target, spread)
    groups = [_names(each, "zip") for each in several(zip, "expected a list of lists", "zip")]
    found = reader.sweep_of(document, CALL, NOTHING, groups, known)
    if isinstance(found, list):
        raise placeless(found)
    spec, axes = found.spec, found.axes
    wanted = names.every_value(spec.cls, axes) if columns is None else _names(columns, "columns")
    wanted = tuple(dict.fromkeys(wanted))
    shape = tuple(axis.length for axis in axes)
    if where is None:
        grids.check_size(prod(shape), len(wanted), "points")
    asked = grids.query(spec.cls, spec.target, spec.shape, axes, wanted, where)
    tally, rows = grids.run(asked)
    judged = tally.supported if VERDICT in spec.cls.quantities else None
    arrays = {name: rows.columns[place] for place, name in enumerate(wanted)}
    return Swept(arrays, tuple(axis.keys for axis in axes), shape, judged, tally.faulty)


def _needing_numpy() -> Any:
    """The modules that need NumPy; raises `Error` where it is not to be had."""
    try:
        import_module("numpy")
    except Exception as missing:  # whatever a broken installation raises
        from kcfg.cli.loading import why_not

        raise error(why_not("numpy", missing)) from None
    return [import_module(f"kcfg.{each}") for each in MODULES]


MODULES = ("grids", "core.sweep.reader", "core.sweep.named_values")


def _several(value: Any) -> Any:
    """What a call gives for an input, as a spec says it: a range by its ends, else a list."""
    if isinstance(value, range) and len(value) > 1 and (value.step > 0 or len(value) > LARGEST):
        first, *_, last = sorted((value[0], value[-1]))
        return f"{first}..{last} step {abs(value.step)}"
    if isinstance(value, range | tuple):
        return list(value)
    return value.tolist() if type(value).__module__ == "numpy" else value


def _names(given: Any, of: str) -> tuple[str, ...]:
    found = several(given, "expected a list of names", of)
    if not found:
        raise error("an empty list: name something, or leave it out", of)
    return tuple(text(each, "a name", of) for each in found)
