"""mbarriers as constants: their groups, how many arrivals they wait for, and where they lie."""

from __future__ import annotations

from kcfg.core.block.block import Block
from kcfg.core.block.parts import MBARRIERS
from kcfg.core.emit.conditions import Number, equal, literal, product, total
from kcfg.core.emit.identifiers import Draft, Limits
from kcfg.core.emit.parts import Parts


def barriers(block: Block, draft: Draft, limits: Limits, parts: Parts) -> None:
    """mbarriers, whose groups follow each other from index 0, and where they lie.

    Where those of a group lie apart from each other, no index and no place is theirs.
    """
    found, place, next_ = block.mbarriers, [literal(0)], 0
    whole = parts.slots.get(MBARRIERS)
    for group in found:
        name, number = draft.part(group.name or "group"), group.count or 0
        first = None
        if not group.apart:
            doc = f"{name}: index of its first one."
            first = draft.add(f"{name}_first", next_, "index", doc)
            draft.checks.append(equal(first, total(place), f"{name} follows the group before it"))
        key = f"mbarriers[{group.name}]"
        count = parts.plays(f"{key}.count", draft.add(f"{name}_count", number, "barriers"))
        next_ += number
        if group.arrivals is not None:
            arrivals = draft.add(f"{name}_arrivals", group.arrivals, "count")
            parts.plays(f"{key}.arrivals", arrivals)
        place = [*place, count] if first is None else [first, count]
        if first is not None:
            _placed(group.name or "", name, first, count, draft, limits, parts)
    count = draft.add("count", next_, "barriers", "All of them.")
    draft.checks.append(equal(count, total(place), "the groups add up to all mbarriers"))
    if whole is not None and whole.stages.value == next_:
        draft.checks.append(equal(count, whole.stages, "each mbarrier has its place"))


def _placed(
    group: str,
    name: str,
    first: Number,
    count: Number,
    draft: Draft,
    limits: Limits,
    parts: Parts,
) -> None:
    """Where a group's mbarriers lie: in a region of their own, or in that of all of them."""
    each, whole = limits["mbarrier_bytes"], parts.slots.get(MBARRIERS)
    regions = [parts.slots.get(at) for at in (group, f"{group}_{MBARRIERS}")]
    size = count.value * each.value
    own = next((at for at in regions if at is not None and at.size.value == size), None)
    doc = f"{name}: where its first one lies in dynamic shared memory."
    if own is not None:
        offset = draft.add(f"{name}_offset", own.offset.value, "bytes", doc)
        draft.checks += [
            equal(offset, own.offset, f"{name} lies in its region"),
            equal(own.size, product(count, each), f"{name} fills its region"),
        ]
    elif whole is not None:
        start = whole.offset.value + first.value * each.value
        offset = draft.add(f"{name}_offset", start, "bytes", doc)
        place = total([whole.offset, product(first, each)])
        draft.checks.append(equal(offset, place, f"{name} lies where its index says"))
