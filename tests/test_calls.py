"""What is launched for a call: the dispatchers' choices, what is told of them, and bad calls."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from compare import DATA, rows
from formula_rules import breaches
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

from kcfg.cli.main import application
from kcfg.core import kernels
from kcfg.core.diff import compare, derived
from kcfg.core.explain.elsewhere import elsewhere
from kcfg.core.explain.refusal import failures
from kcfg.core.explain.story import story
from kcfg.core.explain.thresholds import decided, steady, thresholds
from kcfg.core.findings import findings
from kcfg.core.kernel import Kernel
from kcfg.core.spec import Problem, Spec, read

ATTENTION = {
    "qkv_dtype": "bfloat16",
    "num_q_heads": 32,
    "group": 4,
    "qk_depth": 128,
    "ov_depth": 128,
    "page_size": 0,
}
CALL = {"batch_size": 1, "max_prompt_len": 1, "max_cache_valid_length": 8192}
LATENT = {
    "num_q_heads": 128,
    "group": 128,
    "depth": 512,
    "q_depth": 576,
    "dtype_size": 2,
    "kv_type_size": 2,
    "swizzle_mode": "128B",
    "kv_mma_swizzle_mode": "128B",
    "page_size": 128,
    "scale_block_size": 0,
    "native_fp8": False,
    "per_token_scale_rope_aware": False,
    "native_fp8_unified_gather": False,
    "bn_qk": 0,
    "bk_pv": 0,
    "input_q_depth": 0,
}
PREFILL = {
    "qkv_dtype": "bfloat16",
    "rope_gmem_dtype": "bfloat16",
    "rope_mma_dtype": "bfloat16",
    "num_q_heads": 16,
    "group": 1,
    "depth": 192,
    "page_size": 128,
}
EXPERTS = {"format": "nvfp4", "N": 4096, "K": 7168, "num_experts": 256}


def asked(kernel: str, shape: dict[str, Any], call: Any, **head: Any) -> Spec | list[Problem]:
    """The spec of a call, or what is wrong with it."""
    text = json.dumps({"kernel": kernel, **head, "shape": shape, "call": call})
    return next(iter(read(text, "spec")))


def launched(kernel: str, shape: dict[str, Any], call: Any, **head: Any) -> Kernel:
    """What is launched for a call."""
    spec = asked(kernel, shape, call, **head)
    assert isinstance(spec, Spec), spec
    return spec.derive()


def wrong(kernel: str, shape: dict[str, Any], call: Any, **head: Any) -> str:
    """What is wrong with a call."""
    found = asked(kernel, shape, call, **head)
    assert isinstance(found, list)
    return "; ".join(f"{each.path}: {each.message}" for each in found)


WITH_CALLS = kernels.with_calls()
MOE = DATA / "moe_dispatch@26.7.0.jsonl"
KEYS = ("format", "entry", "N", "K")


@pytest.mark.parametrize(("kernel", "release"), WITH_CALLS)
def test_what_decides_keeps_the_rules_of_formulas(kernel: str, release: str) -> None:
    called = kernels.find(kernel, release).of_call()
    assert called is not None
    assert breaches(called) == []
    for part in called.parts.values():
        assert breaches(getattr(called, part.holder)) == []


def test_what_has_calls_is_found_by_name_and_release_alone() -> None:
    assert ("fa4", "26.7") in WITH_CALLS
    assert ("fa4", "26.5") not in WITH_CALLS  # made from 26.6, whose calls are not its own
    for kernel, release in WITH_CALLS:
        called = kernels.find(kernel, release).of_call()
        assert called is not None
        assert (called.kernel, called.release) == (kernel, release)


# Calls that are drawn

DEPTHS = st.sampled_from((64, 80, 96, 128, 256, 512))
LENGTHS = st.one_of(st.integers(1, 300), st.integers(1, 20000), st.sampled_from((512, 8192, 65536)))


@st.composite
def attention(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A model and a call of FA4's dispatcher."""
    depth, group = draw(DEPTHS), draw(st.sampled_from((1, 2, 4, 7, 8, 16)))
    shape = {
        **ATTENTION,
        "qkv_dtype": draw(st.sampled_from(("bfloat16", "float8_e4m3fn"))),
        "num_q_heads": group * draw(st.sampled_from((1, 2, 4, 8))),
        "group": group,
        "qk_depth": depth,
        "ov_depth": depth,
        "page_size": draw(st.sampled_from((0, 128))),
    }
    new = draw(LENGTHS)
    call = {
        "batch_size": draw(st.integers(1, 200)),
        "max_prompt_len": new,
        "max_cache_valid_length": new + draw(LENGTHS),
        "num_partitions": draw(st.sampled_from((0, 0, 0, 2, 3, 16))),
    }
    return shape, call


