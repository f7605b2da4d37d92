"""Other counts that are advised for setmaxnreg: followed to the letter, they work."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings, strategies as st
from setters import Shape, derived, launch, of

from kcfg.core.findings import findings

DIRECTED = st.fixed_dictionaries(
    {"warps": st.integers(1, 8)},
    optional={
        "count": st.sampled_from(range(24, 257, 8)),
        "direction": st.sampled_from(["inc", "dec"]),
    },
)
GROUP = st.fixed_dictionaries(
    {},
    optional={
        "count": st.sampled_from(range(24, 257, 8)),
        "direction": st.sampled_from(["inc", "dec"]),
    },
)


@st.composite
def full(draw: st.DrawFn) -> Shape:
    """A launch whose roles, or warpgroups, set counts, often in a block of their own size."""
    entry = draw(st.sampled_from([24, 64, 80, 97, 128, 168, 255]))
    registers: Shape = {"entry": entry}
    if draw(st.booleans()):
        registers["warpgroups"] = draw(st.lists(GROUP, min_size=1, max_size=4))
        warps = 4 * len(registers["warpgroups"])
    else:
        roles = draw(st.lists(DIRECTED, min_size=1, max_size=5))
        named: list[Shape] = [{"name": f"r{index}", **role} for index, role in enumerate(roles)]
        registers["roles"] = named
        warps = sum(role["warps"] for role in named)
    more = draw(st.sampled_from([0, 0, 1, 4, 8]))
    return {"threads": 32 * min(warps + more, 32), "registers": registers}


def followed(shape: Shape, fix: str) -> list[Shape]:
    """The launches that advice to set other counts asks for."""
    text = fix.removesuffix(" would fit")
    assert text != fix, f"nobody can follow: {fix}"
    return [_with(shape, option) for option in text.split(" or ")]


def _with(shape: Shape, option: str) -> Shape:
    registers = json.loads(json.dumps(shape["registers"]))
    if "warpgroups" in registers:
        for group, count in zip(registers["warpgroups"], option.split("/"), strict=True):
            if count != "-":
                group["count"] = int(count)
    else:
        for names, count in re.findall(r"((?:r\d+(?:, | and )?)+) at (\d+)", option):
            for index in re.findall(r"r(\d+)", names):
                registers["roles"][int(index)]["count"] = int(count)
    assert registers != shape["registers"]
    return {**shape, "registers": registers}


ASKED = ("SMR001", "SMR002", "SMR003", "SMR006")


def wrong(shape: Shape) -> set[tuple[str, str]]:
    """What is wrong with the counts of a launch: rules, and the keys or warpgroups they blame."""
    found = (each for each in findings(derived(shape)) if each.rule in ASKED)
    return {
        (each.rule, each.path if each.rule != "SMR006" else each.message[:14]) for each in found
    }


@settings(max_examples=400, deadline=None)
@given(full())
def test_counts_that_would_fit_do(shape: Shape) -> None:
    before = wrong(shape)
    for rule in ("SMR002", "SMR007"):
        for found in of(rule, shape):
            options = followed(shape, found.fix) if found.fix else []
            assert options or rule == "SMR007", found.message
            for other in options:
                after = wrong(other)
                assert after <= before and "SMR002" not in dict(after), (other, found.fix)


@settings(max_examples=300, deadline=None)
@given(full())
def test_one_count_for_a_warpgroup_is_no_worse(shape: Shape) -> None:
    before = wrong(shape)
    for found in of("SMR006", shape):
        such = re.search(r"one count, such as (\d+), or", found.fix)
        if such is None:
            assert found.fix == "give them a warpgroup each"
            continue
        number = int(found.message.split()[1]) // 4
        registers = json.loads(json.dumps(shape["registers"]))
        first = 0
        for role in registers["roles"]:
            if first < 4 * number + 4 and first + role["warps"] > 4 * number:
                role["count"] = int(such[1])
            first += role["warps"]
        after = wrong({**shape, "registers": registers})
        assert after < before, (registers, found.message)


NO_ROOM = [
    (
        "threads: 512, registers: {entry: 128, warpgroups: [256, 256]}",
        "128/128 would fit",
    ),
    (
        "threads: 384, registers: {entry: 168, warpgroups: [40, 240, {count: 240,"
        " direction: inc}]}",
        "40/232/232 or 24/240/240 would fit",
    ),
    (
        "threads: 384, registers: {entry: 168, roles: [{name: load, warps: 4, count: 40},"
        " {name: math, warps: 8, count: 240}]}",
        "math at 232 or load at 24 would fit",
    ),
    (
        "threads: 256, registers: {entry: 16, warpgroups: [24, 24]}",
        "launch it with at least 24 registers per thread",
    ),
]


@pytest.mark.parametrize(("shape", "fix"), NO_ROOM)
def test_advice_is_for_the_whole_block(shape: str, fix: str) -> None:
    (found,) = [each for each in launch(shape) if each.rule == "SMR002"]
    assert found.fix == fix
