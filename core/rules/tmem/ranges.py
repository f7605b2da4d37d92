"""Where things sit in tensor memory."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block import aliases
from kcfg.core.block.block import Block
from kcfg.core.block.parts import Accumulator, Columns, Tmem
from kcfg.core.block.tensor_memory import accumulated, placed, width
from kcfg.core.figures import some
from kcfg.core.hardware.sources import PTX
from kcfg.core.rules import Breach, rule

Places = list[tuple[int, Columns]]


def named(each: Columns, index: int) -> str:
    """What a message calls a range."""
    return each.name or f"range {index}"


def called(each: Accumulator, index: int) -> str:
    """What a message calls an accumulator."""
    return each.name or f"accumulator {index}"


@rule(
    "TMEM007",
    "error",
    also=("warning",),
    reads="tmem.regions",
    unit="columns",
    source=f"{PTX}, Tensor Memory; follows from the layout: two buffers in the same cells"
    " overwrite each other",
)
def ranges_apart(block: Block, ranges: tuple[Columns, ...]) -> Iterator[Breach]:
    """Whether ranges of tensor memory are apart, in columns or in lanes.

    Two ranges may have the same columns in different lanes. In the same cells they overwrite
    each other, unless one is meant to share those of the other; then it lies in them. One that
    ends past the other shares more than it says, and one of no columns holds nothing: warnings.

    Fails: shape: {tmem: {regions: [{name: S, column: 0, columns: 128},
    {name: O, column: 64, columns: 128}]}}

    Passes: shape: {tmem: {regions: [{name: S, column: 0, columns: 128, lane: 0, lanes: 64},
    {name: O, column: 64, columns: 128, lane: 64, lanes: 64}]}}
    """
    assert block.tmem is not None
    places = placed(block.tmem)
    for index, what, fix in aliases.wrong(ranges, "range"):
        yield Breach(
            f"{named(ranges[index], index)} shares the columns of {what}",
            path=f"tmem.regions[{index}].alias_of",
            fix=fix,
        )
    lanes = block.target.tmem_lanes
    for index, each in enumerate(ranges):
        first, last = _lanes(each, lanes)
        if lanes and last > lanes:
            yield Breach(
                f"{named(each, index)} ends at lane {last - 1}, past the last, {lanes - 1}",
                path=f"tmem.regions[{index}].lanes",
                value=last - first,
                limit=lanes - first,
                over=last - lanes,
                fix=f"use at most {lanes - first} lanes",
            )
        if each.columns == 0:
            yield Breach(
                f"{named(each, index)} has 0 columns",
                path=f"tmem.regions[{index}].columns",
                value=0,
                limit=1,
                fix="leave it out",
                severity="warning",
            )
    yield from _overlaps(places, lanes)
    yield from _aliased(places, lanes)


def _lanes(each: Columns, lanes: int) -> tuple[int, int]:
    """The first lane of a range and that behind it; one without lanes has all."""
    first = each.lane or 0
    return first, lanes if each.lanes is None else first + each.lanes


def _crossing(one: tuple[int, Columns], other: tuple[int, Columns], lanes: int) -> int:
    """How many columns two ranges have in the same lanes."""
    (first, last), (least, most) = _lanes(one[1], lanes), _lanes(other[1], lanes)
    if first >= most or least >= last:
        return 0
    ends = (one[0] + (one[1].columns or 0), other[0] + (other[1].columns or 0))
    return max(min(ends) - max(one[0], other[0]), 0)


def _overlaps(places: Places, lanes: int) -> Iterator[Breach]:
    ends = aliases.roots([each for _, each in places])
    own = sorted((places[i][0], i) for i, root in enumerate(ends) if root == i)
    reaching: list[int] = []
    for start, index in own:
        each = places[index]
        reaching = [i for i in reaching if places[i][0] + (places[i][1].columns or 0) > start]
        hit = next((i for i in reaching if _crossing(places[i], each, lanes)), None)
        if hit is not None:
            other = places[hit][1]
            over = _crossing(places[hit], each, lanes)
            free = places[hit][0] + (other.columns or 0)
            yield Breach(
                f"{named(each[1], index)} starts at column {start:,}, and has"
                f" {some(over, 'column')} of {named(other, hit)}",
                path=f"tmem.regions[{index}].column",
                value=start,
                limit=free,
                over=over,
                fix=f"start it at column {free:,}"
                + (f", or mark it alias_of: {other.name}" if other.name else ""),
            )
        reaching.append(index)


def _aliased(places: Places, lanes: int) -> Iterator[Breach]:
    first = {each.name: index for index, (_, each) in reversed(list(enumerate(places)))}
    for index, (start, each) in enumerate(places):
        over = first.get(each.alias_of) if each.alias_of is not None else None
        if over is None or over == index or not each.columns or places[over][1].columns is None:
            continue
        at, other = places[over]
        names = f"{named(each, index)} shares the columns of {named(other, over)}"
        end, behind = start + each.columns, at + (other.columns or 0)
        if not _crossing(places[index], places[over], lanes):
            yield Breach(
                f"{names}, and lies in none of them",
                path=f"tmem.regions[{index}].column",
                value=start,
                limit=at,
                over=abs(start - at),
                fix=f"start it at column {at:,}, in its lanes",
            )
        elif start < at or end > behind:
            more = max(at - start, 0) + max(end - behind, 0)
            yield Breach(
                f"{names}, and takes {more:,} beside them",
                path=f"tmem.regions[{index}].columns",
                value=each.columns,
                limit=behind - at,
                over=more,
                fix=f"keep it within columns {at:,} to {behind - 1:,}",
                severity="warning",
            )


@rule("TMEM008", "error", reads="tmem", unit="columns", source=f"{PTX}, Data Path Layout")
def accumulators_in_ranges(block: Block, tmem: Tmem) -> Iterator[Breach]:
    """Whether accumulators have rows and columns, and the ranges hold them.

    An accumulator lies in the range of its own name, which has as many columns as it takes. All
    together, with what else there is, lie in what is said to be in which columns; only where
    nothing says how much is allocated, since others may lie beside the ranges then.

    Fails: shape: {tmem: {accumulators: [{name: S, M: 128, N: 128}],
    regions: [{name: S, column: 0, columns: 64}]}}

    Passes: shape: {tmem: {accumulators: [{name: S, M: 128, N: 128}],
    regions: [{name: S, column: 0, columns: 128}]}}
    """
    for index, each in enumerate(tmem.accumulators):
        for key, size in (("M", each.M), ("N", each.N)):
            if size == 0:
                yield Breach(
                    f"{called(each, index)} has {key} 0",
                    path=f"tmem.accumulators[{index}].{key}",
                    value=0,
                    limit=1,
                    fix=f"give the {key} of its MMA",
                )
    if not tmem.accumulators or not tmem.regions:
        return
    room: dict[str, int] = {}
    for region in tmem.regions:
        if region.name is not None and region.columns is not None:
            room[region.name] = max(room.get(region.name, 0), region.columns)
    loose = False
    for index, each in enumerate(tmem.accumulators):
        have = room.get(each.name) if each.name is not None else None
        loose = loose or have is None
        if have is not None and width(each) > have:
            yield Breach(
                f"{called(each, index)} takes {some(width(each), 'column')}, its range has"
                f" {have:,}",
                path=f"tmem.accumulators[{index}]",
                value=width(each),
                limit=have,
                over=width(each) - have,
                fix=f"give its range {some(width(each), 'column')}",
            )
    need = (tmem.columns or 0) + accumulated(tmem)
    end = max(start + (region.columns or 0) for start, region in placed(tmem))
    if loose and not tmem.allocations and need > end:
        yield Breach(
            f"{some(need, 'column')} are needed, the ranges end at {end:,}",
            path="tmem.regions",
            value=need,
            limit=end,
            over=need - end,
            fix=f"let the ranges have {some(need - end, 'more column')}",
        )
