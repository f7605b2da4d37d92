"""Tensor maps: a real driver's answers, and advice that does what it says."""

from __future__ import annotations

import json
import re
from math import prod
from typing import Any

import tensor_maps
from advice import followed
from hypothesis import given, settings, strategies as st

from kcfg.core.findings import Finding, findings
from kcfg.core.hardware import tensor_map
from kcfg.core.spec import Spec, read


def judged(about: dict[str, Any], target: str) -> list[Finding]:
    text = json.dumps({"kernel": "launch", "target": target, "shape": {"tma": [about]}})
    (spec,) = read(text, "test.yaml")
    assert isinstance(spec, Spec), [str(problem) for problem in spec]
    return findings(spec.derive())


# What the driver said


def test_the_rules_say_what_the_driver_said() -> None:
    count, differences = tensor_maps.differences(tensor_maps.DATA)
    assert count == 390
    assert differences == []


def test_rows_have_every_limit_and_maps_that_break_none() -> None:
    known = list(tensor_maps.rows(tensor_maps.DATA))
    assert {name for row in known for name in row.why} == set(tensor_maps.BLAMED)
    assert len([row for row in known if not row.why]) > 80


# Advice

LENGTHS = [0, 1, 2, 3, 7, 8, 12, 16, 24, 32, 33, 64, 100, 128, 192, 255, 256, 257, 300, 1 << 62]
DIMS = [0, 1, 3, 64, 100, 127, 128, 256, 4096, 1 << 32, (1 << 32) + 1, 1 << 62]
EDGES = [0, 8, 16, 24, 32, 48, 64, 128]
STRIDES = [*EDGES, 4096, *((1 << 40) + by for by in (-32, -16, -8, 0, 8)), 1 << 62]
ADDRESSES = [*EDGES, *((1 << 57) + by for by in (-128, -64, -32, -16, -8, 0, 8)), 1 << 62]


@st.composite
def maps(draw: st.DrawFn) -> dict[str, Any]:
    """Tensor maps whose values are next to one limit or another."""
    rank = draw(st.integers(1, 6))

    def some(values: list[int], length: int) -> list[int]:
        many = length + draw(st.sampled_from((*[0] * 9, 1)))
        return draw(st.lists(st.sampled_from(values), min_size=many, max_size=many))

    every = {
        "box": some(LENGTHS, rank),
        "dims": some(DIMS, rank),
        "strides": some(STRIDES, rank - 1),
        "element_strides": some([0, 1, 1, 2, 3, 7, 8, 9, 300], rank),
        "dtype": draw(
            st.sampled_from(sorted(tensor_map.PACKED)) | st.sampled_from(tensor_map.TYPES)
        ),
        "element_bytes": draw(st.sampled_from((1, 2, 3, 4, 8))),
        "swizzle": draw(st.sampled_from(tensor_map.SWIZZLES)),
        "interleave": draw(st.sampled_from(tensor_map.INTERLEAVES)),
        "oob_fill": draw(st.sampled_from(tensor_map.FILLS)),
        "address": draw(st.sampled_from(ADDRESSES)),
    }
    left_out = draw(st.sets(st.sampled_from(sorted(every)), max_size=8))
    return {key: value for key, value in every.items() if key not in left_out}


targets = st.sampled_from(("b200", "h200", "rtx_5090"))


@settings(max_examples=300, deadline=None)
@given(maps(), targets)
def test_advice_followed_passes_the_rule_that_gave_it(about: dict[str, Any], target: str) -> None:
    found = judged(about, target)
    for finding in found:
        others = {(each.path, each.severity) for each in found if each.rule == finding.rule}
        for changed in followed(about, finding):
            after = judged(changed, target)
            left = {(each.path, each.severity) for each in after if each.rule == finding.rule}
            assert left <= others - {(finding.path, finding.severity)}, (finding.fix, changed)
            copies = re.match(r"make it ([\d,]+) copies", finding.fix)
            if copies:
                cut = [(a, b) for a, b in zip(about["box"], changed["box"], strict=True) if a != b]
                assert int(copies[1].replace(",", "")) == prod(-(-a // b) for a, b in cut)


@settings(max_examples=200, deadline=None)
@given(maps(), targets)
def test_advice_followed_to_the_end_leaves_no_error(about: dict[str, Any], target: str) -> None:
    for _ in range(40):
        found = [each for each in judged(about, target) if each.severity == "error"]
        if not found:
            return
        about = followed(about, found[0])[0]
    raise AssertionError(about)
