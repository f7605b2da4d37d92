"""The block's registers as a pool: what the launch grants, and who asks for how many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kcfg.cli.pages import titles
from kcfg.cli.pictures.bars import Bar, Mark, Part, Span
from kcfg.core.launch.groups import Registers
from kcfg.core.launch.launch import Launch
from kcfg.core.launch.warpgroups import WARPS, spans


class Share(NamedTuple):
    """What some warps hold: registers per thread, None for what they were launched with."""

    name: str
    first: int
    warps: int
    cap: int | None


class Pool(NamedTuple):
    """A block's registers at launch and after setmaxnreg."""

    title: str
    threads: int
    entry: int
    granted: int
    asked: int
    shares: tuple[Share, ...]


def pool_part(report: dict[str, Any], launch: Launch) -> Part | None:
    """The pool drawn twice at one scale: even shares at launch, then each role's own.

    None where nothing is known of it.
    """
    pool = _of_report(report) if report["registers"] else _of_launch(launch)
    if pool is None:
        return None
    warp = launch.target.warp_size
    extent = max(pool.granted, pool.asked)
    granted = Mark(pool.granted, f"granted {pool.granted:,}")
    silent = (granted._replace(text=""),)
    bars = (
        Bar("at launch", "registers", extent, tuple(_even(pool, warp)), silent),
        Bar("after setmaxnreg", "registers", extent, tuple(_dealt(pool, warp)), (granted,)),
    )
    over = pool.asked - pool.granted
    notes = (f"The roles ask for {over:,} more than the launch grants.",) if over > 0 else ()
    return Part("registers", pool.title, bars, notes, bad=over > 0)


def _even(pool: Pool, warp: int) -> Iterator[Span]:
    """The warpgroups as launched: every thread has as many registers as any other."""
    group = WARPS * warp
    for number in range(-(-pool.threads // group)):
        threads = min(group, pool.threads - number * group)
        words = f"{pool.entry:,} x {threads:,}"
        detail = (
            f"{threads * pool.entry:,} registers, {pool.entry:,} for each of {threads:,} threads"
        )
        start = number * group * pool.entry
        yield Span(f"warpgroup {number}", start, threads * pool.entry, "whole", words, detail)


def _dealt(pool: Pool, warp: int) -> Iterator[Span]:
    """The roles once all have set their counts, in the order of their warps, then the rest."""
    end = 0
    for share in pool.shares:
        threads = share.warps * warp
        count = pool.entry if share.cap is None else share.cap
        last = share.first + share.warps - 1
        warps = f"warp {last}" if share.warps == 1 else f"warps {share.first} to {last}"
        kept = " as launched" if share.cap is None else ""
        detail = f"{threads * count:,} registers, {count:,}{kept} for each thread of {warps}"
        yield Span(share.name, end, threads * count, "region", f"{count:,} x {threads:,}", detail)
        end += threads * count
    if end < pool.granted:
        left = pool.granted - end
        yield Span("left", end, left, "free", f"{left:,}", f"{left:,} registers nobody takes")
    elif end > pool.granted:
        over = end - pool.granted
        yield Span("over", pool.granted, over, "over", f"{over:,}", f"{over:,} registers too many")


def _of_report(report: dict[str, Any]) -> Pool:
    found = report["registers"]
    return Pool(
        titles.registers(found),
        found["threads"],
        found["entry"],
        found["pool"]["granted"],
        found["pool"]["asked"],
        tuple(
            Share(
                role["role"], role["warps"][0], role["warps"][1] - role["warps"][0] + 1, role["cap"]
            )
            for role in found["roles"]
        ),
    )


def _of_launch(launch: Launch) -> Pool | None:
    threads, entry, pool = launch.block_threads, launch.entry, launch.pool
    if launch.registers is None or not threads or not entry or pool is None:
        return None
    asked = launch.asked or pool
    title = f"Registers: {threads:,} threads enter with {entry:,}; {asked:,} of {pool:,} asked for"
    shares = tuple(_shares(launch.registers))
    held = pool // threads
    return Pool(title, threads, held, pool, asked, shares or (_all(launch, threads),))


def _shares(registers: Registers) -> Iterator[Share]:
    for number, group in enumerate(registers.warpgroups):
        yield Share(f"warpgroup {number}", number * WARPS, WARPS, group.count)
    if not registers.warpgroups:
        for index, first, role in spans(registers):
            if role.warps:
                yield Share(role.name or f"role {index}", first, role.warps, role.count)


def _all(launch: Launch, threads: int) -> Share:
    return Share("every warp", 0, -(-threads // launch.target.warp_size), None)
