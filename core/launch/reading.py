"""A spec with ``kernel: launch``: its ``shape`` as a `Block`, every key of it where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kcfg.core.block.block import Block
from kcfg.core.block.keys import LARGEST, Group, Key
from kcfg.core.block.parts import has_most
from kcfg.core.figures import joined
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Conflict, Figure, Kernel
from kcfg.core.launch import paths
from kcfg.core.launch.working import Worked, worked_out
from kcfg.core.spec.known import LAUNCH
from kcfg.core.spec.nodes import MappingNode, Node, ScalarNode, SequenceNode
from kcfg.core.spec.problem import shown
from kcfg.core.spec.scalars import (
    SIZED,
    TRUTHS,
    RefusedError,
    boolean,
    choice,
    integer,
    is_null,
    kind_of,
    size,
    text,
)
from kcfg.core.spec.section import MERGE, Entry, Notes, Places, entries
from kcfg.core.spec.shape import Shape

if TYPE_CHECKING:
    from kcfg.core.engine.reasons import Fit
    from kcfg.core.launch.most import Most


class LaunchSpec(Kernel):
    """What stands for a kernel in a spec of a launch: it is judged, with the figures that follow.

    Its values are those figures, by the paths of the keys that do not say them.
    """

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
        return Block(self.target, **self.worked.given)

    @cached_property
    def worked(self) -> Worked:
        """What the spec gives, with the figures that follow."""
        most = _most(self.target, self.given)
        if most is None:
            return worked_out(self.target, self.given)
        return worked_out(self.target, self.given, most.stages, most.why)

    def figures(self) -> tuple[Figure, ...]:
        """The figures that follow."""
        return self.worked.figures

    def values(self) -> dict[str, Any]:
        """The same by their paths."""
        return {each.path: each.value for each in self.figures()}

    def weighed(self) -> tuple[Fit, ...]:
        """How the most stages that fit came about, where a pipeline has them."""
        most = _most(self.target, self.given)
        return (most.fit,) if most is not None and most.fit is not None else ()

    def read(self, key: str) -> Any:
        """A figure by its path, said or one that follows, or the place of that name."""
        values = self.values()
        if key in values:
            return values[key]
        try:
            return super().read(key)
        except KeyError:
            return paths.value(self.block, key)

    @classmethod
    def only_configured(cls) -> Mapping[str, str]:
        """Places, and the numbers of a launch by the paths of their keys."""
        return {**paths.patterns(Block), **super().only_configured()}

    def asked(self) -> dict[str, Any]:
        """What the spec gives."""
        return Block(self.target, **self.given).plain()

    @classmethod
    def faults(cls, target: Target, inputs: dict[str, Any]) -> list[Conflict]:
        """What keeps a figure from following."""
        most = _most(target, inputs)
        if most is not None:
            return list(most.faults) or _outsized(worked_out(target, inputs, most.stages))
        return _outsized(worked_out(target, inputs))

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


def _most(target: Target, given: dict[str, Any]) -> Most | None:
    """The most stages that fit, and how that came about; None where no pipeline has them."""
    if not any(map(has_most, given.get("pipelines", ()))):
        return None
    from kcfg.core.launch.most import most_stages

    return most_stages(target, given)


def _outsized(worked: Worked) -> list[Conflict]:
    """The figures that no key could say: they are above what any may have."""
    return [
        Conflict(each.path, f"this comes to more than {LARGEST:,}, the most that a key may say")
        for each in worked.figures
        if each.value > LARGEST
    ]


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
        return choice(node, key.choices, key.unit == "dtype") if key.choices else text(node)
    if isinstance(node, ScalarNode) and node.value in key.instead:
        word = TRUTHS.get(node.value, node.value)
        if isinstance(word, str) or not node.style:
            return word
    if "true" in key.instead and isinstance(node, ScalarNode) and node.value.lower() in TRUTHS:
        return boolean(node)
    value = _number(key, node)
    if not key.least <= value <= key.most:
        bound = f"at least {key.least}" if value < key.least else f"at most {key.most}"
        raise RefusedError(f"must be {bound}, not {shown(str(value))}")
    return value


def _number(key: Key, node: Node) -> int:
    expected = f"an integer from {key.least} to {key.most}"
    if key.instead:
        expected = f"{joined(key.instead, 'or')}, or {expected}"
    unit = SIZED.get(key.unit)
    return integer(node, expected) if unit is None else size(node, expected, unit)


def _known(cls: type[Group]) -> str:
    return ", ".join(f"`{name}`" for name in cls.keys)
