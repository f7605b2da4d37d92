"""The package is whole: every folder is installed, and nothing heavy is imported early."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from kcfg.cli.main import COMMANDS

ROOT = Path(__file__).parent.parent


def test_every_folder_of_modules_is_installed() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        listed = tomllib.load(file)["tool"]["setuptools"]["packages"]
    folders = {"kcfg"} | {
        ".".join(("kcfg", *module.parent.relative_to(ROOT).parts))
        for top in ("cli", "core", "presets")
        for module in (ROOT / top).rglob("*.py")
    }
    folders = folders - {"kcfg.core.public"} | {"kcfg"}  # the library is the package itself
    lacking = [f'"{each}",' for each in sorted(folders - set(listed))]
    assert lacking == [], f"pyproject.toml: [tool.setuptools] packages lacks {' '.join(lacking)}"
    assert sorted(listed) == sorted(folders), "pyproject.toml lists a folder without modules"


def test_every_command_is_offered() -> None:
    files = {path.stem for path in (ROOT / "cli" / "commands").glob("[!_]*.py")}
    assert files == set(COMMANDS), (
        "COMMANDS of cli/main.py lists the files of cli/commands, in order"
    )


def test_the_library_is_seen_by_type_checkers() -> None:
    linked = {path.name for path in (ROOT / ".typing" / "kcfg").glob("*.py")}
    assert linked == {path.name for path in (ROOT / "core" / "public").glob("*.py")}, (
        "each module of core/public has a link in .typing/kcfg"
    )


def test_every_data_file_is_shipped() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        listed = tomllib.load(file)["tool"]["setuptools"]
    homes = {ROOT / folder: package for package, folder in listed["package-dir"].items()}
    for top in ("cli", "core", "presets"):
        for path in (ROOT / top).rglob("*"):
            if path.is_file() and path.suffix not in (".py", ".pyc"):
                home = next(folder for folder in path.parents if folder in homes)
                folders = [each for each in path.parents if each.is_relative_to(home)]
                assert any(
                    fnmatch(str(path.relative_to(folder)), pattern)
                    for folder in folders
                    for pattern in listed["package-data"].get(
                        ".".join((homes[home], *folder.relative_to(home).parts)), ()
                    )
                ), path.relative_to(ROOT)


HEAVY = {
    "rich",
    "numpy",
    "jsonschema",
    "kcfg.core.engine.formula",
    "kcfg.core.explain.explanation",
    "kcfg.core.diff",
}


@pytest.mark.parametrize(
    "command",
    [
        ("derive", "--preset", "llama-3-8b", "--get", "num_kv_stages"),
        ("derive", "--preset", "llama-3-8b", "--format", "jsonl"),
    ],
)
def test_fast_paths_import_nothing_heavy(command: tuple[str, ...]) -> None:
    program = (
        "import sys, typer\n"
        "before = set(sys.modules)\n"
        "from kcfg.cli.main import application\n"
        "application(sys.argv[1:])(standalone_mode=False)\n"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *command], capture_output=True, text=True, check=True
    )
    assert HEAVY.isdisjoint(done.stderr.split())
