"""What is known of a block's mbarriers from two sides."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Mbarriers, Region
from kcfg.core.figures import size, some
from kcfg.core.rules import Breach, rule

NAME = "mbarriers"
"""The region of a kernel written in Python that has all of its mbarriers."""


@rule(
    "BAR004",
    "warning",
    reads="mbarriers shared.regions",
    blames="mbarriers",
    unit="bytes",
    source="follows from the layout: every mbarrier has its own bytes",
)
def groups_fill_their_regions(
    block: Block, mbarriers: tuple[Mbarriers, ...], regions: tuple[Region, ...]
) -> Iterator[Breach]:
    """Whether the groups of mbarriers add up to the regions that hold them.

    The count of mbarriers is changed in one place and the list of their groups in another; what
    is in the list alone has no room, and what has room alone is initialised by nobody.

    Fails: shape: {shared: {regions: [{name: bars, bytes: 64, mbarriers: true}]},
    mbarriers: [{name: full, count: 3}, {name: empty, count: 3}]}

    Passes: shape: {shared: {regions: [{name: bars, bytes: 64, mbarriers: true}]},
    mbarriers: [{name: full, count: 4}, {name: empty, count: 4}]}
    """
    counts = [each.count for each in mbarriers]
    rooms = [each.bytes for each in regions if each.mbarriers or each.name == NAME]
    known = [each for each in (*counts, *rooms) if each is not None]
    if not rooms or len(known) < len(counts) + len(rooms):
        return
    count, room = sum(each or 0 for each in counts), sum(each or 0 for each in rooms)
    need = count * block.target.mbarrier_bytes
    if need != room:
        yield Breach(
            f"the groups have {some(count, 'mbarrier')}, which take {size(need)}, and their regions"
            f" {size(room)}",
            value=need,
            limit=room,
            over=need - room,
            fix="list every group, or give them their room",
        )
