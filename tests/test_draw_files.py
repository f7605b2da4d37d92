"""What ``kcfg draw -o`` leaves behind: a whole file or none, one line on trouble, exit codes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from pictured import REFUSED, run


@pytest.fixture
def refused(tmp_path: Path) -> str:
    path = tmp_path / "refused.yaml"
    path.write_text(REFUSED)
    return str(path)


def test_it_writes_an_svg_file(tmp_path: Path) -> None:
    path = tmp_path / "map.svg"
    result = run("--preset", "llama-3-8b", "-o", str(path))
    assert (result.exit_code, result.output) == (0, "")
    ET.parse(path)
    assert os.listdir(tmp_path) == ["map.svg"]


def test_it_writes_to_standard_output() -> None:
    ET.fromstring(run("--preset", "llama-3-8b", "-o", "-").stdout)


def test_what_is_not_supported_is_drawn_and_exits_1(refused: str, tmp_path: Path) -> None:
    path = tmp_path / "map.svg"
    assert run(refused, "-o", str(path)).exit_code == 1
    assert "NOT SUPPORTED" in path.read_text(encoding="utf-8")
    result = run(refused)
    assert result.exit_code == 1
    assert "NOT SUPPORTED" in result.stdout


@pytest.mark.parametrize(("spec", "code"), [("no-such.yaml", 2), ("wrong.yaml", 1)])
def test_where_a_spec_cannot_be_had_nothing_is_written(
    spec: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "wrong.yaml").write_text(REFUSED.replace("group: 4", "groups: 4"))
    path = tmp_path / "map.svg"
    result = run(str(tmp_path / spec), "--preset", "llama-3-8b", "-o", str(path))
    assert result.exit_code == code
    assert spec in result.stderr
    assert not path.exists()


def test_a_directory_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "none" / "map.svg"
    result = run("--preset", "llama-3-8b", "-o", str(path))
    assert result.exit_code == 2
    assert result.stderr == f"{path}: there is no directory {path.parent}; create it first\n"


def test_a_directory_as_file_is_one_line(tmp_path: Path) -> None:
    result = run("--preset", "llama-3-8b", "-o", str(tmp_path))
    assert result.exit_code == 2
    assert result.stderr == f"{tmp_path}: this is a directory; name a file in it\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "map.svg"
    path.write_text("before")
    path.chmod(0o444)
    result = run("--preset", "llama-3-8b", "-o", str(path))
    assert (result.exit_code, path.read_text()) == (2, "before")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_device_is_one_line() -> None:
    result = run("--preset", "llama-3-8b", "-o", "/dev/full")
    assert result.exit_code == 2
    assert result.stderr == "/dev/full: cannot be written: No space left on device\n"
    assert os.path.exists("/dev/full")


def test_a_disk_that_fills_up_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "map.svg"
    path.write_text("before")
    done = subprocess.run(
        [sys.executable, "-m", "kcfg.cli", "draw", "--preset", "llama-3-8b", "-o", str(path)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["map.svg"]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    real, link = tmp_path / "real.svg", tmp_path / "link.svg"
    real.write_text("before")
    link.symlink_to(real)
    assert run("--preset", "llama-3-8b", "-o", str(link)).exit_code == 0
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize("name", ["map.png", "map.PDF"])
def test_other_kinds_of_file_are_refused(name: str, tmp_path: Path) -> None:
    result = run("--preset", "llama-3-8b", "-o", str(tmp_path / name))
    assert result.exit_code == 2
    assert "draw writes SVG" in result.stderr
    assert not (tmp_path / name).exists()
