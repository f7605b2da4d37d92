"""mbarriers: what they wait for, who arrives at them, and where they lie."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.arrivals import MOST, Wait, arriving, named
from kcfg.core.block.block import Block
from kcfg.core.block.parts import Mbarriers, Region, Role
from kcfg.core.block.rings import ctas
from kcfg.core.figures import joined, offered, size, some
from kcfg.core.hardware.sources import H200_KERNELS, PTX
from kcfg.core.rules import Breach, rule

NAME = "mbarriers"
"""The region of a kernel written in Python that has all of its mbarriers."""


@rule(
    "MBAR001",
    "error",
    reads="waits",
    blames="mbarriers",
    unit="count",
    source=f"{PTX}, mbarrier, contents; {H200_KERNELS}",
)
def arrival_count(block: Block, waits: tuple[Wait, ...]) -> Iterator[Breach]:
    """Whether an mbarrier can wait for that many arrivals.

    Its count of them has 20 bits, and is at least 1. Initialised with another, it stops the
    kernel at once with a launch failure.

    Fails: shape: {mbarriers: [{name: full, count: 4, arrivals: 0}]}

    Passes: shape: {mbarriers: [{name: full, count: 4, arrivals: 1}]}
    """
    for wait in waits:
        count = wait.arrivals
        if count is not None and not 1 <= count <= MOST:
            yield Breach(
                f"{wait.what} waits for {count:,} arrivals; it may be 1 to {MOST:,}",
                path=wait.path,
                value=count,
                limit=MOST if count else 1,
                over=max(count - MOST, 0),
                fix=f"use {MOST:,} at most" if count else "use at least 1",
            )


@rule(
    "BAR004",
    "warning",
    also=("error",),
    reads="mbarriers shared.regions",
    blames="mbarriers",
    unit="bytes",
    source="follows from the layout: every mbarrier has its own bytes",
)
def groups_fill_their_regions(
    block: Block, mbarriers: tuple[Mbarriers, ...], regions: tuple[Region, ...]
) -> Iterator[Breach]:
    """Whether the groups of mbarriers add up to the regions that hold them, each to its own.

    The count of mbarriers is changed in one place and the list of their groups in another; what
    is in the list alone has no room, and what has room alone is initialised by nobody. In a
    launch written by hand the former is an error: they lie in whatever comes next. A group lies in
    the region of its own name, where there is one.

    Fails: shape: {shared: {regions: [{name: bars, bytes: 64, mbarriers: true}]},
    mbarriers: [{name: full, count: 3}, {name: empty, count: 3}]}

    Passes: shape: {shared: {regions: [{name: bars, bytes: 64, mbarriers: true}]},
    mbarriers: [{name: full, count: 4}, {name: empty, count: 4}]}
    """
    counts = [each.count for each in mbarriers]
    held = [each for each in regions if each.mbarriers or each.name == NAME]
    rooms = [each.bytes for each in held if each.alias_of is None]
    known = [each for each in (*counts, *rooms) if each is not None]
    if not rooms or len(known) < len(counts) + len(rooms):
        return
    if any((line.stages or 0) < 0 for line in block.pipelines):
        return  # what a struct derives for a shape far off; its groups of no mbarriers are left out
    count, room = sum(each or 0 for each in counts), sum(each or 0 for each in rooms)
    need = count * block.target.mbarrier_bytes
    if need != room:
        yield Breach(
            f"the groups have {some(count, 'mbarrier')}, which take {size(need)}, and their regions"
            f" {size(room)}",
            value=need,
            limit=room,
            over=abs(need - room),
            fix="list every group, or give them their room",
            severity="error" if need > room and not block.derived else None,
        )
    else:
        yield from _by_name(block, mbarriers, held)


def _by_name(
    block: Block, mbarriers: tuple[Mbarriers, ...], held: list[Region]
) -> Iterator[Breach]:
    """Groups against the regions of their names, where all in all they agree."""
    rooms = {each.name: each.bytes or 0 for each in held if each.alias_of is None}
    names = [each.name for each in mbarriers]
    for index, group in enumerate(mbarriers):
        need, room = (group.count or 0) * block.target.mbarrier_bytes, rooms.get(group.name)
        if group.name is None or room is None or names.count(group.name) > 1 or need == room:
            continue
        yield Breach(
            f"{group.name} has {some(group.count or 0, 'mbarrier')}, which take {size(need)}, and"
            f" the region of its name {size(room)}",
            path=f"mbarriers[{index}].count",
            value=need,
            limit=room,
            over=abs(need - room),
            fix="give both the same, or leave count out",
            severity="error" if need > room and not block.derived else None,
        )


@rule(
    "MBAR002",
    "error",
    reads="waits registers.roles",
    blames="mbarriers",
    unit="count",
    source=f"{PTX}, mbarrier; {H200_KERNELS}",
)
def who_arrives(block: Block, waits: tuple[Wait, ...], roles: tuple[Role, ...]) -> Iterator[Breach]:
    """Whether as many arrive at an mbarrier as it waits for.

    With fewer a phase never ends, with more it ends before all are there: both hang. Every
    thread of a role arrives, unless it says otherwise: one thread of each warp, one of the
    role, or the tcgen05.commit that one of them issues. A producer that TMA works for arrives
    with one thread, which also says how many bytes come. In a cluster several CTAs may arrive.

    Fails: shape: {registers: {roles: [{name: epilogue, warps: 4}]},
    mbarriers: [{name: empty, count: 2, arrivals: 4, arrive: [epilogue]}]}

    Passes: shape: {registers: {roles: [{name: epilogue, warps: 4}]},
    mbarriers: [{name: empty, count: 2, arrivals: 4, arrive: [{role: epilogue, by: warp}]}]}
    """
    if block.registers is None or not any(wait.who for wait in waits):
        return
    known, most = named(block.registers), ctas(block)
    for wait in waits:
        unknown = [each.role for each in wait.who if each.role and each.role not in known]
        for role in unknown:
            yield Breach(
                f"{role} arrives at {wait.what}, and is no role",
                path=wait.arrivers,
                value=role,
                fix=f"name {offered(list(known))}" if known else "give the roles names",
            )
        count = arriving(wait, known, block.target.warp_size)
        if not wait.who or wait.arrivals is None or count is None:
            continue
        if not _meets(wait.arrivals, count, most):
            who = joined(each.role for each in wait.who)
            more = wait.arrivals > count
            yield Breach(
                f"{wait.what} waits for {some(wait.arrivals, 'arrival')}, and"
                f" {who} {'arrive' if len(wait.who) > 1 else 'arrives'}"
                f" {some(count, 'time')}: {'it never opens' if more else 'it opens too early'}",
                path=wait.path,
                value=wait.arrivals,
                limit=count,
                over=abs(wait.arrivals - count),
                fix=_fix(wait, known, block, count),
            )


ONCE = {
    "role": "one elected thread arrives",
    "warp": "one thread of each warp arrives",
    "thread": "every thread arrives",
}
"""What is meant by each word for what arrives once."""


def _meets(arrivals: int, count: int, most: int) -> bool:
    """Whether so many who arrive make the arrivals, in one CTA or in several."""
    return bool(count) and not arrivals % count and 1 <= arrivals // count <= most


def _fix(wait: Wait, known: dict[str, tuple[Role, ...]], block: Block, count: int) -> str:
    """For how many to wait, and who else may be meant to arrive."""
    otherwise = f"wait for {count:,}" if count else "let somebody arrive"
    for by, meant in ONCE.items():
        who = tuple(each.replaced(by=by) for each in wait.who)
        other = Wait(wait.side, wait.at, wait.name, wait.arrivals, who, wait.by)
        met = arriving(other, known, block.target.warp_size)
        if _meets(wait.arrivals or 0, met or 0, ctas(block)):
            return f"{otherwise}, or say `by: {by}` in `{wait.arrivers}` if {meant}"
    return otherwise


@rule(
    "MBAR003",
    "warning",
    reads="mbarriers",
    unit="barriers",
    source="follows from what a group of mbarriers is",
)
def groups_have_some(block: Block, mbarriers: tuple[Mbarriers, ...]) -> Iterator[Breach]:
    """Whether a group has any mbarriers.

    One of none is a slip, or what is left of a computation that came out otherwise than meant:
    nothing can wait at it.

    Fails: shape: {mbarriers: [{name: full, count: 0}]}

    Passes: shape: {mbarriers: [{name: full, count: 4}]}
    """
    for index, group in enumerate(mbarriers):
        if group.count == 0:
            yield Breach(
                f"{group.name or f'group {index}'} is a group of 0 mbarriers; the least is 1",
                path=f"mbarriers[{index}].count",
                value=0,
                limit=1,
                fix="leave it out",
            )
