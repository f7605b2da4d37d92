"""JSON Schema of a launch's ``shape``, from the same keys that its reader goes by."""

from __future__ import annotations

from typing import Any

from kcfg.core.block.block import Block
from kcfg.core.block.keys import Group, Key
from kcfg.core.hardware.dtypes import SHORT_NAMES
from kcfg.core.spec.scalars import SIZE, SIZED, TRUTHS


def shape() -> dict[str, Any]:
    """The schema of the ``shape`` of a spec with ``kernel: launch``."""
    return _group(Block)


def _group(cls: type[Group]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {name: _key(key) for name, key in cls.keys.items()},
    }


def _key(key: Key) -> dict[str, Any]:
    """A key's schema: its value, a list where it holds several, or null for "not given"."""
    one = _value(key)
    choices = [one]
    if key.many:
        several: dict[str, Any] = {"type": "array", "items": one}
        if key.longest:
            several["maxItems"] = key.longest
        choices.append(several)
    unit = "" if key.unit in ("bool", "text", "group") else f" [{key.unit}]"
    return {"description": f"{key.doc}{unit}", "anyOf": [*choices, {"type": "null"}]}


def _value(key: Key) -> dict[str, Any]:
    if issubclass(key.kind, Group):
        whole = _group(key.kind)
        lead = key.kind.lead
        return {"anyOf": [_value(key.kind.keys[lead]), whole]} if lead else whole
    if key.kind is bool:
        return {"type": "boolean"}
    if key.kind is int:
        return _number(key)
    choices = (*key.choices, *(SHORT_NAMES if key.unit == "dtype" else ()))
    return {"type": "string", **({"enum": list(choices)} if choices else {})}


def _number(key: Key) -> dict[str, Any]:
    """A number, a size with its unit where it is one, or a word instead."""
    found: list[dict[str, Any]] = [
        {"type": "integer", "minimum": key.least, "maximum": key.most},
        *({"type": "string", "pattern": f"^{SIZE}$"} for unit in SIZED if key.unit == unit),
    ]
    words = [TRUTHS.get(word, word) for word in key.instead]
    if words:
        found.append({"enum": words})
    return {"anyOf": found} if len(found) > 1 else found[0]
