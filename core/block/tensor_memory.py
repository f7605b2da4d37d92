"""What a block keeps in tensor memory, what it allocates for that, and in which columns."""

from __future__ import annotations

from kcfg.core.block import aliases
from kcfg.core.block.parts import Accumulator, Allocation, Columns, Tmem
from kcfg.core.block.placing import TensorLayout, allocation, columns, tensor
from kcfg.core.hardware import isa
from kcfg.core.hardware.target import Target

HALF_LANES = 16
"""The lanes of every 32 that half an accumulator's lanes are; another fits into the others."""

SEARCHED = 1024
"""Columns of both halves of the lanes up to which the best way to fill them is looked for."""


def asked(target: Target, each: Allocation) -> int:
    """What an allocation takes, in columns: its own number, or its need rounded up."""
    return allocation(target, each.needs or 0) if each.columns is None else each.columns


def sized(each: Allocation) -> bool:
    """Whether an allocation says what it takes; where none does it takes the least there is."""
    return each.columns is not None or each.needs is not None


def taken_by(target: Target, tmem: Tmem) -> list[int]:
    """What every allocation of a block takes at least, rounded up to what alloc has."""
    return [allocation(target, asked(target, each)) for each in tmem.allocations]


def width(each: Accumulator) -> int:
    """Columns of an accumulator."""
    return isa.columns(
        each.M or 128, each.N or 0, each.cta_group or 1, bool(each.ws), bool(each.sparse)
    )


def halves(each: Accumulator) -> bool:
    """Whether an accumulator leaves half of its columns' lanes to another.

    That is one of 64 rows and one CTA, and one of 128 and a pair where A is sparse.
    """
    if (each.cta_group or 1) == 1:
        return each.M == 64 and not each.ws
    return each.M == 128 and bool(each.sparse)


def placed(tmem: Tmem) -> list[tuple[int, Columns]]:
    """Every range with its first column."""
    ranges = tmem.regions
    starts = [each.column for each in ranges if each.column is not None]
    if len(starts) < len(ranges):
        sizes = [each.columns or 0 for each in ranges]
        given = [each.column for each in ranges]
        starts = aliases.starts(ranges, given, sizes, [1] * len(ranges))
    return list(zip(starts, ranges, strict=True))


def widths(tmem: Tmem) -> tuple[dict[int, int], dict[int, int]]:
    """Columns of accumulators by index: of those in all lanes, and of those in half of them.

    Of accumulators that share their columns the widest counts, under the first of them; what a
    half is wider than a whole in the same place takes only its own lanes.
    """
    wholes: dict[int, int] = {}
    halved: dict[int, int] = {}
    for root, each in zip(aliases.roots(tmem.accumulators), tmem.accumulators, strict=True):
        widest = halved if halves(each) else wholes
        widest[root] = max(widest.get(root, 0), width(each))
    beyond = {root: columns - wholes.get(root, 0) for root, columns in halved.items()}
    return wholes, {root: columns for root, columns in beyond.items() if columns > 0}


def side_by_side(halved: dict[int, int]) -> tuple[list[int], list[int]]:
    """Who lies in which half of the lanes, the longer half first, so that it is shortest.

    Where no SM has so many columns they are dealt out in turn, the widest first.
    """
    whole = sum(halved.values())
    if whole > SEARCHED:
        widest = sorted(halved, key=halved.__getitem__, reverse=True)
        return widest[::2], widest[1::2]
    within: dict[int, tuple[int, ...]] = {0: ()}
    for index, wide in halved.items():
        for end, members in list(within.items()):
            if 2 * (end + wide) <= whole:
                within.setdefault(end + wide, (*members, index))
    shorter = within[max(within)]
    return [index for index in halved if index not in shorter], list(shorter)


def accumulated(tmem: Tmem) -> int:
    """Columns of all accumulators."""
    wholes, halved = widths(tmem)
    longer, _ = side_by_side(halved)
    return sum(wholes.values()) + sum(halved[index] for index in longer)


def needed(tmem: Tmem) -> int:
    """Columns of everything a block keeps in tensor memory: the most that is said of it."""
    ends = [start + (each.columns or 0) for start, each in placed(tmem)]
    return max((tmem.columns or 0) + accumulated(tmem), *ends, 0)


def needed_key(tmem: Tmem) -> str:
    """The key that says the most of what a block keeps in tensor memory."""
    if needed(tmem) > (tmem.columns or 0) + accumulated(tmem):
        return "tmem.regions"
    return "tmem.accumulators" if tmem.accumulators else "tmem.columns"


def layout(target: Target, tmem: Tmem) -> TensorLayout | None:
    """What is in which columns: the ranges given, else the accumulators.

    None where nothing is known of what a block keeps or allocates.
    """
    used, taken = needed(tmem), sum(taken_by(target, tmem))
    if not used and not taken:
        return None
    ranges = [
        each.replaced(column=start, name=each.name or f"range {index}")
        for index, (start, each) in enumerate(placed(tmem))
    ]
    return tensor(target, used, taken, ranges or _accumulated(tmem))


def _accumulated(tmem: Tmem) -> list[Columns]:
    """Accumulators in their order, those of half the lanes together, where the first of them is.

    What shares the columns of another starts where that does.
    """
    wholes, halved = widths(tmem)
    sides = side_by_side(halved)
    first: dict[int, tuple[int, int]] = {}
    end = 0
    for index in sorted(wholes | halved):
        if index in wholes:
            first[index] = (end, 0)
            end += wholes[index]
        elif index not in first:
            for lane, side in zip((0, HALF_LANES), sides, strict=True):
                at = end
                for member in side:
                    if member not in wholes:
                        first[member] = (at, lane)
                    at += halved[member]
            end += sum(halved[member] for member in sides[0])
    names = [each.name or f"accumulator {i}" for i, each in enumerate(tmem.accumulators)]
    found = []
    for index, root in enumerate(aliases.roots(tmem.accumulators)):
        each, (start, lane) = tmem.accumulators[index], first.get(root, (0, 0))
        lanes = HALF_LANES if halves(each) else None
        over = None if root == index else names[root]
        found.append(columns(names[index], start, width(each), lane if lanes else 0, lanes, over))
    return found
