"""A defined kernel's block, from its figures: what a kernel written in Python says by methods.

Everything is made once for the same figures: most configurations of a kernel have most of their
parts in common, and what is said of those is remembered by their identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeVar

from kcfg.core.block.derived import with_more
from kcfg.core.block.keys import Group
from kcfg.core.block.parts import Columns, Mbarriers, Region, Registers
from kcfg.core.block.placing import (
    SharedLayout,
    TensorLayout,
    Unplaced,
    columns,
    mbarriers,
    role,
    shared,
    tensor,
)
from kcfg.core.block.warpgroups import held
from kcfg.core.definitions.figures import Figure
from kcfg.core.definitions.launch import Literal, Mould
from kcfg.core.definitions.roles import Part
from kcfg.core.definitions.shared import Barriers, Placed
from kcfg.core.definitions.tensor import Range
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Kernel

T = TypeVar("T")

REMEMBERED = 1 << 12
"""Different layouts of one kernel that are remembered."""
MOST_OF_A_KIND = 512
"""Ranges of one kind that are listed: one for every column there is."""


class Reading:
    """The figures that one part of a block needs of a kernel, read at once."""

    def __init__(self, figures: Iterable[Figure]) -> None:
        self.names = tuple(dict.fromkeys(each for each in figures if isinstance(each, str)))

    @property
    def values(self) -> Callable[[Any], tuple[Any, ...]]:
        """From a kernel to the values of the names."""
        if len(self.names) == 1:
            one = attrgetter(self.names[0])
            return lambda kernel: (one(kernel),)
        return attrgetter(*self.names) if self.names else lambda kernel: ()

    def numbers(self, values: Sequence[Any]) -> Callable[[Figure], Any]:
        """From a figure to its value, where ``values`` are those of the names."""
        known = dict(zip(self.names, values, strict=True))
        return lambda figure: known[figure] if isinstance(figure, str) else figure


def shared_memory(
    struct: str, regions: Sequence[Placed], used: str, limit: str
) -> tuple[Callable[[Kernel], SharedLayout], tuple[str, ...]]:
    """The method that lays shared memory out, and what it reads."""
    figures = [f for each in regions for f in (each.offset, each.bytes, each.align, each.stages)]
    more = [figure for each in regions for figure in (each.within, each.stride)]
    reading = Reading([*figures, *more, used, limit])

    @lru_cache(REMEMBERED)
    def laid(values: tuple[Any, ...]) -> SharedLayout:
        number = reading.numbers(values)
        most, total = number(limit), number(used)
        found = []
        for each in regions:
            start, size = number(each.offset), number(each.bytes)
            align = number(each.align)
            if align < 1:
                why = Unplaced(each.name, size, start, "bytes", align=align)
                return SharedLayout(struct, most, total, (), why)
            if each.within is not None and size > 0 and start + size > number(each.within):
                past, end = each.alias_of or "", number(each.within)
                why = Unplaced(each.name, size, start, "bytes", total=end, past=past)
                return SharedLayout(struct, most, total, (), why)
            flags = dict(each.flags)
            found.append(
                Region(
                    name=each.name,
                    offset=start,
                    bytes=size,
                    align=align,
                    stages=number(each.stages),
                    stride=None if each.stride is None else number(each.stride),
                    alias_of=each.alias_of,
                    **flags,
                )
            )
        return shared(struct, most, total, found)

    return _method(reading, laid), reading.names


def tensor_memory(
    ranges: Sequence[Range], used: Figure, allocated: Figure
) -> tuple[Callable[[Kernel], TensorLayout], tuple[str, ...]]:
    """The method that lays tensor memory out, and what it reads."""
    figures: list[Figure] = [used, allocated]
    for each in ranges:
        figures += (each.column, each.columns, each.number, each.lane, each.lanes, each.stride)
    reading = Reading(figures)
    values_of = reading.values

    @lru_cache(REMEMBERED)
    def laid(target: Target, values: tuple[Any, ...]) -> TensorLayout:
        number = reading.numbers(values)
        total, asked = number(used), number(allocated)
        found = [one for each in ranges for one in _ranges(each, ranges, number)]
        places = {each.name: (each.column or 0) + (each.columns or 0) for each in found}
        for each in found:
            end, most = places[each.name], places.get(each.alias_of)
            if most is not None and end > most:
                start = each.column or 0
                name, outer = each.name or "", each.alias_of or ""
                why = Unplaced(name, end - start, start, "columns", total=most, past=outer)
                return TensorLayout(target.tmem_columns, total, None, (), why)
        return tensor(target, total, asked, found)

    return lambda kernel: laid(kernel.target, values_of(kernel)), reading.names


def _ranges(
    each: Range, ranges: Sequence[Range], number: Callable[[Figure], Any]
) -> Iterator[Columns]:
    """One range, or all of a kind."""
    start, size, lane = number(each.column), number(each.columns), number(each.lane) or 0
    outer = next((other for other in ranges if other.name == each.alias_of), None)
    alias = each.alias_of
    if outer is not None and outer.number is not None and not each.many:
        alias = f"{alias}0"
    if each.number is None:
        yield columns(each.name, start, size, lane, number(each.lanes), alias)
        return
    for index in range(min(number(each.number), MOST_OF_A_KIND)):
        at = start + index * number(each.stride)
        inside = f"{each.alias_of}{index}" if each.many else alias
        yield columns(f"{each.name}{index}", at, size, lane, number(each.lanes), inside)


def block_registers(
    parts: Sequence[Part], entry: Figure
) -> tuple[Callable[[Kernel], Registers], tuple[str, ...]]:
    """The method that says who has how many registers, and what it reads.

    A formula for those at entry may give what is allocated, as upstream's budgets do: 256, where
    a thread is compiled with 255. Any other figure is judged as it is.
    """
    figures: list[Figure] = [entry]
    for each in parts:
        figures += (each.number, each.when)
    reading = Reading(figures)
    values_of = reading.values

    @lru_cache(REMEMBERED)
    def dealt(target: Target, values: tuple[Any, ...]) -> Registers:
        number, most = reading.numbers(values), target.max_registers_per_thread
        there = [each for each in parts if each.when is None or number(each.when)]
        roles = tuple(
            role(each.name, each.first, each.last, number(each.number), each.direction)
            for each in there
        )
        compiled = number(entry)
        if isinstance(entry, str) and compiled == held(target, most):
            compiled = most
        return Registers(entry=compiled, roles=roles)

    return lambda kernel: dealt(kernel.target, values_of(kernel)), reading.names


def block_barriers(
    groups: Sequence[Barriers],
) -> tuple[Callable[[Kernel], tuple[Mbarriers, ...]], tuple[str, ...]]:
    """The method that lists the mbarriers, and what it reads."""
    reading = Reading(figure for each in groups for figure in (each.number, each.arrivals))

    @lru_cache(REMEMBERED)
    def listed(values: tuple[Any, ...]) -> tuple[Mbarriers, ...]:
        number = reading.numbers(values)
        counted = ((each, number(each.number)) for each in groups)
        return tuple(
            mbarriers(each.name, count, number(each.arrivals), each.apart or None)
            for each, count in counted
            if count > 0
        )

    return _method(reading, listed), reading.names


def launched(
    mould: Mould, names: Sequence[str], base: type[Kernel] | None
) -> tuple[Callable[[Kernel], dict[str, Any]], tuple[str, ...]]:
    """The method that gives whatever else is launched, and what it reads.

    What a kernel that is extended, ``base``, launches stays where it is not said anew.
    """
    reading = Reading(names)

    @lru_cache(REMEMBERED)
    def filled(values: tuple[Any, ...]) -> dict[str, Any]:
        number = reading.numbers(values)
        return {name: _filled(value, number) for name, value in mould.values}

    own = _method(reading, filled)
    if base is None:
        return own, reading.names

    def both(kernel: Kernel) -> dict[str, Any]:
        found = base.launched(kernel)
        said = {
            key: with_more(found.get(key), value) if isinstance(value, Group) else value
            for key, value in own(kernel).items()
        }
        return {**found, **said}

    return both, reading.names


def _filled(value: Any, number: Callable[[Figure], Any]) -> Any:
    if isinstance(value, Mould):
        return value.group(**{name: _filled(each, number) for name, each in value.values})
    if isinstance(value, Literal):
        return value.value
    if isinstance(value, tuple):
        return tuple(_filled(each, number) for each in value)
    return number(value)


def _method(reading: Reading, made: Callable[[tuple[Any, ...]], T]) -> Callable[[Kernel], T]:
    values_of = reading.values
    return lambda kernel: made(values_of(kernel))
