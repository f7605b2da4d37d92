"""Register counts dealt otherwise: which others a block could have instead of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Registers, Role, Warpgroup
from kcfg.core.block.warpgroups import Pool, alike, held, mixed, pools, setters
from kcfg.core.hardware.target import Target

Setter = Role | Warpgroup
"""Who may set a count."""

Deal = Callable[[Setter], int | None]
"""The count that each of them gets."""


def levels(target: Target) -> range:
    """The counts that setmaxnreg takes, in registers per thread, from the largest down."""
    step = target.setmaxnreg_multiple
    return range(target.setmaxnreg_max, target.setmaxnreg_min - 1, -step)


def other_way(setter: Setter, count: int, entry: int) -> bool:
    """Whether dec to a count would raise what a thread is launched with, or inc lower it."""
    if setter.direction is None:
        return False
    return count > entry if setter.direction == "dec" else count < entry


def fits(block: Block, registers: Registers) -> bool:
    """Whether it is known that every sub-partition has what its warps ask for."""
    found = _pools(block, registers)
    return bool(found) and all(pool.free is not None and pool.free >= 0 for pool in found)


def fewer(block: Block) -> Iterator[Registers]:
    """Counts that fit, where a block's do not.

    With a single one lowered, where that suits a sub-partition that is short; with the largest
    ones lowered; and with the smallest, where these give registers back, as low as there are.
    """
    registers, target = _own(block), block.target
    before, least = held(target, block.entry or 0), target.setmaxnreg_min
    smallest = min(each.count for each in _every(registers) if each.count is not None)

    def levelled(each: Setter, level: int) -> int | None:
        if each.count is None:
            return None
        return min(each.count, max(level, before if each.direction == "inc" else least))

    def lowest(each: Setter) -> int | None:
        return least if each.count == smallest else each.count

    if not alike(block.pools):
        yield from _one_lowered(block, registers)
    yield from _first(block, (partial(levelled, level=level) for level in levels(target)))
    yield from _first(block, [lowest] if smallest < before else [])


def _one_lowered(block: Block, registers: Registers) -> Iterator[Registers]:
    """Counts that fit with a single one lowered: those that leave the most to all."""

    def lowered(each: Setter, one: Setter, level: int) -> int | None:
        return level if each is one else each.count

    found: list[Registers] = []
    for one in _every(registers)[: block.target.max_threads_per_block // block.target.warp_size]:
        below = [level for level in levels(block.target) if level < (one.count or 0)]
        found += _first(block, (partial(lowered, one=one, level=level) for level in below))
    asked = {other: sum(each.asked or 0 for each in _pools(block, other)) for other in found}
    if found:
        yield max(found, key=asked.__getitem__)


def more(block: Block) -> Iterator[Registers]:
    """Counts that fit with the largest ones raised, as far as that goes."""
    registers, before = _own(block), held(block.target, block.entry or 0)
    own = {each: before if each.count is None else each.count for each in _every(registers)}
    largest = max(own.values())

    def raised(each: Setter, level: int) -> int | None:
        return level if own[each] == largest else each.count

    # Who holds fewer than at launch gives registers back, and is not to keep them.
    higher = [level for level in levels(block.target) if level > largest >= before]
    yield from _first(block, (partial(raised, level=level) for level in higher))


def one_count(block: Block, number: int, indices: Iterable[int]) -> int | None:
    """The largest of a warpgroup's counts that all of its roles may have; None for no such.

    ``number`` is that of the warpgroup, and ``indices`` are those of its roles.
    """
    registers = _own(block)
    sharing = {registers.roles[index] for index in indices}

    def same(each: Setter, count: int) -> int | None:
        return count if each in sharing else each.count

    for count in sorted({role.count for role in sharing if role.count is not None}, reverse=True):
        other = _dealt(registers, partial(same, count=count))
        fitting = fits(block, other) or not fits(block, registers)
        if fitting and _right(block, other) and number not in mixed(other, block.target):
            return count
    return None


def _own(block: Block) -> Registers:
    assert block.registers is not None
    return block.registers


def _every(registers: Registers) -> tuple[Setter, ...]:
    return (*registers.warpgroups, *registers.roles)


def _dealt(registers: Registers, deal: Deal) -> Registers:
    changed: Registers = registers.replaced(
        warpgroups=tuple(each.replaced(count=deal(each)) for each in registers.warpgroups),
        roles=tuple(each.replaced(count=deal(each)) for each in registers.roles),
    )
    return changed


def _pools(block: Block, registers: Registers) -> tuple[Pool, ...]:
    entry, threads = block.entry, block.block_threads
    if entry is None or threads is None:
        return ()
    return pools(registers, block.target, entry, threads)


def _first(block: Block, ways: Iterable[Deal]) -> Iterator[Registers]:
    """The first way to deal a block's registers that is right and fits, if one does."""
    for way in ways:
        other = _dealt(_own(block), way)
        if _right(block, other) and fits(block, other):
            yield other
            return


def _right(block: Block, registers: Registers) -> bool:
    """Whether other counts are taken by setmaxnreg, go the way that is said, and are one in a
    warpgroup, wherever the block's own are.
    """
    own = {path: count for path, _, count in setters(_own(block))}
    for path, setter, count in setters(registers):
        old, entry = own.get(path), block.entry
        if count != old and count not in levels(block.target):
            return False
        wrong = entry is not None and other_way(setter, count, entry)
        if wrong and (old is None or entry is None or not other_way(setter, old, entry)):
            return False
    before = mixed(_own(block), block.target)
    return all(number in before for number in mixed(registers, block.target))
