"""Kernels of other libraries as launches: nothing is wrong with them until a figure is changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from launched import only

from kcfg.core.findings import findings

Shape = dict[str, Any]

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "working_launches.jsonl").open(encoding="utf-8")
]


def errors(shape: Shape) -> set[str]:
    """The rules that find an error in a launch."""
    spec = only(json.dumps({"kernel": "launch", "shape": shape}))
    return {each.rule for each in findings(spec.derive()) if each.severity == "error"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["of"])
def test_a_kernel_that_works_has_no_error(row: dict[str, Any]) -> None:
    assert errors(row["shape"]) == set()


def paired(shape: Shape) -> bool:
    """Whether one barrier may count the bytes of two CTAs."""
    return any(each.get("cta_group") == 2 for each in shape["mma"])


def a_stage_more(shape: Shape) -> str:
    shape["pipelines"][0]["stages"] += 1
    return "PIPE006"


def a_region_half_as_long(shape: Shape) -> str:
    name = shape["pipelines"][0]["region"]
    region = next(each for each in shape["shared"]["regions"] if each["name"] in name)
    region["bytes"] //= 2
    return "PIPE006"


def no_room_for_what_comes(shape: Shape) -> str:
    line = shape["pipelines"][0]
    line["expect_tx"] = line["stage_bytes"] * 2 + 16 if paired(shape) else line["stage_bytes"] + 16
    return "PIPE007"


def a_byte_less_expected(shape: Shape) -> str:
    shape["pipelines"][0]["expect_tx"] -= 1
    return "PIPE004"


def one_who_does_not_arrive(shape: Shape) -> str:
    shape["pipelines"][0]["full_arrivals"] = 17
    return "MBAR002"


def a_warp_more_at_a_barrier(shape: Shape) -> str:
    shape["named_barriers"][0]["participants"] += 32
    return "BAR005"


def mbarriers_without_room(shape: Shape) -> str:
    shape["mbarriers"][0]["count"] += 2000
    return "BAR004"


def an_end_past_the_memory(shape: Shape) -> str:
    shape["shared"]["dynamic"] = max(
        each["offset"] + each["bytes"] for each in shape["shared"]["regions"] if "offset" in each
    )
    shape["shared"]["dynamic"] -= 1
    return "SMEM006"


def a_slot_out_of_step(shape: Shape) -> str:
    region = next(each for each in shape["shared"]["regions"] if each.get("tma"))
    region["stride"] = region["bytes"] // region["stages"] - 16
    return "SMEM007"


def a_range_too_narrow(shape: Shape) -> str:
    shape["tmem"]["regions"][0]["columns"] -= 1
    return "TMEM008"


def a_range_in_another(shape: Shape) -> str:
    first, second = shape["tmem"]["regions"][:2]
    second["column"] = first["column"]
    return "TMEM007"


def other_rows(shape: Shape) -> str:
    shape["mma"][0]["M"] = 64 if shape["mma"][0]["M"] > 64 else 128
    return "TMEM009"


CHANGES: list[tuple[Callable[[Shape], str], Callable[[Shape], Any]]] = [
    (a_stage_more, lambda shape: shape["pipelines"][0]["region"]),
    (a_region_half_as_long, lambda shape: shape["pipelines"][0]["region"]),
    (no_room_for_what_comes, lambda shape: shape["pipelines"][0]["boxes"]),
    (a_byte_less_expected, lambda shape: shape["pipelines"][0]["boxes"]),
    (one_who_does_not_arrive, lambda shape: shape["pipelines"][0]["producers"]),
    (a_warp_more_at_a_barrier, lambda shape: shape["named_barriers"][0]["roles"]),
    (
        mbarriers_without_room,
        lambda shape: (
            shape["mbarriers"] and any(each.get("mbarriers") for each in shape["shared"]["regions"])
        ),
    ),
    (an_end_past_the_memory, lambda shape: shape["shared"]["regions"]),
    (
        a_slot_out_of_step,
        lambda shape: any(
            each.get("tma") and each["stages"] > 1 and each["bytes"] // each["stages"] % 128 == 0
            for each in shape["shared"]["regions"]
        ),
    ),
    (a_range_too_narrow, lambda shape: shape["tmem"]["regions"] and shape["tmem"]["accumulators"]),
    (a_range_in_another, lambda shape: len(shape["tmem"]["regions"]) > 1),
    (other_rows, lambda shape: shape["mma"][0]["accumulators"]),
]
"""A figure that is changed, with the rule that says so; and whether a launch has it."""


def has(asked: Callable[[Shape], Any], shape: Shape) -> bool:
    try:
        return bool(asked(shape))
    except (KeyError, IndexError):
        return False


@pytest.mark.parametrize(("change", "asked"), CHANGES, ids=lambda each: each.__name__)
def test_a_figure_that_is_changed_is_found(
    change: Callable[[Shape], str], asked: Callable[[Shape], Any]
) -> None:
    having = [row["shape"] for row in ROWS if has(asked, row["shape"])]
    assert len(having) > 5
    for shape in having:
        changed = deepcopy(shape)
        rule = change(changed)
        assert rule in errors(changed)
