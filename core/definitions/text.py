"""The text that a definition is read from: entries with their places, formulas down to a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from kcfg.core.spec.documents import Document
from kcfg.core.spec.nodes import MappingNode, Node, ScalarNode, SequenceNode
from kcfg.core.spec.problem import shown
from kcfg.core.spec.scalars import is_null, kind_of
from kcfg.core.spec.section import Entry, Notes, entries

COMMA = (
    "the comma ends the value here, as YAML reads it within {} and []: a formula with a comma"
    " needs quotes"
)

NOTHING: Mapping[str, str] = {}

ELSEWHERE = {
    "tmem": "tensor_memory",
    "tmem_columns": "tensor_memory_allocated",
    "smem": "shared",
    "shared_memory": "shared",
    "regions": "shared",
    "registers": "roles",
    "warps": "roles",
    "params": "inputs",
    "parameters": "inputs",
    "formulas": "values",
    "asserts": "supported",
    "conditions": "supported",
}
"""What sections are called elsewhere, a launch included."""


class Text:
    """One document, and where to note what is wrong in it.

    ``heir`` is where to note it instead, for a document that another one extends: what is wrong
    there alone was told of already.
    """

    def __init__(self, document: Document, notes: Notes) -> None:
        self.document, self.notes = document, notes
        self.heir: tuple[Text, Node] | None = None
        self.doubts: list[tuple[str, str, int, int]] = []
        """What it says in vain: path, message, line and column."""

    @property
    def file(self) -> str:
        return self.notes.file

    def at(self, node: Node) -> tuple[int, int]:
        """Line and column of a node in its file."""
        return self.notes.position(node)

    def spot(self, node: Node) -> tuple[str, int, int]:
        """File, line and column of a node."""
        return (self.file, *self.at(node))

    def wrong(self, node: Node, path: str, message: str, column: int = 1) -> None:
        """Note what is wrong at a node, or from a column of its value on."""
        where = node if column == 1 else self._within(node, column)
        if self.heir is None:
            self.notes.add(where, path, message)
            return
        heir, extends = self.heir
        line, column = self.at(where)
        heir.wrong(extends, path, f"{self.file}:{line}:{column}: {message}")

    def doubt(self, node: Node, path: str, message: str, column: int = 1) -> None:
        """Note what is said in vain, which only this document's own readers are told."""
        if self.heir is None:
            where = node if column == 1 else self._within(node, column)
            self.doubts.append((path, message, *self.at(where)))

    def unknown(self, key: Node, path: str, known: Iterable[str]) -> None:
        """Note a key that nobody knows."""
        from kcfg.core.spec.problem import meant

        names = list(known)
        other = ELSEWHERE.get(str(key.value).lower())
        hint = f"did you mean `{other}`?" if other in names else meant(key.value, names)
        self.wrong(key, path, f"unknown key {shown(key.value)}; {hint}")

    def _within(self, node: Node, column: int) -> Node:
        """The place of a character of a value, however YAML lets it be written."""
        start, end = node.start_mark, node.end_mark
        raw = self.document.text[start.index : end.index]
        style = node.style if isinstance(node, ScalarNode) else None
        skipped = 1 if style in ("'", '"') else 0
        if style in (">", "|"):
            skipped = raw.find("\n") + 1
        before = sum(not c.isspace() for c in node.value[: column - 1])
        at = skipped
        for at in range(skipped, len(raw)):
            if not raw[at].isspace():
                if before == 0:
                    break
                before -= 1
        line = raw.count("\n", 0, at)
        row = start.line + line
        along = at - raw.rfind("\n", 0, at) - 1 if line else start.column + at
        mark: Any = yaml.Mark("", start.index + at, row, along, None, 0)
        return ScalarNode("", "", mark, mark)

    def cut_short(self, node: Node) -> bool:
        """Whether a comma ended a value in the middle of a formula."""
        if not isinstance(node, ScalarNode) or node.style:
            return False
        opened = sum(map(node.value.count, "([")) > sum(map(node.value.count, ")]"))
        behind = self.document.text[node.end_mark.index :].lstrip()
        return opened and behind[:1] == ","

    def whole(self, node: Node, path: str) -> bool:
        """Whether no comma cut a formula in a list or mapping short; the first is noted."""
        return all(self.whole_value(each, path) for each in _members(node))

    def whole_value(self, node: Node, path: str) -> bool:
        """Whether no comma cut this value short; where one did, that is noted."""
        if not self.cut_short(node):
            return True
        formula = f"{node.value}, ...".replace('"', "'")
        self.wrong(node, path, f'{COMMA}, as in "{formula}"')
        return False

    def mapping(
        self,
        node: Node,
        path: str,
        known: Iterable[str] = (),
        holds: str = "",
        unfit: Mapping[str, str] = NOTHING,
    ) -> dict[str, Entry]:
        """The entries of a mapping by key; without ``known`` the keys are names of any kind.

        One that ``holds`` known keys has at least one. ``unfit`` says why keys that are known
        elsewhere may not stand here.
        """
        if not isinstance(node, MappingNode):
            given = "nothing" if is_null(node) else kind_of(node)
            self.wrong(node, path, f"expected a mapping{holds}, not {given}")
            return {}
        if not self.whole(node, path):
            return {}
        known = tuple(known)
        notes = self.notes if self.heir is None else Notes(self.file, self.document.line)
        found = entries(node, path, notes)
        if known:
            if holds and not node.value:
                self.wrong(node, path, f"expected a mapping{holds}, and this one is empty")
            for key in [key for key in found if key not in known]:
                at, where = found.pop(key).key, f"{path}.{key}" if path else key
                if key in unfit:
                    self.wrong(at, where, unfit[key])
                else:
                    self.unknown(at, where, known)
        return found

    def items(self, node: Node, path: str) -> list[Node]:
        """The items of a list; a single value is a list of one."""
        if not isinstance(node, SequenceNode):
            return [node]
        return list(node.value) if self.whole(node, path) else []


class Said(NamedTuple):
    """One key and its value, and the text they stand in."""

    key: Node
    value: Node
    text: Text

    @property
    def spot(self) -> tuple[str, int, int]:
        """File, line and column of the key."""
        return self.text.spot(self.key)

    @property
    def place(self) -> str:
        """Where the value stands, as messages say it."""
        line, column = self.text.at(self.value)
        return f"{self.text.file}:{line}:{column}"

    def wrong(self, path: str, message: str, column: int = 1) -> None:
        """Note what is wrong with the value."""
        self.text.wrong(self.value, path, message, column)

    def entries(
        self,
        path: str,
        known: Iterable[str] = (),
        holds: str = "",
        unfit: Mapping[str, str] = NOTHING,
    ) -> dict[str, Said]:
        """The entries of a mapping by key, as `Text.mapping`."""
        found = self.text.mapping(self.value, path, known, holds, unfit)
        return {key: Said(entry.key, entry.value, self.text) for key, entry in found.items()}


def _members(node: Node) -> Iterator[Node]:
    if isinstance(node, MappingNode):
        yield from (value for _, value in node.value)
    elif isinstance(node, SequenceNode):
        yield from node.value
