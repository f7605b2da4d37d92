"""The section ``launch``: whatever else a launch has, with formulas for numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

from kcfg.core.block.block import Block
from kcfg.core.block.keys import Group, Key
from kcfg.core.definitions.figures import Figure, Figures
from kcfg.core.definitions.formulas import Formulas
from kcfg.core.definitions.text import Said
from kcfg.core.engine.quantity import UNITS
from kcfg.core.spec.nodes import MappingNode, Node, ScalarNode
from kcfg.core.spec.problem import shown
from kcfg.core.spec.scalars import RefusedError, boolean, choice, is_null, kind_of, text

ELSEWHERE = {
    "threads": "`roles` says which warps there are",
    "registers.roles": "`roles` says it",
    "registers.entry": "`registers_at_entry` says it",
    "shared.regions": "`shared` says it",
    "shared.dynamic": "`shared_bytes` says it",
    "tmem.allocations": "`tensor_memory_allocated` says it",
    "tmem.regions": "`tensor_memory` says it",
}
"""Keys of a launch that a definition derives, and what says them."""
MOST_ITEMS = 200


class Mould(NamedTuple):
    """A group of a block with figures in place of its numbers: ``values`` by key.

    A value is a figure, a text or truth value, another mould, or a tuple of such.
    """

    group: type[Group]
    values: tuple[tuple[str, Any], ...]


class Literal(NamedTuple):
    """A text or truth value, which is no attribute."""

    value: str | bool


class Launch:
    """The launch of one definition on its way: ``mould`` is the block as far as it says it."""

    def __init__(self, figures: Figures) -> None:
        self.figures, self.formulas = figures, figures.formulas
        self.said: set[str] = set()
        """The paths of the keys that are said."""

    def read(self, entries: dict[str, Said]) -> Mould:
        """Take in the section."""
        return self._group(Block, entries, "launch", "")

    def _group(self, group: type[Group], entries: dict[str, Said], path: str, at: str) -> Mould:
        values: list[tuple[str, Any]] = []
        for name, said in entries.items():
            key, inner = f"{path}.{name}", f"{at}.{name}" if at else name
            if inner in ELSEWHERE:
                message = f"`{inner}` is derived: {ELSEWHERE[inner]}"
                said.text.wrong(said.key, key, message)
            elif name not in group.keys:
                said.text.unknown(said.key, key, group.keys)
            elif is_null(said.value):
                said.wrong(key, "expected a value here, or no key at all")
            else:
                self.said.add(inner)
                self.figures.place(inner, said.key, said)
                values.append((name, self._value(group.keys[name], said, key, inner)))
        return Mould(group, tuple(values))

    def _value(self, key: Key, said: Said, path: str, at: str) -> Any:
        if not key.many:
            return self._one(key, said, path, at)
        items = said.text.items(said.value, path)
        most = key.longest or MOST_ITEMS
        if len(items) > most:
            said.wrong(path, f"expected at most {most} values, not {len(items)}")
            return ()
        return tuple(
            self._one(key, Said(said.key, item, said.text), f"{path}[{index}]", f"{at}[{index}]")
            for index, item in enumerate(items)
        )

    def _one(self, key: Key, said: Said, path: str, at: str) -> Any:
        if issubclass(key.kind, Group):
            if isinstance(said.value, MappingNode):
                return self._group(key.kind, said.entries(path), path, at)
            lead = key.kind.lead
            if lead:
                inner = self._one(key.kind.keys[lead], said, path, f"{at}.{lead}")
                return Mould(key.kind, ((lead, inner),))
            given = "nothing" if is_null(said.value) else kind_of(said.value)
            said.wrong(path, f"expected a mapping, not {given}")
            return None
        if key.kind is int:
            unit: Any = key.unit if key.unit in UNITS else "count"
            return self.figures.number(said, path, at, at, unit, key.least)
        try:
            if key.kind is bool:
                return self._truth(said, path, at)
            return self._text(key, said.value, path)
        except RefusedError as error:
            said.wrong(path, str(error))
            return None

    def _truth(self, said: Said, path: str, at: str) -> Literal | Figure:
        if isinstance(said.value, ScalarNode) and said.value.value in ("true", "false"):
            return Literal(boolean(said.value))
        found = self.formulas.check(said, path, "truth")
        return None if found is None else self.formulas.add(at, found, "bool", said=said)

    def _text(self, key: Key, node: Node, path: str) -> Literal | str:
        """A text itself, or the attribute of an input or value that is one."""
        written = text(node)
        if isinstance(node, ScalarNode) and not node.style and written not in key.choices:
            names = self.formulas.names
            if written in names.broken:
                return written
            known = names.known.get(written)
            if known is not None and known.kind == "text":
                return known.attribute
        if key.choices:
            return Literal(choice(node, key.choices))
        if not written:
            raise RefusedError(f"expected a text, not {shown(written)}")
        return Literal(written)


def figures_of(mould: Any, formulas: Formulas) -> list[str]:
    """The attributes that a mould is filled from, in its order."""
    if isinstance(mould, Mould):
        return [each for _, value in mould.values for each in figures_of(value, formulas)]
    if isinstance(mould, Literal):
        return []
    if isinstance(mould, tuple):
        return [each for value in mould for each in figures_of(value, formulas)]
    return [mould] if isinstance(mould, str) else []
