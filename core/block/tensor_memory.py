"""What a block keeps in tensor memory, what it allocates for that, and in which columns."""

from __future__ import annotations

from kcfg.core.block import aliases
from kcfg.core.block.parts import Accumulator, Allocation, Columns, Tmem
from kcfg.core.block.placing import TensorLayout, allocation, columns, tensor
from kcfg.core.hardware import isa
from kcfg.core.hardware.target import Target

HALF_LANES = 16
"""The lanes of every 32 that an accumulator of 64 rows fills; another fits into the others."""


def asked(target: Target, each: Allocation) -> int:
    """What an allocation takes, in columns: its own number, or its need rounded up."""
    return allocation(target, each.needs or 0) if each.columns is None else each.columns


def taken_by(target: Target, tmem: Tmem) -> list[int]:
    """What every allocation of a block takes at least, rounded up to what alloc has."""
    return [allocation(target, asked(target, each)) for each in tmem.allocations]


def width(each: Accumulator) -> int:
    """Columns of an accumulator."""
    return isa.columns(
        each.M or 128, each.N or 0, each.cta_group or 1, bool(each.ws), bool(each.sparse)
    )


def halves(each: Accumulator) -> bool:
    """Whether an accumulator leaves half of its columns' lanes to another: 64 rows, one CTA."""
    return each.M == 64 and (each.cta_group or 1) == 1 and not each.ws


def needed(tmem: Tmem) -> int:
    """Columns of everything a block keeps in tensor memory.

    Of accumulators that share their columns the widest counts. Those of 64 rows and one CTA
    lie in pairs, side by side in the lanes.
    """
    shares: dict[int, int] = {}
    for root, each in zip(aliases.roots(tmem.accumulators), tmem.accumulators, strict=True):
        shares[root] = max(shares.get(root, 0), width(each))
    half = sorted(
        (shares[root] for root in shares if halves(tmem.accumulators[root])), reverse=True
    )
    whole = sum(shares[root] for root in shares if not halves(tmem.accumulators[root]))
    ends = [(each.column or 0) + (each.columns or 0) for each in tmem.regions]
    return max((tmem.columns or 0) + whole + sum(half[::2]), max(ends, default=0))


def layout(target: Target, tmem: Tmem) -> TensorLayout | None:
    """What is in which columns: the ranges given, else the accumulators in their order.

    None where nothing is known of what a block keeps or allocates.
    """
    used, taken = needed(tmem), sum(taken_by(target, tmem))
    if not used and not taken:
        return None
    return tensor(target, used, taken, tmem.regions or _accumulated(tmem))


def _accumulated(tmem: Tmem) -> list[Columns]:
    """Accumulators one after the other; what shares the columns of another lies in those."""
    found: dict[int, Columns] = {}
    end = 0
    open_half: Columns | None = None
    roots = aliases.roots(tmem.accumulators)
    for index, each in enumerate(tmem.accumulators):
        name, root = each.name or f"accumulator {index}", roots[index]
        if root != index:
            continue
        if halves(each) and open_half is not None and (open_half.columns or 0) >= width(each):
            beside = open_half.column or 0
            found[index] = columns(name, beside, width(each), HALF_LANES, HALF_LANES)
            open_half = None
            continue
        lanes = HALF_LANES if halves(each) else None
        found[index] = columns(name, end, width(each), lanes=lanes)
        open_half = found[index] if lanes else open_half
        end += width(each)
    for index, each in enumerate(tmem.accumulators):
        if (root := roots[index]) != index:
            over = found[root]
            name = each.name or f"accumulator {index}"
            found[index] = columns(
                name, over.column or 0, width(each), over.lane or 0, over.lanes, over.name
            )
    return [found[index] for index in sorted(found)]
