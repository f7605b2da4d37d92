"""JSON Schema of a launch's ``shape``, from the same keys that its reader goes by."""

from __future__ import annotations

from typing import Any

from kcfg.core.block.block import Block
from kcfg.core.block.keys import Group, Key


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
        return {"type": "integer", "minimum": key.least, "maximum": key.most}
    return {"type": "string", **({"enum": list(key.choices)} if key.choices else {})}
