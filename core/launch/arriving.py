"""The arrivals that mbarriers wait for, where who arrives is said and their number is not."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from kcfg.core.block.arrivals import Wait, arriving, named, waits
from kcfg.core.block.parts import Mbarriers, Pipeline
from kcfg.core.hardware.target import Target


def open_waits(
    given: dict[str, Any], groups: tuple[Mbarriers, ...], lines: tuple[Pipeline, ...]
) -> tuple[Wait, ...]:
    """What does not say its arrivals, of a launch in which only the own block can arrive.

    In a cluster, and where a pair shares an MMA, others may arrive too: nothing follows there.
    """
    tmem = given.get("tmem")
    issued = [*given.get("mma", ()), *(tmem.allocations + tmem.accumulators if tmem else ())]
    if given.get("registers") is None or any(each.cta_group == 2 for each in issued):
        return ()
    alone = prod(given.get("cluster", ())) == 1
    return tuple(each for each in waits(groups, lines) if alone and each.arrivals is None)


def arrivals(
    target: Target,
    given: dict[str, Any],
    groups: tuple[Mbarriers, ...],
    lines: tuple[Pipeline, ...],
) -> Iterator[tuple[Wait, int, str]]:
    """How often all arrive at what does not say it, and who of them how often, in words."""
    for wait in open_waits(given, groups, lines):
        known = named(given["registers"])
        count = arriving(wait, known, target.warp_size)
        if count:
            each = ((who, Wait("", 0, None, None, (who,), wait.by)) for who in wait.who)
            parts = [f"{who.role} {arriving(one, known, target.warp_size):,}" for who, one in each]
            yield wait, count, " + ".join(parts)
