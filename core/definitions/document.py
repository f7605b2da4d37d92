"""A definition's document: its head and sections, with what it takes over from another one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from itertools import chain
from typing import NamedTuple

from kcfg.core.definitions.names import NAME
from kcfg.core.definitions.text import Said, Text
from kcfg.core.definitions.values import TABLE, fields_of
from kcfg.core.kernel import Kernel
from kcfg.core.spec.nodes import MappingNode, Node, ScalarNode, SequenceNode
from kcfg.core.spec.problem import meant, shown
from kcfg.core.spec.scalars import RefusedError, is_null, text

DEFINES = "defines"
"""The key by which a definition is told from a spec."""
SECTIONS = ("inputs", "values", "supported", "must", "shared", "tensor_memory", "roles", "launch")
FORMULAS = ("shared_bytes", "shared_limit", "tensor_memory_allocated", "registers_at_entry")
"""Keys that have a formula of their own."""
LABELS = ("version", "library", "title", "changes", "source", "needs", "target")
KEYS = (DEFINES, *LABELS, "extends", "without", *SECTIONS, *FORMULAS)
MOST = {"values": 1000, "inputs": 200, "shared": 200}
"""The most entries of a section."""


class Value(NamedTuple):
    """One value: its key, and its fields by name."""

    said: Said
    fields: dict[str, Said]


class Definition:
    """A definition as said: ``head`` and ``sections`` by key, values by their fields.

    ``base`` is the kernel written in Python that it extends, if it does. ``texts`` are those of
    the documents it is made from, its own the last.
    """

    def __init__(self, name: str, own: Text, said: Said) -> None:
        self.name, self.own, self.said = name, own, said
        self.head: dict[str, Said] = {}
        self.sections: dict[str, dict[str, Said]] = {name: {} for name in SECTIONS}
        self.keys: dict[str, Said] = {}
        """Where the head and the sections are said, by key."""
        self.values: dict[str, Value] = {}
        self.base: type[Kernel] | None = None
        self.parent: Definition | None = None
        self.without: dict[str, Said] = {}
        """What it drops of what it takes over, by name."""
        self.unheard: set[str] = set()
        """Names that are said in what was refused as a whole, such as a section said twice."""

    @property
    def texts(self) -> tuple[Text, ...]:
        """Every document it is made from, the oldest first."""
        return (*(self.parent.texts if self.parent else ()), self.own)

    def label(self, key: str) -> str:
        """What the head says under a key, on one line; empty where it says nothing."""
        if key not in self.head:
            return ""
        if is_null(self.head[key].value):
            self.head[key].wrong(key, "expected a value here, or no key at all")
            return ""
        try:
            return text(self.head[key].value)
        except RefusedError as error:
            self.head[key].wrong(key, str(error))
            return ""


Resolve = Callable[[Said, "Definition"], "Definition | type[Kernel] | None"]
"""What a definition extends, from what it says under ``extends``; None where that was noted."""


def read(root: MappingNode, own: Text, resolve: Resolve) -> Definition | None:
    """The definition of a document; None where its name is none."""
    top = own.mapping(root, "", KEYS)
    entries = {key: Said(entry.key, entry.value, own) for key, entry in top.items()}
    if DEFINES not in entries:
        return None
    said = entries[DEFINES]
    name = said.value.value if isinstance(said.value, ScalarNode) else ""
    if not NAME.fullmatch(name) or not name[0].isalpha() or len(name) > 100:
        rule = "letters, digits and _, a letter first"
        said.wrong(DEFINES, f"expected a name of {rule}, not {shown(str(name))}")
        return None
    found = Definition(name, own, said)
    found.keys = dict(entries)
    extends = entries.get("extends")
    parent = None
    if extends is not None:
        parent = resolve(extends, found)
        if parent is None:
            return None
    found.head = {key: entries[key] for key in (*LABELS, *FORMULAS) if key in entries}
    for section in SECTIONS:
        if section in entries and section != "values":
            found.sections[section] = _section(section, entries[section])
    fresh: dict[str, Said] = {}
    if "values" in entries:
        fresh = _section("values", entries["values"])
        for key, each in fresh.items():
            found.values[key] = Value(each, fields_of(each, f"values.{key}"))
    if isinstance(parent, Definition):
        _take_over(found, parent, extends.value if extends else said.value)
    elif parent is not None:
        found.base = parent
    if "without" in entries:
        _drop(found, entries["without"], fresh)
    if len(own.notes):
        found.unheard = _said_in(root) - {*found.values, *chain(*found.sections.values())}
    return found


def _said_in(root: MappingNode) -> set[str]:
    """Every name that stands below a key of the top level, in a mapping or a list."""
    said: set[str] = set()
    for _, section in root.value:
        if isinstance(section, MappingNode):
            said.update(str(key.value) for key, _ in section.value)
        elif isinstance(section, SequenceNode):
            said.update(str(each.value) for each in section.value)
    return said


def _section(name: str, said: Said) -> dict[str, Said]:
    if is_null(said.value):
        said.wrong(name, "expected entries here: leave the section out where there are none")
        return {}
    found = said.entries(name, holds=" of names")
    most = MOST.get(name, max(MOST.values()))
    if len(found) > most:
        first = list(found.values())[most]
        message = f"a definition has at most {most:,} {name}, not {len(found):,}"
        first.text.wrong(first.key, name, message)
        return {}
    return found


# Taking over


def _take_over(found: Definition, parent: Definition, extends: Node) -> None:
    """Put what the document says over what its parent has."""
    found.parent, found.base = parent, parent.base
    found.keys = {**_inherited(parent.keys, found.own, extends), **found.keys}
    found.head = {**_inherited(parent.head, found.own, extends), **found.head}
    for section, entries in found.sections.items():
        found.sections[section] = {
            **_inherited(parent.sections[section], found.own, extends),
            **entries,
        }
    own = found.values
    values = {
        key: Value(
            _heir(each.said, found.own, extends), _inherited(each.fields, found.own, extends)
        )
        for key, each in parent.values.items()
    }
    fresh = {}
    for key, value in own.items():
        if key in values:
            values[key] = Value(value.said, _replaced(values[key].fields, value.fields))
        else:
            fresh[key] = value
    found.values = _placed(values, fresh)


def _replaced(before: dict[str, Said], after: dict[str, Said]) -> dict[str, Said]:
    """The fields of a value that is said again."""
    kept = before
    if "is" in after:
        kept = {key: each for key, each in before.items() if key not in TABLE}
    elif any(key in after for key in TABLE):
        kept = {key: each for key, each in before.items() if key != "is"}
    return {**kept, **after}


def _placed(values: dict[str, Value], fresh: dict[str, Value]) -> dict[str, Value]:
    """All values, new ones behind the last of those that they read."""
    order = list(values)
    everything = {**values, **fresh}
    for key in fresh:
        reads = [order.index(name) for name in _names(everything[key]) if name in order]
        order.insert(max(reads, default=-1) + 1, key)
    return {key: everything[key] for key in order}


def _names(value: Value) -> Iterator[str]:
    """Every name in the formulas of a value, roughly: what looks like one."""
    for field in ("is", *TABLE):
        if field in value.fields:
            yield from _names_in(value.fields[field].value)


def _names_in(node: Node) -> Iterator[str]:
    if isinstance(node, ScalarNode):
        yield from re.findall(NAME, node.value)
    else:
        for each in node.value:
            for inner in each if isinstance(each, tuple) else (each,):
                yield from _names_in(inner)


def _inherited(entries: dict[str, Said], own: Text, extends: Node) -> dict[str, Said]:
    return {key: _heir(each, own, extends) for key, each in entries.items()}


def _heir(said: Said, own: Text, extends: Node) -> Said:
    """An entry of a parent, of which what is wrong is noted where it is taken over."""
    other = Text(said.text.document, said.text.notes)
    other.heir = (own, extends)
    return said._replace(text=other)


def _drop(found: Definition, said: Said, own: Collection[str]) -> None:
    """Leave out what the document does without; ``own`` are the values that it says itself."""
    if is_null(said.value):
        said.wrong("without", "expected the names of values, as [a, b], or no key at all")
        return
    if found.base is None and found.parent is None:
        said.text.wrong(said.key, "without", "`without` drops what `extends` takes over: say what")
        return
    inherited = {} if found.base is None else {e.key for e in found.base.quantities.values()}
    known = [*found.values, *inherited]
    for node in said.text.items(said.value, "without"):
        name = str(node.value) if isinstance(node, ScalarNode) else ""
        if name in found.without:
            said.text.wrong(node, "without", f"`{name}` is given twice")
        elif name in own:
            said.text.wrong(node, "without", f"`{name}` is said under `values` too: keep one")
        elif name not in known:
            message = f"no value {shown(name)} is taken over; {meant(name, known)}"
            said.text.wrong(node, "without", message)
        else:
            found.values.pop(name, None)
            found.without[name] = Said(said.key, node, said.text)
