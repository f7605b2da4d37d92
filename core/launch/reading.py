"""A spec with ``kernel: launch``: its ``shape`` as a `Block`, every key of it where it stands."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from kcfg.core.block.block import Block
from kcfg.core.block.keys import Group, Key
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Kernel
from kcfg.core.spec.known import LAUNCH
from kcfg.core.spec.nodes import MappingNode, Node, ScalarNode, SequenceNode
from kcfg.core.spec.problem import shown
from kcfg.core.spec.scalars import RefusedError, boolean, choice, integer, is_null, kind_of, text
from kcfg.core.spec.section import MERGE, Entry, Notes, Places, entries
from kcfg.core.spec.shape import Shape


class LaunchSpec(Kernel):
    """What stands for a kernel in a spec of a launch: nothing is derived, only judged."""

    kernel = LAUNCH
    release = ""
    title = "A launch written by hand, judged by the rules"
    struct = "none"
    changes = "Without a release: it follows the target alone."
    derives = False

    def __init__(self, *, target: Target, **given: Any) -> None:
        super().__init__(target=target)
        self.given = given

    @cached_property
    def block(self) -> Block:
        """The block that the spec says is launched."""
        return Block(self.target, **self.given)

    def asked(self) -> dict[str, Any]:
        """What the spec gives."""
        return self.block.plain()

    @classmethod
    def refuses(cls, target: Target) -> str | None:
        """Every target has limits to judge by."""
        return None

    @classmethod
    def read_shape(cls, found: dict[str, Entry], shape: Node, notes: Notes) -> Shape:
        """The keys of a launch, from the entries of ``shape``; what is refused goes to notes."""
        reading = _Reading(notes)
        values = reading.group(Block, found, "shape")
        return Shape(values, tuple(key for key in found if key in values), reading.at)


class _Reading:
    """A shape on its way to values; ``at`` collects where each key stands, by its path."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.at = Places(notes.line)

    def group(self, cls: type[Group], found: dict[str, Entry], path: str) -> dict[str, Any]:
        """The values of a group's keys that are given."""
        self.at.mappings[path] = found
        values = {}
        for name, entry in found.items():
            if name == MERGE:
                continue  # noted where the entries were read
            if name not in cls.keys:
                self.notes.unknown(entry.key, f"{path}.{name}", cls.keys)
            elif not is_null(entry.value):
                values[name] = self.value(cls.keys[name], entry.value, f"{path}.{name}")
        return values

    def value(self, key: Key, node: Node, path: str) -> Any:
        """The value of a key: one, or all of a list; None for what is refused."""
        if not key.many:
            return self.one(key, node, path)
        items = node.value if isinstance(node, SequenceNode) else [node]
        if key.longest and len(items) > key.longest:
            message = f"expected at most {key.longest} values, not {len(items)}"
            self.notes.add(node, path, message)
            return ()
        values = []
        for index, item in enumerate(items):
            self.at.others[f"{path}[{index}]"] = Entry(item, item)
            values.append(self.one(key, item, f"{path}[{index}]"))
        return tuple(values)

    def one(self, key: Key, node: Node, path: str) -> Any:
        if issubclass(key.kind, Group):
            return self.nested(key.kind, node, path)
        try:
            return _scalar(key, node)
        except RefusedError as error:
            self.notes.add(node, path, str(error))
            return None

    def nested(self, cls: type[Group], node: Node, path: str) -> Group | None:
        """A group from its mapping, or from the value of its lead."""
        if isinstance(node, MappingNode):
            return cls(**self.group(cls, entries(node, path, self.notes), path))
        if cls.lead and isinstance(node, ScalarNode) and not is_null(node):
            return cls(**{cls.lead: self.one(cls.keys[cls.lead], node, path)})
        given = "nothing" if is_null(node) else kind_of(node)
        self.notes.add(node, path, f"expected a mapping with {_known(cls)}, not {given}")
        return None


def _scalar(key: Key, node: Node) -> Any:
    if key.kind is bool:
        return boolean(node)
    if key.kind is str:
        return choice(node, key.choices) if key.choices else text(node)
    value = integer(node, f"an integer from {key.least} to {key.most}")
    if not key.least <= value <= key.most:
        bound = f"at least {key.least}" if value < key.least else f"at most {key.most}"
        raise RefusedError(f"must be {bound}, not {shown(str(value))}")
    return value


def _known(cls: type[Group]) -> str:
    return ", ".join(f"`{name}`" for name in cls.keys)
