"""Programs as they are started: their streams, their ends, and what they need."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import programs
import pytest
from typer.testing import CliRunner

from kcfg.cli import console, formats
from kcfg.cli.main import application
from kcfg.core import presets, printing

ROOT = Path(__file__).parent.parent
PRESET = ("--preset", "llama-3-8b")
NAMED = ("--set", 'name="Größe ✓"', *PRESET)


def kcfg(
    *arguments: str | Path, program: str = "main", optimized: str = "", **more: Any
) -> subprocess.CompletedProcess[Any]:
    """A program of kcfg with these arguments."""
    code = f"from kcfg.cli.{program} import main; main()"
    flags = [optimized] if optimized else []
    command = [sys.executable, *flags, "-c", code, *map(str, arguments)]
    more = {"capture_output": True, "text": True, "check": False, **more}
    return subprocess.run(command, **more)


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, **more}


# What is a file of its own is UTF-8


DOCUMENTS = {
    "report": ("report", "-o", "-", *NAMED),
    "draw": ("draw", "-o", "-", *NAMED),
    "emit": ("emit", "--lang", "python", *NAMED),
    "json": ("derive", "--format", "json", *NAMED),
    "yaml": ("derive", "--format", "yaml", *NAMED),
    "csv": ("derive", "--format", "csv", *NAMED),
    "schema": ("schema", "fa4"),
    "listing": ("kernels", "--format", "json"),
    "presets": ("presets", "llama-3-8b"),
}


def streamed(arguments: tuple[str, ...], encoding: str) -> bytes:
    """What a command writes to a standard output of an encoding."""
    done = programs.run(*arguments, encoding=encoding)
    assert done.code == 0
    return done.out


@pytest.mark.parametrize("what", DOCUMENTS)
def test_documents_are_utf_8_whatever_the_stream_is(what: str) -> None:
    wanted = streamed(DOCUMENTS[what], "utf-8")
    assert wanted.decode("utf-8")
    for encoding in ("latin-1", "ascii", "utf-16"):
        assert streamed(DOCUMENTS[what], encoding) == wanted


def test_a_process_writes_the_same_document() -> None:
    command = DOCUMENTS["json"]
    found = kcfg(*command, text=False, env=environment(PYTHONIOENCODING="utf-16"))
    assert found.returncode == 0 and found.stdout == streamed(command, "utf-8")


PEOPLE = {"full", "table", "text"}
"""Formats for people, in the encoding of their terminal; a program reads any other."""
ASKED = {
    "derive": NAMED,
    "diff": (*NAMED, "--set", "qk_depth=128..64"),
    "explain": NAMED,
    "sweep": (*NAMED, "--set", "BM=[64, 128]"),
    "validate": (*NAMED, "--set", "qk_depth=256", "--set", "ov_depth=256"),
}


@pytest.mark.parametrize(
    ("command", "format"),
    [
        (command, format)
        for command in ASKED
        for format in formats.names(command)
        if format not in {*PEOPLE, "parquet"}
    ],
)
def test_whatever_a_program_reads_is_utf_8(command: str, format: str) -> None:
    if command == "sweep":
        pytest.importorskip("numpy")
    arguments = [command, "--format", format, *ASKED[command]]
    found = [
        CliRunner(charset=charset).invoke(application(arguments), arguments)
        for charset in ("utf-8", "utf-16")
    ]
    assert found[0].exit_code == found[1].exit_code in (0, 1)
    one, other = (re.sub(rb'time="[^"]*"', b"", each.stdout_bytes) for each in found)
    assert other == one != b""


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf-16"])
def test_junit_that_says_utf_8_is_parsed(tmp_path: Path, encoding: str) -> None:
    spec = tmp_path / "größe.kcfg.yaml"
    spec.write_text("kernel: launch\nname: ✓\nshape: {threads: 128}\n", encoding="utf-8")
    for program, command in (("main", ["validate"]), ("hook", [])):
        arguments = (*command, "--format", "junit", spec)
        found = programs.run(*arguments, program=program, encoding=encoding)
        suite = ElementTree.fromstring(found.out)[0]
        assert suite.get("name") == str(spec)


# What is repeated of the input cannot act on a terminal


RED = "\x1b[31mred\a"


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("main", ("derive", "--preset", RED)),
        ("main", ("derive", RED)),
        ("main", ("emit", *PRESET, "--lang", "cpp", "--name", RED)),
        ("main", ("emit", *PRESET, "--lang", "cpp", "-o", f"no/{RED}")),
        ("main", ("emit", *PRESET, "--lang", "cpp", "--check", RED)),
        ("main", ("draw", *PRESET, "-o", f"{RED}.png")),
        ("main", ("sweep", *PRESET, "-o", RED)),
        ("main", ("sweep", *PRESET, "--where", RED)),
        ("main", ("sweep", *PRESET, "-o", f"no/{RED}.csv")),
        ("hook", ("--format", RED, "a")),
        ("hook", (f"--{RED}", "a")),
        ("hook", ("--max-findings", RED, "a")),
        ("hook", ("--target", RED, "a")),
        ("hook", ("--select", RED, "a")),
        ("emit_hook", (RED,)),
        ("emit_hook", (f"--{RED}",)),
    ],
)
def test_messages_escape_what_they_repeat(
    tmp_path: Path, program: str, arguments: tuple[str, ...]
) -> None:
    if arguments[0] == "sweep":
        pytest.importorskip("numpy")
    done = programs.run(*arguments, program=program, cwd=tmp_path)
    assert done.code == 2
    assert "\\x1b[31m" in done.stderr.replace("\\\\", "\\")
    assert "\x1b" not in done.stdout + done.stderr and "\a" not in done.stdout + done.stderr


def test_usage_errors_of_hooks_are_cut() -> None:
    done = programs.run("--wrong" * 10_000, program="emit_hook")
    assert done.code == 2 and len(done.stderr) < 1000


# How it ends


ENDLESS = "import itertools, sys\nfor n in itertools.count():\n    print('kernel: launch\\n---')\n"


@pytest.mark.parametrize(("program", "arguments"), [("main", ("derive", "-")), ("hook", ("-",))])
def test_ctrl_c_exits_130(program: str, arguments: tuple[str, ...]) -> None:
    code = f"from kcfg.cli.{program} import main; main()"
    with subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE) as specs:
        running = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            stdin=specs.stdout,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell's background job has SIGINT ignored, and what it starts would too.
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        )
        assert (running.stdout if program == "hook" else running.stderr).readline()  # type: ignore[union-attr]
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=60)[1]
        specs.kill()
    assert running.returncode == 130 and "Traceback" not in said


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (MemoryError(), "this takes more memory than there is"),
        (RecursionError(), "nested too deeply"),
        (OSError(28, "No space left on device"), "cannot write the results: No space left"),
        (PermissionError(13, "Permission denied", "some/file"), "some/file: Permission denied"),
        (ZeroDivisionError("by zero"), "kcfg itself failed"),
    ],
)
def test_what_stops_a_program_is_told(
    mistake: Exception,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(console, "abandon", lambda: None)
    monkeypatch.setattr(printing, "listening", None)

    def fails() -> None:
        raise mistake

    with pytest.raises(SystemExit) as left:
        console.safely(fails)
    assert left.value.code == 2 and said in capsys.readouterr().err


def test_a_directory_that_is_gone_is_told(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    code = "import os; os.rmdir(os.getcwd())\nfrom kcfg.cli.hook import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "-"],
        cwd=here,
        input="kernel: launch\n",
        capture_output=True,
        text=True,
        env=environment(PYTHONPATH=os.pathsep.join(filter(None, sys.path))),
        check=False,
    )
    assert done.returncode == 2 and "the current directory is not there" in done.stderr


# What it needs


NEEDED = [
    ("typer", "main", ("derive", *PRESET), "typer"),
    ("yaml", "main", ("derive", *PRESET), "pyyaml"),
    ("yaml", "hook", ("a.yaml",), "pyyaml"),
    ("yaml", "emit_hook", (), "pyyaml"),
    ("orjson", "main", ("derive", *PRESET, "--format", "jsonl"), "orjson"),
    ("numpy", "main", ("sweep", *PRESET), "'.[sweep]'"),
]
BROKEN = ("raise ImportError('no libfoo.so')", "raise ValueError", "=")


@pytest.mark.parametrize(
    ("module", "program", "arguments", "pip", "text"),
    [(*each, text) for each in NEEDED for text in (None, BROKEN[0])]
    + [(*NEEDED[2], text) for text in BROKEN[1:]],
)
def test_packages_that_are_missing_or_broken(
    tmp_path: Path,
    module: str,
    program: str,
    arguments: tuple[str, ...],
    pip: str,
    text: str | None,
) -> None:
    prelude = f"import sys; sys.modules[{module!r}] = None\n" if text is None else ""
    if text is not None:
        (tmp_path / module).mkdir()
        (tmp_path / module / "__init__.py").write_text(text)
    code = f"{prelude}from kcfg.cli.{program} import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr
    if text is None:
        assert f"is not installed; it comes with: pip install {pip}" in done.stderr
    else:
        assert "is installed and cannot be loaded" in done.stderr
        assert "pip install --force-reinstall" in done.stderr


@pytest.mark.parametrize("program", ["main", "hook", "emit_hook"])
def test_without_docstrings_it_does_not_run(program: str) -> None:
    done = kcfg("derive", *PRESET, program=program, optimized="-OO")
    assert done.returncode == 2 and "run it without -OO" in done.stderr and not done.stdout


def test_without_assertions_it_says_the_same() -> None:
    for command in (("explain", *PRESET), ("kernels", "fa4"), ("emit", "--lang", "cpp", *PRESET)):
        assert kcfg(*command, optimized="-O").stdout == programs.run(*command).stdout


@pytest.mark.parametrize("form", ["an archive", "compiled files"])
def test_without_its_sources_it_does_not_run(tmp_path: Path, form: str) -> None:
    package = tmp_path / "kcfg"
    for name in ("cli", "core", "presets"):
        shutil.copytree(ROOT / name, package / name)
    shutil.copy(ROOT / "core" / "public" / "__init__.py", package)
    place = tmp_path
    if form == "an archive":
        place = tmp_path / "kcfg.zip"
        with ZipFile(place, "w") as archive:
            for file in package.rglob("*.py"):
                archive.write(file, file.relative_to(tmp_path))
        shutil.rmtree(package)
    else:
        compiling = [sys.executable, "-m", "compileall", "-q", "-b", str(package)]
        subprocess.run(compiling, check=True)
        for file in package.rglob("*.py"):
            file.unlink()
    for program in ("main", "hook", "emit_hook"):
        code = (
            f"import sys; sys.path.insert(0, {str(place)!r})\n"
            f"from kcfg.cli.{program} import main; main()"
        )
        command = [sys.executable, "-c", code, "validate", presets.path("llama-3-8b")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and not done.stdout
        assert "its own source files" in done.stderr and str(place) in done.stderr
