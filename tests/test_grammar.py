"""One grammar for every command: what may be named, what options go before it, how it exits."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import Result
from typer.testing import CliRunner

from kcfg.cli.main import COMMANDS, application
from kcfg.core import presets

PRESET = "deepseek-v3-2-index"
TEXT = presets.text(PRESET)
LOG = """\
ptxas info    : Compiling entry function 'k' for 'sm_100a'
ptxas info    : Used 128 registers, used 1 barriers
"""


class Usage(NamedTuple):
    """How a command that takes specs is called: the words around those that name a spec."""

    command: str
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()

    def line(self, *spec: str) -> list[str]:
        return [self.command, *self.before, *spec, *self.behind]


USAGES = (
    Usage("derive", behind=("--get", "k_stages")),
    Usage("explain", behind=("k_stages",)),
    Usage("diff", before=("same.yaml",)),
    Usage("validate"),
    Usage("check", behind=("build.log",)),
    Usage("draw"),
    Usage("report", behind=("-o", "-")),
    Usage("emit", behind=("--lang", "cuda")),
    Usage("sweep", behind=("--columns", "k_stages")),
)
every = pytest.mark.parametrize("usage", USAGES, ids=lambda usage: usage.command)


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("numpy")  # for the sweep
    monkeypatch.chdir(tmp_path)
    (tmp_path / "same.yaml").write_text(TEXT)
    (tmp_path / "build.log").write_text(LOG)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "a.kcfg.yaml").write_text(TEXT)
    (tmp_path / "empty").mkdir()
    return tmp_path


def run(line: list[str], stdin: str | None = None) -> Result:
    return CliRunner().invoke(application(line), line, input=stdin)


def said(result: Result) -> str:
    """Everything that was written, on one line."""
    return " ".join((result.stdout + result.stderr).split())


def test_these_are_all_commands_that_take_specs() -> None:
    others = {"define", "model", "presets", "kernels", "targets", "rules", "schema"}
    assert {usage.command for usage in USAGES} == set(COMMANDS) - others


@every
@pytest.mark.parametrize("spec", ["same.yaml", "specs", "-", PRESET, f"--preset={PRESET}"])
def test_a_spec_is_a_file_a_directory_standard_input_or_a_preset(usage: Usage, spec: str) -> None:
    result = run(usage.line(spec), TEXT)
    assert result.exit_code == 0, result.stderr


@every
def test_a_file_of_a_presets_name_wins(usage: Usage, desk: Path) -> None:
    (desk / PRESET).write_text("kernel: no-such-kernel\nshape: {}\n")
    assert "unknown kernel 'no-such-kernel'" in said(run(usage.line(PRESET)))
    assert run(usage.line(f"--preset={PRESET}")).exit_code == 0


OPTIONS = (
    ("--set", "mma_n=64"),
    ("--release", "26.7"),
    ("--target", "b300"),
    ("--set", "name=other"),
)


@every
@pytest.mark.parametrize("option", OPTIONS, ids="=".join)
def test_options_go_before_what_specs_say(usage: Usage, option: tuple[str, str]) -> None:
    result = run(usage.line(PRESET, *option))
    assert result.exit_code in (0, 1) and not result.stderr.startswith("Usage")
    wrong = run(usage.line(PRESET, "--set", "mma_n=256"))
    alike = usage.command == "diff"  # both sides are set
    assert wrong.exit_code == (0 if alike or usage.command == "sweep" else 1)


ASKED = {
    "a preset": ("--preset=deepseek-v3-2-indx",),
    "a release": (PRESET, "--release", "26.8"),
    "a target": (PRESET, "--target", "b200x"),
    "a key": (PRESET, "--set", "MMA_n=64"),
    "a kind of value": (PRESET, "--set", "mma_n=many"),
    "a value": (PRESET, "--set", "mma_n=-64"),
    "an assignment": (PRESET, "--set", "mma_n"),
    "an option": (PRESET, "--wrong"),
    "a file": ("nowhere.yaml",),
    "a spec": ("empty",),
}
"""What is wrong on the command line, or cannot be read: exit code 2."""


@every
@pytest.mark.parametrize("words", ASKED.values(), ids=ASKED)
def test_what_cannot_be_done_as_asked_exits_2(usage: Usage, words: tuple[str, ...]) -> None:
    result = run(usage.line(*words))
    assert result.exit_code == 2, said(result)
    assert result.stdout == "" or usage.command in ("validate", "check")


WRITTEN = {
    "kernel": TEXT.replace("index_prefill", "index_prefil"),
    "release": re.sub("release: .*", "release: 26.8", TEXT),
    "target": "target: b200x\n" + TEXT,
    "key": TEXT.replace("mma_n", "MMA_n"),
    "value": re.sub("mma_n: .*", "mma_n: many", TEXT),
    "GPU": "target: h100\n" + TEXT,
}
"""What a file may say wrongly: exit code 1."""


@every
@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_what_a_file_says_wrongly_exits_1(usage: Usage, text: str, desk: Path) -> None:
    (desk / "wrong.yaml").write_text(text)
    result = run(usage.line("wrong.yaml"))
    assert result.exit_code == 1, said(result)


@every
@pytest.mark.parametrize("text", ["kernel: [", "", "a: b: c"], ids=["bracket", "empty", "colons"])
def test_what_cannot_be_parsed_exits_2(usage: Usage, text: str) -> None:
    assert run(usage.line("-"), text).exit_code == 2


@every
def test_nothing_named_exits_2(usage: Usage) -> None:
    words = [usage.command, *(word for word in usage.behind if usage.command != "explain")]
    result = run(words)
    assert result.exit_code == 2 and result.stdout == ""


@pytest.mark.parametrize(
    "line",
    [
        ["explain", "--kernel", "fa5", "BN"],
        ["kernels", "fa5"],
        ["schema", "fa5"],
        ["presets", "lama"],
        ["targets", "b2000"],
        ["rules", "XYZ001"],
    ],
    ids=lambda line: line[0],
)
def test_a_name_that_is_none_exits_2(line: list[str]) -> None:
    assert run(line).exit_code == 2


def test_a_release_leaves_launches_as_they_are(desk: Path) -> None:
    (desk / "specs" / "launch.yaml").write_text("kernel: launch\nshape: {threads: 128}\n")
    result = run(["validate", "specs", "--release", "26.7", "--quiet"])
    assert result.exit_code == 0 and result.stdout == ""


def test_a_saved_report_is_taken_as_it_is(desk: Path) -> None:
    (desk / "saved.json").write_text(run(["derive", PRESET, "--format", "json"]).stdout)
    assert run(["validate", "saved.json"]).exit_code == 0
    for option in OPTIONS:
        result = run(["validate", "saved.json", *option])
        assert result.exit_code == 2 and "taken as it is" in result.stdout


def test_one_configuration_is_compared_with_many() -> None:
    names = ["llama-3-8b", "mistral-7b", "specs", "--preset", "llama-3-70b"]
    result = run(["diff", *names, "--stat"])
    rows = [line.split() for line in result.stdout.splitlines()]
    assert result.exit_code == 1
    assert [row[:4] for row in rows[1:-1]] == [
        ["llama-3-8b", "mistral-7b", "0", "0"],
        ["llama-3-8b", "deepseek-v3-2-index", "1", "6"],
        ["llama-3-8b", "llama-3-70b", "2", "2"],
    ]
    assert rows[-1] == ["2", "of", "3", "differ"]
    assert run(["diff", *names, "--stat", "--format", "json"]).exit_code == 2
    assert run(["diff", *names, "--stat", "--format", "markdown"]).stdout.startswith("| old |")


@pytest.mark.parametrize("columns", [40, 120])
def test_columns_are_those_of_the_environment(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = run(["explain", "llama-3-8b"]).stdout.splitlines()
    assert columns - 20 < max(map(len, lines)) <= columns
    monkeypatch.setenv("COLUMNS", "wide")
    assert 60 < max(map(len, run(["explain", "llama-3-8b"]).stdout.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS)
def test_help_puts_what_may_be_left_out_in_one_pair_of_brackets(command: str) -> None:
    said = run([command, "--help"]).stdout
    usage = said.partition("\n")[0]
    assert usage.startswith("Usage: ") and "[[" not in usage and "]]" not in usage
    assert not re.search(r"--[a-z]+ <int", said)
    assert ("FILE#2 is" in " ".join(said.split())) is (command in {each.command for each in USAGES})


def test_what_emit_needs_is_listed() -> None:
    for line in (["emit", PRESET], ["emit", PRESET, "--lang", ""]):
        result = run(line)
        assert result.exit_code == 2
        assert "name a language: cpp, cuda, mojo, python" in result.stderr


@every
@pytest.mark.parametrize("number", ["#2", "#2:20"])
def test_one_document_of_several_is_named_as_output_names_it(usage: Usage, number: str) -> None:
    Path("two.yaml").write_text(f"kernel: nonesuch\n---\n{TEXT}")
    result = run(usage.line(f"two.yaml{number}"))
    assert result.exit_code == 0, result.output
    assert "nonesuch" not in result.output
    assert run(usage.line("two.yaml")).exit_code
    result = run(usage.line("two.yaml#1"))
    assert result.exit_code and "two.yaml:1:9" in result.output


@every
def test_a_document_that_is_not_there_is_told(usage: Usage) -> None:
    result = run(usage.line("same.yaml#2"))
    assert result.exit_code == 2
    assert "no document #2 is here: the last is #1" in result.output
    Path("same.yaml#2").write_text(TEXT)  # which is a file's own name
    assert run(usage.line("same.yaml#2")).exit_code == 0


def test_a_definition_and_a_spec_of_it_are_picked_apart() -> None:
    Path("one.yaml").write_text(
        "defines: one\ninputs: {n: 1}\nvalues: {twice: 2 * n}\n---\n"
        "defines: two\ninputs: {n: 1}\nvalues: {twice: 3 * n}\n---\n"
        "kernel: two\nshape: {n: 5}\n---\nkernel: one\nshape: {n: 7}\n"
    )
    for number, value in ((1, "2"), (2, "3"), (3, "15"), (4, "14")):
        got = run(["derive", f"one.yaml#{number}", "--get", "twice"])
        assert got.stdout.split() == [value], number
        swept = run(["sweep", f"one.yaml#{number}", "--columns", "twice", "--format", "csv"])
        assert swept.stdout.split() == ["twice", value], number
    refused = run(["sweep", "one.yaml"])
    assert refused.exit_code == 1 and "name one by its number, as one.yaml#3" in refused.stderr
    result = run(["draw", "one.yaml#3", "-o", "one.yaml"])
    assert result.exit_code == 2 and "is the spec itself" in result.stderr


WAIVED = """\
kernel: launch
shape:
  threads: 128
  shared:
    dynamic: 233472  # kcfg: ignore[SMEM001] the driver has more
