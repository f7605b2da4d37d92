"""Where the parts of a block sit: shared memory in bytes, tensor memory in columns.

Kernels build their parts with the functions here. The same numbers give the same part: most
configurations of a kernel have most of their parts in common, and what is said of them is
remembered by their identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from kcfg.core.block.parts import (
    MBARRIERS,
    PADDING,
    Columns,
    Mbarriers,
    Mma,
    Region,
    Registers,
    Role,
)
from kcfg.core.engine.arith import next_pow2, up
from kcfg.core.hardware.target import Target


class Unplaced:
    """Why a memory has no layout: ``name`` would take ``size`` from ``start``.

    That is below 0, or inside the part named ``inside``, or past the memory's own ``total``,
    which is the end of the part named ``past`` where it should lie in that one. All in ``unit``,
    bytes or columns. Or it asks for an ``align`` that is none.
    """

    def __init__(
        self,
        name: str,
        size: int,
        start: int,
        unit: str,
        inside: str = "",
        total: int | None = None,
        past: str = "",
        align: int | None = None,
    ) -> None:
        self.name, self.size, self.start, self.unit, self.inside = name, size, start, unit, inside
        self.total, self.past, self.align = total, past, align

    def __str__(self) -> str:
        if self.align is not None:
            return f"{self.name} asks for an alignment of {self.align}: it is at least 1"
        if self.past:
            end = f"{self.start + self.size}, past {self.past}, which ends at {self.total}"
            return f"{self.name} would end at {end}"
        if self.total is not None:
            return f"its parts end at {self.start + self.size}, past its total of {self.total}"
        if self.inside:
            return f"{self.name} would start at {self.start}, inside {self.inside}"
        if self.size < 0:  # a size that is derived, and that nothing has
            return f"no room is left for {self.name}"
        taken = f"{self.name} takes {self.size:,} {self.unit}"
        return f"{taken}; all in all that is {-self.start:,} more than there are"


class SharedLayout(NamedTuple):
    """A block's dynamic shared memory: regions that tile 0..used in order, padding included.

    ``limit`` is what the block may have; ``struct`` is the upstream struct whose order this
    is, empty for none. Where only the total is known there are no regions. A configuration
    with negative sizes has none either, and ``unplaced`` says why.
    """

    struct: str
    limit: int
    used: int
    regions: tuple[Region, ...]
    unplaced: Unplaced | None = None


class TensorLayout(NamedTuple):
    """A block's tensor memory, in columns.

    ``used`` is the struct's own figure; ``allocated`` is what the kernel asks
    ``tcgen05.alloc`` for, or None where no allocation is large enough or none is known.
    """

    columns: int
    used: int
    allocated: int | None
    regions: tuple[Columns, ...]
    unplaced: Unplaced | None = None


@lru_cache(1 << 14)
def region(
    name: str, offset: int, size: int, align: int = 1, stages: int = 1, alias_of: str | None = None
) -> Region:
    """A range of shared memory: ``size`` bytes from ``offset``, made of ``stages`` equal slots."""
    return Region(
        name=name,
        offset=offset,
        bytes=size,
        align=align,
        stages=stages,
        mbarriers=name.endswith(MBARRIERS) or None,
        alias_of=alias_of,
    )


@lru_cache(1 << 12)
def columns(
    name: str,
    column: int,
    width: int,
    lane: int = 0,
    lanes: int | None = None,
    alias_of: str | None = None,
) -> Columns:
    """A range of tensor memory: ``width`` columns, in all lanes where these are left out."""
    return Columns(
        name=name, column=column, columns=width, lane=lane, lanes=lanes, alias_of=alias_of
    )


@lru_cache(1 << 12)
def mbarriers(name: str, count: int, arrivals: int | None, apart: bool | None = None) -> Mbarriers:
    """mbarriers each of which waits for as many arrivals; they follow each other unless `apart`."""
    return Mbarriers(name=name, count=count, arrivals=arrivals, apart=apart)


mma = lru_cache(1 << 10)(Mma)


def carve(
    parts: Iterable[tuple[str, int, int, int]], needs: Mapping[str, int] | None = None
) -> Iterator[Region]:
    """Regions one after the other; a part is its name, bytes, alignment and stages.

    ``needs`` are alignments of parts by name that what uses them asks for, and that the
    struct does not pad to.
    """
    offset = 0
    for name, size, align, stages in parts:
        offset = up(offset, align)
        yield region(name, offset, size, (needs or {}).get(name, align), stages)
        offset += size


def shared(struct: str, limit: int, used: int, regions: Iterable[Region]) -> SharedLayout:
    """Shared memory whose regions are given with their offsets; gaps become padding rows.

    Empty regions are left out. ``used`` is the struct's own total in bytes.
    """
    given = [(each.offset or 0, each.bytes or 0, each) for each in regions]
    for start, size, each in given:
        if size < 0 or start < 0:
            unplaced = Unplaced(each.name or "", size, start, "bytes")
            return SharedLayout(struct, limit, used, (), unplaced)
    given.sort(key=_start)
    tiled: list[Region] = []
    end = 0
    for start, size, each in given:
        if not size:
            continue
        if each.alias_of is None:
            if start < end:
                unplaced = Unplaced(each.name or "", size, start, "bytes", tiled[-1].name or "")
                return SharedLayout(struct, limit, used, (), unplaced)
            if start > end:
                tiled.append(region(PADDING, end, start - end))
            end = start + size
        tiled.append(each)
    if end > used:
        unplaced = Unplaced("", end, 0, "bytes", total=used)
        return SharedLayout(struct, limit, used, (), unplaced)
    if tiled and end < used:
        tiled.append(region(PADDING, end, used - end))
    return SharedLayout(struct, limit, used, tuple(tiled))


def _start(placed: tuple[int, int, Region]) -> tuple[int, bool]:
    """Where it starts; what shares the bytes of another comes behind that."""
    return placed[0], placed[2].alias_of is not None


def tensor(target: Target, used: int, allocated: int, regions: Iterable[Columns]) -> TensorLayout:
    """Tensor memory as column ranges in order of their columns; empty ranges are left out."""
    capacity = target.tmem_columns
    found = sorted(regions, key=lambda each: (each.column or 0, each.alias_of is not None))
    for each in found:
        start, size = each.column or 0, each.columns or 0
        if size < 0 or start < 0:
            unplaced = Unplaced(each.name or "", size, start, "columns")
            return TensorLayout(capacity, used, None, (), unplaced)
    return TensorLayout(
        capacity,
        used,
        allocated if used <= allocated <= capacity else None,
        tuple([each for each in found if each.columns]),
    )


def allocation(target: Target, needed: int) -> int:
    """The columns ``tcgen05.alloc`` must ask for to get those needed: a power of two."""
    return max(target.tmem_alloc_min, next_pow2(needed))


def barriers(groups: Iterable[tuple[str, int, int | None]]) -> tuple[Mbarriers, ...]:
    """mbarriers in memory order; a group is its name, number and arrival count.

    The arrivals are None where the source does not say; empty groups are left out.
    """
    return tuple(mbarriers(name, count, arrivals) for name, count, arrivals in groups if count > 0)


@lru_cache(1 << 10)
def role(name: str, first: int, last: int, count: int | None, direction: str | None = None) -> Role:
    """What warps ``first``..``last`` do, and the registers per thread setmaxnreg gives them.

    The count is None where they keep what they were launched with, or the source is silent.
    ``direction`` is the form of setmaxnreg, "dec" or "inc"; None where nobody says it.
    """
    return Role(name=name, warps=last - first + 1, first=first, count=count, direction=direction)


@lru_cache(1 << 10)
def registers(target: Target, entry: int, *roles: Role) -> Registers:
    """Registers per thread as allocated at launch, and who sets other counts."""
    # 256 is what 255 are allocated as; no compiler makes a kernel of 256.
    return Registers(entry=min(entry, target.max_registers_per_thread), roles=roles)
