"""The README is true: every command in it runs, and prints what it says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import programs
import pytest
import yaml

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def sessions() -> Iterator[tuple[str, str]]:
    """Every command of the README's console blocks, with the output shown under it."""
    for block in re.findall(r"^```console\n(.*?)^```$", README, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the README shows by ``cat``, or that one command writes for
    another: these may be asked in different processes."""
    folder = tmp_path_factory.mktemp("readme")
    shown = list(sessions())
    for command, output in shown:
        if command.startswith("cat "):
            (folder / command.removeprefix("cat ")).write_text(output, encoding="utf-8")
    for command, _ in shown:
        written = re.search(r" -o (\S+)", command)
        if written and any(written[1] in other for other, _ in shown if other != command):
            run(command, folder)
    return folder


def run(command: str, folder: Path) -> str:
    """What a terminal shows: a plain kcfg runs in this process, filters of it in theirs."""
    if not command.startswith("kcfg ") or "2>" in command:
        return shell(command, folder)
    asked, _, filters = command.partition(" | ")
    done = programs.run(*shlex.split(asked)[1:], cwd=folder)
    if not filters:
        return done.both.decode()
    return done.stderr + shell(filters, folder, done.stdout)


def shell(command: str, folder: Path, given: str = "") -> str:
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize(("command", "output"), list(sessions()), ids=[c for c, _ in sessions()])
def test_commands_print_what_the_readme_shows(command: str, output: str, desk: Path) -> None:
    assert run(command, desk) == output


def test_it_shows_every_command() -> None:
    from kcfg.cli.main import COMMANDS

    shown = "\n".join(command for command, _ in sessions())
    assert [name for name in COMMANDS if f"kcfg {name}" not in shown] == []


def test_it_sets_up_with_two_commands() -> None:
    blocks = re.findall(r"^## ([^\n]*)\n+```sh\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert [heading for heading, _ in blocks] == ["Install", "Test"]
    assert README.count("```sh") == len(blocks)
    assert all(len(commands.splitlines()) == 1 for _, commands in blocks)


def test_its_links_lead_to_its_headings() -> None:
    headings = re.findall(r"^##+ (.*)$", README, re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", each.lower()).replace(" ", "-") for each in headings}
    asked = re.findall(r"\]\(#([^)]*)\)", README)
    assert asked and [each for each in asked if each not in anchors] == []


def test_its_local_hook_is_the_one_that_is_shipped() -> None:
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    (repository,) = yaml.safe_load(block)["repos"]
    (shown,) = repository["hooks"]
    shipped = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (hook,) = (each for each in shipped if each["id"] == shown["id"])
    del hook["description"]
    assert (repository["repo"], shown) == ("local", hook | {"language": "system"})
