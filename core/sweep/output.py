"""A result file that is either complete or not there, and can be continued.

Rows go to ``FILE.part``; how far they have got stands in ``FILE.progress``, which is
replaced as a whole whenever the rows before it are safely on the disk. What a run that was
stopped wrote after that is cut off when it is continued.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from kcfg.core.sweep.query import Tally

Finish = Callable[[str, str], None]
"""Makes the file of the second name from the rows in the first."""


class State(NamedTuple):
    """How far a sweep has got: the next block, the bytes written, counts, points kept."""

    next: int = 0
    bytes: int = 0
    tally: Tally = Tally()
    kept: tuple[int, ...] = ()


class OutputError(Exception):
    """The file cannot be written, or continued; its text says why."""


class Output:
    """One result file; ``query`` tells sweeps apart, so that none continues another's."""

    def __init__(self, path: str, query: str) -> None:
        self.path, self.query = path, query
        self.part, self.progress = f"{path}.part", f"{path}.progress"
        self.size = 0

    def begin(self, header: bytes, resume: bool) -> State:
        """Open the file, at its beginning or where an interrupted run was; that run's state."""
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            raise OutputError(f"{self.path} is no regular file: a result would take its place")
        # Without rows it tells of a run that came to its end, and could not say so any more.
        begun = os.path.exists(self.progress) and os.path.exists(self.part)
        state = self._found() if begun else None
        if state and not resume:
            raise OutputError(
                f"{self.progress}: an earlier run was interrupted: continue it with --resume, "
                f"or delete {self.part} and {self.progress}"
            )
        try:
            self.file = open(self.part, "r+b" if state else "wb", buffering=0)  # noqa: SIM115
            if state:
                if os.path.getsize(self.part) < state.bytes:
                    raise OutputError(f"{self.part} is shorter than {self.progress} says")
                self.file.truncate(state.bytes)
                self.file.seek(state.bytes)
                self.size = state.bytes
                return state
            self.write(header)
            state = State(bytes=self.size)
            self.save(state)
            return state
        except OSError as error:
            raise self._trouble(error) from None

    def write(self, data: bytes) -> None:
        """Append bytes; raises `OutputError` where they do not all get there."""
        left = memoryview(data)
        try:
            while left:
                left = left[self.file.write(left) :]
        except OSError as error:
            raise self._trouble(error) from None
        self.size += len(data)

    def save(self, state: State) -> None:
        """Put down how far the run has got, once its rows are on the disk."""
        said = {"query": self.query, **state._asdict()}
        said["tally"] = state.tally._asdict()
        temporary = f"{self.progress}.new"
        try:
            os.fsync(self.file.fileno())
            with open(temporary, "w", encoding="utf-8") as file:
                json.dump(said, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.progress)
        except OSError as error:
            raise self._trouble(error) from None

    def complete(self, finish: Finish | None) -> None:
        """Give the file its name; ``finish`` first makes it from the rows where they differ."""
        try:
            os.fsync(self.file.fileno())
            self.file.close()
            ready = self.part
            if finish:
                ready = f"{self.path}.new"
                finish(self.part, ready)
            os.replace(ready, self.path)
            for left in (self.progress, self.part):
                if os.path.exists(left):
                    os.remove(left)
        except OSError as error:
            raise self._trouble(error) from None

    def _found(self) -> State:
        try:
            with open(self.progress, encoding="utf-8") as file:
                said: dict[str, Any] = json.load(file)
            query, tally = said.pop("query"), said.pop("tally")
            tally["refused"] = tuple(map(tuple, tally["refused"]))
            state = State(tally=Tally(**tally), **said)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise OutputError(f"{self.progress} cannot be read: {error}") from None
        if query != self.query:
            raise OutputError(
                f"{self.progress} belongs to another sweep (its spec, options or kcfg differ): "
                f"name another file, or delete {self.part} and {self.progress}"
            )
        return state._replace(kept=tuple(state.kept))

    def _trouble(self, error: OSError) -> OutputError:
        why = error.strerror or str(error)
        return OutputError(f"cannot write {error.filename or self.path}: {why}")
