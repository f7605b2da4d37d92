"""The block's registers as a pool: what the launch grants, and who asks for how many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kcfg.cli.pages import titles
from kcfg.cli.pictures.bars import Bar, Mark, Part, Span
from kcfg.core.block.block import Block
from kcfg.core.block.warpgroups import WARPS
from kcfg.core.figures import some


def pool_part(report: dict[str, Any], block: Block) -> Part | None:
    """The pool drawn twice at one scale: even shares at launch, then each role's own.

    None where nothing is known of it.
    """
    found = report["registers"]
    if found is None:
        return None
    warp, pool = block.target.warp_size, found["pool"]
    granted, asked = pool["granted"], pool["asked"]
    dealt = tuple(_dealt(found, warp)) if asked is not None else ()
    extent = max(granted, asked or 0)
    mark = Mark(granted, f"granted {granted:,}")
    silent = (mark._replace(text=""),) if dealt else (mark,)
    bars = [Bar("at launch", "registers", extent, tuple(_even(found, warp)), silent)]
    if dealt:
        bars.append(Bar("after setmaxnreg", "registers", extent, dealt, (mark,)))
    over = (asked or 0) - granted
    notes = (f"The roles ask for {over:,} more than the launch grants.",) if over > 0 else ()
    return Part("registers", titles.registers(found), tuple(bars), notes, bad=over > 0)


def _even(found: dict[str, Any], warp: int) -> Iterator[Span]:
    """The warpgroups as launched: every thread has as many registers as any other."""
    group, held = WARPS * warp, found["pool"]["granted"] // found["threads"]
    for number in range(-(-found["threads"] // group)):
        threads = min(group, found["threads"] - number * group)
        words = f"{held:,} x {threads:,}"
        detail = f"{threads * held:,} registers, {held:,} for each of {some(threads, 'thread')}"
        start = number * group * held
        yield Span(f"warpgroup {number}", start, threads * held, "whole", words, detail)


def _dealt(found: dict[str, Any], warp: int) -> Iterator[Span]:
    """The roles once all have set their counts, in the order of their warps, then the rest."""
    pool, end = found["pool"], 0
    held = pool["granted"] // found["threads"]
    for role in found["roles"]:
        first, last = role["warps"]
        threads = (last - first + 1) * warp
        count = held if role["cap"] is None else role["cap"]
        warps = f"warp {last}" if first == last else f"warps {first} to {last}"
        kept = " as launched" if role["cap"] is None else ""
        detail = f"{threads * count:,} registers, {count:,}{kept} for each thread of {warps}"
        words = f"{count:,} x {threads:,}"
        yield Span(role["role"], end, threads * count, "region", words, detail)
        end += threads * count
    if end < pool["granted"]:
        left = pool["granted"] - end
        detail = f"{some(left, 'register')} nobody takes"
        yield Span("left", end, left, "free", f"{left:,}", detail)
    elif end > pool["granted"]:
        over = end - pool["granted"]
        detail = f"{some(over, 'register')} too many"
        yield Span("over", pool["granted"], over, "over", f"{over:,}", detail)
