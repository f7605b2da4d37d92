"""The progress line: for people at a terminal who have waited a second, and for nobody else."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kcfg.cli import console, progress
from kcfg.core import presets

CLEAR = "\r\033[K"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(monkeypatch: pytest.MonkeyPatch, seconds: float, out: io.StringIO, err: io.StringIO) -> str:
    """What is told of four items that take so long altogether."""
    times = iter([index * seconds / 4 for index in range(5)])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("TERM", "xterm")
    assert list(progress.watched("abcd", "specs")) == list("abcd")
    return err.getvalue()


def test_a_long_run_is_told_of_and_then_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    told = run(monkeypatch, 8, io.StringIO(), Terminal())
    assert told.startswith(f"{CLEAR}0 specs") and told.endswith(CLEAR)
    assert "3 specs, 0 a second" in told


def test_a_short_run_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, 0.9, io.StringIO(), Terminal()) == ""


@pytest.mark.parametrize(("out", "err"), [(io.StringIO(), io.StringIO()), (Terminal(), Terminal())])
def test_nothing_is_told_where_nobody_would_see(
    monkeypatch: pytest.MonkeyPatch, out: io.StringIO, err: io.StringIO
) -> None:
    assert run(monkeypatch, 8, out, err) == ""


def test_the_line_goes_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise ValueError

    err = Terminal()
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(ValueError):
        list(progress.watched(failing(), "specs"))
    assert "specs" in err.getvalue() and err.getvalue().endswith(CLEAR)


@pytest.mark.parametrize(("share", "full"), [(0.0, 0), (0.5, 15), (1.0, 30), (1.5, 30)])
def test_the_bar_is_as_long_as_the_work_done(share: float, full: int) -> None:
    bar = progress.line(1200, "specs", 2.0, share)
    assert bar == f"[{'#' * full}{'.' * (30 - full)}] 1,200 specs, 600 a second"


def test_a_message_stands_on_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    console.passing("1 specs")
    console.error("wrong")
    console.error("wrong again")
    assert err.getvalue() == f"{CLEAR}1 specs{CLEAR}wrong\nwrong again\n"


@pytest.mark.parametrize(
    ("command", "what"),
    [(["derive", "-", "--get", "num_qk_stages"], "specs"), (["validate", "-"], "documents")],
)
def test_a_terminal_shows_how_much_of_standard_input_is_read(
    tmp_path: Path, command: list[str], what: str
) -> None:
    pty = pytest.importorskip("pty", reason="there are no terminals here")
    spec = presets.text("llama-3-8b")
    (tmp_path / "stream.yaml").write_text("".join(f"---\n{spec}" for _ in range(200)))
    program = "import sys; from kcfg.cli import main, progress; progress.AFTER = 0; main.main()"
    terminal, end = pty.openpty()
    with (tmp_path / "stream.yaml").open("rb") as stream:
        subprocess.run(
            [sys.executable, "-c", program, *command],
            stdin=stream,
            stdout=subprocess.DEVNULL,
            stderr=end,
            env={**os.environ, "TERM": "xterm"},
            check=True,
        )
    os.close(end)
    told = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert re.match(rf"\r\x1b\[K\[[#.]{{30}}\] \d+ {what}, [\d,]+ a second", told), told
    assert told.endswith(CLEAR)
