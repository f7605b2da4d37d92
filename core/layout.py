"""Where things sit: one model of shared memory, tensor memory, mbarriers and warps.

Every kernel describes its block with these; every view (table, JSON, pictures,
emitted code, rules) reads them. Offsets and sizes are bytes from the start of
dynamic shared memory, tensor memory is columns and lanes, warps are numbers
within the block, registers are counts per thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kcfg.core.engine.arith import next_pow2, up
from kcfg.core.targets import Target

PADDING = "(padding)"


class Region(NamedTuple):
    """A range of shared memory: ``bytes`` from ``offset``, made of ``stages`` equal slots.

    ``align`` is the alignment in bytes the kernel asks for. A region that shares the
    bytes of another names it in ``alias_of``.
    """

    name: str
    offset: int
    bytes: int
    align: int = 1
    stages: int = 1
    alias_of: str | None = None

    @property
    def end(self) -> int:
        return self.offset + self.bytes

    @property
    def padding(self) -> bool:
        return self.name == PADDING


class Smem(NamedTuple):
    """A block's shared memory: regions that tile 0..used in order, padding included.

    ``limit`` is what one block may have; ``struct`` is the upstream struct whose order
    this is. A configuration with negative sizes has no regions, and ``unplaced`` says why.
    """

    struct: str
    limit: int
    used: int
    regions: tuple[Region, ...]
    unplaced: str | None = None


def carve(parts: Iterable[tuple[str, int, int, int]]) -> list[Region]:
    """Regions one after the other; a part is its name, bytes, alignment and stages."""
    placed: list[Region] = []
    offset = 0
    for name, size, align, stages in parts:
        offset = up(offset, align)
        placed.append(Region(name, offset, size, align, stages))
        offset += size
    return placed


def _start(region: Region | Columns) -> tuple[int, bool]:
    """Where it starts; what shares the bytes or columns of another comes behind that."""
    return region[1], region.alias_of is not None


def smem(struct: str, limit: int, used: int, regions: Iterable[Region]) -> Smem:
    """Shared memory whose regions are given with their offsets; gaps become padding rows.

    Empty regions are left out. ``used`` is the struct's own total in bytes.
    """
    tiled: list[Region] = []
    end = 0
    given = tuple(regions)
    for name, offset, size, *_ in given:
        if size < 0 or offset < 0:
            return Smem(struct, limit, used, (), f"{name} would take {size} bytes at {offset}")
    for region in sorted(given, key=_start):
        name, offset, size, _, _, alias_of = region
        if not size:
            continue
        if alias_of is None:
            if offset < end:
                reason = f"{name} would start at {offset}, inside {tiled[-1].name}"
                return Smem(struct, limit, used, (), reason)
            if offset > end:
                tiled.append(Region(PADDING, end, offset - end))
            end = offset + size
        tiled.append(region)
    if end < used:
        tiled.append(Region(PADDING, end, used - end))
    elif end > used:
        reason = f"its parts end at {end}, past its total of {used}"
        return Smem(struct, limit, used, (), reason)
    return Smem(struct, limit, used, tuple(tiled))


class Columns(NamedTuple):
    """A range of tensor memory: ``columns`` from ``column``, in lanes from ``lane``."""

    name: str
    column: int
    columns: int
    lane: int = 0
    lanes: int = 128
    alias_of: str | None = None


class Tmem(NamedTuple):
    """A block's tensor memory, in columns.

    ``used`` is the struct's own figure; ``allocated`` is what the kernel asks
    ``tcgen05.alloc`` for, or None where no allocation is large enough.
    """

    columns: int
    used: int
    allocated: int | None
    regions: tuple[Columns, ...]
    unplaced: str | None = None


def tmem(target: Target, used: int, allocated: int, regions: Iterable[Columns]) -> Tmem:
    """Tensor memory as column ranges in order of their columns; empty ranges are left out."""
    capacity = target.tmem_columns
    found = sorted(regions, key=_start)
    for name, column, columns, *_ in found:
        if columns < 0 or column < 0:
            reason = f"{name} would take {columns} columns at {column}"
            return Tmem(capacity, used, None, (), reason)
    return Tmem(
        capacity,
        used,
        allocated if used <= allocated <= capacity else None,
        tuple([region for region in found if region.columns]),
    )


def allocation(target: Target, columns: int) -> int:
    """The columns ``tcgen05.alloc`` must ask for to get ``columns``: a power of two."""
    return max(target.tmem_alloc_min, next_pow2(columns))


class Barriers(NamedTuple):
    """A group of mbarriers in memory order: ``number`` of them, from index ``first``.

    ``arrivals`` is the count each is initialised with, None where the source does not say.
    """

    name: str
    first: int
    number: int
    arrivals: int | None


def barriers(groups: Iterable[tuple[str, int, int | None]]) -> tuple[Barriers, ...]:
    """Groups one after the other; a group is its name, number and arrival count."""
    placed = []
    first = 0
    for name, number, arrivals in groups:
        if number > 0:
            placed.append(Barriers(name, first, number, arrivals))
            first += number
    return tuple(placed)


class Role(NamedTuple):
    """What warps ``first``..``last`` do, and the registers per thread setmaxnreg gives them.

    ``cap`` is None where the role keeps what it was launched with, or the source is silent.
    """

    role: str
    first: int
    last: int
    cap: int | None

    @property
    def warps(self) -> int:
        return self.last - self.first + 1


class Registers(NamedTuple):
    """The block's registers: ``entry`` per thread at launch, and who asks for how many.

    The launch grants ``granted`` registers in all; setmaxnreg can only deal them out
    anew, so ``asked`` may not be more.
    """

    threads: int
    entry: int
    roles: tuple[Role, ...]

    @property
    def granted(self) -> int:
        return self.threads * self.entry

    def asked(self, warp_size: int) -> int:
        """Registers of all roles together, in a block of warps of ``warp_size`` threads."""
        entry = self.entry
        return warp_size * sum(
            [
                (last - first + 1) * (entry if cap is None else cap)
                for _, first, last, cap in self.roles
            ]
        )
