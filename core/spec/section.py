"""A mapping of a document with its positions, and the collector of what is wrong in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kcfg.core.spec.documents import Document
from kcfg.core.spec.nodes import MappingNode, Node, ScalarNode, SequenceNode, anchors
from kcfg.core.spec.problem import Kind, Problem, meant, shown
from kcfg.core.spec.scalars import kind_of

MOST_PROBLEMS = 100
"""Problems of one document that are listed."""
TOO_MANY = "too many problems; the rest is not listed"

MERGE = "<<"

Position = tuple[int, int]
"""Line and column, from 1; zeros for what came from the command line."""

NOWHERE: Position = (0, 0)

Span = tuple[Position, Position]
"""Where a key and its value begin."""


class Setting(ScalarNode):
    """A value from the command line, in place of one in the document: ``option`` gave it.

    One that a project's settings give in its place is not ``asked``.
    """

    asked = True

    def __init__(self, option: str, value: str) -> None:
        quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
        super().__init__("", value[1:-1] if quoted else value)
        self.style = value[0] if quoted else None
        self.option = option


class SettingList(SequenceNode):
    """Several values from the command line."""

    asked = True

    def __init__(self, option: str, values: list[Node]) -> None:
        super().__init__("", values)
        self.option = option


class SettingMapping(MappingNode):
    """A mapping that the document lacks, around what the command line says."""

    asked = True

    def __init__(self, option: str, pairs: list[tuple[Node, Node]]) -> None:
        super().__init__("", pairs)
        self.option = option


class ProjectSetting(Setting):
    """A value from a project's settings: a file says it, ``option`` which."""

    asked = False


class Entry(NamedTuple):
    """One key of a mapping and its value."""

    key: Node
    value: Node


class Places(Mapping[str, Span]):
    """Where a key and its value stand, by the key's path; worked out when that is asked.

    ``line`` is the document's first. Entries of the mapping at a path are kept by that path,
    any others (of a list, or under another word) by their own.
    """

    def __init__(self, line: int) -> None:
        self.line = line
        self.mappings: dict[str, dict[str, Entry]] = {}
        self.others: dict[str, Entry] = {}

    def __getitem__(self, path: str) -> Span:
        entry = self.others.get(path) or self._within(path)
        return position(entry.key, self.line), position(entry.value, self.line)

    def entry(self, path: str) -> Entry | None:
        """A key and its value by the key's path; None where it is not given."""
        try:
            return self.others.get(path) or self._within(path)
        except KeyError:
            return None

    def _within(self, path: str) -> Entry:
        outer, dot, key = path.rpartition(".")
        while outer not in self.mappings and dot:  # the key itself has a dot
            outer, dot, before = outer.rpartition(".")
            key = f"{before}.{key}"
        return self.mappings.get(outer, {})[key]

    def __repr__(self) -> str:
        return repr(dict(self))

    def __iter__(self) -> Iterator[str]:
        for path, found in self.mappings.items():
            yield from (f"{path}.{key}" if path else key for key in found)
        yield from self.others

    def __len__(self) -> int:
        return len(self.others) + sum(map(len, self.mappings.values()))


def position(node: Node, line: int) -> Position:
    """Where a node of a document begins whose first line is this one."""
    mark = node.start_mark
    return (line + mark.line, mark.column + 1) if mark is not None else NOWHERE


class EnoughError(Exception):
    """A document has more problems than anybody would read."""


class Notes:
    """The problems of one document; of several for one key at one place, the first is kept."""

    def __init__(self, file: str, line: int) -> None:
        self.file, self.line = file, line
        self._found: dict[tuple[str, int, int, str], Problem] = {}

    def problems(self) -> list[Problem]:
        """Every problem in the order of the text, those of the command line first."""
        return sorted(self._found.values(), key=lambda problem: problem[1:3])

    def __len__(self) -> int:
        return len(self._found)

    def position(self, node: Node | None) -> Position:
        """Where a node begins; without one, the document."""
        return (self.line, 1) if node is None else position(node, self.line)

    def add(self, node: Node | None, path: str, message: str, kind: Kind | None = None) -> None:
        """Note a problem at a node; raises `EnoughError` once there are too many.

        Without a ``kind``, an option's is "asked", any other "wrong".
        """
        option = node if isinstance(node, Setting | SettingList | SettingMapping) else None
        file = option.option if option else self.file
        kind = kind or ("asked" if option and option.asked else "wrong")
        line, column = self.position(node)
        where = (file, line, column, path)
        self._found.setdefault(where, Problem(*where, message, kind))
        if len(self._found) >= MOST_PROBLEMS:
            raise EnoughError

    def unknown(self, key: Node, path: str, known: Iterable[str]) -> None:
        """Note a key that nobody knows."""
        self.add(key, path, f"unknown key {shown(key.value)}; {meant(key.value, known)}")

    def aliases(self, document: Document) -> None:
        """Note every anchor and alias; raises `BrokenError`."""
        for node in anchors(document.text):
            word = "alias" if node.value.startswith("*") else "anchor"
            message = f"{word} {shown(node.value)}: specs have none; write the value out"
            self.add(node, "", message)


def entries(node: MappingNode, path: str, notes: Notes) -> dict[str, Entry]:
    """A mapping's entries by key; keys given twice, tags and merge keys go to ``notes``."""
    found: dict[str, Entry] = {}
    prefix = f"{path}." if path else ""
    for key, value in node.value:
        if not isinstance(key, ScalarNode):
            notes.add(key, path, f"expected a name as key, not {kind_of(key)}")
            continue
        name: str = key.value
        if name in found:
            line = notes.position(found[name].key)[0]
            first = f", first in line {line}" if line else ""
            notes.add(key, prefix + name, f"key {shown(name)} is given twice{first}")
            continue
        found[name] = Entry(key, value)
        if key.tag or value.tag:
            untagged(key, prefix + name, notes)
            untagged(value, prefix + name, notes)
        if name == MERGE and not key.style:
            notes.add(key, path, "merge key `<<`: specs have none; write the keys out")
    return found


def untagged(node: Node, path: str, notes: Notes) -> None:
    """Note a tag, should the node have one."""
    if node.tag:
        tag = node.tag.replace("tag:yaml.org,2002:", "!!")
        hint = ' (a bound needs quotes, as in "!= 4")' if tag == "!=" else ""
        notes.add(node, path, f"tag {shown(tag)}: specs have none{hint}")
