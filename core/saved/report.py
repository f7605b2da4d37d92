"""One saved report, and the spec of its inputs, every key of it where it stands."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from kcfg.core import kernels
from kcfg.core.errors import UnfoundError, UnknownError
from kcfg.core.kernel import Kernel
from kcfg.core.same import same
from kcfg.core.saved.form import faults
from kcfg.core.saved.reading import Saved
from kcfg.core.spec import Spec, read
from kcfg.core.spec.calls import of_call
from kcfg.core.spec.documents import place
from kcfg.core.spec.known import Known
from kcfg.core.spec.problem import Problem
from kcfg.core.spec.section import Position
from kcfg.core.spec.shape import grammar


class Report:
    """One saved report: its data, and the text it was read from, for positions."""

    def __init__(self, saved: Saved, file: str) -> None:
        self.data, self.file, self._saved = saved.data, file, saved

    def position(self, *keys: str) -> Position:
        """Where a key stands, found from the outermost of ``keys`` inwards."""
        text, at = self._saved.text, self._saved.start
        for key in keys:
            written = re.escape(key)
            pattern = re.compile(rf'"{written}"\s*:|^[ -]*\'?{written}\'?:', re.MULTILINE)
            found = pattern.search(text, at, self._saved.end)
            at = found.end() - len(found[0].lstrip(" -")) if found else at
        return place(text, at, self._saved.line)

    def fault(self) -> Problem | None:
        """What is wrong with its form, if anything is."""
        fault = next(faults(self.data), "")
        return Problem(self.file, *self.position(), "", fault) if fault else None

    def spec(self) -> Spec | list[Problem]:
        """The spec of its inputs, or what is wrong with them.

        Inputs at their default are left to it, as the spec may have left them.
        """
        fault = self.fault()
        if fault:
            return [fault]
        # A launch written by hand has no release.
        head = {key: self.data[key] for key in ("kernel", "release", "target") if self.data[key]}
        spec = {
            **head,
            "kernel": self._kernel(),
            "name": self.data.get("name"),
            **self._sections(),
        }
        (item,) = read(json.dumps(spec, ensure_ascii=False), self.file)
        if isinstance(item, list):
            return [self._moved(problem) for problem in item]
        places = {key: self.position(key) for key in head}
        places["shape"] = self.position("inputs")
        places |= {f"shape.{key}": self.position("inputs", key) for key in self.data["inputs"]}
        return item._replace(at={key: (where, where) for key, where in places.items()})

    def _kernel(self) -> str:
        """The kernel, by the file that defines it where the report's source leads there."""
        name: str = self.data["kernel"]
        if self.data.get("digest") is None:
            return name
        from kcfg.core.definitions.library import defining

        path = defining(name, self.data.get("source") or "")
        folder = os.path.dirname(self.file) if os.path.exists(self.file) else ""
        # By its name alone where the project may list it.
        return f"./{os.path.relpath(path, folder or '.')}#{name}" if path else name

    def _sections(self) -> dict[str, dict[str, Any]]:
        """What the spec had under ``shape``, and under ``call`` where it had one."""
        cls = self._cls()
        call = () if cls is None or grammar(cls).calls_alone else grammar(cls).call
        asked = dict(self._asked(cls))
        found = {"shape": {key: value for key, value in asked.items() if key not in call}}
        if call:
            found["call"] = {key: value for key, value in asked.items() if key in call}
        return found

    def _cls(self) -> type[Kernel] | None:
        """The class that derives this; None where there is none, as the reader will say."""
        try:
            name = self._kernel()
            shipped = kernels.exists(name)
            cls = (
                kernels.find(name, self.data["release"])
                if shipped
                else Known(self.file).kernel(name)
            )
            return of_call(cls, self.data["inputs"]) or cls
        except (UnknownError, UnfoundError):
            return None

    def _asked(self, cls: type[Kernel] | None) -> Iterator[tuple[str, Any]]:
        defaults = grammar(cls).defaults if cls else {}
        for name, value in self.data["inputs"].items():
            if name not in defaults or not same(value, defaults[name]):
                yield name, value

    def _moved(self, problem: Problem) -> Problem:
        """A problem of the inputs at its place in the report."""
        path = re.sub("^(shape|call)", "inputs", problem.path)
        line, column = self.position(*path.split(".", 1))
        return problem._replace(line=line, column=column, path=path)
