"""Names of a report as identifiers of a language, none of them used for two things."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from kcfg.core.emit.conditions import Number
from kcfg.core.emit.model import Check, Constant, Section
from kcfg.core.hardware.target import Target


def identifier(text: str, reserved: Collection[str] = ()) -> str:
    """A name that any language takes: ``mma_shape[0]`` is ``mma_shape_0``.

    Whatever is no letter or digit of ASCII becomes an underscore; a leading digit gets one
    before it, a reserved word one behind it. A text without any such is ``_``.
    """
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    if not name or name[0].isdigit():
        name = f"_{name}"
    return f"{name}_" if name in reserved else name


class Names:
    """The identifiers in use in one scope of a file."""

    def __init__(self, reserved: Collection[str]) -> None:
        self.reserved = reserved
        self._taken: set[str] = set()

    def take(self, text: str) -> str:
        """The identifier for a name; where it stands for another already, one with a number."""
        return identifier(self.unlike(text), self.reserved)

    def free(self, text: str) -> str:
        """The identifier for the name of a section; where it stands for something, one like it."""
        while identifier(text, self.reserved) in self._taken:
            text += "_values"
        return self.take(text)

    def unlike(self, text: str) -> str:
        """The same text where no other has its identifier, else one with a number behind it."""
        found, count = text, 1
        while identifier(found, self.reserved) in self._taken:
            count += 1
            found = f"{text}_{count}"
        self._taken.add(identifier(found, self.reserved))
        return found


class Draft:
    """A section that is being filled, and what must hold in it.

    Without a name, its constants stand in ``names`` itself.
    """

    def __init__(self, names: Names, name: str, doc: str) -> None:
        self.name = names.free(name) if name else ""
        self.doc = doc
        self.checks: list[Check] = []
        self._names = Names(names.reserved) if name else names
        self._constants: list[Constant] = []
        self._parts = Names(())

    def add(self, key: str, value: Any, unit: str, doc: str = "") -> Number:
        """Add a constant under the identifier of ``key``; returns it as conditions name it."""
        name = self._names.take(key)
        self._constants.append(Constant(name, value, unit, doc))
        return Number(f"{self.name}.{name}" if self.name else name, value)

    def part(self, name: str) -> str:
        """What the constants of a part begin with; one like it where another part has that."""
        return self._parts.unlike(name)

    def section(self) -> Section:
        """What was added."""
        return Section(self.name, self.doc, tuple(self._constants))


class Limits(Draft):
    """The section of a target's limits, each added when a condition first names it."""

    def __init__(self, names: Names, target: Target) -> None:
        super().__init__(names, "limits", f"Limits of {target.product}.")
        self._target = target
        self._named: dict[str, Number] = {}

    def __contains__(self, name: str) -> bool:
        """Whether there is a limit of that name, and a number as which it can be held."""
        return name in self._target.limits and type(getattr(self._target, name)) is int

    def __getitem__(self, name: str) -> Number:
        """A limit by its name in `Target`."""
        if name not in self._named:
            declared = self._target.limits[name]
            value = getattr(self._target, name)
            self._named[name] = self.add(name, value, declared.unit, declared.doc)
        return self._named[name]
