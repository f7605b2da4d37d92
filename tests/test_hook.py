"""The hook ``kcfg-validate``: quick to start, one with ``kcfg validate``, and run by pre-commit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import shapes
import yaml
from typer.testing import CliRunner

from kcfg.cli import hook
from kcfg.cli.formats import names
from kcfg.cli.main import application
from kcfg.core import presets

ROOT = Path(__file__).parent.parent
PACKAGE = ("cli", "core", "presets", "LICENSE", "pyproject.toml")
HOOKS = ".pre-commit-hooks.yaml"

NEVER = {
    "argparse",
    "ast",
    "dataclasses",
    "difflib",
    "importlib.metadata",
    "inspect",
    "json",
    "logging",
    "numpy",
    "pathlib",
    "rich",
    "subprocess",
    "tomllib",
    "typer",
    "urllib",
}
"""What no good run of the hook may import."""

LAUNCH = "kernel: launch\nshape:\n  threads: 384\n  shared: {dynamic: 232448}\n"
BAD = LAUNCH.replace("232448", "233472")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.kcfg.yaml").write_text(LAUNCH)
    (tmp_path / "bad.kcfg.yaml").write_text(BAD)
    return tmp_path


# In a fresh process


def fresh(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the hook as its console script does; the modules that it imported go to stderr."""
    program = (
        "import os, sys\n"
        "before = set(sys.modules)\n"
        "def leave(code):\n"
        "    print(*sorted(set(sys.modules) - before), file=sys.stderr)\n"
        "    sys.exit(code)\n"
        "os._exit = leave\n"
        "from kcfg.cli.hook import main\n"
        "main()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )


def test_a_good_run_imports_nothing_it_does_not_need(folder: Path) -> None:
    # Upstream's MLA prefill mixes register counts in a warpgroup: SMR006 warns of that, and what
    # is found is located, which takes more; so does it to read a definition.
    python = {name for name, _ in shapes.IN_PYTHON} - {"mla_prefill"}
    of = re.compile("^kernel: (.*)$", re.MULTILINE)
    named = {name: of.findall(presets.text(name))[0] for name in presets.names()}
    found = [name for name, kernel in named.items() if kernel not in python]
    several = [presets.path(name) for name in named if name not in found]
    assert 0 < len(found) < len(several)
    (folder / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    done = fresh(folder, "good.kcfg.yaml", *several)
    assert done.returncode == 0, done.stderr
    imported = set(done.stderr.split())
    assert "kcfg.core.rules.shared_memory" in imported
    assert NEVER & imported == set()


def test_a_bad_run_says_so(folder: Path) -> None:
    done = fresh(folder, "bad.kcfg.yaml", "good.kcfg.yaml")
    assert done.returncode == 1
    assert "\nbad.kcfg.yaml:4:12: error SMEM001 " in f"\n{done.stdout}"
    assert "2 files, 2 specs: " in done.stdout


def test_it_leaves_quietly_when_nobody_listens(folder: Path) -> None:
    program = "from kcfg.cli.hook import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", program, *["bad.kcfg.yaml"] * 1, "good.kcfg.yaml"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


# One with kcfg validate


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--format", "github"),
        ("--format=sarif", "--info"),
        ("--select", "SMEM", "--ignore=SMEM002", "--max-findings", "1"),
        ("--strict", "--target", "rtx_5090"),
        ("--no-strict",),
    ],
)
def test_both_programs_say_the_same(
    folder: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    files = ("bad.kcfg.yaml", "good.kcfg.yaml")
    result = CliRunner().invoke(application(["validate"]), ["validate", *options, *files])
    assert hook.run([*options, *files]) == result.exit_code
    assert capsys.readouterr().out == result.stdout


@pytest.mark.parametrize(
    "arguments", [(), ("--format", "html", "a"), ("--max-findings", "x", "a"), ("--wrong", "a")]
)
def test_wrong_usage_exits_2(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        hook.run(arguments)
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("usage: kcfg-validate")


def test_the_options_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        hook.run(["--help"])
    ours = capsys.readouterr().out
    theirs = CliRunner().invoke(application(["validate"]), ["validate", "--help"]).stdout
    assert all(name in ours for name in names("validate"))
    flags = set(re.findall(r"--[a-z-]+", ours))
    assert flags == set(re.findall(r"--[a-z-]+", theirs))


# With pre-commit


def test_the_hook_is_declared() -> None:
    hooks = {each["id"]: each for each in yaml.safe_load((ROOT / HOOKS).read_text())}
    declared = hooks["kcfg-validate"]
    with (ROOT / "pyproject.toml").open("rb") as file:
        scripts = tomllib.load(file)["project"]["scripts"]
    assert declared["entry"] in scripts and declared["language"] == "python"
    taken = re.compile(declared["files"])
    assert taken.search("deep/a.kcfg.yaml") and taken.search("a.kcfg.yml")
    assert not taken.search("a.yaml") and not taken.search("a.kcfg.yaml.txt")


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    who = ("-c", "user.name=test", "-c", "user.email=test@example.com")
    return subprocess.run(
        ["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def committed(folder: Path, message: str) -> subprocess.CompletedProcess[str]:
    git(folder, "add", "--all")
    return git(folder, "commit", "--message", message)


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    """A repository of this project as it is in the working tree."""
    clone = tmp_path / "kcfg"
    clone.mkdir()
    for name in (*PACKAGE, HOOKS):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, clone / name)
    (clone / "README.md").touch()  # what the package's description is read from
    git(clone, "init", "--quiet")
    assert committed(clone, "As it is").returncode == 0
    return clone


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_pre_commit_lets_good_specs_pass_and_stops_bad_ones(
    tmp_path: Path, hooks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pre_commit")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    for name in ("PYTHONPATH", "GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    user = tmp_path / "user"
    user.mkdir()
    git(user, "init", "--quiet")
    config = {
        "repos": [
            {
                "repo": str(hooks),
                "rev": git(hooks, "rev-parse", "HEAD").stdout.strip(),
                "hooks": [{"id": "kcfg-validate"}],
            }
        ]
    }
    (user / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    installed = subprocess.run(
        [sys.executable, "-m", "pre_commit", "install", "--install-hooks"],
        cwd=user,
        capture_output=True,
        text=True,
        check=False,
    )
    if installed.returncode:
        said = installed.stdout + installed.stderr
        if re.search("No matching distribution|ConnectionError|Temporary failure", said):
            pytest.skip("pip cannot install here: no package index")
        pytest.fail(said)

    (user / "good.kcfg.yaml").write_text(LAUNCH)
    (user / "notes.yaml").write_text("kernel: none of ours\n")
    good = committed(user, "A good spec")
    assert good.returncode == 0, good.stderr

    (user / "bad.kcfg.yml").write_text(BAD)
    bad = committed(user, "A bad spec")
    assert bad.returncode == 1
    assert "bad.kcfg.yml:4:12: error SMEM001" in bad.stdout + bad.stderr
    assert git(user, "log", "--format=%s").stdout.split("\n")[:1] == ["A good spec"]

    (user / "bad.kcfg.yml").write_text(LAUNCH)
    assert committed(user, "Mended").returncode == 0
