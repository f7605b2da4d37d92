"""Registers dealt out anew: what a device did, and the four sums by brute force."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from setters import (
    BOTH,
    ENOUGH,
    MIXED,
    SHORT,
    Shape,
    as_shape,
    by_roles,
    by_warpgroups,
    derived,
    launch,
    of,
    rows,
)

from kcfg.cli.pictures import terminal
from kcfg.cli.pictures.scene import scene
from kcfg.cli.pictures.svg import picture
from kcfg.cli.render import plain
from kcfg.core.findings import findings
from kcfg.core.report import Derived, report

# What a device did


@pytest.mark.parametrize("target", ["h200", "b200"])
def test_a_launch_hangs_where_the_device_hung(target: str) -> None:
    known = rows()
    assert len(known) == 54
    for row in known:
        shapes = [by_roles(row), by_warpgroups(row)]
        for shape in filter(None, shapes):
            assert bool(of("SMR002", shape, target)) == (row["h200"] == "hangs"), row
    assert {row["h200"] for row in known} == {"hangs", "finishes"}
    assert {len(row["counts"]) % 4 for row in known} == {0, 1, 2, 3}


def test_so_it_does_where_all_that_is_known_is_bounds() -> None:
    known = [row for row in rows() if by_warpgroups(row)]
    assert {row["h200"] for row in known} == {"hangs", "finishes"}
    for row in known:
        shape = by_warpgroups(row)
        assert shape is not None
        shape["registers"]["launch_bounds"] = [row["threads"], 1]
        assert derived(shape).block.entry == shape["registers"].pop("entry")
        assert bool(of("SMR002", shape)) == (row["h200"] == "hangs"), row


def test_the_sub_partitions_that_are_short_are_named() -> None:
    (found,) = [each for each in launch(SHORT) if each.rule == "SMR002"]
    assert found.message == (
        "the warps of sub-partition 0 (0, 4, 8 and 12) ask for 528 registers per lane, the launch"
        " gave them 512, 16 per lane over: the last inc never returns; mma at 32 or a and b at 200"
        " would fit"
    )
    assert (found.value, found.limit, found.over) == (32 * 528, 32 * 512, 32 * 16)
    assert not [each for each in launch(ENOUGH) if each.severity == "error"]
    (found,) = [each for each in launch(BOTH) if each.rule == "SMR002"]
    assert "sub-partition 0 (0, 4, 8 and 12) ask for 528" in found.message
    assert "sub-partition 1 (1, 5, 9 and 13) ask for 520" in found.message
    assert (found.value, found.over) == (32 * 528, 32 * 16)


def test_where_each_has_its_own_share_left_it_is_said() -> None:
    shape = MIXED.format("{name: mma, warps: 2, count: 32}, {name: rest, warps: 2}")
    (found,) = [each for each in launch(SHORT.replace("48", "24")) if each.rule == "SMR007"]
    assert found.message.startswith("the warpgroups use 504 of the pool's 512 registers per lane")
    left = launch(ENOUGH.replace("208", "200"))
    (found,) = [each for each in left if each.rule == "SMR007"]
    assert found.message == (
        "16 registers per lane of each of sub-partitions 0 and 1 and 24 registers per lane of each"
        " of sub-partitions 2 and 3 stay unused"
    )
    # One that is short has nothing to spare, whatever the others have.
    assert not [each for each in launch(shape) if each.rule == "SMR007"]


# By brute force

COUNTS = st.none() | st.sampled_from([0, 24, 32, 40, 64, 96, 128, 168, 208, 240, 256, 264])
ROLE = st.fixed_dictionaries(
    {"warps": st.integers(0, 9)}, optional={"first": st.integers(0, 20), "count": COUNTS}
)
SHAPE = st.fixed_dictionaries(
    {
        "threads": st.integers(1, 1024) | st.sampled_from([128, 256, 384, 512]),
        "registers": st.fixed_dictionaries(
            {"entry": st.sampled_from([24, 64, 80, 97, 128, 168, 200, 255])},
            optional={
                "roles": st.lists(ROLE, max_size=6),
                "warpgroups": st.lists(st.fixed_dictionaries({}, optional={"count": COUNTS})),
            },
        ),
    }
)


def short(shape: Shape) -> list[int]:
    """The sub-partitions whose warps ask for more than they had; none where that is unknown."""
    warps = (shape["threads"] + 31) // 32
    entry = (shape["registers"]["entry"] + 7) // 8 * 8
    said: dict[int, set[int | None]] = {warp: set() for warp in range(warps)}
    nobody = True
    for number, group in enumerate(shape["registers"].get("warpgroups", ())):
        nobody &= group.get("count") is None
        for warp in range(4 * number, 4 * number + 4):
            said.setdefault(warp, set()).add(group.get("count"))
    after = 0
    for role in shape["registers"].get("roles", ()):
        first = role.get("first", after)
        after = first + role["warps"]
        if role.get("count") is not None:
            nobody = False
            for warp in range(first, after):
                said.setdefault(warp, set()).add(role["count"])
    if nobody or any(len(said[warp]) > 1 for warp in range(warps)):
        return []
    found = []
    for remainder in range(4):
        had = asked = 0
        for warp in range(warps):
            if warp % 4 == remainder:
                (count,) = said[warp] or {None}
                had += entry
                asked += entry if count is None else count
        if asked > had:
            found.append(remainder)
    return found


@settings(max_examples=600, deadline=None)
@given(SHAPE)
def test_a_pool_is_short_where_one_of_four_sums_is(shape: Shape) -> None:
    found = of("SMR002", shape)
    assert bool(found) == bool(short(shape))
    parts = derived(shape).block.pools
    known = [part for part, pool in enumerate(parts) if pool.free is not None and pool.free < 0]
    assert known == short(shape)


NUMBER = st.none() | st.integers(0, 40) | st.sampled_from([1 << 31, 1 << 62])
ANYTHING = st.fixed_dictionaries(
    {},
    optional={
        "threads": st.integers(0, 2000) | st.just(1 << 62),
        "blocks_per_sm": st.integers(1, 40) | st.just(1 << 62),
        "named_barriers": st.lists(st.integers(0, 20), max_size=2),
        "compiled": st.fixed_dictionaries({}, optional={"barriers": st.integers(0, 99)}),
        "registers": st.fixed_dictionaries(
            {},
            optional={
                "entry": st.integers(0, 300),
                "maxnreg": st.integers(0, 300),
                "launch_bounds": st.lists(NUMBER.map(lambda n: n or 0), max_size=2),
                "roles": st.lists(
                    st.fixed_dictionaries(
                        {},
                        optional={
                            "warps": NUMBER,
                            "first": NUMBER,
                            "count": NUMBER,
                            "direction": st.sampled_from(["inc", "dec"]),
                        },
                    ),
                    max_size=4,
                ),
                "warpgroups": st.lists(
                    st.fixed_dictionaries({}, optional={"count": NUMBER}), max_size=4
                ),
            },
        ),
    },
)


@settings(max_examples=300, deadline=None)
@given(ANYTHING)
def test_anything_is_judged_told_and_drawn(shape: Shape) -> None:
    kernel = derived(shape, "b200")
    told = report(kernel)
    pool = (told["registers"] or {"pool": None})["pool"]
    if pool is not None:
        parts = pool["sub_partitions"]
        for key in ("granted", "asked", "free"):
            values = [part[key] for part in parts]
            assert len(values) == 4
            assert pool[key] == (None if None in values else sum(values))
    drawn = scene(Derived(kernel, told))
    assert plain.text(terminal.pages([drawn])) and picture.document([drawn])
    for bar in drawn.part("registers").bars[1:]:
        assert max((span.end for span in bar.spans), default=0) == bar.extent


# Directions


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        ("{count: 200, direction: dec}", "by 32: ptxas refuses it (C7406)"),
        ("{count: 200, direction: dec}, 200", "by 32: an illegal instruction"),
        ("{count: 200, direction: dec}, {count: 208, direction: dec}", "by 40: ptxas refuses it"),
        ("{count: 160, direction: inc}", "by 8: undefined"),
    ],
)
def test_what_becomes_of_the_other_direction(groups: str, says: str) -> None:
    found = launch(f"registers: {{entry: 168, warpgroups: [{groups}]}}")
    assert says in " | ".join(each.message for each in found if each.rule == "SMR003")


# The count at entry: what ptxas 13.0 printed as used for sm_100a, with these counts in order

AT_ENTRY = [
    ("launch_bounds: [256, 1]", "dec 64, inc 232", 232),
    ("launch_bounds: [256, 1]", "dec 64, inc 256", 255),
    ("launch_bounds: [256, 1]", "dec 64, dec 232", 255),
    ("launch_bounds: [256, 1]", "inc 64, inc 232", 232),
    ("launch_bounds: [256, 1]", "keep, inc 232", 232),
    ("launch_bounds: [256, 1]", "dec 64, keep", 255),
    ("launch_bounds: [384, 1]", "dec 24, inc 160, inc 240", 168),
    ("launch_bounds: [384, 1]", "dec 24, inc 160, inc 152", 160),
    ("maxnreg: 200", "dec 64, inc 160", 160),
    ("maxnreg: 200", "dec 64, inc 232", 200),
]


@pytest.mark.parametrize(("bounds", "counts", "used"), AT_ENTRY)
def test_the_largest_inc_below_the_cap_is_the_count_at_entry(
    bounds: str, counts: str, used: int
) -> None:
    said = [each.split() for each in counts.split(", ")]
    keys = [f"{{direction: {each[0]}, count: {each[1]}}}" if each[1:] else "{}" for each in said]
    shape = f"threads: {128 * len(keys)}, registers: {{{bounds}, warpgroups: [{', '.join(keys)}]}}"
    kernel = derived(as_shape(shape), "b200")
    assert kernel.block.entry == used
    assert kernel.block.pool == 128 * len(keys) * (used + 7 & -8)
    wrong = [each.path for each in findings(kernel) if each.rule == "SMR003"]
    incs = [int(each[1]) if each[0] == "inc" else used for each in said]
    low = {f"shape.registers.warpgroups[{at}]" for at, inc in enumerate(incs) if inc < used}
    assert set(wrong) == low


@pytest.mark.parametrize(
    ("counts", "entry"), [("64, 232", 232), ("64, {}", 255), ("64, 64", 255), ("64, 256", 255)]
)
def test_without_directions_the_largest_takes_what_others_give(counts: str, entry: int) -> None:
    shape = f"threads: 256, registers: {{launch_bounds: [256, 1], warpgroups: [{counts}]}}"
    assert derived(as_shape(shape)).block.entry == entry


# Two counts in a warpgroup, and two keys


def test_mixed_counts_are_warned_of_and_added_up() -> None:
    found = launch(ENOUGH)
    (mixed,) = [each for each in found if each.rule == "SMR006"]
    assert mixed.severity == "warning" and mixed.fix == "give them one count, such as 32, or a" + (
        " warpgroup each"
    )
    shape = ENOUGH.replace("32", "40").replace("24", "16")
    pool = report(derived(as_shape(shape)))["registers"]["pool"]
    assert (pool["asked"], pool["free"]) == (32 * (8 * 208 + 4 * 64 + 2 * 40 + 2 * 16), 512)


UNKNOWN = [
    "threads: 128, registers: {entry: 128, warpgroups: [40], roles: [{warps: 4, count: 256}]}",
    "threads: 128, registers: {entry: 128, warpgroups: [{}], roles: [{warps: 4, count: 256}]}",
    "threads: 128, registers: {entry: 128, roles: [{count: 256}]}",
    "threads: 128, registers: {entry: 128, roles: [{warps: 4, count: 256}, {first: 3, warps: 1,"
    " count: 24}]}",
    "threads: 2048, registers: {entry: 32, roles: [{warps: 64, count: 256}]}",
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_nobody_knows_is_not_added_up(text: str) -> None:
    kernel = derived(as_shape(text))
    pool = report(kernel)["registers"]["pool"]
    assert pool["granted"] and (pool["asked"], pool["free"]) == (None, None)
    assert {part["asked"] for part in pool["sub_partitions"]} == {None}
    rules = {each.rule for each in findings(kernel)}
    assert "SMR002" not in rules and ("SMR009" in rules) == ("warpgroups" in text)


def test_warps_whose_role_is_silent_have_what_their_warpgroup_says() -> None:
    shape = as_shape(
        "threads: 256, registers: {entry: 128, warpgroups: [40, 208], roles: [{name: load,"
        " warps: 4}, {name: math, warps: 4, count: 208}]}"
    )
    told = report(derived(shape))["registers"]
    assert [role["cap"] for role in told["roles"]] == [40, 208]
    assert told["pool"]["asked"] == 128 * (40 + 208)
    shape["registers"]["roles"] = [{"name": "all", "warps": 9}]
    told = report(derived({**shape, "threads": 288}))["registers"]
    assert [(role["warps"], role["cap"]) for role in told["roles"]] == [
        ([0, 3], 40),
        ([4, 7], 208),
        ([8, 8], None),
    ]
    assert told["pool"]["asked"] == 128 * (40 + 208) + 32 * 128


def test_a_part_of_a_warp_has_the_registers_of_a_whole_one() -> None:
    pool = report(derived({"threads": 100, "registers": {"entry": 97}}))["registers"]["pool"]
    assert pool["granted"] == 4 * 32 * 104
    assert [part["granted"] for part in pool["sub_partitions"]] == [32 * 104] * 4