@settings(deadline=None, max_examples=30)
@given(drawn=attention())
def test_a_call_is_the_configuration_that_is_chosen(drawn: tuple[Any, Any]) -> None:
    shape, call = drawn
    found = launched("fa4", shape, call)
    values = found.values()
    plain = kernels.find("fa4", "26.7")(
        target=found.target,
        qkv_dtype=shape["qkv_dtype"],
        num_q_heads=shape["num_q_heads"],
        group=shape["group"],
        qk_depth=shape["qk_depth"],
        ov_depth=shape["ov_depth"],
        page_size=shape["page_size"],
        BM=values["launch.BM"],
        splitk_partitions=values["launch.splitk_partitions"],
        ws_shared_key_asked=values["launch.ws_shared_key"],
    ).values()
    assert values["built"] is plain.pop("supported")
    assert {key: values[key] for key in plain} == plain
    assert values["launch.blocks"] == (
        values["launch.grid[0]"] * values["launch.grid[1]"] * values["launch.grid[2]"]
    )


def _at(kernel: str, shape: Any, call: Any, key: str, value: int) -> dict[str, Any] | None:
    """What is decided for another call; None where there is none."""
    spec = asked(kernel, shape, {**call, key: value})
    if not isinstance(spec, Spec):
        return None
    found = spec.derive()
    return decided(found) if found.possible() else None


def hold(kernel: str, shape: dict[str, Any], call: dict[str, Any]) -> int:
    """Check every threshold of a call, from both sides; return how many there are."""
    here = launched(kernel, shape, call)
    found = thresholds(here)
    for near in found:
        assert near.given == here.asked()[near.key]
        back = near.at - 1 if near.at > near.given else near.at + 1
        assert _at(kernel, shape, call, near.key, back) == decided(here)
        there = _at(kernel, shape, call, near.key, near.at)
        assert there is not None
        changed = {key: (decided(here)[key], there[key]) for key in there}
        assert {each.key: (each.here, each.there) for each in near.changed} == {
            key: pair for key, pair in changed.items() if pair[0] != pair[1]
        }
        assert near.changed
    told = {(near.key, near.at > near.given) for near in found}
    steps = [
        (key, value + step)
        for key, value in call.items()
        for step in (1, -1)
        if type(value) is int
        if (key, step > 0) not in told and value + step >= 1 and value
    ]
    for key, value in steps:
        assert _at(kernel, shape, call, key, value) in (None, decided(here))
    return len(found)


