"""Reports that ``kcfg derive --format json`` (or jsonl) wrote, read back for a comparison."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kcfg.core import kernels
from kcfg.core.diff import Side
from kcfg.core.diff.changes import same
from kcfg.core.diff.moves import SPACES
from kcfg.core.errors import UnknownError
from kcfg.core.report import SCHEMA
from kcfg.core.spec import Spec, read
from kcfg.core.spec.problem import Problem

Report = dict[str, Any]

MARKS = ("schema", "values")
"""The keys by which a saved report is told from a spec."""

KINDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
SHAPE: dict[str, tuple[type, ...]] = {
    "schema": (int,),
    "kernel": (str,),
    "release": (str,),
    "target": (str,),
    "inputs": (dict,),
    "values": (dict,),
    "units": (dict,),
    "supported": (bool, type(None)),
    "findings": (list,),
}
"""What a report must have to be compared, and of which kind."""

OPTIONAL: dict[str, tuple[type, ...]] = {
    "kcfg": (str,),
    "name": (str, type(None)),
    "source": (str,),
}
"""What a report may leave out."""

SCALARS = (int, float, str, bool, type(None))


class SavedError(ValueError):
    """A saved report that cannot be compared; the message says what is wrong with it."""


def parsed(data: bytes) -> list[Report] | None:
    """The reports of a file; None where it holds something else, such as specs.

    Raises `SavedError` for what begins like a report and cannot be read as one.
    """
    text = data.decode("utf-8-sig", "replace").strip()
    if text[:1] not in ("{", "["):
        return None
    try:
        found = _documents(text)
    except ValueError as error:
        if f'"{MARKS[0]}"' not in text[:200]:
            return None
        raise SavedError(f"a saved report that is not valid JSON: {error}") from None
    if not any(isinstance(each, dict) and set(MARKS) <= each.keys() for each in found):
        return None
    for number, each in enumerate(found, 1):
        fault = next(_faults(each), None)
        if fault:
            raise SavedError(f"report {number} of {len(found)}: {fault}")
    return found


def restored(report: Report, file: str) -> Side | list[Problem]:
    """A saved report with the kernel that its inputs give now, or why they give none.

    Inputs at their default are left to it, as the spec may have left them.
    """
    spec = {key: report[key] for key in ("kernel", "release", "target")}
    spec["shape"] = dict(_asked(report))
    (item,) = read(json.dumps(spec), file)
    if isinstance(item, Spec):
        return Side(report, item.derive(), saved=file)
    return [problem._replace(line=0, column=0) for problem in item]


def _asked(report: Report) -> Iterator[tuple[str, Any]]:
    try:
        cls = kernels.find(report["kernel"], report["release"])
    except UnknownError:  # which the reader of specs will say better
        yield from report["inputs"].items()
        return
    defaults = {member.key: member.default for member in cls.inputs.values()}
    for name, value in report["inputs"].items():
        if name not in defaults or not same(value, defaults[name]):
            yield name, value


def _documents(text: str) -> list[Any]:
    """JSON, or JSON Lines; one object counts as a list of one."""
    try:
        found = json.loads(text)
    except ValueError as error:
        if getattr(error, "msg", "") != "Extra data":
            raise
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return found if isinstance(found, list) else [found]


def _faults(report: Any) -> Iterator[str]:
    """What is wrong with a report, the gravest first."""
    if not isinstance(report, dict):
        yield f"expected an object, not {KINDS[type(report)]}"
        return
    for key, kinds in {**SHAPE, **OPTIONAL}.items():
        if key not in report:
            if key in SHAPE:
                yield f"`{key}` is missing"
        elif type(report[key]) not in kinds:
            yield _wrong(key, kinds, report[key])
    if report["schema"] != SCHEMA:
        yield f"its schema is {report['schema']}; this kcfg reads {SCHEMA}"
    for section, kinds in (("inputs", SCALARS), ("values", SCALARS), ("units", (str,))):
        for name, value in report[section].items():
            if type(value) not in kinds:
                yield _wrong(f"{section}.{name}", kinds, value)
    for number, finding in enumerate(report["findings"]):
        texts = ("rule", "severity", "message", "path")
        yield from _entry_faults(f"findings[{number}]", finding, texts)
    for space, where, name, _ in SPACES:
        yield from _space_faults(space, report.get(space), where, name)


def _space_faults(space: str, found: Any, where: str, name: str) -> Iterator[str]:
    if found is None:
        return
    if not isinstance(found, dict):
        yield _wrong(space, (dict, type(None)), found)
    elif not isinstance(found.get(where), list):
        yield _wrong(f"{space}.{where}", (list,), found.get(where))
    else:
        for number, entry in enumerate(found[where]):
            yield from _entry_faults(f"{space}.{where}[{number}]", entry, (name,))


def _entry_faults(path: str, entry: Any, texts: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield _wrong(path, (dict,), entry)
        return
    for key in texts:
        if not isinstance(entry.get(key), str):
            yield _wrong(f"{path}.{key}", (str,), entry.get(key))


def _wrong(path: str, kinds: tuple[type, ...], given: Any) -> str:
    expected = " or ".join(dict.fromkeys(KINDS[kind] for kind in kinds))
    return f"`{path}` must be {expected}, not {KINDS[type(given)]}"
