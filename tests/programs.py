"""kcfg's programs from start to end in this process, with streams of their own.

What ``main`` does is done: only that the interpreter starts and ends, which takes longer than
most commands, is left out. Where the process itself is asked about, a test starts one.
"""

from __future__ import annotations

import sys
from importlib import import_module
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest

from kcfg.cli import console
from kcfg.core import printing


class Done(NamedTuple):
    """How a program ended; ``both`` has what it wrote to both streams, as a terminal shows it."""

    code: int
    out: bytes
    err: bytes
    both: bytes

    @property
    def stdout(self) -> str:
        return self.out.decode()

    @property
    def stderr(self) -> str:
        return self.err.decode()


class _Stream(BytesIO):
    """What is behind a stream, which also goes to where both are seen."""

    def __init__(self, both: BytesIO) -> None:
        super().__init__()
        self.both = both

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        self.both.write(data)
        return super().write(data)


def _leave(code: int) -> NoReturn:
    raise SystemExit(code)


def run(
    *arguments: str | Path,
    program: str = "main",
    encoding: str = "utf-8",
    errors: str = "strict",
    given: str = "",
    cwd: Path | None = None,
    **environment: str,
) -> Done:
    """Run ``kcfg``, or what is in ``cli/<program>.py``; ``given`` is its standard input."""
    both = BytesIO()
    out, err = _Stream(both), _Stream(both)
    streams = {
        "stdin": TextIOWrapper(BytesIO(given.encode()), encoding="utf-8"),
        "stdout": TextIOWrapper(out, encoding=encoding, errors=errors),
        "stderr": TextIOWrapper(err, encoding=encoding, errors=errors, line_buffering=True),
    }
    with pytest.MonkeyPatch.context() as patched, pytest.raises(SystemExit) as end:
        for name, stream in streams.items():
            patched.setattr(sys, name, stream)
        for name, value in environment.items():
            patched.setenv(name, value)
        if cwd is not None:
            patched.chdir(cwd)
        patched.setattr(sys, "argv", ["kcfg", *map(str, arguments)])
        patched.setattr(console, "leave", _leave)
        patched.setattr(printing, "listening", printing.listening)  # as a program sets it
        import_module(f"kcfg.cli.{program}").main()
        raise SystemExit(0)
    for name in ("stdout", "stderr"):
        streams[name].flush()
    code = end.value.code
    assert code is None or isinstance(code, int), code
    return Done(code or 0, out.getvalue(), err.getvalue(), both.getvalue())
