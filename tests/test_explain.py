"""``kcfg explain``: what it says of values, of whole configurations, and without a spec."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import shapes
from typer.testing import CliRunner, Result

from kcfg.cli.main import application
from kcfg.cli.pages.explanation import pages
from kcfg.cli.pages.told import Told
from kcfg.cli.render import plain
from kcfg.core import kernels, presets
from kcfg.core.explain.explanation import explain, reference
from kcfg.core.explain.story import story

SWEPT = """
kernel: index_prefill
release: 26.6
shape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 128, BM_key: 128, mma_n: 128, num_heads: 32}
"""
TWO_SCREENS = 100


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(application(["explain"]), ["explain", *arguments], input=stdin)


def said(result: Result) -> str:
    """What was written, on one line."""
    return " ".join(result.stdout.split())


@pytest.fixture
def swept(tmp_path: Path) -> str:
    path = tmp_path / "swept.yaml"
    path.write_text(SWEPT)
    return str(path)


# One value


def test_a_formula_is_worked_out_to_the_value(swept: str) -> None:
    result = run(swept, "k_stages")
    assert result.exit_code == 0
    lines = [line.strip() for line in result.stdout.splitlines()]
    start = lines.index("k_stages = div(carveout - fixed_smem_bytes, k_stage_bytes)")
    assert lines[start + 1 : start + 4] == [
        "= (115712 - 16932) // 17040",
        "= 98780 // 17040",
        "= 5",
    ]


def test_it_says_how_many_fit_what_stays_free_and_what_one_more_needs(swept: str) -> None:
    text = said(run(swept, "k_stages"))
    assert "5 fit into 98,780 bytes" in text
    assert "13,580 of these bytes stay free; a sixth needs 3,460 more" in text


def test_a_share_of_the_sm_is_not_taken_for_something_that_fits(swept: str) -> None:
    text = said(run(swept, "carveout"))
    assert "233,472 B (target.smem_per_sm) shared by 2 CTAs (ctas_per_sm)" in text
    assert "fit" not in text.replace("benefit", "")


def test_bytes_in_elements_are_not_taken_for_something_that_fits() -> None:
    for name in ("kv_offset", "swizzle_elements", "mbar_offset"):
        text = said(run("--preset", "llama-3-8b", name))
        assert "// " in text and " fit into " not in text, text


def test_the_swept_cell_keeps_fewer_registers_than_the_pool_allows(swept: str) -> None:
    lines = [line.split() for line in run(swept, "reg_consumer").stdout.splitlines()]
    assert ["wanted", "200", "binds"] in [words[:3] for words in lines]
    assert ["pool", "216", "reg_cap:"] in [words[:3] for words in lines]
    assert "in the swept cell, 128 columns of 32 heads" in said(run(swept, "reg_consumer"))


def test_a_sum_is_a_ledger(swept: str) -> None:
    lines = [line.split() for line in run(swept, "fixed_smem_bytes").stdout.splitlines()]
    assert ["q", "16,384", "16.0", "KiB", "96.8%", "16,384", "q_slots", "*", "q_bytes"] in lines
    assert ["tmem_pointer", "4", "0.0%", "16,932", "4"] in lines


def test_what_it_reads_is_marked_and_who_uses_it_named(swept: str) -> None:
    text = said(run(swept, "ctas_per_sm"))
    assert "mma_n 128 columns input" in text
    assert "Used by" in text
    assert "mma_n <= 128, 128 <= 128, is true: 2 is taken" in text
    assert "Rests on the inputs mma_n." in text


def test_an_input_can_be_named(swept: str) -> None:
    result = run(swept, "BM_key")
    assert result.exit_code == 0
    assert "BM_key = 128 rows" in result.stdout
    assert "An input" in result.stdout


def test_depth_explains_what_it_rests_on_too(swept: str) -> None:
    assert "\nq_bytes = " not in run(swept, "fixed_smem_bytes").stdout
    assert "\nq_bytes = " in run(swept, "fixed_smem_bytes", "--depth", "1").stdout


def test_a_tree_goes_down_to_the_inputs(swept: str) -> None:
    lines = run(swept, "smem_used", "--tree").stdout.splitlines()
    at = {line.split()[0]: len(line) - len(line.lstrip()) for line in lines if line.strip()}
    assert at["smem_used"] < at["k_stages"] < at["carveout"] < at["ctas_per_sm"]
    shallow = run(swept, "smem_used", "--tree", "--depth", "1").stdout
    assert "k_stages" in shallow
    assert "  ctas_per_sm" not in shallow


@pytest.mark.parametrize("format", ["text", "json", "markdown"])
def test_every_format_has_value_and_formula(swept: str, format: str) -> None:
    result = run(swept, "k_stages", "--format", format)
    assert result.exit_code == 0
    assert "div(carveout - fixed_smem_bytes, k_stage_bytes)" in result.stdout


def test_json_is_the_data_of_core(swept: str) -> None:
    found = json.loads(run(swept, "k_stages", "smem_used", "--format", "json").stdout)
    assert [each["key"] for each in found["explanations"]] == ["k_stages", "smem_used"]
    assert found["explanations"][0]["fits"][0]["missing"] == 3460


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
def test_every_value_and_input_has_a_page(kernel: str, release: str) -> None:
    shape = [each for each in shapes.SHAPES if each[:2] == (kernel, release)][-1]
    derived = shapes.derive(kernel, release, shape.inputs)
    for key in [*derived.values(), *shape.inputs]:
        told = Told(kernel, release, explanations=(explain(derived, key),))
        text = plain.text(pages([told], tree=False))
        assert text.count("\n") >= 3


# A whole configuration


DERIVED = [name for name in presets.names() if "kernel: launch" not in presets.text(name)]


@pytest.mark.parametrize("name", DERIVED)
def test_a_preset_is_told_on_two_screens(name: str) -> None:
    result = run("--preset", name)
    assert result.exit_code == 0
    count = result.stdout.count("\nDecided\n")
    assert count >= 1
    assert len(result.stdout.splitlines()) <= TWO_SCREENS * count


@pytest.mark.parametrize(
    "shape", [s for s in shapes.SHAPES if s.supported is False], ids=lambda shape: shape.id
)
def test_a_refused_configuration_says_why_on_two_screens(shape: shapes.Shape) -> None:
    told = story(shapes.derive(shape.kernel, shape.release, shape.inputs))
    text = plain.text(pages([Told(shape.kernel, shape.release, story=told)], tree=False))
    assert "NOT SUPPORTED" in text
    assert all(f"fails {failure.name}" in text for failure in told.failures)
    assert len(text.splitlines()) <= TWO_SCREENS + 2 * len(told.failures)


def test_what_cannot_run_exits_1_with_and_without_names() -> None:
    story = run("--preset", "llama-3-8b", "--set", "BM=48")
    assert story.exit_code == 1
    assert "fails query_rows" in story.stdout
    assert run("--preset", "llama-3-8b", "--set", "BM=48", "BN").exit_code == 1


def test_a_story_names_what_was_asked_and_decided(swept: str) -> None:
    text = run(swept).stdout
    assert text.index("supported") < text.index("Asked") < text.index("Decided")
    assert "carveout" in text
    assert "k_stages" in text


# Names


def test_with_a_preset_every_word_is_a_name() -> None:
    result = run("--preset", "llama-3-8b", "num_kv_stages", "BN")
    assert result.exit_code == 0
    assert "num_kv_stages = 5 stages" in result.stdout
    assert "BN = 128 rows" in result.stdout


def test_a_spec_may_come_from_standard_input() -> None:
    assert "k_stages = 5 stages" in run("-", "k_stages", stdin=SWEPT).stdout


def test_an_unknown_name_exits_2_and_the_others_are_explained(swept: str) -> None:
    result = run(swept, "k_stagse", "carveout")
    assert result.exit_code == 2
    assert "did you mean 'k_stages'?" in result.stderr
    assert "carveout = " in result.stdout


# Without a spec


def test_a_manual_entry_needs_no_spec() -> None:
    result = run("--kernel", "fa4", "--release", "26.6", "num_kv_stages", "BM")
    assert result.exit_code == 0
    assert "num_kv_stages [stages]" in result.stdout
    assert "An integer from 1 to 4,096; 256 by default." in result.stdout


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
def test_everything_has_a_manual_entry(kernel: str, release: str) -> None:
    cls = kernels.find(kernel, release)
    keys = dict.fromkeys(key for key, _ in cls.declared())
    keys |= dict.fromkeys(member.key for member in cls.inputs.values())
    told = Told(kernel, release, references=tuple(reference(cls, key) for key in keys))
    text = plain.text(pages([told], tree=False))
    assert all(f"\n{key} [" in text for key in keys)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a spec file"),
        (["--kernel", "fa4"], "kcfg kernels fa4"),
        (["--kernel", "fa5", "BN"], "unknown kernel"),
        (["--kernel", "fa4", "BNN"], "no such value of fa4"),
        (["--kernel", "fa4", "--set", "BM=3", "BN"], "without a spec"),
        (["no-such-file.yaml", "BN"], "no such file"),
        (["--preset", "llama-3-8b", "--depth", "-1"], "--depth"),
    ],
)
def test_trouble_exits_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


# A launch written by hand

LAUNCH = "kernel: launch\nshape: {threads: 1056}"


def test_a_launch_is_explained_by_what_the_rules_find() -> None:
    result = run("-", stdin=LAUNCH)
    assert result.exit_code == 1
    assert result.stdout.startswith("launch on b200\n")
    assert "CANNOT RUN" in result.stdout
    assert "error BLK001" in result.stdout
    told = json.loads(run("-", "--format", "json", stdin=LAUNCH).stdout)
    assert told["inputs"] == {"threads": 1056}
    assert told["findings"][0]["rule"] == "BLK001"


def test_a_name_of_a_launch_is_refused_with_the_reason() -> None:
    result = run("-", "threads", stdin=LAUNCH)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nothing is derived" in result.stderr
    assert "nothing is derived" in " ".join(run("--kernel", "launch", "threads").stderr.split())


def test_the_occupancy_of_anything_with_threads_can_be_asked_for(swept: str) -> None:
    """Of a launch as of a derived kernel, alone or beside names."""
    launch = "kernel: launch\nshape: {threads: 256, registers: {entry: 88}}\n"
    result = run("-", "occupancy", stdin=launch)
    assert result.exit_code == 0
    assert "Occupancy: 2 blocks per SM, 16 of 64 warps (limited by registers)" in said(result)
    assert "registers 88 2 80 129 threads 256 8 192 321" in said(result)
    assert "Not given, and taken not to limit: shared memory." in said(result)
    result = run(swept, "smem_used", "occupancy")
    assert "smem_used = " in said(result) and "Occupancy: " in said(result)
    result = run("-", "occupancy", stdin="kernel: launch\nshape: {registers: {entry: 88}}\n")
    assert result.exit_code == 2
    assert "occupancy: the threads of a block are not known" in result.stderr
    assert result.stdout == ""


def test_a_count_that_is_rounded_down_says_so_and_not_what_one_more_needs() -> None:
    shown = run("--preset", "llama-3-70b-qkv", "num_pipeline_stages").stdout
    text = " ".join(shown.partition("\n\nThe smallest of")[0].split())
    assert "13 fit into" in text
    assert "13 is rounded down to 12." in text
    assert "one more needs" not in text


# What was chosen, and what it was chosen among


def test_a_selected_configuration_is_told_beside_those_that_were_out_and_why() -> None:
    spec = """
kernel: mla_prefill
shape: {qkv_dtype: bf16, rope_gmem_dtype: bf16, rope_mma_dtype: bf16, num_q_heads: 64,
        group: 1, depth: 256, page_size: 128, v_depth: 256, select: true}
"""
    told = json.loads(run("-", "--format", "json", stdin=spec).stdout)
    candidates = told["story"]["candidates"]
    assert [each["chosen"] for each in candidates] == [False, False, True]
    assert [[why["name"] for why in each["failures"]] for each in candidates] == [
        ["key_tile"],
        ["ring_depth"],
        [],
    ]
    assert "num_q 1, single_o true, bn_cap 64: supported; chosen" in run("-", stdin=spec).stdout


def test_a_chosen_tile_is_told_beside_the_closest_it_beat() -> None:
    spec = "{kernel: matmul, shape: {ab_dtype: bf16, c_dtype: bf16, M: 512, N: 10240, K: 8192}}"
    lines = run("-", stdin=spec).stdout.splitlines()
    start = lines.index("Chosen among")
    assert lines[start + 1 : start + 3] == [
        "  MMA 256 x 144: 2 waves, 36,864 elements; chosen",
        "  MMA 256 x 160: 2 waves, 40,960 elements; passed over",
    ]
