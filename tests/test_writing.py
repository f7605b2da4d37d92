"""Every command that writes a file: to what its path is, whole, and alone."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kcfg.cli.main import application
from kcfg.core import presets, saving

SPEC = presets.path("llama-3-8b")
SWEPT = ("sweep", SPEC, "--set", "BM=[64, 128]", "--columns", "BM,BN")
WRITERS = {
    "svg": ("draw", SPEC),
    "html": ("report", SPEC),
    "h": ("emit", SPEC, "--lang", "cpp"),
    "csv": SWEPT,
    "jsonl": SWEPT,
    "parquet": SWEPT,
    "png": ("sweep", SPEC, "--set", "BM=[64, 128]", "--plot", "x=BM y=BN"),
    "yaml": ("define", "--like", "index_prefill"),
}
"""What writes a file of each ending."""

each = pytest.mark.parametrize("ending", [ending for ending in WRITERS if ending != "yaml"])
"""A test of every writer that replaces what is there."""
every = pytest.mark.parametrize("ending", WRITERS)
"""A test of every writer."""


def run(ending: str, path: Path | str, *more: str) -> Result:
    for module in {"parquet": ["numpy", "pyarrow"], "png": ["numpy", "matplotlib"]}.get(
        ending, ["numpy"] if WRITERS[ending][0] == "sweep" else []
    ):
        pytest.importorskip(module)
    command = [*WRITERS[ending], "-o", str(path), *more]
    return CliRunner().invoke(application(command), command)


def written(ending: str, path: Path | str, *more: str) -> None:
    done = run(ending, path, *more)
    assert done.exit_code == 0, done.stderr


def left(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


# What a path is


@each
def test_a_link_is_followed_and_a_file_keeps_its_mode(tmp_path: Path, ending: str) -> None:
    file, link = tmp_path / f"real.{ending}", tmp_path / f"link.{ending}"
    file.write_text("old")
    file.chmod(0o750)
    link.symlink_to(file.name)
    written(ending, link)
    assert os.readlink(link) == file.name
    assert file.read_bytes() != b"old" and file.stat().st_mode & 0o7777 == 0o750
    written(ending, tmp_path / f"new.{ending}")
    if ending != "png":  # which names its time
        assert file.read_bytes() == (tmp_path / f"new.{ending}").read_bytes()
    assert left(tmp_path) == sorted(f"{name}.{ending}" for name in ("real", "link", "new"))


@each
def test_a_link_to_nothing_yet_makes_its_file(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"link.{ending}").symlink_to(f"real.{ending}")
    written(ending, tmp_path / f"link.{ending}")
    assert (tmp_path / f"real.{ending}").stat().st_size and left(tmp_path)[0] == f"link.{ending}"


@every
def test_what_is_read_only_stays_as_it_is(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"a.{ending}"
    file.write_text("old")
    file.chmod(0o444)
    refused = run(ending, file)
    assert refused.exit_code == 2 and "the file is read-only" in " ".join(refused.stderr.split())
    assert file.read_text() == "old" and file.stat().st_mode & 0o777 == 0o444
    assert left(tmp_path) == [file.name]


@every
@pytest.mark.parametrize("name", ["", " "])
def test_no_name_is_refused(ending: str, name: str) -> None:
    refused = run(ending, name)
    assert refused.exit_code == 2 and "--output is empty" in refused.stderr


def test_no_name_of_a_file_to_check_is_refused() -> None:
    command = ["emit", SPEC, "--lang", "cpp", "--check", ""]
    refused = CliRunner().invoke(application(command), command)
    assert refused.exit_code == 2 and "--check is empty" in refused.stderr


@every
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no/a", "there is no directory"),
        ("folder", "this is a directory"),
        ("circle", "this link leads back to itself"),
    ],
)
def test_what_cannot_be_written_is_told(tmp_path: Path, ending: str, name: str, why: str) -> None:
    (tmp_path / f"folder.{ending}").mkdir()
    (tmp_path / f"circle.{ending}").symlink_to(f"circle.{ending}")
    refused = run(ending, tmp_path / f"{name}.{ending}")
    assert refused.exit_code == 2 and why in " ".join(refused.stderr.split())
    assert left(tmp_path) == [f"circle.{ending}", f"folder.{ending}"]


@every
def test_a_pipe_is_written_to_as_it_is(tmp_path: Path, ending: str) -> None:
    pipe = tmp_path / f"pipe.{ending}"
    os.mkfifo(pipe)
    if ending == "parquet":
        assert "when all rows are there: name a file" in run(ending, pipe).stderr
        return
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    written(ending, pipe)
    reader.join(timeout=10)
    assert pipe.is_fifo() and left(tmp_path) == [pipe.name]
    written(ending, tmp_path / f"a.{ending}")
    if ending != "png":
        assert found == [(tmp_path / f"a.{ending}").read_bytes()]


@each
def test_a_dash_is_standard_output(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if ending == "parquet":
        assert run(ending, "-", "--format", ending).exit_code == 2
        return
    format = ("--format", ending) if ending in ("csv", "jsonl") else ()
    done = run(ending, "-", *format)
    assert done.exit_code == 0, done.stderr
    written(ending, f"a.{ending}")
    if ending != "png":  # on standard output it is an SVG
        assert done.stdout_bytes == Path(f"a.{ending}").read_bytes()
    assert left(tmp_path) == [f"a.{ending}"]


@pytest.mark.parametrize(
    ("ending", "name"), [("svg", "/dev/fd/1"), ("h", "/dev/stdout"), ("csv", "/dev/stdout")]
)
def test_an_open_file_is_written_to_where_it_stands(tmp_path: Path, ending: str, name: str) -> None:
    format = ("--format", "csv") if ending == "csv" else ()
    program = "from kcfg.cli.main import main; main()"
    command = [sys.executable, "-c", program, *WRITERS[ending], "-o", name, *format]
    piped = subprocess.run(command, capture_output=True, check=True).stdout
    file = tmp_path / "all.txt"
    file.write_text("before\n")
    with file.open("ab") as end:
        subprocess.run(command, stdout=end, stderr=subprocess.DEVNULL, check=True)
        end.write(b"after\n")
    assert piped and file.read_bytes() == b"before\n" + piped + b"after\n"


@each
def test_the_spec_is_not_written_over(tmp_path: Path, ending: str) -> None:
    spec, link = tmp_path / "spec.yaml", tmp_path / f"link.{ending}"
    spec.write_text(presets.text("llama-3-8b"))
    link.symlink_to(spec.name)
    command = [str(spec) if word == SPEC else word for word in WRITERS[ending]]
    refused = CliRunner().invoke(application(command), [*command, "-o", str(link)])
    assert refused.exit_code == 2 and "is the spec itself" in " ".join(refused.stderr.split())
    assert spec.read_text() == presets.text("llama-3-8b")


# Whole


@contextmanager
def little_room() -> Iterator[None]:
    """No file of this process may have more than some bytes meanwhile."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@each
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"a.{ending}"
    file.write_text("old")
    with little_room():
        full = run(ending, file)
    assert full.exit_code == 2 and "cannot be written: File too large" in full.stderr
    assert file.read_text() == "old" and left(tmp_path) == [file.name]


