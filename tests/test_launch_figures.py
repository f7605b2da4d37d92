"""What follows from what a launch says is what somebody works out by hand."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, assume, example, given, settings, strategies as st
from hypothesis.strategies import DrawFn

from kcfg.core.report import report
from kcfg.core.spec import Spec, read

Shape = dict[str, Any]

LIMIT = 232448
"""Bytes that a block may have on a B200."""
BITS = {"bf16": 16, "fp8": 8, "f32": 32, "float4_e2m1fn": 4, "float6_e2m3fn": 6}
"""Bits of an element, as the PTX ISA has them."""
UNEQUAL = ("inputs", "values", "units", "source")
"""What a report says of how figures are written."""

few = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def spec(shape: Shape) -> Spec:
    (found,) = read(json.dumps({"kernel": "launch", "shape": shape}), "test.yaml")
    assert isinstance(found, Spec), [str(problem) for problem in found]
    return found


def reported(shape: Shape) -> dict[str, Any]:
    return report(spec(shape).derive())


def up(size: int, align: int) -> int:
    return -(-size // align) * align


@st.composite
def regions(draw: DrawFn, name: str) -> Shape:
    """A region of elements, in the ring or with slots of its own."""
    of = draw(st.sampled_from(sorted(BITS)))
    shape = draw(st.lists(st.sampled_from([1, 3, 16, 64, 128, 256]), min_size=1, max_size=2))
    found: Shape = {"name": name, "of": of, "shape": shape}
    if draw(st.booleans()):
        found["align"] = draw(st.sampled_from([4, 16, 128, 1024]))
    if draw(st.booleans()):
        found["ring"] = "ring"
    elif draw(st.booleans()):
        found["stages"] = draw(st.integers(1, 3))
    slot = slot_of(found)
    if draw(st.booleans()):
        found["stride"] = slot + draw(st.sampled_from([0, 16, 1000]))
    return found


def slot_of(region: Shape) -> int:
    """Bytes of one slot."""
    if "mbarriers" in region:
        return 8 * region["mbarriers"]
    elements = 1
    for length in region["shape"]:
        elements *= length
    return -(-elements * BITS[region["of"]] // 8)


@st.composite
def launches(draw: DrawFn) -> Shape:
    """A launch with one ring, in terms of what is in its memory."""
    count = draw(st.integers(1, 4))
    found = [draw(regions(f"r{index}")) for index in range(count)]
    found[0]["ring"] = "ring"
    found[0].pop("stages", None)
    found += [
        {"name": name, "ring": "ring", "mbarriers": draw(st.integers(1, 2))}
        for name in ("full", "empty")
        if draw(st.booleans())
    ]
    found = draw(st.permutations(found))
    line: Shape = {"name": "ring", "stages": draw(st.one_of(st.just("max"), st.integers(1, 4)))}
    shape: Shape = {"shared": {"regions": found}, "pipelines": [line]}
    if draw(st.booleans()):
        shape["shared"]["static"] = draw(st.sampled_from([16, 1024, 40000]))
    if draw(st.booleans()):
        shape["shared"]["dynamic"] = draw(st.integers(30000, LIMIT))
    return shape


def by_hand(shape: Shape, stages: int) -> tuple[Shape, int]:
    """The same launch with its figures, and the end of its regions."""
    end, written, inside, barriers = 0, [], 0, 0
    for region in shape["shared"]["regions"]:
        slot = slot_of(region)
        slots = stages if "ring" in region else region.get("stages", 1)
        bits = 64 if "mbarriers" in region else BITS[region["of"]]
        align = region.get("align", up(bits, 8) // 8)
        size = (slots - 1) * region.get("stride", slot) + slot if slots else 0
        figures: Shape = {"bytes": size, "align": align}
        if align == 1:
            del figures["align"]
        if "ring" in region or "stages" in region:
            figures["stages"] = slots
        kept = {key: region[key] for key in ("name", "stride", "ring") if key in region}
        if "mbarriers" in region:
            kept["mbarriers"] = True
            barriers += region["mbarriers"]
        elif "ring" in region:
            inside += slot
        written.append({**kept, **figures})
        end = up(end, align) + size
    line: Shape = {"name": "ring", "stages": stages, "stage_bytes": inside}
    if barriers:
        line["barriers_per_stage"] = barriers
    found = {"shared": {**shape["shared"], "regions": written}, "pipelines": [line]}
    if barriers:
        found["mbarriers"] = [
            {"name": each["name"], "count": each["mbarriers"] * stages}
            for each in shape["shared"]["regions"]
            if "mbarriers" in each
        ]
    return found, end


def room(shape: Shape) -> int:
    """What dynamic shared memory may have: static memory is padded to 16, as a compiler does it."""
    shared = shape["shared"]
    return min(LIMIT - up(shared.get("static", 0), 16), shared.get("dynamic", LIMIT))


def most(shape: Shape) -> int:
    """The most stages that fit, counted up one by one."""
    stages = 0
    while by_hand(shape, stages + 1)[1] <= room(shape):
        stages += 1
    return stages


def bounded(shape: Shape) -> bool:
    """Whether it takes no thousands of stages to fill the memory."""
    return by_hand(shape, 40)[1] - by_hand(shape, 20)[1] > 2000


PADDED = {
    "shared": {
        "regions": [
            {"name": "a", "of": "fp8", "shape": [57000], "ring": "ring"},
            {"name": "b", "of": "fp8", "shape": [4000], "align": 1024},
        ]
    },
    "pipelines": [{"name": "ring", "stages": "max"}],
}
"""Four stages take 232,000 bytes with what is behind them, and one more needs padding, too."""


@few
@example(PADDED)
@given(launches())
def test_what_follows_is_what_is_worked_out_by_hand(shape: Shape) -> None:
    assume(bounded(shape))
    asked = shape["pipelines"][0]["stages"]
    stages = most(shape) if asked == "max" else asked
    assume(stages)
    figures, end = by_hand(shape, stages)
    found, expected = reported(shape), reported(figures)
    assert max(each["offset"] + each["bytes"] for each in found["smem"]["regions"]) >= end
    for key in expected.keys() - set(UNEQUAL):
        assert found[key] == expected[key], key


def errors(found: Any) -> set[str]:
    return {each["rule"] for each in found["findings"] if each["severity"] == "error"}


@few
@example(PADDED)
@given(launches())
def test_max_is_the_most_that_fits(shape: Shape) -> None:
    assume(bounded(shape))
    shape["pipelines"][0]["stages"] = "max"
    stages = most(shape)
    (found,) = read(json.dumps({"kernel": "launch", "shape": shape}), "test.yaml")
    if not stages:
        assert isinstance(found, list)
        assert "not even one stage of ring fits" in found[0].message
        assert found[0].path == "shape.pipelines[0].stages"
        return
    assert isinstance(found, Spec)
    kernel = found.derive()
    assert kernel.read("pipelines[0].stages") == stages
    shape["pipelines"][0]["stages"] = 1
    assume(not errors(reported(shape)))  # such as a dynamic size that no block may have
    assert not errors(report(kernel))
    shape["pipelines"][0]["stages"] = stages + 1
    over = {"SMEM001", "SMEM006", "PIPE002"} if "dynamic" in shape["shared"] else {"SMEM001"}
    assert errors(reported(shape)) & over


@few
@example(PADDED)
@given(launches())
def test_how_max_came_about_adds_up(shape: Shape) -> None:
    assume(bounded(shape))
    shape["pipelines"][0]["stages"] = "max"
    assume(most(shape))
    (fit,) = spec(shape).derive().weighed()
    end, more = by_hand(shape, fit.fits)[1], by_hand(shape, fit.fits + 1)[1]
    assert (fit.fits, fit.left) == (most(shape), room(shape) - end)
    assert fit.missing == more - room(shape)
    assert fit.fits * fit.each + fit.left == fit.room
    (note,) = [f for f in reported(shape)["findings"] if f["rule"] == "PIPE002"]
    assert "the most that fit" in note["message"]
    assert f"needs {fit.missing:,} B" in note["message"]
