"""JSON Schema from the declarations of named tuples, as `plain` makes objects of them."""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from kcfg.core.engine.quantity import Input, Quantity

Schema = dict[str, Any]

SIMPLE: dict[Any, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    Any: {},
}


def text() -> Schema:
    """Any text."""
    return {"type": "string"}


def number() -> Schema:
    """A whole number."""
    return {"type": "integer"}


def truth() -> Schema:
    """A truth value."""
    return {"type": "boolean"}


def either(*schemas: Schema) -> Schema:
    """One of several."""
    return {"anyOf": list(schemas)}


def maybe(schema: Schema) -> Schema:
    """The same, or null where it is not known or not there."""
    return either(schema, {"type": "null"})


def many(schema: Schema) -> Schema:
    """A list of them."""
    return {"type": "array", "items": schema}


def by_name(schema: Schema) -> Schema:
    """An object with any names, and one of them under each."""
    return {"type": "object", "additionalProperties": schema}


def closed(**members: Schema) -> Schema:
    """An object with just these keys, all of them there."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(members),
        "properties": members,
    }


def value() -> Schema:
    """What a value of a kernel may be."""
    return {"type": ["integer", "number", "boolean", "string", "null"]}


class Typed:
    """Schemas of named tuples; those that hold others like them are kept under ``definitions``."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = dict(names)
        self.definitions: dict[str, Schema] = {}

    def of(self, hint: Any) -> Schema:
        """The schema of what is declared as ``hint``."""
        origin, within = get_origin(hint), get_args(hint)
        if hint in SIMPLE:
            return dict(SIMPLE[hint])
        if origin is Literal:
            return {"enum": list(within)}
        if (origin or hint) in (Input, Quantity):
            return closed(unit=text(), doc=text())
        if origin in (Union, types.UnionType):
            return either(*map(self.of, within))
        if origin is tuple:
            if within[-1] is Ellipsis:
                return many(self.of(within[0]))
            members = list(map(self.of, within))
            return {"type": "array", "prefixItems": members, "items": False}
        if origin is list:
            return many(self.of(within[0]))
        if origin is dict:
            return by_name(self.of(within[1]))
        return self._tuple(hint)

    def _tuple(self, cls: Any) -> Schema:
        name = f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}"
        if name not in self.definitions:
            self.definitions[name] = {}
            own = vars(sys.modules[cls.__module__])
            others = {name: each for name, each in self.names.items() if name not in own}
            hints = get_type_hints(cls, localns=others)
            fields = {field: self.of(hints[field]) for field in cls._fields}
            self.definitions[name] = closed(**fields)
        return {"$ref": f"#/$defs/{name}"}
