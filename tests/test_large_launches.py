"""Launches as large as a document can be, and such as say little: what is told, and how fast."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from launched import launch

from kcfg.core.finding import Finding
from kcfg.core.findings import findings

Shape = dict[str, Any]


def judged(shape: Shape) -> list[Finding]:
    """What the rules find in a launch."""
    return findings(launch(json.dumps(shape)[1:-1]).derive())


def chain(count: int, **each: Any) -> list[dict[str, Any]]:
    """Parts of which every one shares the place of the one before it."""
    return [
        {"name": f"r{i}", **each, **({"alias_of": f"r{i - 1}"} if i else {})} for i in range(count)
    ]


LARGE: dict[str, Callable[[], Shape]] = {
    "ranges": lambda: {"tmem": {"regions": chain(1200, columns=8)}},
    "ranges, turned": lambda: {"tmem": {"regions": chain(1200, columns=8)[::-1]}},
    "accumulators": lambda: {"tmem": {"accumulators": chain(1000, M=128, N=8)}},
    "regions": lambda: {"shared": {"regions": chain(1200, bytes=8)}},
    "pipelines": lambda: {"pipelines": chain(850, stages=2, stage_bytes=16)},
    "a circle": lambda: {
        "shared": {"regions": [{"name": "r0", "alias_of": "r1199"}, *chain(1200)[1:]]}
    },
    "no such region": lambda: {
        "shared": {"regions": [{"name": f"r{i}", "bytes": 9, "alias_of": "x"} for i in range(1200)]}
    },
    "overlaps": lambda: {
        "shared": {"regions": [{"bytes": 9, "offset": i % 7} for i in range(2000)]}
    },
    "columns": lambda: {
        "tmem": {"regions": [{"columns": 9, "column": i % 7} for i in range(2000)]}
    },
}
"""Shapes that fill a document of 64 KiB."""


@pytest.mark.parametrize("what", LARGE)
def test_a_large_launch_is_judged_at_once_and_in_few_words(what: str) -> None:
    shape = LARGE[what]()
    assert len(json.dumps(shape)) < 1 << 16
    kernel = launch(json.dumps(shape)[1:-1]).derive()
    before = time.process_time()
    found = findings(kernel)
    assert time.process_time() - before < 3
    assert sum(len(each.message) for each in found) < 60_000


def test_what_one_rule_finds_too_often_is_counted() -> None:
    found = [each for each in judged(LARGE["overlaps"]()) if each.rule == "SMEM006"]
    assert len(found) == 201
    assert [each.message for each in found].count("and 1,799 more") == 1
    assert all(each.severity == "error" for each in found)


@pytest.mark.parametrize(
    "shape",
    [
        {
            "shared": {"regions": [{"name": "AB", "stages": 4}]},
            "pipelines": [{"name": "AB", "stages": 4, "stage_bytes": 49152}],
        },
        {  # nor is it known what copies overwrite
            "shared": {"regions": [{"name": "AB", "stages": 4, "tma": True, "swizzle": "128B"}]},
            "pipelines": [{"name": "AB", "stages": 4, "boxes": [4096], "expect_tx": 4096}],
        },
        {  # or where what follows begins
            "shared": {
                "regions": [
                    {"name": "a", "bytes": 8},
                    {"name": "b"},
                    {"name": "c", "bytes": 1024, "tma": True, "swizzle": "128B"},
                    {"name": "d", "bytes": 512, "alias_of": "b"},
                    {"name": "e", "bytes": 512, "tma": True, "alias_of": "c"},
                ],
                "base_align": 1024,
            }
        },
        {
            "shared": {"regions": [{"name": "a", "bytes": 8}, {"name": "b"}]},
            "pipelines": [{"name": "p", "stages": 2, "stage_bytes": 1024}],
        },
        {"tmem": {"regions": [{"name": "S"}, {"name": "P", "columns": 8, "alias_of": "S"}]}},
        {
            "registers": {"roles": [{"name": "mma", "warps": 4}]},
            "mbarriers": [{"name": "x", "count": 1, "arrivals": 128, "arrive": [{"by": "thread"}]}],
        },
    ],
)
def test_what_is_not_given_is_not_judged(shape: Shape) -> None:
    found = judged(shape)
    assert [each.message for each in found if each.severity != "info"] == []
