"""What is launched for a call: the decisions, what they were among, and how near others are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kcfg.cli.pages.pieces import Grid, Heading, Line, Piece
from kcfg.cli.pages.units import number
from kcfg.core.engine.quantity import Quantity
from kcfg.core.explain.refusal import Failure
from kcfg.core.explain.story import Weighed, weighed
from kcfg.core.explain.thresholds import NEAR, Threshold, steady, thresholds
from kcfg.core.figures import joined
from kcfg.core.kernel import Kernel

LAUNCH = "launch."
"""What the keys of values begin with that are of the launch for a call."""


def whole(kernel: Kernel, report: dict[str, Any]) -> Iterator[Piece]:
    """All of it; nothing where no dispatcher decides."""
    yield from launch(kernel, report)
    yield from chosen(weighed(kernel))
    yield from near(thresholds(kernel), steady(kernel))


def launch(kernel: Kernel, report: dict[str, Any]) -> Iterator[Piece]:
    """What the dispatcher decides for a call, and the launch that this comes to."""
    if not kernel.decisions:
        return
    rest = [
        key
        for key, member in type(kernel).declared()
        if key.startswith(LAUNCH) and isinstance(member, Quantity) and not member.step
    ]
    keys = dict.fromkeys((*kernel.decisions, *rest))
    yield Heading("Launched for the call")
    yield Grid([(key.removeprefix(LAUNCH), number(report["values"][key])) for key in keys])


def chosen(candidates: Iterable[Weighed]) -> Iterator[Piece]:
    """What the dispatcher chose among, and why the others were out."""
    for count, each in enumerate(candidates):
        if not count:
            yield Heading("Chosen among")
        mark = "chosen" if each.chosen else "passed over"
        yield Line(f"{each.name}: {each.said}; {mark}", "strong" if each.chosen else "", 2)
        for failure in each.failures:
            yield Line(fails(failure), indent=4)


def near(found: Iterable[Threshold], unmoved: Iterable[str]) -> Iterator[Piece]:
    """At which values of a call another decision is taken."""
    lines = [
        *(Line(_threshold(each), indent=2) for each in found),
        *(
            Line(f"{key}: no call within {NEAR:,} either way decides otherwise", "dim", 2)
            for key in unmoved
        ),
    ]
    if lines:
        yield Heading("Near")
        yield from lines


def _threshold(near: Threshold) -> str:
    far = abs(near.at - near.given)
    way = "more" if near.at > near.given else "fewer"
    changes = joined(
        f"{each.key} would be {number(each.there)}, not {number(each.here)}"
        for each in near.changed
    )
    return f"with {far:,} {way}, {near.key} {near.at:,}: {changes}"


def fails(failure: Failure) -> str:
    """A condition that fails, with the numbers on both sides."""
    numbers = joined(f"{side.text} is {number(side.value)}" for side in failure.reads)
    return f"fails {failure.name}: {failure.condition}" + (f"; {numbers}" if numbers else "")
