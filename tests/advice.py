"""What becomes of a tensor map where the advice of a finding is followed to the letter."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import Any

from kcfg.core.findings import Finding

Map = dict[str, Any]


def followed(about: Map, finding: Finding) -> list[Map]:
    """The maps that a finding's fix asks for, one for each thing it says would do."""
    for pattern, follow in WAYS:
        found = re.fullmatch(pattern, finding.fix)
        if found:
            path = finding.path.removeprefix("shape.tma[0].")
            return [follow(about, path, number) for number in _numbers(found)]
    raise AssertionError(f"{finding.rule} gives advice that nobody can follow: {finding.fix}")


def _numbers(found: re.Match[str]) -> list[Any]:
    """The groups of a match, integers as such; one None where there are none."""
    values = [each for each in found.groups() if each is not None]
    return [_value(each) for each in values] or [None]


def _value(text: str) -> Any:
    digits = text.replace(",", "")
    return int(digits) if digits.isdecimal() else text


def _put(about: Map, path: str, value: Any) -> Map:
    """The map with another value at a path; none there for None."""
    name, _, index = path.partition("[")
    if index:
        values = list(about[name])
        values[int(index.removesuffix("]"))] = value
        return {**about, name: values}
    return {key: given for key, given in {**about, name: value}.items() if given is not None}


def _stride(about: Map, path: str, value: int) -> Map:
    """The map with another stride, or with rows of one where the tensor was packed."""
    if path != "dims":
        return _put(about, path, value)
    outer = about["dims"][1:-1]
    most = (1 << 40) - 32
    strides = [min(value * prod(outer[:axis]), most) for axis in range(len(outer) + 1)]
    return {**about, "strides": strides}


def _inner(about: Map, _: str, value: int) -> Map:
    return _put(about, "box[0]", value)


def _moved(about: Map, path: str, by: int) -> Map:
    return _put(about, path, about[path] + by)


def _of_rank(about: Map, rank: int) -> Map:
    """The map with as many dimensions, the new ones of 1."""
    changed = dict(about)
    for key, fill, length in (
        ("dims", 1, rank),
        ("box", 1, rank),
        ("element_strides", 1, rank),
        ("strides", 32, rank - 1),
    ):
        if about.get(key):
            changed[key] = (about[key] + [fill] * rank)[:length]
    return changed


WAYS: list[tuple[str, Callable[[Map, str, Any], Map]]] = [
    (r"make it [\d,]+ copies of ([\d,]+)(?:, the last of them [\d,]+ past the end)?", _put),
    (r"make it [\d,]+ copies with a box of (\d+) elements", _inner),
    (
        r"make it [\d,]+ copies with a box of \[([\d, ]+)\]",
        lambda about, _, box: _put(about, "box", [int(each) for each in str(box).split(", ")]),
    ),
    (r"use (\d+)(?: or (\d+))? elements", _inner),
    (r"use the (128B) swizzle", lambda about, _, swizzle: {**about, "swizzle": swizzle}),
    (
        r"use the 128B swizzle and (\d+) elements",
        lambda about, _, length: _put({**about, "swizzle": "128B"}, "box[0]", length),
    ),
    (r"use (\w+)(?:, and unpack what is copied)?", _put),
    (r"use at (?:most|least) ([\d,]+)", _put),
    (r"pad it to ([\d,]+)", _put),
    (r"pad it to ([\d,]+) B(?: \(.*\))?", _stride),
    (r"split the tensor, to have at most ([\d,]+) B \(.*\)", _stride),
    (r"split it into [\d,]+ tensors of ([\d,]+)", _put),
    (r"move it up by (\d+) B", _moved),
    (r"move it down by (\d+) B", lambda about, path, by: _moved(about, path, -by)),
    (r"leave it out|give the type instead", lambda about, path, _: _put(about, path, None)),
    (
        r"give one for every dimension but the innermost, or none|give one per dimension, or none",
        lambda about, path, _: _put(about, path, None),
    ),
    (
        r"give the box one length per dimension",
        lambda about, *_: {**about, "box": _of_rank(about, len(about["dims"]))["box"]},
    ),
    (r"add dimensions of 1", lambda about, *_: _of_rank(about, 3)),
    (r"fold dimensions that are contiguous", lambda about, *_: _of_rank(about, 5)),
]
"""Every form that advice about tensor maps has, and how it is followed."""
