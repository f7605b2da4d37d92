"""Shell completion, by asking it what shells ask."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kcfg.cli.main import COMMANDS, application
from kcfg.core import kernels, presets, targets
from kcfg.core.report import units
from kcfg.core.validate.catalog import known

SCRIPT = Path(sys.executable).parent / "kcfg"


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if not SCRIPT.exists():
        pytest.skip(f"kcfg is not installed as {SCRIPT}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.kcfg.yaml").write_text(presets.text("deepseek-v3-2-index"))
    (tmp_path / "broken.yaml").write_text("kernel: [")
    return tmp_path


def kcfg(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(SCRIPT), *arguments]
    environment = {**os.environ, **environment}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def offered(line: str, shell: str = "bash") -> list[str]:
    """What completes a line; its last word is the one that is being typed."""
    asked = {
        "bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }
    with pytest.MonkeyPatch.context() as patched:
        for name, value in {"_KCFG_COMPLETE": f"complete_{shell}", **asked[shell]}.items():
            patched.setenv(name, value)
        done = CliRunner().invoke(application([]), prog_name="kcfg")
    assert done.exit_code == 0 and not done.stderr, done.stderr
    return done.stdout.splitlines()


def test_commands_and_options() -> None:
    assert set(COMMANDS) <= set(offered("kcfg "))
    assert offered("kcfg de") == ["derive", "define"]
    assert offered("kcfg validate --re") == ["--release"]
    assert offered("kcfg sweep --par") == ["--pareto"]


INDEX = kernels.find("index_prefill", "26.6")
LINES: dict[str, list[str]] = {
    "kernels ": [*kernels.names(), "launch"],
    "schema fa": ["fa4", "fa4_cute", "fa4_cute_bwd"],
    "explain --kernel ml": ["mla_decode", "mla_prefill", "mla_sparse"],
    "presets mi": ["mistral-7b", "mixtral-8x7b"],
    "derive --preset llama-3-8b-2": ["llama-3-8b-25-6", "llama-3-8b-26-7"],
    "derive mi": ["mistral-7b", "mixtral-8x7b", "mine.kcfg.yaml"],
    "check mist": ["mistral-7b"],
    "sweep br": ["broken.yaml"],
    "diff llama-3-8b mist": ["mistral-7b"],
    "explain mist": ["mistral-7b"],
    "targets ": list(targets.names()),
    "validate --target b": [name for name in targets.names() if name.startswith("b")],
    "derive mine.kcfg.yaml --release ": list(kernels.releases("index_prefill")),
    "emit llama-3-8b --release ": list(kernels.releases("fa4")),
    "rules SMR00": [rule.id for rule in known() if rule.id.startswith("SMR00")],
    "validate --select BAR": ["BAR001", "BAR002", "BAR003", "BAR004", "BAR005"],
    "explain mine.kcfg.yaml k_st": ["k_stage_bytes", "k_stages"],
    "explain mine.kcfg.yaml occ": ["occupancy"],
    "explain --preset llama-3-8b num_kv": ["num_kv_heads", "num_kv_stages"],
    "explain --kernel index_prefill k_st": ["k_stage_bytes", "k_stages"],
    "derive mine.kcfg.yaml --get k_st": ["k_stage_bytes", "k_stages"],
    "derive --preset llama-3-8b --get smem.f": ["smem.free"],
    "derive mine.kcfg.yaml --set ": [
        *(f"{member.key}=" for member in INDEX.inputs.values()),
        *(f"{spelling.word}=" for spelling in INDEX.spellings),
        "name=",
    ],
    "sweep mine.kcfg.yaml --columns depth,k_st": ["depth,k_stage_bytes", "depth,k_stages"],
    "emit --lang c": ["cpp", "cuda"],
    "validate --format s": ["sarif"],
    "derive broken.yaml --get num_kv_st": ["num_kv_stages"],
}


@pytest.mark.parametrize(("line", "words"), LINES.items(), ids=LINES)
def test_names_that_kcfg_knows(line: str, words: list[str]) -> None:
    assert sorted(offered(f"kcfg {line}")) == sorted(words)


def test_names_of_a_spec_are_all_its_values_and_inputs() -> None:
    found = set(offered("kcfg explain mine.kcfg.yaml "))
    inputs = {member.key for member in INDEX.inputs.values()}
    assert found == set(units(INDEX)) | inputs | {"occupancy"}


def test_the_keys_of_a_launch_are_offered_by_their_paths(desk: Path) -> None:
    (desk / "launch.yaml").write_text("{kernel: launch, shape: {pipelines: [{}, {}]}}")
    line = "kcfg derive launch.yaml --set "
    assert offered(f"{line}shared.dy") == ["shared.dynamic="]
    assert "pipelines[1].stages=" in offered(f"{line}pipelines[1].s")
    assert "mbarriers[0].count=" not in offered(f"{line}mbarriers[")


def test_every_shell_is_answered() -> None:
    assert "mistral-7b" in offered("kcfg derive mist", "fish")[0]
    assert '"mistral-7b"' in "".join(offered("kcfg derive mist", "zsh"))
    assert offered("kcfg derive mist", "bash") == ["mistral-7b"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_it_is_shown_and_installed(shell: str, tmp_path: Path) -> None:
    shown = kcfg("--show-completion", shell)
    assert shown.returncode == 0 and "_KCFG_COMPLETE" in shown.stdout
    done = kcfg("--install-completion", shell, HOME=str(tmp_path))
    assert done.returncode == 0 and f"{shell} completion installed in" in done.stdout
    written = [path.read_text() for path in tmp_path.rglob("*") if "kcfg" in path.name.lower()]
    assert any(f"complete_{shell}" in text for text in written)


def test_bash_itself_completes() -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    program = (
        "source <(kcfg --show-completion bash); COMP_WORDS=(kcfg derive mist); COMP_CWORD=2; "
        '_kcfg_completion kcfg; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    path = f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [bash, "--norc", "-c", program],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "mistral-7b\n"


def test_a_normal_start_does_not_import_it() -> None:
    program = (
        "import sys; from kcfg.cli.main import application\n"
        "application(sys.argv[1:])(standalone_mode=False)\n"
        "assert not [name for name in sys.modules if 'completion' in name and 'kcfg' in name]\n"
        "assert 'shellingham' not in sys.modules or 'typer.completion' in sys.modules\n"
    )
    command = [sys.executable, "-c", program, "derive", "--preset", "llama-3-8b", "--get", "BN"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "128\n"
