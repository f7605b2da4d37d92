"""A result file that is either complete or not there, and can be continued.

Rows go to ``FILE.part``; how far they have got stands in ``FILE.progress``, which is
replaced as a whole whenever the rows before it are safely on the disk. What a run that was
stopped wrote after that is cut off when it is continued. No other run writes to the file
meanwhile.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from zlib import crc32

from kcfg.core.saving import SaveError, alone, beside, cleared, put, refuse, told, write
from kcfg.core.sweep.query import Query
from kcfg.core.sweep.state import State, restored

Finish = Callable[[str, str], None]
"""Makes the file of the second name from the rows in the first."""

LARGEST = 1 << 26
"""Bytes of a state at most: that of a million points kept has a third of it."""
PIECE = 1 << 20
"""Bytes that are read at a time."""


class Output:
    """One result file, followed through links; as a context it is closed at the end.

    ``fingerprint`` tells sweeps apart, so that none continues another's.
    """

    def __init__(self, path: str, query: Query, fingerprint: str) -> None:
        self.path, self.query, self.fingerprint = path, query, fingerprint
        self.place = os.path.realpath(path) if os.path.islink(path) else path
        self.part, self.progress = f"{self.place}.part", f"{self.place}.progress"
        self.size = self.crc32 = 0
        self._open = ExitStack()

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *about: object) -> None:
        self._open.close()

    def begin(self, header: bytes, resume: bool) -> State:
        """Open the file, at its beginning or where an interrupted run was; that run's state."""
        with told(self.path):
            refuse(self.path)
            self._open.enter_context(alone(self.path))
            self._new = cleared(beside(self.place, "tmp"))
            # Without rows it tells of a run that came to its end, and could not say so any more.
            begun = os.path.isfile(self.progress) and os.path.isfile(self.part)
            state = self._found() if begun else None
            if state and not resume:
                raise SaveError(
                    f"{self.progress}: an earlier run was interrupted: continue it with --resume, "
                    f"or {self._afresh}"
                )
            self._open.callback(cleared, self._new)
            mode = "r+b" if state else "wb"
            self.file = self._open.enter_context(open(self.part, mode, buffering=0))  # noqa: SIM115
            if state:
                self._take_up(state, header)
                return state
            return self._begun(header)

    def _begun(self, header: bytes) -> State:
        """The state of a run that has written its header; without both there is nothing left."""
        try:
            self.write(header)
            state = State(bytes=self.size, crc32=self.crc32)
            self.save(state)
        except BaseException:
            cleared(self.part)
            raise
        return state

    def write(self, data: bytes) -> None:
        """Append bytes; raises `SaveError` where they do not all get there."""
        with told(self.path):
            write(self.file, data)
        self.size += len(data)
        self.crc32 = crc32(data, self.crc32)

    def save(self, state: State) -> None:
        """Put down how far the run has got, once its rows are on the disk."""
        said = {"query": self.fingerprint, **state.to_json()}
        with told(self.path):
            os.fsync(self.file.fileno())
            with open(self._new, "w", encoding="utf-8") as file:
                json.dump(said, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(self._new, self.progress)

    def complete(self, finish: Finish | None) -> None:
        """Give the file its name; ``finish`` first makes it from the rows where they differ."""
        with told(self.path):
            os.fsync(self.file.fileno())
            refuse(self.path)
            if finish:
                finish(self.part, self._new)
            put(self._new if finish else self.part, self.place)
            for left in (self.progress, self.part):
                if os.path.exists(left):
                    os.remove(left)

    @property
    def _afresh(self) -> str:
        return f"delete {self.part} and {self.progress} to begin anew"

    def _found(self) -> State:
        """The state that stands in the file of progress; raises `SaveError` for what is none."""
        try:
            with open(self.progress, "rb") as file:
                data = file.read(LARGEST + 1)
            if len(data) > LARGEST:
                raise ValueError(f"more than {LARGEST:,} bytes")
            said: dict[str, Any] = dict(json.loads(data))
            fingerprint = said.pop("query")
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._unfit(error) from None
        if fingerprint != self.fingerprint:
            raise SaveError(
                f"{self.progress} belongs to another sweep (its spec, options or kcfg differ): "
                f"name another file, or {self._afresh}"
            )
        try:
            return restored(said, self.query)
        except ValueError as error:
            raise self._unfit(error) from None

    def _unfit(self, error: Exception) -> SaveError:
        why = f"no {error}" if isinstance(error, KeyError) else error
        return SaveError(f"{self.progress} cannot be what a sweep left: {why}; {self._afresh}")

    def _take_up(self, state: State, header: bytes) -> None:
        """Cut off what was written after a state; raises `SaveError` unless the rest is right."""
        begins = self.file.read(len(header)) == header
        self.file.seek(0)
        left = state.bytes
        while left and (piece := self.file.read(min(left, PIECE))):
            self.crc32 = crc32(piece, self.crc32)
            left -= len(piece)
        if left or self.crc32 != state.crc32 or state.bytes < len(header) or not begins:
            raise SaveError(
                f"{self.part} does not hold the rows that {self.progress} tells of; {self._afresh}"
            )
        self.file.truncate(state.bytes)
        self.file.seek(state.bytes)
        self.size = state.bytes
