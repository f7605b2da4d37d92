"""Models that are served, by name: the shapes of their layers, with where each was read."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, NamedTuple

from kcfg.core.errors import UnknownError

FILE = "models.json"


class Model(NamedTuple):
    """One model, or one kind of its layers.

    ``attention`` has heads, group and depths; of MLA ``attention_prefill`` and
    ``attention_decode_absorbed`` have them. ``gemms`` are pairs of N and K by product and by
    the number of devices, as text; None where that does not divide. ``facts`` has the rest.
    """

    id: str
    name: str
    kind: str
    gemms: dict[str, dict[str, list[int] | None]]
    sources: tuple[str, ...]
    facts: dict[str, Any]

    @property
    def devices(self) -> tuple[int, ...]:
        """The numbers of devices that its attention is known for."""
        return tuple(int(text) for text, each in self.facts["attention_tp"].items() if each)


@cache
def _models() -> dict[str, Model]:
    with open(os.path.join(os.path.dirname(__file__), FILE), encoding="utf-8") as file:
        known = json.load(file)["models"]
    fields = ("id", "name", "kind", "gemms", "sources")
    return {
        each["id"]: Model(
            each["id"],
            each["name"],
            each["kind"],
            each["gemms"],
            tuple(each["sources"]),
            {key: value for key, value in each.items() if key not in fields},
        )
        for each in known
    }


def names() -> tuple[str, ...]:
    """Every model's name, in alphabetical order."""
    return tuple(sorted(_models()))


def find(name: str) -> Model:
    """A model by its name; raises `UnknownError` for one that is none."""
    if name not in _models():
        raise UnknownError("model", name, names())
    return _models()[name]
