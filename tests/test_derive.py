"""``kcfg derive``: every option and format, and the layouts of every kernel."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import shapes
import yaml
from typer.testing import CliRunner, Result

from kcfg.cli.formats.derive.env import variable
from kcfg.cli.main import application
from kcfg.cli.pages.pieces import Column, Line, Row, Table
from kcfg.cli.render import pretty
from kcfg.core import kernels, presets
from kcfg.core.block.block import Block
from kcfg.core.report import units

SPEC = """
kernel: index_prefill
release: 26.6
name: indexer
shape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 128, BM_key: 128, n_tokens: 4, num_heads: 32}
"""


def kcfg(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(application(list(arguments)), list(arguments), input=stdin)


def derived(*arguments: str, stdin: str | None = None) -> Any:
    return json.loads(kcfg("derive", *arguments, "--format", "json", stdin=stdin).stdout)


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("indexer.kcfg.yaml").write_text(SPEC)
    return "indexer.kcfg.yaml"


# Options


def test_get_prints_bare_values_one_a_line(spec: str) -> None:
    result = kcfg("derive", spec, *(f"--get={name}" for name in GOT))
    assert result.stdout.splitlines() == list(GOT.values())
    assert result.exit_code == 0


GOT = {
    "k_stages": "5",
    "supported": "true",
    "mma_n": "128",  # an input
    "inputs.num_heads": "32",
    "smem.free": "13580",
    "registers.pool.free": "2048",
}


def test_get_of_no_such_name_says_what_was_meant(spec: str) -> None:
    result = kcfg("derive", spec, "--get", "k_stage", "--get", "n_mbars")
    assert "did you mean 'k_stages'?" in result.stderr
    assert result.stdout == "14\n"
    assert result.exit_code == 2


def test_set_goes_over_the_file(spec: str) -> None:
    assert kcfg("derive", spec, "--set", "depth=64", "--get", "depth").stdout == "64\n"
    assert kcfg("derive", spec, "--set", "mma_n=96", "--get", "n_tokens").stdout == "3\n"


def test_release_and_target_go_over_the_file(spec: str) -> None:
    found = derived(spec, "--release", "26.7", "--target", "sm_103a")
    assert (found["release"], found["target"]) == ("26.7", "b300")


def test_a_target_without_the_tensor_cores_is_refused_with_the_reason(spec: str) -> None:
    result = kcfg("derive", spec, "--target", "h200")
    assert "needs tcgen05" in result.stderr and "wgmma" in result.stderr
    assert result.exit_code == 1


def test_presets_and_files_and_standard_input_go_together(spec: str) -> None:
    found = derived(spec, "-", "--preset", "llama-3-8b", "--preset", "mistral-7b", stdin=SPEC)
    assert [each["source"].partition("#")[0] for each in found] == [
        spec,
        "<stdin>",
        "preset:llama-3-8b",
        "preset:mistral-7b",
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "name a spec file"),
        (("--preset", "llama-3-9b"), "llama-3-8b"),
        (("a.yaml", "--format", "xml"), "jsonl"),
        (("a.yaml", "--set", "depth"), "key=value"),
        (("no-such-file.yaml",), "no-such-file.yaml"),
    ],
)
def test_wrong_usage_exits_2_and_says_what_would_do(arguments: tuple[str, ...], told: str) -> None:
    result = kcfg("derive", *arguments)
    assert told in result.stderr
    assert result.exit_code == 2


def test_an_unsupported_configuration_is_derived_and_exits_1(spec: str) -> None:
    result = kcfg("derive", spec, "--set", "BM_key=64", "--format", "json")
    report = json.loads(result.stdout)
    assert report["supported"] is False
    assert report["values"]["k_stages"] == 11
    assert "BM_key == 128" in report["findings"][0]["message"]
    assert result.exit_code == 1


def test_one_broken_spec_does_not_hide_the_others() -> None:
    result = kcfg("derive", "-", "--format", "jsonl", stdin=f"{SPEC}---\nkernel: [\n---{SPEC}")
    assert len(result.stdout.splitlines()) == 2
    assert "<stdin>:7:9: bracket" in result.stderr
    assert result.exit_code == 2


# Formats


def test_json_is_an_object_for_one_spec_and_a_list_for_several(spec: str) -> None:
    assert derived(spec)["name"] == "indexer"
    assert [each["name"] for each in derived(spec, spec)] == ["indexer", "indexer"]


ODD = """
---
name: "é 漢"
kernel: index_prefill
shape: {dtype: fp8, ks_dtype: f32, depth: 128, BM_key: 128, mma_n: 128, num_heads: 32}
---
kernel: launch
shape: {threads: 96, registers: {entry: 4000000000000000000, roles: [{warps: 3, count: 24}]}}
"""


def test_jsonl_is_ascii_whatever_a_name_or_number_holds(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"b\xe9d\x7f.yaml")
    file.write_text(ODD, encoding="utf-8")
    lines = kcfg("derive", str(file), "--format", "jsonl").stdout.splitlines()
    reports = [json.loads(line) for line in lines]
    assert [json.dumps(report, separators=(",", ":")) for report in reports] == lines
    assert reports[0]["name"] == "é 漢"
    assert max(finding["over"] or 0 for finding in reports[1]["findings"]) > 2**64


@pytest.mark.parametrize("preset", presets.names())
def test_jsonl_says_of_a_preset_what_json_says(preset: str) -> None:
    found = derived("--preset", preset)
    lines = kcfg("derive", "--preset", preset, "--format", "jsonl").stdout.splitlines()
    reports = found if isinstance(found, list) else [found]
    assert lines == [json.dumps(report, separators=(",", ":")) for report in reports]


def test_yaml_and_jsonl_say_what_json_says(spec: str) -> None:
    whole = derived(spec)
    assert yaml.safe_load(kcfg("derive", spec, "--format", "yaml").stdout) == whole
    assert json.loads(kcfg("derive", spec, "--format", "jsonl").stdout) == whole


def test_csv_has_a_row_for_every_input_and_value(spec: str) -> None:
    whole = derived(spec)
    rows = list(csv.DictReader(io.StringIO(kcfg("derive", spec, "--format", "csv").stdout)))
    assert [row["name"] for row in rows] == [*whole["inputs"], *whole["values"]]
    assert {"kind": "value", "name": "supported", "value": "true", "unit": "bool"}.items() <= next(
        row for row in rows if row["name"] == "supported"
    ).items()


def test_csv_has_a_row_for_every_key_of_a_launch(tmp_path: Path) -> None:
    (tmp_path / "launch.yaml").write_text(LAUNCH)
    written = kcfg("derive", str(tmp_path / "launch.yaml"), "--format", "csv").stdout
    rows = {row["name"]: row["value"] for row in csv.DictReader(io.StringIO(written))}
    assert rows == {
        "threads": "128",
        "registers.roles[0].name": "all",
        "registers.roles[0].warps": "4",
    }


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
def test_env_gives_every_value_a_variable_of_its_own(kernel: str, release: str) -> None:
    names = units(kernels.find(kernel, release))
    assert len({variable(name) for name in names}) == len(names)


def test_names_that_differ_in_case_alone_are_two_variables() -> None:
    text = "defines: g\ninputs: {n: 2}\nvalues: {x: n, X: 3, x_2: 4, X_: 5}\n"
    lines = kcfg("derive", "-", "--format", "env", stdin=text).stdout.splitlines()[1:]
    assert lines == ["KCFG_X=2", "KCFG_X_2=3", "KCFG_X_2_2=4", "KCFG_X_3=5"]


def test_env_can_be_evaluated_by_a_shell(spec: str) -> None:
    script = (
        kcfg("derive", spec, "--format", "env").stdout + 'echo "$KCFG_K_STAGES $KCFG_SUPPORTED"'
    )
    assert subprocess.run(["sh", "-c", script], capture_output=True, text=True).stdout == "5 true\n"


def test_the_table_says_the_verdict_first_and_maps_what_sits_where(spec: str) -> None:
    lines = kcfg("derive", spec).stdout.splitlines()
    assert lines[0] == "indexer: index_prefill 26.6 on b200"
    assert lines[2] == "supported"
    assert "Shared memory: 102,132 of 115,712 bytes used, 13,580 free" in lines
    assert "   16,384  81,920  80.0 KiB       5         k" in lines
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("preset", presets.names())
def test_tables_keep_to_80_columns(preset: str) -> None:
    lines = kcfg("derive", "--preset", preset, "--format", "full").stdout.splitlines()
    assert [line for line in lines if len(line) > 80] == []


# Layouts


EVERY_SHAPE = pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.id)


def block(shape: shapes.Shape) -> Block:
    return shapes.derive(shape.kernel, shape.release, shape.inputs).block


@EVERY_SHAPE
def test_regions_tile_shared_memory_exactly(shape: shapes.Shape) -> None:
    smem = block(shape).smem
    if smem is None or not smem.regions:
        pytest.skip("this configuration has no layout of shared memory")
    end = 0
    for region in smem.regions:
        if region.alias_of is None:
            assert region.offset == end
            assert region.offset % region.align == 0 or not shape.supported
            end = region.end
    assert end == smem.used


@EVERY_SHAPE
def test_groups_of_mbarriers_are_those_that_shared_memory_has(shape: shapes.Shape) -> None:
    smem, groups = block(shape).smem, block(shape).mbarriers
    if smem is None or not groups or not shape.supported:
        pytest.skip("mbarriers are not modelled, or upstream refuses their number with the rest")
    held = sum(region.bytes or 0 for region in smem.regions if region.mbarriers)
    assert sum(group.count or 0 for group in groups) * 8 == held


@EVERY_SHAPE
def test_tensor_memory_stays_within_what_is_allocated(shape: shapes.Shape) -> None:
    tmem = block(shape).tensor
    if tmem is None or tmem.unplaced or tmem.allocated is None:
        pytest.skip("this configuration has no layout of tensor memory")
    assert tmem.allocated & (tmem.allocated - 1) == 0
    for columns in tmem.regions:
        if columns.lane < (columns.lanes or 128):  # split_m addresses run past the lanes
            assert columns.column + columns.columns <= tmem.allocated


# What the command line says


@pytest.mark.parametrize("option", ["--release", "--target"])
def test_an_empty_option_is_a_mistake_and_does_not_override(option: str, spec: str) -> None:
    result = kcfg("derive", spec, option, "")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{option} is empty" in " ".join(result.stderr.split())


def test_get_takes_the_label_and_the_source(spec: str) -> None:
    whole = derived(spec)
    result = kcfg("derive", spec, "--get", "name", "--get", "source")
    assert result.stdout.splitlines() == [whole["name"], whole["source"]]


def test_nothing_that_a_terminal_acts_on_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[31m\nb.yaml"
    path.write_text(SPEC)
    for command in ("derive", "explain"):
        assert r"a\x1b[31m\nb.yaml" in kcfg(command, str(path)).stdout
    assert "\x1b" not in kcfg("derive", str(path), "--get", "\x1b[31m").stderr


LAUNCH = "kernel: launch\nshape: {threads: 128, registers: {roles: [{name: all, warps: 4}]}}"


def test_a_launch_is_shown_without_gaps_and_key_by_key() -> None:
    lines = kcfg("derive", "-", stdin=LAUNCH).stdout.splitlines()
    assert lines[0] == "launch on b200"
    words = [word for line in lines for word in line.split()]
    assert words[words.index("registers.roles[0].name") + 1] == "all"
    first = kcfg("derive", "-", "--format", "env", stdin=LAUNCH).stdout.splitlines()[0]
    assert "  " not in first


def headline(*arguments: str) -> str:
    text = " ".join(kcfg("derive", *arguments).stdout.split())
    return text.partition(" Inputs ")[0]


def test_the_headline_names_the_quantity_that_divides_where_the_count_is_another() -> None:
    arguments = ("--preset", "llama-3-8b", "--set", "qk_depth=64")
    report = derived(*arguments)
    text = headline(*arguments)
    assert f"slots_estimated: {report['values']['slots_estimated']} fit" in text
    assert f"makes num_kv_stages {report['values']['num_kv_stages']} (slots // 2)." in text
    assert report["values"]["slots_estimated"] != report["values"]["num_kv_stages"]


# The kernels


def test_a_launch_is_among_the_kernels_with_its_keys() -> None:
    assert "launch" in [
        each["name"] for each in json.loads(kcfg("kernels", "--format", "json").stdout)
    ]
    whole = json.loads(kcfg("kernels", "launch", "--format", "json").stdout)
    names = [each["name"] for each in whole["inputs"]]
    assert {"threads", "registers.launch_bounds[]", "registers.roles[].warps"} <= set(names)
    (fill,) = [each for each in whole["inputs"] if each["name"] == "tma[].oob_fill"]
    assert fill["choices"] == ["zero", "nan"]
    assert "zero or nan" in " ".join(kcfg("kernels", "launch").stdout.split())
    assert "launch" in kcfg("kernels", "nothing").stderr


# Terminals


@pytest.mark.parametrize("width", [20, 40, 80])
def test_no_cell_is_cut_at_a_terminal_of_any_width(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    rows = [Row((f"{10**count:,}", f"name_{count}", "words " * 9)) for count in range(9)]
    table = Table([Column("bytes", True), Column("name"), Column("what")], rows)
    pretty.draw([table])
    text = capsys.readouterr().out
    for row in rows:
        assert row.cells[0] in text
        assert row.cells[1] in text
    assert "…" not in text


def test_no_color_leaves_no_style_at_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    pretty.draw([Line("a", "strong")])
    assert "\x1b" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    pretty.draw([Line("a", "strong")])
    assert capsys.readouterr().out == "a\n"


@pytest.mark.parametrize("format", ["json", "yaml"])
def test_a_saved_report_is_told_from_a_spec(format: str, spec: str) -> None:
    saved = kcfg("derive", spec, "--format", format).stdout
    for command in ("derive", "explain"):
        result = kcfg(command, "-", stdin=saved)
        assert result.exit_code == 1
        (line,) = result.stderr.splitlines()
        assert "saved report" in line