@st.composite
def latent(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A model and a call of MLA decode's dispatcher; at times of picked keys."""
    heads, fp8 = draw(st.sampled_from((8, 16, 64, 96, 128))), draw(st.booleans())
    shape = {**LATENT, "num_q_heads": heads, "group": heads}
    if fp8:
        swizzles = dict.fromkeys(("swizzle_mode", "kv_mma_swizzle_mode"), "64B")
        shape |= {"kv_type_size": 1, "native_fp8": True, **swizzles}
    call = {
        "batch_size": draw(st.integers(1, 200)),
        "max_cache_valid_length": draw(LENGTHS),
        "q_max_seq_len": draw(st.sampled_from((1, 1, 2, 4))),
        "is_cache_length_accurate": draw(st.booleans()),
    }
    if draw(st.booleans()):
        call["effective_max_cache_len"] = draw(st.sampled_from((512, 2048)))
    return shape, call


@st.composite
def prefill(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A model and a call of MLA prefill's launcher."""
    heads = draw(st.sampled_from((1, 2, 8, 16, 64)))
    call = {"batch_size": draw(st.integers(1, 40)), "max_prompt_len": draw(LENGTHS)}
    return {**PREFILL, "num_q_heads": heads}, call


@st.composite
def grouped(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Experts and the rows of some of them, often near where the regime changes."""
    experts = draw(st.sampled_from((8, 128, 256)))
    active = draw(st.integers(1, experts))
    near = max(1, draw(st.sampled_from((8, 64))) * active + draw(st.integers(-3, 3)))
    shape = {
        "format": draw(st.sampled_from(("nvfp4", "mxfp4", "mxfp8"))),
        "N": draw(st.sampled_from((512, 4096))),
        "K": 7168,
        "num_experts": experts,
    }
    rows = draw(st.one_of(st.just(near), st.integers(1, 20000)))
    return shape, {"estimated_total_m": rows, "num_active_experts": active}


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A model of deep heads, and a call of the kernel of pairs, which fa4 may take."""
    depth, group = draw(st.sampled_from((256, 512))), draw(st.sampled_from((1, 4, 16)))
    shape = {**ATTENTION, "num_q_heads": 4 * group, "group": group, "swizzle_mode": "128B"}
    new = draw(st.integers(1, 100))
    call = {"batch_size": 1, "max_prompt_len": new, "max_cache_valid_length": new + 50}
    return {**shape, "qk_depth": depth, "ov_depth": depth}, call


DRAWN = {
    "fa4": attention(),
    "mla_decode": latent(),
    "mla_prefill": prefill(),
    "grouped_matmul": grouped(),
    "mha_depth512": pairs(),
}


@pytest.mark.parametrize("kernel", sorted({name for name, _ in WITH_CALLS}))
@settings(deadline=None, max_examples=3)
@given(data=st.data())
def test_thresholds_are_true(kernel: str, data: st.DataObject) -> None:
    hold(kernel, *data.draw(DRAWN[kernel]))


def test_thresholds_of_known_calls() -> None:
    assert hold("fa4", ATTENTION, CALL) == 3
    assert hold("mla_prefill", PREFILL, {"batch_size": 1, "max_prompt_len": 700}) >= 2
    assert hold("mla_decode", LATENT, {"batch_size": 8, "max_cache_valid_length": 1000}) >= 2
    call = {"estimated_total_m": 500, "num_active_experts": 64}
    assert hold("grouped_matmul", EXPERTS, call) == 2
    deep = {**ATTENTION, "qk_depth": 256, "ov_depth": 256, "swizzle_mode": "128B"}
    assert hold("mha_depth512", deep, {**CALL, "max_prompt_len": 9}) == 1


def test_no_threshold_is_told_that_is_no_call() -> None:
    def keys(kernel: str, shape: dict[str, Any], call: dict[str, Any]) -> set[tuple[str, int]]:
        return {(each.key, each.at) for each in thresholds(launched(kernel, shape, call))}

    at = {"batch_size": 4, "max_prompt_len": 1, "max_cache_valid_length": 9}
    assert ("max_prompt_len", 9) in keys("fa4", ATTENTION, at)
    assert ("max_prompt_len", 9) not in keys("fa4", ATTENTION, {**at, "max_cache_valid_length": 8})
    rows = {"estimated_total_m": 520, "num_active_experts": 64}
    assert ("num_active_experts", 65) in keys("grouped_matmul", EXPERTS, rows)
    few = {**EXPERTS, "num_experts": 64}
    assert ("num_active_experts", 65) not in keys("grouped_matmul", few, rows)
    impossible = launched("fa4", ATTENTION, {**at, "max_prompt_len": 10})
    assert (thresholds(impossible), steady(impossible)) == ((), ())


def test_picked_keys_ask_for_partitions_as_the_launcher_does() -> None:
    fp8 = {**LATENT, "num_q_heads": 16, "group": 16, "kv_type_size": 1, "native_fp8": True}

    def parts(length: int, picked: int, **changed: Any) -> int:
        call = {"batch_size": 8, "max_cache_valid_length": length, **changed}
        found = launched("mla_decode", fp8, {**call, "effective_max_cache_len": picked})
        return int(found.read("launch.num_partitions"))

    assert parts(1500, 2048) == parts(1500, 2048, relax_split_floor=True) == 16
    assert parts(2049, 2048) == parts(1500, 2048, relax_split_floor=False) == 4
    assert parts(1500, 1920) == parts(1500, 1920, relax_split_floor=False)
    assert parts(9000, 2048, q_max_seq_len=2) == parts(
        9000, 2048, q_max_seq_len=2, cost_optimal_split=True
    )
    assert parts(9000, 2048, q_max_seq_len=2, fold_shared_index=True) != parts(
        9000, 2048, q_max_seq_len=2
    )


# What a spec gives, and what is said


def test_what_a_spec_gives_wins_and_is_said() -> None:
    found = launched("fa4", {**ATTENTION, "BM": 64}, CALL)
    assert (found.read("BM"), found.read("launch.route")) == (64, "tile of 32")
    (said,) = [each for each in findings(found) if each.rule == "CFG008"]
    assert said.message == "BM is given as 64; the dispatcher takes 32"
    alike = launched("fa4", {**ATTENTION, "BM": 32}, CALL)
    assert not [each for each in findings(alike) if each.rule == "CFG008"]


def test_partitions_that_a_spec_gives_are_said() -> None:
    call = {"batch_size": 8, "max_cache_valid_length": 1000}
    for asked, chosen in ((20, 8), (1, 8)):
        found = launched("mla_decode", LATENT, {**call, "num_partitions": asked})
        assert found.read("launch.num_partitions") == asked
        said = (f"given as {asked}; the dispatcher takes {chosen}",)
        assert tuple(text for key, text in found.remarks() if key == "num_partitions") == said
    assert not launched("mla_decode", LATENT, {**call, "num_partitions": 8}).remarks()
    prefill = {"batch_size": 1, "max_prompt_len": 128, "num_partitions": 2}
    assert launched("mla_prefill", PREFILL, prefill).remarks() == (
        ("num_partitions", "given as 2; the dispatcher takes 1"),
    )


def test_mla_prefill_switches_to_one_query_tile_unless_the_spec_says_two() -> None:
    short = {"batch_size": 1, "max_prompt_len": 128}
    chosen = launched("mla_prefill", PREFILL, short)
    assert (chosen.read("launch.prefer_1q"), chosen.read("num_q"), chosen.read("BM")) == (
        True,
        1,
        128,
    )
    told = [(each.name, each.chosen) for each in chosen.candidates()]
    assert told[-1] == ("num_q 1, single_o false, bn_cap 0", True)
    assert sum(each for _, each in told) == 1
    given_two = launched("mla_prefill", {**PREFILL, "num_q": 2}, short)
    assert (given_two.read("launch.prefer_1q"), given_two.read("num_q")) == (True, 2)
    assert given_two.remarks() == (("num_q", "given as 2; the dispatcher takes 1"),)


def test_the_route_that_took_the_call_is_the_chosen_candidate() -> None:
    for new, depth in ((1, 128), (16, 128), (100, 128), (4096, 128), (1, 512)):
        shape = {**ATTENTION, "qk_depth": depth, "ov_depth": depth}
        found = launched("fa4", shape, {**CALL, "max_prompt_len": new})
        chosen = [each.name for each in found.candidates() if each.chosen]
        splits = {"none": "no split", "cluster": "split in a cluster"}
        split = splits.get(found.read("launch.split"), "split through memory")
        assert chosen == [found.read("launch.route"), split]


def test_what_was_only_read_is_said_beside_its_value() -> None:
    def said(shape: dict[str, Any], call: dict[str, Any]) -> set[str]:
        return {key for key, _ in launched("fa4", {**ATTENTION, **shape}, call).unexecuted()}

    whole = {"batch_size": 1, "max_prompt_len": 4096, "max_cache_valid_length": 8192}
    assert said({}, whole) == set()
    assert said({"page_size": 128}, whole) == {"launch.route"}
    assert said({}, {**whole, "mask": "sliding", "window": 1024}) == set()
    assert said({}, {**whole, "mask": "sliding", "window": 512}) == {"launch.visible_keys"}
    assert said({}, CALL) == {"launch.workspace_bytes"}


def test_stages_of_products_that_were_never_run_are_said() -> None:
    def said(rows: int, **changed: Any) -> set[str]:
        call = {"estimated_total_m": rows, "num_active_experts": 64}
        found = launched("grouped_matmul", {**EXPERTS, **changed}, call)
        return {key for key, _ in found.unexecuted()}

    assert said(6000) == set()
    assert said(6000, N=2048) == {"num_pipeline_stages"}
    assert said(500, N=2048) == set()  # nvfp4 has one number of stages for every decode
    mxfp8 = {"format": "mxfp8", "N": 6144, "K": 3072}
    assert said(500, **mxfp8) == {"num_pipeline_stages"}
    assert said(500, **mxfp8, entry="router") == {"num_pipeline_stages"}
    assert said(500, c_dtype="float32") == {"launch.smem"}


def test_of_products_that_were_run_no_stages_are_only_read() -> None:
    """Neither tuned nor as many as fit; of those of a product of its own the read ones are 6."""
    ran = {tuple(row["inputs"][key] for key in KEYS) for row in rows(MOE)}
    assert len(ran) == 9
    for one in ran:
        shape = {**EXPERTS, **dict(zip(KEYS, one, strict=True))}
        for total in (500, 4000, 6000):
            call = {"estimated_total_m": total, "num_active_experts": 64}
            assert launched("grouped_matmul", shape, call).unexecuted() == (), one
    shape = {**EXPERTS, "format": "mxfp8", "N": 6144, "K": 3072}
    call = {"estimated_total_m": 500, "num_active_experts": 64}
    assert launched("grouped_matmul", shape, call).read("num_pipeline_stages") == 6


FP8 = {"kv_type_size": 1, "native_fp8": True}
SEVEN = {**FP8, "num_q_heads": 7, "group": 7}
SPLIT = {"batch_size": 8, "max_cache_valid_length": 5000}
PICKED = {**SPLIT, "effective_max_cache_len": 2048}


@pytest.mark.parametrize(
    ("key", "shape", "call", "turns", "last", "values"),
    [
        ("effective_max_cache_len", {}, {**SPLIT, "window": 100}, "batch_size", 63, (101, 2048)),
        ("split_page_size", {}, {"max_cache_valid_length": 511}, "batch_size", 31, (128, 64)),
        ("split_page_size", {}, {"batch_size": 32}, "max_cache_valid_length", 511, (64, 128)),
        ("cost_optimal_split", SEVEN, PICKED, "q_max_seq_len", 1, (False, True)),
        ("cost_optimal_split", SEVEN, PICKED, "q_max_seq_len", 8, (True, False)),
        ("relax_split_floor", FP8, PICKED, "max_cache_valid_length", 1023, (False, True)),
        ("relax_split_floor", FP8, PICKED, "max_cache_valid_length", 2048, (True, False)),
    ],
)
def test_mla_decode_turns_just_where_its_dispatcher_was_read_to(
    key: str,
    shape: dict[str, Any],
    call: dict[str, Any],
    turns: str,
    last: int,
    values: tuple[Any, Any],
) -> None:
    found = [
        launched("mla_decode", {**LATENT, **shape}, {**call, turns: at}).read(f"launch.{key}")
        for at in (last, last + 1)
    ]
    assert tuple(found) == values


@pytest.mark.parametrize(("heads", "new", "fills"), [(32, 1, True), (16, 2, True), (11, 3, False)])
def test_layout_g_is_taken_for_32_rows_and_no_more(heads: int, new: int, fills: bool) -> None:
    shape = {**LATENT, **FP8, "num_q_heads": heads, "group": heads}
    found = launched("mla_decode", shape, {**SPLIT, "q_max_seq_len": new})
    assert found.read("decode_layout_g") is fills


@pytest.mark.parametrize(("batch", "route"), [(74, "one tile of 128"), (75, "two tiles of 128")])
def test_half_the_sms_with_two_tiles_each_are_few_work_items(batch: int, route: str) -> None:
    shape = {**ATTENTION, "num_q_heads": 1, "group": 1}
    found = launched("fa4", shape, {**CALL, "batch_size": batch, "max_prompt_len": 200})
    assert found.read("launch.route") == route


def test_two_calls_part_at_a_decision() -> None:
    sides = [
        derived(spec)
        for batch in (1, 8)
        if isinstance(spec := asked("fa4", ATTENTION, {**CALL, "batch_size": batch}), Spec)
    ]
    found = compare(*sides).parted
    assert found is not None
    assert (found.key, found.here, found.there) == ("launch.partitions", 16, 2)
    assert compare(sides[0], sides[0]).parted is None


def _told(command: str, kernel: str, shape: Any, call: Any, *more: str) -> str:
    text = json.dumps({"kernel": kernel, "shape": shape, "call": call})
    words = [command, "-", *more]
    return CliRunner().invoke(application(words), words, input=text).stdout


@pytest.mark.parametrize(
    ("kernel", "shape", "call", "shown"),
    [
        ("fa4", ATTENTION, CALL, ["route", "tile of 32", "partitions", "grid[0]", "waves"]),
        (
            "grouped_matmul",
            EXPERTS,
            {"estimated_total_m": 500, "num_active_experts": 64},
            ["regime", "decode", "mma_n", "num_pipeline_stages", "waves"],
        ),
        ("mla_decode", LATENT, {"batch_size": 8, "max_cache_valid_length": 99}, ["combine"]),
    ],
)
def test_what_is_launched_is_in_the_table_and_the_report(
    kernel: str, shape: dict[str, Any], call: dict[str, Any], shown: list[str], tmp_path: Path
) -> None:
    whole = _told("derive", kernel, shape, call)
    section = whole.partition("Launched for the call\n")[2].partition("\n\n")[0]
    assert [each for each in shown if each not in section] == []
    assert "Launched for the call" not in _told("derive", kernel, shape, call, "--format", "full")
    file = tmp_path / "report.html"
    _told("report", kernel, shape, call, "-o", str(file))
    section = file.read_text().partition('<section id="launch">')[2].partition("</section>")[0]
    assert [each for each in shown if each not in section] == []
    assert "Near" in section


# Calls that go elsewhere, and bad ones


def test_long_prompts_of_deep_heads_go_to_another_kernel() -> None:
    deep = {**ATTENTION, "qk_depth": 512, "ov_depth": 512, "swizzle_mode": "128B"}
    long, short = {**CALL, "max_prompt_len": 512}, {**CALL, "max_prompt_len": 8}
    here = launched("fa4", deep, long)
    (failure,) = failures(here)
    assert (here.read("launch.kernel"), failure.name) == ("mha_depth512", "not_for_mha_depth512")
    assert [each.kernel for each in elsewhere(here)] == ["mha_depth512"]
    decoding = launched("fa4", {**deep, "num_q_heads": 64, "group": 64}, CALL)
    assert decoding.read("launch.kernel") == "fa4"  # more rows than 32, but no prefill
    there = launched("mha_depth512", deep, short)
    assert [each.name for each in failures(there)] == ["more_rows_than_fa4_takes"]
    assert [each.kernel for each in elsewhere(there)] == ["fa4"]
    many = {**deep, "num_q_heads": 64, "group": 64}
    assert [each.name for each in failures(launched("mha_depth512", many, CALL))] == ["prefills"]
    assert launched("fa4", deep, short).verdict
    assert launched("mha_depth512", deep, long).verdict


@pytest.mark.parametrize(
    ("shape", "call", "condition"),
    [
        ({"qkv_dtype": "float32"}, {}, "half_or_fp8"),
        ({}, {"ragged": False}, "ragged_or_fp8"),
        ({}, {"max_prompt_len": 9000}, "cache_holds_new_tokens"),
        (
            {"qk_depth": 512, "ov_depth": 512, "group": 1},
            {"batch_size": 60000, "max_prompt_len": 32, "num_partitions": 148},
            "workspace_in_memory",
        ),
    ],
)
def test_what_max_does_not_launch_is_refused_by_a_named_condition(
    shape: dict[str, Any], call: dict[str, Any], condition: str
) -> None:
    found = launched("fa4", {**ATTENTION, **shape}, {**CALL, **call})
    assert condition in [each.name for each in failures(found)]


@pytest.mark.parametrize(
    ("kernel", "shape", "call"),
    [
        (
            "fa4",
            {**ATTENTION, "qk_depth": 512, "ov_depth": 512},
            {**CALL, "max_prompt_len": 512},
        ),
        (
            "mla_decode",
            LATENT,
            {"batch_size": 1, "max_cache_valid_length": 0, "is_cache_length_accurate": True},
        ),
        ("mla_prefill", {**PREFILL, "depth": 512}, {"batch_size": 1, "max_prompt_len": 9}),
    ],
)
def test_a_refused_call_is_told_whole(
    kernel: str, shape: dict[str, Any], call: dict[str, Any]
) -> None:
    told = story(launched(kernel, shape, call))
    assert told.supported is False
    assert told.failures


BAD = [
    ("fa4", {}, {"batch_size": 0}, "call.batch_size: must be at least 1, not 0"),
    ("fa4", {}, {"max_prompt_len": 0}, "call.max_prompt_len: must be at least 1, not 0"),
    ("fa4", {}, {"num_partitions": 149}, "call.num_partitions: must be at most 148, not 149"),
    ("fa4", {}, {"qk_depth": 64}, "call.qk_depth: `qk_depth` stands under `shape:`"),
    ("fa4", {}, {"batchsize": 1}, "did you mean `batch_size`?"),
    ("fa4", {"num_partitions": 2}, {}, "shape.num_partitions: `num_partitions` stands under"),
    ("fa4", {"ov_depth": 64}, {}, "shape.ov_depth: the dispatcher launches one depth"),
    ("fa4", {"scale_dtype": "float32"}, {}, "without `scale_dtype`; mla_prefill has it"),
    ("fa4", {}, {"window": 5}, "call.window: `mask: sliding` and a window of 1 or more"),
    ("fa4", {"splitk_partitions": 4}, {"num_partitions": 2}, "are one number: keep one"),
]


BAD_OF_OTHERS = [
    (
        "mla_decode",
        LATENT,
        {
            "batch_size": 1,
            "max_cache_valid_length": 9,
            "window": 5,
            "effective_max_cache_len": 2048,
        },
        "a window of 5 and 2,048 picked keys (effective_max_cache_len) both say",
    ),
    (
        "grouped_matmul",
        EXPERTS,
        {"estimated_total_m": 9, "num_active_experts": 257},
        "call.num_active_experts: no more experts have rows than there are",
    ),
    (
        "grouped_matmul",
        EXPERTS,
        {"estimated_total_m": 0, "num_active_experts": 1},
        "call.estimated_total_m: must be at least 1",
    ),
    (
        "grouped_matmul",
        EXPERTS,
        {"estimated_total_m": 9},
        "call.num_active_experts: missing key `num_active_experts`",
    ),
    (
        "mla_decode",
        LATENT,
        {"batch_size": 1, "max_cache_valid_length": 9, "num_partitions": 75},
        "call.num_partitions: must be at most 74, not 75",
    ),
    ("mla_prefill", PREFILL, {"batch_size": 1, "max_prompt_len": 0}, "must be at least 1, not 0"),
]


@pytest.mark.parametrize(("kernel", "shape", "call", "message"), BAD_OF_OTHERS)
def test_a_bad_call_of_another_kernel_is_told(
    kernel: str, shape: dict[str, Any], call: dict[str, Any], message: str
) -> None:
    assert message in wrong(kernel, shape, call)


@pytest.mark.parametrize(("kernel", "shape", "call", "message"), BAD)
def test_a_bad_call_is_told(
    kernel: str, shape: dict[str, Any], call: dict[str, Any], message: str
) -> None:
    assert message in wrong(kernel, {**ATTENTION, **shape}, {**CALL, **call})


def test_what_is_wrong_with_a_call_is_told_where_the_call_stands() -> None:
    def told(text: str) -> str:
        (item,) = read(text, "spec")
        return "; ".join(map(str, item)) if isinstance(item, list) else ""

    shape = f"kernel: grouped_matmul\nshape: {json.dumps(EXPERTS)}\n"
    assert "spec:3:1: call.num_active_experts" in told(f"{shape}call: {{estimated_total_m: 9}}")
    # This kernel derives nothing but calls: what one has may stand under `shape` too.
    rows = {"estimated_total_m": 0, "num_active_experts": 1}
    both = f"kernel: grouped_matmul\nshape: {json.dumps(EXPERTS | rows)}"
    assert "shape.estimated_total_m: must be at least 1" in told(both)
    bare = told("kernel: mla_prefill\nrelease: '26.7'\ncall: {batch_size: 1}")
    assert "num_q_heads" in bare
    assert "batch_size" not in bare


def test_releases_and_kernels_without_calls_say_which_have_them() -> None:
    assert "it is of release 26.6, 26.7" in wrong("fa4", ATTENTION, CALL, release="26.5")
    assert "for a call of matmul is not known; it is of fa4" in wrong("matmul", {}, CALL)
    for kernel, shape, call in (
        ("fa4", ATTENTION, CALL),
        ("mla_prefill", PREFILL, {"batch_size": 1, "max_prompt_len": 9}),
        ("grouped_matmul", EXPERTS, {"estimated_total_m": 9, "num_active_experts": 1}),
    ):
        assert "compiled for; gb200 has 152" in wrong(kernel, shape, call, target="gb200")
    (item,) = read(json.dumps({"kernel": "fa4", "shape": {**ATTENTION, **CALL}}), "spec")
    assert "`batch_size` stands under `call:`" in str(item)


def test_a_spec_without_a_call_imports_no_dispatcher() -> None:
    code = (
        "import sys, kcfg; kcfg.derive('fa4', '26.7', qkv_dtype='bf16', num_q_heads=32, group=4,"
        " qk_depth=128, ov_depth=128, page_size=0)['smem_used'];"
        "print([name for name in sys.modules if 'dispatch' in name or name.endswith('.call')"
        " and 'kernels' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