@every
def test_a_full_disk_leaves_no_new_file(tmp_path: Path, ending: str) -> None:
    with little_room():
        full = run(ending, tmp_path / f"a.{ending}")
    assert full.exit_code == 2 and "cannot be written: File too large" in full.stderr
    assert not left(tmp_path)


def test_a_definition_replaces_nothing(tmp_path: Path) -> None:
    file, link = tmp_path / "a.yaml", tmp_path / "link.yaml"
    written("yaml", file)
    before = file.read_bytes()
    link.symlink_to(file.name)
    for path in (file, link):
        refused = run("yaml", path)
        assert refused.exit_code == 2 and "exists already" in refused.stderr
    assert file.read_bytes() == before and left(tmp_path) == ["a.yaml", "link.yaml"]
    done = run("yaml", "-")
    assert done.exit_code == 0 and done.stdout_bytes == before


@every
def test_what_a_killed_run_left_is_in_nobody_s_way(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"a.{ending}"
    program = (
        "import os, sys\n"
        "from kcfg.core import saving\n"
        "with saving.alone(sys.argv[1]):\n"
        "    open(saving.beside(sys.argv[1], 'tmp'), 'w').write('half')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(file)], check=False)
    assert killed.returncode == -9 and len(left(tmp_path)) == 2
    written(ending, file)
    assert left(tmp_path) == [file.name]


# Alone


@every
def test_another_run_is_kept_out_and_told_by_whom(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "PATIENCE", 0)
    file, link = tmp_path / f"a.{ending}", tmp_path / f"link.{ending}"
    link.symlink_to(file.name)
    with saving.alone(str(file)):
        refused = run(ending, link)
        others = left(tmp_path)
    told = f"{link}: process {os.getpid()} on {os.uname().nodename} is writing this file"
    assert refused.exit_code == 2 and told in refused.stderr
    assert len(others) == 2 and not file.exists()
    written(ending, link)
    assert left(tmp_path) == [file.name, link.name]


def test_a_moment_s_writing_is_waited_for(tmp_path: Path) -> None:
    held = threading.Event()
    done = threading.Event()

    def hold() -> None:
        with saving.alone(str(tmp_path / "a")):
            held.set()
            done.wait(0.3)

    other = threading.Thread(target=hold)
    other.start()
    held.wait()
    assert saving.save(str(tmp_path / "a"), b"mine") is True
    other.join()
    assert left(tmp_path) == ["a"]
