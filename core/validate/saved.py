"""Saved reports of ``kcfg derive --format json``, derived again from their own inputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from kcfg.core.findings import Finding
from kcfg.core.report import SCHEMA, report
from kcfg.core.spec import Spec, read
from kcfg.core.spec.head import LAUNCH
from kcfg.core.spec.problem import Problem, listed
from kcfg.core.spec.section import Position
from kcfg.core.version import VERSION

PARTS = ("values", "smem", "tmem", "registers", "barriers", "supported")
"""What of a report is compared; its findings are judged anew."""

NEEDED = {"kernel": str, "release": str, "target": str, "inputs": dict, "values": dict}
SHOWN = 6
"""Drifted values that a message names."""

BETWEEN = re.compile(r"[\s,\[\]]*")


class Report:
    """One saved report: its data, and the text it was read from, for positions."""

    def __init__(self, data: dict[str, Any], file: str, text: str, start: int, end: int) -> None:
        self.data, self.file = data, file
        self._text, self._start, self._end = text, start, end

    def position(self, *keys: str) -> Position:
        """Where a key stands, found from the outermost of ``keys`` inwards."""
        at = self._start
        for key in keys:
            inner = self._text.find(f'"{key}":', at, self._end)
            at = inner if inner >= 0 else at
        return self._text.count("\n", 0, at) + 1, at - self._text.rfind("\n", 0, at)

    def spec(self) -> Spec | list[Problem]:
        """The spec of its inputs, or what is wrong with them."""
        malformed = self._malformed()
        if malformed:
            return [Problem(self.file, *self.position(), "", malformed)]
        head = {key: self.data[key] for key in ("kernel", "release", "target")}
        name = self.data.get("name")
        spec = {**head, "name": name, "shape": self.data["inputs"]}
        (item,) = read(json.dumps(spec, ensure_ascii=False), self.file)
        if isinstance(item, list):
            return [self._moved(problem) for problem in item]
        places = {key: self.position(key) for key in (*head, "shape")}
        places |= {f"shape.{key}": self.position("inputs", key) for key in self.data["inputs"]}
        return item._replace(at={key: (place, place) for key, place in places.items()})

    def drift(self, spec: Spec) -> Finding | None:
        """A finding that names the values which are others now, if there are any."""
        from kcfg.core.diff.changes import same
        from kcfg.core.validate.checks import STALE
        from kcfg.core.validate.pins import written

        now = dict(_leaves({part: report(spec.derive())[part] for part in PARTS}))
        old = dict(_leaves({part: self.data[part] for part in PARTS if part in self.data}))
        drifted = [key for key, value in old.items() if not same(value, now.get(key, ABSENT))]
        if not drifted:
            return None
        named = (
            f"{key.removeprefix('values.')} {written(old[key])} -> {written(now.get(key, ABSENT))}"
            for key in drifted
        )
        line, column = self.position(*drifted[0].split(".", 1))
        return Finding(
            STALE.id,
            STALE.severity,
            f"stale report, written by {_writer(self.data)}: {listed(named, SHOWN)}"
            f" (kcfg {VERSION}); derive it again",
            path=drifted[0],
            value=old[drifted[0]],
            limit=now.get(drifted[0]),
            file=self.file,
            line=line,
            column=column,
        )

    def _malformed(self) -> str:
        schema = self.data.get("schema")
        if schema != SCHEMA:
            wrote = f"written by {_writer(self.data)}; this is kcfg {VERSION}"
            return f"a report of schema {json.dumps(schema)}, not {SCHEMA}: {wrote}"
        missing = [key for key, kind in NEEDED.items() if not isinstance(self.data.get(key), kind)]
        if missing:
            return f"no report of kcfg: without usable {listed(missing)}"
        if self.data["kernel"] == LAUNCH:
            return "a launch's report has no inputs to judge again: give its spec"
        return ""

    def _moved(self, problem: Problem) -> Problem:
        """A problem of the inputs at its place in the report."""
        path = problem.path.replace("shape", "inputs", 1)
        line, column = self.position(*path.split(".", 1))
        return problem._replace(line=line, column=column, path=path)


ABSENT = "(absent)"


def is_saved(text: str) -> bool:
    """Whether a JSON text holds reports and not specs."""
    return '"schema":' in text and '"values":' in text


def reports(text: str, file: str) -> Iterator[Report | Problem]:
    """The reports of a file: one, a list of several, or one a line."""
    decoder = json.JSONDecoder()
    at = _skip(text, 0)
    try:
        while at < len(text):
            data, end = decoder.raw_decode(text, at)
            found = Report(data, file, text, at, end)
            if not isinstance(data, dict):
                message = "expected a report of kcfg, as `kcfg derive --format json` writes it"
                yield Problem(file, *found.position(), "", message)
            else:
                yield found
            at = _skip(text, end)
        if text.count("]", text.rfind("}")) < text.count("[", 0, text.find("{")):
            line = text.count("\n") + 1
            yield Problem(file, line, 1, "", "not JSON: `]` is missing", "unreadable")
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}"
        yield Problem(file, error.lineno, error.colno, "", message, "unreadable")
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets without end
        message = "not JSON that a report could be: a number or its nesting is out of bounds"
        line = text.count("\n", 0, at) + 1
        yield Problem(file, line, 1, "", message, "unreadable")


def _skip(text: str, at: int) -> int:
    match = BETWEEN.match(text, at)
    return match.end() if match else at


def _writer(data: dict[str, Any]) -> str:
    wrote = data.get("kcfg")
    return f"kcfg {wrote}" if isinstance(wrote, str) else "an unknown kcfg"


def _leaves(entry: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every single value below an entry, by its path; what has a name goes by that."""
    if isinstance(entry, dict):
        pairs = [(str(key), value) for key, value in entry.items()]
    elif isinstance(entry, list):
        pairs = list(_labelled(entry).items())
    else:
        yield path, entry
        return
    for key, value in pairs:
        yield from _leaves(value, f"{path}.{key}" if path else key)


def _labelled(entries: list[Any]) -> dict[str, Any]:
    """The elements of a list by name or role, by number where that does not tell them apart."""
    found: dict[str, Any] = {}
    for index, entry in enumerate(entries):
        label = entry.get("name") or entry.get("role") if isinstance(entry, dict) else None
        found[f"[{index}]" if not label else f"{label}[{index}]" if label in found else label] = (
            entry
        )
    return found
