"""What is wrong with inputs that are each right by themselves: found by deriving once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from kcfg.core import targets
from kcfg.core.definitions.formulas import is_large, too_large
from kcfg.core.definitions.roles import Part
from kcfg.core.definitions.values import Table
from kcfg.core.engine.graph import graph
from kcfg.core.engine.quantity import REQUIRED
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Conflict, Kernel
from kcfg.core.once import once
from kcfg.core.spec.problem import listed

Clash = tuple[Part, Part]
"""Two roles that have a warp in common."""


class Faults(NamedTuple):
    """What a definition must be asked for each spec: tables with gaps, roles that may clash.

    ``base`` is the class below this one, whose faults these come behind; ``written`` says where
    formulas stand, by attribute.
    """

    base: type[Kernel]
    tables: tuple[Table, ...]
    clashes: tuple[Clash, ...]
    written: dict[str, str]

    def of(self, cls: type[Kernel], target: Target, inputs: dict[str, Any]) -> list[Conflict]:
        """What is wrong with inputs, by attribute; `Kernel.faults` of a defined kernel."""
        found = self.base.faults(target, inputs)
        if found:
            return found
        known: Any = cls  # mypy takes the class of a struct for something without a hash
        safe = within(known, tuple(inputs), tuple(map(_magnitude, inputs.values())))
        if safe and not (self.tables or self.clashes):
            return []
        if not safe and (large := self._too_large(cls, target, inputs)):
            return [large]
        kernel = cls(target=target, **inputs)
        return [*self._gaps(cls, kernel), *_clashes(cls, kernel, self.clashes)]

    def sound(self, kernel: Kernel) -> Any:
        """Where no table has a gap and no roles clash, also over arrays; `Kernel.sound`."""
        found = self.base.sound(kernel)
        if found is None:
            return None
        for table in self.tables:
            given = [getattr(kernel, name.attribute) for name in table.by]
            matching: Any = False
            for case in table.cases:
                same: Any = True
                for value, literal in zip(given, case, strict=True):
                    same = same & (value == literal)
                matching = matching | same
            found = found & matching
        for clash in self.clashes:
            both: Any = True
            for condition in _conditions(clash):
                both = both & getattr(kernel, condition)
            found = found & (both ^ True)
        return found

    def _too_large(
        self, cls: type[Kernel], target: Target, inputs: dict[str, Any]
    ) -> Conflict | None:
        """The first value past what a definition computes with; none behind it is computed."""
        kernel = _watched(cls)(target=target, **inputs)
        try:
            for name in cls.quantities:
                getattr(kernel, name)
        except _LargeError as error:
            rests = _inputs(cls, error.name)
            at = f" ({self.written[error.name]})" if error.name in self.written else ""
            message = too_large(cls.quantities[error.name].key, at)
            return Conflict(rests[0] if rests else "", message)
        return None

    def _gaps(self, cls: type[Kernel], kernel: Kernel) -> Iterator[Conflict]:
        for table in self.tables:
            given = tuple(getattr(kernel, name.attribute) for name in table.by)
            if given in table.cases:
                continue
            said = " and ".join(
                f"{key} {_shown(value)}" for key, value in zip(table.keys, given, strict=True)
            )
            cases = listed((_case(each) for each in sorted(table.cases, key=_order)), 12)
            rests = [key for name in table.by for key in _inputs(cls, name.attribute)]
            message = f"`{table.name}` has no case for {said}, and no `otherwise`; cases: {cases}"
            yield Conflict(rests[0] if rests else table.keys[0], message)


def clashes(parts: tuple[Part, ...]) -> tuple[Clash, ...]:
    """The roles that have a warp in common; their conditions must exclude each other."""
    return tuple(
        (one, two)
        for one, two in combinations(parts, 2)
        if max(one.first, two.first) <= min(one.last, two.last)
    )


def _conditions(clash: Clash) -> list[str]:
    """The attributes of the conditions under which the roles are there."""
    return [each.when for each in clash if each.when is not None]


def _clashes(cls: type[Kernel], kernel: Kernel, clashes: tuple[Clash, ...]) -> Iterator[Conflict]:
    for one, two in clashes:
        conditions = _conditions((one, two))
        if all(getattr(kernel, each) for each in conditions):
            warp = max(one.first, two.first)
            message = f"warp {warp} has two roles, `{one.name}` and `{two.name}`: their conditions"
            rests = [key for each in conditions for key in _inputs(cls, each)]
            yield Conflict(rests[0] if rests else "", f"{message} both hold")


class _LargeError(OverflowError):
    """A quantity came to a number that is too large; ``name`` is its attribute."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@once
def _watched(cls: type[Kernel]) -> type[Kernel]:
    """A kernel's class that stops at a number that is too large, before anything reads it."""

    def watching(name: str, formula: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def watched(kernel: Any) -> Any:
            value = formula(kernel)
            if is_large(value):
                raise _LargeError(name)
            return value

        return watched

    members = {
        name: each.over(watching(name, each.formula)) for name, each in cls.quantities.items()
    }
    return type(cls.__name__, (cls,), members)


@lru_cache(1 << 12)
def within(cls: Any, names: tuple[str, ...], given: tuple[Any, ...]) -> bool:
    """Whether no number gets too large, going by the magnitudes of the inputs that are given.

    ``given`` are bits for numbers, and texts themselves; others are at their defaults.
    """
    from kcfg.core.sweep.sizes import UNKNOWN, Size

    known = dict(zip(names, given, strict=True))
    inputs: dict[str, Any] = {}
    for name, member in cls.inputs.items():
        default = None if member.default is REQUIRED else _magnitude(member.default)
        value = known.get(name, default)
        inputs[name] = Size((1 << value) - 1) if type(value) is int else value
        if member.kind is bool:
            inputs[name] = UNKNOWN
    bounds: Any = _bounded(cls)(target=targets.find(), **inputs)
    try:
        for name in cls.quantities:
            getattr(bounds, name)
    except (OverflowError, TypeError, AttributeError):  # or a text that differs
        return False
    return True


@once
def _bounded(cls: type[Kernel]) -> type[Kernel]:
    """A kernel's class over the magnitudes of its numbers."""
    from kcfg.core.sweep.arrays import Vocabulary
    from kcfg.core.sweep.sizes import SIZES

    return _watched(Vocabulary(SIZES).over(cls))


def _magnitude(value: Any) -> Any:
    """The bits of a number; any other value itself."""
    return abs(value).bit_length() if type(value) is int else value


def _inputs(cls: type[Kernel], attribute: str) -> tuple[str, ...]:
    """The keys of the inputs that an attribute rests on."""
    if attribute in cls.inputs:
        return (cls.inputs[attribute].key,)
    return tuple(cls.inputs[each].key for each in graph(cls).rests_on(attribute))


def _order(case: tuple[Any, ...]) -> tuple[tuple[bool, Any], ...]:
    """Numbers by their size, before texts."""
    return tuple((isinstance(each, str), each) for each in case)


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _case(case: tuple[Any, ...]) -> str:
    words = [_shown(each) for each in case]
    return words[0] if len(words) == 1 else f"[{', '.join(words)}]"
