"""What is wrong with inputs that are each right by themselves: found by deriving once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from kcfg.core import targets
from kcfg.core.definitions.formulas import LARGEST
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
    """What a definition must be asked for each spec: tables with gaps, roles that may clash."""

    tables: tuple[Table, ...]
    clashes: tuple[Clash, ...]

    def of(self, cls: type[Kernel], target: Target, inputs: dict[str, Any]) -> list[Conflict]:
        """What is wrong with inputs, by attribute; `Kernel.faults` of a defined kernel."""
        known: Any = cls  # mypy takes the class of a struct for something without a hash
        safe = within(known, tuple(inputs), tuple(map(_magnitude, inputs.values())))
        if safe and not (self.tables or self.clashes):
            return []
        kernel = cls(target=target, **inputs)
        large = not safe
        found = list(_too_large(cls, kernel)) if large else []
        return found or [*self._gaps(cls, kernel), *_clashes(cls, kernel, self.clashes)]

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


def _clashes(cls: type[Kernel], kernel: Kernel, clashes: tuple[Clash, ...]) -> Iterator[Conflict]:
    for one, two in clashes:
        conditions = [each.when for each in (one, two) if each.when is not None]
        if all(getattr(kernel, each) for each in conditions):
            warp = max(one.first, two.first)
            message = f"warp {warp} has two roles, `{one.name}` and `{two.name}`: their conditions"
            rests = [key for each in conditions for key in _inputs(cls, each)]
            yield Conflict(rests[0] if rests else "", f"{message} both hold")


def _too_large(cls: type[Kernel], kernel: Kernel) -> Iterator[Conflict]:
    """The first value past what a definition computes with; those behind it are not computed."""
    for name, member in cls.quantities.items():
        value = getattr(kernel, name)
        if _is_large(value):
            rests = _inputs(cls, name)
            message = f"`{member.key}` comes to more than 2**63 - 1, the largest number there is"
            yield Conflict(rests[0] if rests else "", message)
            return


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

    return Vocabulary(SIZES).over(cls)


def _magnitude(value: Any) -> Any:
    """The bits of a number; any other value itself."""
    return abs(value).bit_length() if type(value) is int else value


def _inputs(cls: type[Kernel], attribute: str) -> tuple[str, ...]:
    """The keys of the inputs that an attribute rests on."""
    if attribute in cls.inputs:
        return (cls.inputs[attribute].key,)
    return tuple(cls.inputs[each].key for each in graph(cls).rests_on(attribute))


def _is_large(value: Any) -> bool:
    return type(value) is int and not -LARGEST <= value <= LARGEST


def _order(case: tuple[Any, ...]) -> tuple[tuple[bool, Any], ...]:
    """Numbers by their size, before texts."""
    return tuple((isinstance(each, str), each) for each in case)


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _case(case: tuple[Any, ...]) -> str:
    words = [_shown(each) for each in case]
    return words[0] if len(words) == 1 else f"[{', '.join(words)}]"
