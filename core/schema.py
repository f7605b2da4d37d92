"""JSON Schema of a spec, per kernel, from the same declarations that read specs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from kcfg.core import targets
from kcfg.core.engine.quantity import REQUIRED, Input
from kcfg.core.hardware.dtypes import ELEMENTS, SHORT_NAMES, SWIZZLES
from kcfg.core.kernel import Kernel
from kcfg.core.launch import schema as launch_schema
from kcfg.core.launch.reading import LaunchSpec
from kcfg.core.spec.head import names as every
from kcfg.core.spec.known import LAUNCH, listed, releases

DRAFT = "http://json-schema.org/draft-04/schema#"
"""The draft whose integers are written without a fraction, as the reader wants them."""

ONE_LINE = r"^[^\x00-\x1f\x7f-\xa0\u2028\u2029]*$"
"""Text without line breaks and control characters."""
BUILD = {
    "description": "What the kernel is in what a compiler makes, for `kcfg check`.",
    "type": ["object", "null"],
    "additionalProperties": False,
    "properties": {
        "kernel": {
            "description": "Its name or a part of it, mangled or not, or a pattern with * and ?.",
            "type": ["string", "number", "boolean", "null"],
            "pattern": ONE_LINE,
        }
    },
}


def schema(kernel: str | None = None) -> dict[str, Any]:
    """The schema of specs of one kernel, or of all, those that the project lists included.

    Raises `UnknownError` for no kernel.
    """
    mine = [cls.kernel for cls in listed()] if kernel is None else []
    names = (*every(), *mine) if kernel is None else (kernel,)
    branches = [branch for name in names for branch in _specs(name)]
    head = ["kernel", "shape"]
    optional = any("shape" not in branch["required"] for branch in branches)
    return {
        "$schema": DRAFT,
        "title": f"kcfg spec of {kernel}" if kernel else "kcfg spec",
        "type": "object",
        "required": head[:1] if optional else head,
        "properties": {
            "kernel": {"enum": list(dict.fromkeys(n for b in branches for n in _names(b)))}
        },
        "anyOf": branches,
    }


def _names(branch: dict[str, Any]) -> list[str]:
    """What ``kernel:`` may say in a branch."""
    said = branch["properties"]["kernel"]
    return list(said["enum"])


def _specs(kernel: str) -> list[dict[str, Any]]:
    if kernel == LAUNCH:
        head = ["kernel", "shape"]
        title, expect = "a launch written by hand", _expect(LaunchSpec)
        return [_spec(LAUNCH, title, head, launch_schema.shape(), LAUNCH, expect=expect)]
    newest, *older = reversed(releases(kernel))
    every = [each for cls in (newest, *older) for each in _with_calls(cls)]
    return [_derived(cls, kernel, newest.release) for cls in every]


def _with_calls(cls: type[Kernel]) -> list[type[Kernel]]:
    """A release of a kernel, and what derives its calls where that is another class."""
    called = cls.of_call()
    return [cls] if called is None or called is cls else [cls, called]


def _derived(cls: type[Kernel], named: str, newest: str) -> dict[str, Any]:
    required = ["kernel", "shape"] if cls.needed else ["kernel"]
    call = [member for member in cls.inputs.values() if member.call]
    alone = cls.origin is None  # then the call may stand in the shape
    sections = {} if not call else {"call": _section(call, required=not alone)}
    if call and not alone:
        required = [*required, "call"]
    return _spec(
        cls.kernel,
        f"{cls.release}: {cls.title}" + (", for a call" if call and not alone else ""),
        required if cls.release == newest else [*required, "release"],
        _shape(cls),
        named,
        cls.default_target or targets.DEFAULT,
        tuple(name for name in targets.names() if not cls.refuses(targets.find(name))),
        release=_release(cls, newest),
        expect=_expect(cls),
        **sections,
    )


def _section(members: list[Input], required: bool) -> dict[str, Any]:
    """The schema of ``call``."""
    return {
        "description": "The call: how many sequences, and how long.",
        "type": "object" if required else ["object", "null"],
        "additionalProperties": False,
        "properties": {member.key: _input(member) for member in members},
        **_needs(m.key for m in members if required and m.default is REQUIRED),
    }


def _needs(keys: Iterable[str]) -> dict[str, Any]:
    """What must be there; draft 4 has no empty list of that."""
    listed = list(keys)
    return {"required": listed} if listed else {}


def _release(cls: type[Kernel], newest: str) -> dict[str, Any]:
    said = f"Upstream release; {newest} if left out."
    none = [None] if cls.release == newest else []
    if cls.digest is not None:
        versions = [*_versions(cls.release), *none]
        return {"description": f"Version; {newest} if left out.", "enum": versions}
    return {
        "description": said,
        "anyOf": [
            *({"type": "number", "enum": [each]} for each in _versions(cls.release)[1:]),
            {"type": "string", "pattern": _pattern(cls.release)},
            *({"type": "null"} for _ in none),
        ],
    }


def _versions(release: str) -> list[str | float]:
    """A release as a text, and as the number that YAML may read it as."""
    number = re.fullmatch(r"[0-9]+([.][0-9]+)?", release)
    return [release, float(release)] if number else [release]


def _spec(
    kernel: str,
    title: str,
    required: list[str],
    shape: dict[str, Any],
    named: str,
    target: str = targets.DEFAULT,
    taken: tuple[str, ...] = (),
    **others: dict[str, Any],
) -> dict[str, Any]:
    return {
        "title": f"{kernel} {title}",
        "type": "object",
        "required": required,
        "additionalProperties": False,
        "properties": {
            "kernel": {"enum": list(dict.fromkeys((kernel, named)))},
            "target": {"description": f"GPU; {target} if left out.", **_target(taken)},
            "name": {
                "description": "A label of your own, on one line.",
                "type": ["string", "number", "boolean", "null"],
                "pattern": ONE_LINE,
            },
            "shape": shape,
            "build": BUILD,
            **others,
        },
    }


@cache
def _target(taken: tuple[str, ...]) -> dict[str, Any]:
    """Every spelling of some targets, or of all: in any letter case, with marks or without."""
    known = [targets.find(name) for name in taken or targets.names()]
    spelled = [name for each in known for name in (each.name, *targets.spellings(each))]
    numbers = [float(each.cc) for each in known]
    return {
        "anyOf": [
            {"enum": [*(each.name for each in known), None]},
            {"type": "number", "enum": sorted(set(numbers))},
            {"type": "string", "pattern": targets.pattern(spelled)},
        ]
    }


def _pattern(release: str) -> str:
    return f"^{release.replace('.', '[.]')}([.][0-9]+)?$"


def _shape(cls: type[Kernel]) -> dict[str, Any]:
    instead = {spelling.means: spelling.word for spelling in cls.spellings}
    alone = cls.origin is None
    members = [member for member in cls.inputs.values() if alone or not member.call]
    required = [m.key for m in members if m.default is REQUIRED and not m.call]
    properties = {member.key: _input(member) for member in members}
    properties |= {spelling.word: _input(spelling.read) for spelling in cls.spellings}
    shape: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        **_needs(key for key in required if key not in instead),
    }
    choices = [
        {"oneOf": [{"required": [key]}, {"required": [instead[key]]}]}
        for key in required
        if key in instead
    ]
    return {**shape, "allOf": choices} if choices else shape


def _input(member: Input) -> dict[str, Any]:
    described: dict[str, Any] = {"description": member.doc}
    optional = member.default is not REQUIRED
    if member.kind is str:
        short = [name for name, long in SHORT_NAMES.items() if long in member.choices]
        described["enum"] = [*member.choices, *(short if member.unit == "dtype" else [])]
        if optional:
            described["enum"].append(None)
    else:
        kind = "boolean" if member.kind is bool else "integer"
        described["type"] = [kind, "null"] if optional else kind
    if member.kind is int and member.choices:
        described["enum"] = [*member.choices, *([None] if optional else [])]
    elif member.kind is int:
        described |= {"minimum": member.least, "maximum": member.most}
    if optional:
        described["default"] = member.default
    return described


@cache
def _pin(unit: str) -> dict[str, Any]:
    """What may be pinned of a result in some unit: a value, a bound, or a list of values."""
    value: dict[str, Any]
    whole = r"(0|-?[1-9][0-9]{0,18}|-0)"
    if unit == "bool":
        value, bound = {"type": "boolean"}, r"(==|!=)\s*(true|false)"
    elif unit == "text":
        value, bound = {"type": ["string", "number", "boolean", "null"]}, r"(==|!=)[^\n]*"
    elif unit in ("dtype", "swizzle"):
        short = [name for name, long in SHORT_NAMES.items() if long in ELEMENTS]
        words = [*ELEMENTS, *short] if unit == "dtype" else list(SWIZZLES)
        value = {"enum": [*words, None]}
        bound = rf"(==|!=)\s*({'|'.join(map(re.escape, words))}|~|[Nn]ull|NULL)?"
    else:
        value, bound = {"type": "integer"}, rf"(==|!=|<=|>=|<|>)\s*{whole}"
    several = {"type": "array", "items": value, "minItems": 1}
    return {"anyOf": [value, {"type": "string", "pattern": rf"^{bound}\s*$"}, several]}


def _expect(cls: type[Kernel]) -> dict[str, Any]:
    named = {
        key: {"description": member.doc, **_pin(str(member.unit))}
        for key, member in (*cls.declared(), *cls.places())
    }
    named.setdefault("supported", _pin("bool"))
    others = "|".join(cls.only_configured())
    return {
        "description": "Results pinned for `kcfg validate`: a value, a bound such as '<= 232448', "
        "or a list of allowed values.",
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": named,
        **({"patternProperties": {f"^({others})$": _pin("count")}} if others else {}),
    }
