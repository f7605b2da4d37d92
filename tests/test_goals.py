"""Goals: what reaches a result is what a spec can say, and gives it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from kcfg.cli.main import application
from kcfg.core import presets

GOALS = (
    ("llama-3-8b", "num_kv_stages >= 6"),
    ("llama-3-8b", "num_kv_stages > 5 and smem_used <= 230000"),
    ("llama-3-8b", "BN == 64"),
    ("deepseek-v3-2-index", "k_stages >= 6"),
    ("deepseek-v3-2-index", "k_stages != 5"),
    ("deepseek-v3-decode", "smem_used > 224000"),
    ("deepseek-v3-mla", "num_kv_stages != 3"),
)
FA4 = presets.text("llama-3-8b")


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(application(list(arguments)), list(arguments), input=stdin)


def sought(preset: str, *goals: str) -> Any:
    return json.loads(run("explain", preset, *goals, "--format", "json").stdout)["sought"]


def settings(changes: list[dict[str, Any]]) -> list[str]:
    """Options that make changes."""
    return [f"--set={each['key']}={json.dumps(each['passes']).strip(chr(34))}" for each in changes]


@pytest.mark.parametrize(("preset", "goal"), GOALS)
def test_every_answer_followed_reaches_the_goal(preset: str, goal: str) -> None:
    found = sought(preset, goal)
    assert not found["reached"] and found["search"]["found"]
    for changes, gives in zip(found["search"]["found"], found["gives"], strict=True):
        options = settings(changes)
        assert sought_with(preset, goal, options)["reached"], options
        assert run("validate", preset, *options).exit_code == 0
        for each in gives:
            got = run("derive", preset, *options, "--get", each["text"]).stdout
            assert got == f"{each['value']}\n"


def sought_with(preset: str, goal: str, options: list[str]) -> Any:
    told = run("explain", preset, goal, *options, "--format", "json").stdout
    return json.loads(told)["sought"]


def test_answers_are_the_nearest_and_bounds_are_printed() -> None:
    text = " ".join(run("explain", "deepseek-v3-2-index", "k_stages >= 6").stdout.split())
    assert "k_stages is 5 with mma_n = 96 (not 128): k_stages is 6" in text
    assert "Tried of the tunable inputs: 21 configurations; one change at a time of" in text
    assert "mma_n 1 to 4,096" in text


def test_goals_are_sought_together() -> None:
    found = sought("llama-3-8b", "num_kv_stages >= 6", "smem_used <= 230000")
    assert found["goals"] == ["num_kv_stages >= 6", "smem_used <= 230000"]
    assert all(
        {each["text"]: each["value"] for each in gives}["smem_used"] <= 230_000
        for gives in found["gives"]
    )


def test_what_is_reached_already_is_said() -> None:
    result = run("explain", "llama-3-8b", "num_kv_stages == 5")
    assert result.exit_code == 0 and "num_kv_stages is 5: reached" in result.stdout


def test_what_nothing_reaches_exits_1_with_the_bounds() -> None:
    result = run("explain", "llama-3-8b", "smem_used < 1000")
    assert result.exit_code == 1
    assert "no setting of the tunable inputs was found that reaches it" in result.stdout
    assert "none of which passes; up to 3 changes at a time" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["llama-3-8b", "num_kv_stage >= 6"], "did you mean 'num_kv_stages'?"),
        (["llama-3-8b", "num_kv_stages >= many"], "expected an integer"),
        (["llama-3-8b", "num_kv_stages => 6"], "did you mean `>=`?"),
        (["llama-3-8b", "num_kv_stages >="], "expected an integer"),
        (["llama-3-8b", "6 < num_kv_stages < 9"], "expected a goal"),
        (["llama-3-8b", "supported >= 6"], "orders integers"),
        (["--kernel", "fa4", "num_kv_stages >= 6"], "name a spec"),
    ],
)
def test_what_is_no_goal_exits_2(words: list[str], message: str) -> None:
    result = run("explain", *words)
    assert result.exit_code == 2 and message in " ".join(result.stderr.split())


def test_a_pin_that_fails_says_what_reaches_it() -> None:
    pins = 'expect: {num_kv_stages: ">= 6", smem_used: "< 1000"}\n'
    result = run("validate", "-", stdin=FA4 + pins)
    lines = result.stdout.splitlines()
    assert "num_kv_stages is 5, pinned to >= 6, 1 under; with BM 64 it is 6" in lines[0]
    assert lines[1].endswith("no setting of the tunable inputs was found that reaches it")
    assert "EXP001 of num_kv_stages: tried of the tunable inputs: " in lines[2]
    assert (
        run("validate", "-", "--set", "BM=64", "--quiet", stdin=FA4 + pins).stdout.count("\n") == 1
    )


def test_a_run_searches_for_some_pins_and_not_for_thousands() -> None:
    specs = "---\n".join(f'{FA4}expect: {{smem_used: "< {n}"}}\n' for n in range(1, 31))
    result = run("validate", "-", "--quiet", stdin=specs)
    assert result.stdout.count("no setting of the tunable inputs") == 20
    assert result.stdout.count("`kcfg explain` says what reaches it") == 10


def test_a_refused_configuration_is_to_be_supported_as_well() -> None:
    found = json.loads(
        run("explain", "llama-3-8b", "--set", "BM=48", "BN >= 64", "--format", "json").stdout
    )["sought"]
    assert found["search"]["found"] and not found["reached"]
    for changes in found["search"]["found"]:
        keys = {each["key"] for each in changes}
        assert "BM" in keys


def test_what_passes_passes_every_rule_too() -> None:
    gemm = f"{Path(__file__).parent / 'definitions' / 'ws_gemm.kcfg.yaml'}#1"
    told = run("validate", gemm, "--set", "BN=300", "--quiet").stdout
    assert "BN % 64 is 44" in told and "BN 256 passes" in told  # 320 is none of an MMA
    assert run("validate", gemm, "--set", "BN=256").exit_code == 0
    assert "MMA002" in run("validate", gemm, "--set", "BN=320").stdout


CALL = """\
kernel: fa4
release: "26.7"
shape: {qkv_dtype: bf16, num_q_heads: 64, group: 8, qk_depth: 128, ov_depth: 128, page_size: 128}
call: {batch_size: 8, max_prompt_len: 1, max_cache_valid_length: 16384}
"""


def test_a_size_in_whole_32s_is_changed_for_another() -> None:
    told = run("explain", "-", "launch.partitions >= 8", "--format", "json", stdin=CALL).stdout
    found = json.loads(told)["sought"]["search"]["found"]
    assert found
    for each in (change for changes in found for change in changes):
        assert each["key"] != "page_size" or each["passes"] & (each["passes"] - 1) == 0
    odd = run("derive", "-", "--set", "page_size=129", "--get", "launch.partitions", stdin=CALL)
    assert int(odd.stdout) >= 8  # which would be the nearest