---
kernel: launch
shape: {threads: 128, shared: {dynamic: 233472}, tmem: {allocations: [48]}}
"""


def test_the_summary_counts_what_is_waived() -> None:
    result = run(["validate", "-", "--select", "SMEM001,TMEM001"], WAIVED)
    assert result.stdout.endswith("1 file, 2 specs: 2 errors, 0 warnings; 1 waived\n")


def test_findings_are_counted_by_rule() -> None:
    line = ["validate", "-", "--select", "SMEM001,TMEM001", "--statistics"]
    table = [row.split()[:4] for row in run(line, WAIVED).stdout.splitlines()]
    for row in (["1", "1", "SMEM001", "error"], ["1", "0", "TMEM001", "error"]):
        assert row in table
    counts = (
        '"rule": "SMEM001",\n      "severity": "error",\n      "findings": 1,\n      "waived": 1'
    )
    assert counts in run([*line, "--format", "json"], WAIVED).stdout
    assert run([*line, "--format", "sarif"], WAIVED).exit_code == 2


def test_quiet_leaves_the_findings() -> None:
    result = run(["validate", "-", "--select", "SMEM001", "--quiet"], WAIVED)
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == ["<stdin>"]


def test_the_hook_takes_the_same(desk: Path) -> None:
    arguments = ["--preset", PRESET, "specs", "--set", "mma_n=256", "--release", "26.7", "-q"]
    command = [sys.executable, "-m", "kcfg.cli.hook", *arguments]
    done = subprocess.run(command, cwd=desk, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, run(["validate", *arguments]).stdout)
