"""``kcfg schema --of``: what kcfg writes is as its schemas say, and nothing but that."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from kcfg.cli.commands.schema import KINDS
from kcfg.cli.main import application
from kcfg.core import presets
from kcfg.core.outputs.outputs import OUTPUTS

HERE = Path(__file__).parent


def written(*arguments: str) -> str:
    return CliRunner().invoke(application(list(arguments)), list(arguments)).stdout


@cache
def validator(kind: str) -> Any:
    schema = json.loads(written("schema", "--of", kind))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def fits(kind: str, *arguments: str) -> Any:
    output = json.loads(written(*arguments, "--format", "json"))
    validator(kind).validate(output)
    return output


@pytest.fixture
def launch(tmp_path: Path) -> str:
    path = tmp_path / "launch.kcfg.yaml"
    path.write_text(
        "kernel: launch\nshape:\n  threads: 384\n"
        "  shared: {dynamic: 233472, regions: [{bytes: 64}]}\n"
        "  registers: {launch_bounds: [384, 1], warpgroups: [40, 240, 240]}\n"
        "  tmem: {allocations: [64], regions: [{columns: 64}]}\n  mbarriers: [4]\n"
    )
    return str(path)


def test_reports_fit(launch: str) -> None:
    reports = fits("report", "derive", *presets.names(), launch)
    assert len({report["source"] for report in reports}) == len(reports) > len(presets.names())
    assert fits("report", "derive", launch)["kernel"] == "launch"


def test_findings_fit(launch: str) -> None:
    specs = str(HERE / "specs")
    assert fits("findings", "validate", specs, launch, "--info", "--statistics")["statistics"]
    log = str(HERE / "logs" / "clean.sm_100a.ptxas.txt")
    assert fits("findings", "check", launch, log)["notes"]


def test_comparisons_fit(launch: str) -> None:
    for sides in (
        ("llama-3-8b", "gemma-3-12b"),
        ("llama-3-8b", "mistral-7b", "llama-3-8b-26-7"),
        ("deepseek-v3-2-index", "--release", "26.6..26.7"),
        (launch, "--set", "threads=384..256"),
        ("llama-3-8b", "--set", "qk_depth=128..512"),
    ):
        assert fits("diff", "diff", *sides)


def test_explanations_fit(launch: str) -> None:
    for words in (
        ("llama-3-8b",),
        ("llama-3-8b", "num_kv_stages", "smem_used"),
        ("llama-3-8b", "--set", "qk_depth=256", "--set", "ov_depth=256"),
        ("llama-3-8b", "num_kv_stages >= 6"),
        ("--kernel", "fa4", "num_kv_stages"),
        ("--words",),
        ("llama-3-8b", "occupancy"),
        (launch,),
    ):
        assert fits("explain", "explain", *words)


def test_what_is_written_otherwise_does_not_fit() -> None:
    report = fits("report", "derive", "llama-3-8b")
    assert not validator("report").is_valid({**report, "more": 1})
    assert not validator("report").is_valid({**report, "smem": {**report["smem"], "free": "1"}})
    assert not validator("report").is_valid({k: v for k, v in report.items() if k != "units"})


def test_the_kinds_are_those_that_there_are() -> None:
    assert tuple(OUTPUTS) == KINDS
    result = CliRunner().invoke(application(["schema"]), ["schema", "--of", "sweep"])
    assert result.exit_code == 2 and "report, findings, diff, explain" in result.stderr
