"""What a saved report must look like, and its single values by their paths."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kcfg.core.report import SCHEMA
from kcfg.core.spec.problem import printable
from kcfg.core.version import VERSION

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
    "smem": (dict, type(None)),
    "tmem": (dict, type(None)),
    "registers": (dict, type(None)),
    "barriers": (dict, type(None)),
    "supported": (bool, type(None)),
    "findings": (list,),
}
"""What every report has, and of which kind."""

OPTIONAL: dict[str, tuple[type, ...]] = {
    "kcfg": (str,),
    "release_given": (bool,),
    "name": (str, type(None)),
    "source": (str,),
    "digest": (str, type(None)),
}
"""What a report may leave out."""

LISTS = (
    ("smem", "regions", "name"),
    ("tmem", "regions", "name"),
    ("registers", "roles", "role"),
    ("barriers", "groups", "name"),
)
"""The lists of a report's parts, and what names their entries."""

FILES = ("source", ".file")

SCALARS = (int, float, str, bool, type(None))
NESTED = (*SCALARS, dict, list)
"""What an input may be: a launch has groups of them."""


def faults(report: Any) -> Iterator[str]:
    """What is wrong with the form of a report, the gravest first."""
    if not isinstance(report, dict):
        yield f"expected a report of kcfg, as `kcfg derive` writes it, not {_kind(report)}"
        return
    if report.get("schema") != SCHEMA or isinstance(report["schema"], bool):
        schema = json.dumps(report.get("schema"), default=str)
        wrote = f"written by {writer(report)}; this is kcfg {VERSION}"
        yield f"a report of schema {schema}, not {SCHEMA}: {wrote}"
    missing = [f"`{key}`" for key in SHAPE if key not in report]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        yield f"no whole report of kcfg: {', '.join(missing)} {are} missing"
    for key, kinds in {**SHAPE, **OPTIONAL}.items():
        if key in report and type(report[key]) not in kinds:
            yield _wrong(key, kinds, report[key])
    yield from _inner_faults(report)


def _inner_faults(report: dict[str, Any]) -> Iterator[str]:
    for section, kinds in (("inputs", NESTED), ("values", SCALARS), ("units", (str,))):
        for name, value in report[section].items():
            if type(value) not in kinds:
                yield _wrong(f"{section}.{name}", kinds, value)
    for number, finding in enumerate(report["findings"]):
        texts = ("rule", "severity", "message", "path")
        yield from _entry_faults(f"findings[{number}]", finding, texts)
    for part, where, name in LISTS:
        if report[part] is not None:
            yield from _list_faults(f"{part}.{where}", report[part].get(where), name)
    yield from _unprintable(report)


def _unprintable(report: dict[str, Any]) -> Iterator[str]:
    """Texts that a terminal might act on; names of files may be any."""
    for path, value in leaves(report):
        text = value if isinstance(value, str) and not path.endswith(FILES) else ""
        if not (path + text).isprintable():
            yield f"`{printable(path)}` holds control characters"


def writer(report: dict[str, Any]) -> str:
    """Which kcfg wrote a report."""
    wrote = report.get("kcfg")
    return f"kcfg {wrote}" if isinstance(wrote, str) else "an unknown kcfg"


def leaves(entry: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every single value below an entry, by its path; what has a name goes by that."""
    if isinstance(entry, dict):
        pairs = [(str(key), value) for key, value in entry.items()]
    elif isinstance(entry, list):
        pairs = list(_labelled(entry).items())
    else:
        yield path, entry
        return
    for key, value in pairs:
        joint = "." if path and not key.startswith("[") else ""
        yield from leaves(value, f"{path}{joint}{key}")


def _labelled(entries: list[Any]) -> dict[str, Any]:
    """The elements of a list by name or role, by number where that does not tell them apart."""
    found: dict[str, Any] = {}
    for index, entry in enumerate(entries):
        label = entry.get("name") or entry.get("role") if isinstance(entry, dict) else None
        taken = not label or label in found
        found[f"{label or ''}[{index}]" if taken else str(label)] = entry
    return found


def _list_faults(path: str, entries: Any, name: str) -> Iterator[str]:
    if not isinstance(entries, list):
        yield _wrong(path, (list,), entries)
        return
    for number, entry in enumerate(entries):
        yield from _entry_faults(f"{path}[{number}]", entry, (name,))


def _entry_faults(path: str, entry: Any, texts: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield _wrong(path, (dict,), entry)
        return
    for key in texts:
        if not isinstance(entry.get(key), str):
            yield _wrong(f"{path}.{key}", (str,), entry.get(key))


def _wrong(path: str, kinds: tuple[type, ...], given: Any) -> str:
    expected = " or ".join(dict.fromkeys(KINDS[kind] for kind in kinds))
    return f"`{path}` must be {expected}, not {_kind(given)}"


def _kind(given: Any) -> str:
    return KINDS.get(type(given), "what JSON has no word for")  # such as a date of YAML
