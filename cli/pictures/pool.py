"""The block's registers as a pool: what the launch grants, and who asks for how many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from kcfg.cli.pages import registers, titles
from kcfg.cli.pictures.bars import Bar, Mark, Part, Span
from kcfg.core.block.block import Block
from kcfg.core.block.warpgroups import WARPS, counts, held
from kcfg.core.figures import joined, some
from kcfg.core.hardware.occupancy import warps_of

LANE = "registers per lane"
"""The unit of a sub-partition's bar: its warps have one thread in each lane."""


def pool_part(report: dict[str, Any], block: Block) -> Part | None:
    """The pool at launch, then each role's own share; by sub-partition where these differ.

    None where nothing is known of it.
    """
    found = report["registers"]
    if found is None or block.entry is None:
        return None
    if found["threads"] > block.target.max_threads_per_block:
        return Part("registers", titles.registers(found), bad=True)  # no block has so many
    drawn = _Pool(found, block, held(block.target, block.entry))
    granted, asked = found["pool"]["granted"], found["pool"]["asked"]
    parts = found["pool"]["sub_partitions"]
    apart = asked is not None and not registers.alike(parts)
    mark = Mark(granted, f"granted {granted:,}")
    silent = (mark if asked is None or apart else mark._replace(text=""),)
    extent = granted if apart else max(granted, asked or 0)
    bars = [Bar("at launch", "registers", extent, tuple(drawn.even()), silent)]
    if apart:
        bars += drawn.by_sub_partition()
    elif asked is not None:
        bars.append(Bar("after setmaxnreg", "registers", extent, tuple(drawn.dealt()), (mark,)))
    notes = tuple(_over(found["pool"], apart, block.target.warp_size))
    return Part("registers", titles.registers(found), tuple(bars), notes, bad=bool(notes))


def _over(pool: dict[str, Any], apart: bool, warp: int) -> Iterator[str]:
    """That more is asked for than there is."""
    if not apart and (pool["free"] or 0) < 0:
        yield f"The roles ask for {-pool['free']:,} more than the launch grants."
    for number, part in enumerate(pool["sub_partitions"] if apart else ()):
        if part["free"] < 0:
            over = f"{_said(-part['free'] // warp, LANE)} more"
            yield f"In sub-partition {number} the warps ask for {over} than the launch grants."


class _Pool:
    """A block's registers as spans; a thread has ``held`` of them at launch."""

    def __init__(self, found: dict[str, Any], block: Block, held: int) -> None:
        self.found, self.held = found, held
        self.warp, self.parts = block.target.warp_size, block.target.sub_partitions
        self.warps = warps_of(block.target, found["threads"])
        known = counts(block.registers, block.target, found["threads"]) if block.registers else None
        self.counts = known or (None,) * self.warps

    def even(self) -> Iterator[Span]:
        """The warpgroups as launched: every thread has as many registers as any other."""
        for number in range(-(-self.warps // WARPS)):
            threads = self.warp * min(WARPS, self.warps - number * WARPS)
            size = threads * self.held
            detail = f"{size:,} registers, {self.held:,} for each of {threads:,} threads"
            start = number * WARPS * self.warp * self.held
            words = f"{self.held:,} x {threads:,}"
            yield Span(f"warpgroup {number}", start, size, "whole", words, detail)

    def dealt(self) -> Iterator[Span]:
        """The roles once all have set their counts, in the order of their warps, then the rest."""
        end = 0
        for name, warps, cap in self._roles():
            count, threads = self.held if cap is None else cap, len(warps) * self.warp
            first, last = warps[0], warps[-1]
            which = f"warp {last}" if first == last else f"warps {first} to {last}"
            size, kept = threads * count, " as launched" if cap is None else ""
            detail = f"{some(size, 'register')}, {count:,}{kept} for each thread of {which}"
            yield Span(name, end, size, "region", f"{count:,} x {threads:,}", detail)
            end += size
        yield from _rest(end, self.found["pool"]["granted"], "registers")

    def by_sub_partition(self) -> Iterator[Bar]:
        """The same in each lane of every sub-partition, those together that are alike."""
        found: dict[tuple[Span, ...], list[int]] = {}
        for number in range(self.parts):
            found.setdefault(tuple(self._lane(number)), []).append(number)
        for spans, numbers in found.items():
            granted, asked = (self._in_lane(numbers[0], key) for key in ("granted", "asked"))
            which = f"{'each of ' if len(numbers) > 1 else ''}sub-partition"
            which += f"{'s' if len(numbers) > 1 else ''} {joined(numbers)}"
            mark = Mark(granted, f"granted {granted:,}")
            label = f"after setmaxnreg, in {which}"
            yield Bar(label, LANE, max(asked, granted), spans, (mark,))

    def _lane(self, number: int) -> Iterator[Span]:
        end = 0
        for name, warps, cap in self._roles():
            count = self.held if cap is None else cap
            many = sum(warp % self.parts == number for warp in warps)
            size, kept = many * count, " as launched" if cap is None else ""
            if many:
                detail = f"{_said(size, LANE)}: {some(many, 'warp')} with {count:,}{kept}"
                yield Span(name, end, size, "region", f"{count:,} x {many:,}", detail)
            end += size
        yield from _rest(end, self._in_lane(number, "granted"), LANE)

    def _in_lane(self, number: int, key: str) -> int:
        registers: int = self.found["pool"]["sub_partitions"][number][key]
        return registers // self.warp

    def _roles(self) -> Iterator[tuple[str, list[int], int | None]]:
        """Every role with its warps and what these set; then the warps that have no role."""
        left = dict.fromkeys(range(self.warps))
        roles = [(role["role"], *role["warps"]) for role in self.found["roles"]]
        for name, first, last in [*roles, ("no role", 0, self.warps - 1)]:
            mine = [warp for warp in left if first <= warp <= last]
            for warp in mine:
                del left[warp]
            for count, warps in groupby(mine, key=self.counts.__getitem__):
                yield name, list(warps), count


def _said(count: int, unit: str) -> str:
    """A count of registers in its unit."""
    return f"{some(count, 'register')}{unit.removeprefix('registers')}"


def _rest(end: int, granted: int, unit: str) -> Iterator[Span]:
    """What is left of what was granted, or is over it."""
    left, over = granted - end, end - granted
    if left > 0:
        yield Span("left", end, left, "free", f"{left:,}", f"{_said(left, unit)} nobody takes")
    elif over > 0:
        yield Span("over", granted, over, "over", f"{over:,}", f"{_said(over, unit)} too many")
