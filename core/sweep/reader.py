"""Reading a sweep: a spec whose inputs may be lists or ranges, as strictly as any other.

Under ``shape`` a value may be a list, a range (``64..512``, ``64..512 step 64``, its end
included), or a list with ranges in it. The grid is their product in the order of the keys,
the last one varying fastest. ``sweep: {zip: [[a, b]]}`` lets lists advance together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from kcfg.core.engine.quantity import REQUIRED, Input
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Kernel
from kcfg.core.spec import KEYS, Defined, Overrides, Reading, Spec, checked, read_document
from kcfg.core.spec.documents import STDIN, Document, documents, lines_of, opened, why_unread
from kcfg.core.spec.head import Head
from kcfg.core.spec.known import Known, is_definition, picked
from kcfg.core.spec.nested import spread
from kcfg.core.spec.nodes import MappingNode, Node, ScalarNode, SequenceNode
from kcfg.core.spec.overrides import NOTHING
from kcfg.core.spec.problem import Problem, meant, shown
from kcfg.core.spec.scalars import RefusedError, in_range, is_null, kind_of, read, text
from kcfg.core.spec.section import Entry, Notes, Setting
from kcfg.core.spec.shape import Grammar, Shape, grammar
from kcfg.core.sweep.grid import Axis, Values

SLICE = re.compile(r"(-?[0-9]{1,19}):(-?[0-9]{1,19})(?::([0-9]{1,19}))?")
"""A range as Python has it."""
RANGE = re.compile(r"(-?[0-9]{1,19})\.\.(-?[0-9]{1,19})(?: +step +([0-9]{1,19}))?")


class Sweep(NamedTuple):
    """A sweep, checked: the spec of its first point, and what varies from point to point."""

    spec: Spec
    axes: tuple[Axis, ...]


def read_sweep(
    path: str,
    overrides: Overrides,
    zips: Iterable[tuple[str, ...]] = (),
    file: str = "",
    only: int | None = None,
) -> Sweep | list[Problem]:
    """The sweep of a file (``-`` is standard input), or everything that is wrong with it.

    ``file`` is its name in messages, ``only`` the number of its document, where that is said.
    """
    file = file or (STDIN if path == "-" else path)
    try:
        with opened(path) as stream:
            found = list(picked(documents(lines_of(stream), file), only, file))
    except OSError as error:
        return [Problem(file, 0, 0, "", why_unread(error, path), "unreadable")]
    known = Known(file)
    specs, problems = _without_definitions(found, file, known, only)
    if problems:
        return problems
    written = [one for one in specs if isinstance(one, Problem) or not one.blank] or found[:1]
    if isinstance(written[0], Problem):
        return [written[0]]
    if len(written) > 1:
        line = written[1].line
        message = f"a sweep is one document; {len(written)} are here, the second in line {line}"
        number = getattr(written[0], "number", 1)
        pick = f"; name one by its number, as {file}#{number}" if file != STDIN else ""
        return [Problem(file, line, 1, "", f"{message}{pick}")]
    return sweep_of(written[0], file, overrides, zips, known)


def sweep_of(
    document: Document,
    file: str,
    overrides: Overrides,
    zips: Iterable[tuple[str, ...]],
    known: Known,
) -> Sweep | list[Problem]:
    """The sweep of one document, or everything that is wrong with it."""

    def sweep(root: Node | None, notes: Notes) -> Sweep | None:
        reading = SweepReading(document, file, overrides, notes, known)
        reading.zips = list(zips)
        spec = reading.spec(root)
        return Sweep(spec, reading.axes) if spec else None

    return checked(document, file, sweep)


def _without_definitions(
    found: list[Document | Problem], file: str, known: Known, only: int | None
) -> tuple[list[Document | Problem], list[Problem]]:
    """The documents that are no definitions, and what is wrong with those that are.

    Where all are definitions, specs of them that leave everything to its defaults.
    """
    specs: list[Document | Problem] = []
    unsaid: list[Document | Problem] = []
    for one in found:
        if isinstance(one, Problem) or not is_definition(one):
            specs.append(one)
            continue
        item = read_document(one, file, NOTHING, known)
        if isinstance(item, list):
            return [], item
        if isinstance(item, Defined) and only in (None, one.number):
            unsaid.append(item.spec)
    return specs or unsaid, []


class Choices(NamedTuple):
    """The values of one key, and the node each was written at (the range's for its values)."""

    declared: Input
    values: Values
    nodes: tuple[Node, ...]

    def node(self, place: int) -> Node:
        """A node that says the value at ``place`` alone."""
        node = self.nodes[min(place, len(self.nodes) - 1)]
        if not _is_range(node):
            return node
        if isinstance(node, Setting):
            return Setting(node.option, str(self.values[place]))
        return ScalarNode("", str(self.values[place]), node.start_mark)


class SweepReading(Reading):
    """A spec whose shape gives axes; ``axes`` are those found."""

    keys = (*KEYS, "sweep")  # pins are for the one spec that `validate` judges: passed over
    zips: list[tuple[str, ...]]
    axes: tuple[Axis, ...] = ()

    def inputs(self, head: Head, cls: type[Kernel], found: dict[str, Entry]) -> Shape:
        if not cls.derives:
            message = (
                "a launch written by hand has no inputs, so there is nothing to sweep: --set of "
                "other commands changes one of its keys, and `kcfg define --new NAME` writes a "
                "definition to start from, which has inputs"
            )
            self.notes.add(head.top["kernel"].value, "kernel", message)
        known = grammar(cls)
        choices: dict[str, Choices] = {}
        refused: dict[str, Entry] = {}
        for key, entry in found.items():
            declared = _declared(known, key)
            node = _listed(entry.value)
            if declared and (isinstance(node, SequenceNode) or _is_range(node) or _several(node)):
                several = self._choices(known.at(key, key in self.called), node, declared)
                if isinstance(several, Choices):
                    choices[key] = several
                else:  # told of once: the ordinary reader notes the same at the same place
                    refused[key] = entry._replace(value=several)
        varied = {key: one for key, one in choices.items() if len(one.values) > 1}
        self.axes = self._axes(head, found, varied)
        return self._corners(head, cls, found | refused, choices)

    def faults(
        self, cls: type[Kernel], target: Target, inputs: dict[str, Any]
    ) -> Iterable[tuple[str, str]]:
        """Nothing of a grid, each point of which is asked when it is derived."""
        return () if self.axes else super().faults(cls, target, inputs)

    def _choices(self, path: str, node: Node, declared: Input) -> Choices | Node:
        """Every value a list or range stands for; or what of it was refused, and noted."""
        values: list[Any] = []
        nodes: list[Node] = []
        items = node.value if isinstance(node, SequenceNode) else [node]
        if not items:
            self.notes.add(node, path, "an empty list: give a value at least")
            return node
        for item in items:
            try:
                several = _values(item, declared)
            except RefusedError as error:
                self.notes.add(item, path, str(error))
                return item
            if len(items) == 1 and isinstance(several, range):
                return Choices(declared, several, (item,))
            twice = set(several).intersection(values)
            if twice:
                message = f"the value {min(map(str, twice))} is given twice"
                self.notes.add(item, path, message)
            values += several
            nodes += [item] * len(several)
        return Choices(declared, tuple(values), tuple(nodes))

    def _axes(
        self, head: Head, found: dict[str, Entry], varied: dict[str, Choices]
    ) -> tuple[Axis, ...]:
        """The axes in the order of the keys; what is zipped stands where its first key does."""
        together: dict[str, tuple[str, ...]] = {}
        for names, node in (*self._zipped(head), *((names, None) for names in self.zips)):
            for name in names:
                if name not in varied:
                    known = meant(name, varied) if varied else "no key has more than one value"
                    message = f"{shown(name)} has no list or range to zip; {known}"
                    self._unzipped(node, message)
                elif name in together:
                    self._unzipped(node, f"`{name}` is zipped twice")
            lengths = {name: len(varied[name].values) for name in names if name in varied}
            if len(set(lengths.values())) > 1:
                said = ", ".join(f"{name} has {length}" for name, length in lengths.items())
                self._unzipped(node, f"what is zipped must have as many values: {said}")
            together |= dict.fromkeys(lengths, tuple(lengths))
        keys = dict.fromkeys(together.get(key, (key,)) for key in found if key in varied)
        return tuple(Axis(names, tuple(varied[name].values for name in names)) for names in keys)

    def _zipped(self, head: Head) -> Iterator[tuple[tuple[str, ...], Node | None]]:
        """What the section ``sweep`` says advances together."""
        for key, entry in (self.section(head, "sweep") or {}).items():
            if key != "zip":
                self.notes.unknown(entry.key, f"sweep.{key}", ("zip",))
                continue
            expected = "a list of lists of keys, as [[num_q_heads, group]]"
            groups = entry.value.value if isinstance(entry.value, SequenceNode) else []
            if not groups or not all(isinstance(group, SequenceNode) for group in groups):
                self.notes.add(entry.value, "sweep.zip", f"expected {expected}")
                continue
            for group in groups:
                try:
                    yield tuple(text(name, "a key") for name in group.value), group
                except RefusedError as error:
                    self.notes.add(group, "sweep.zip", str(error))

    def _unzipped(self, node: Node | None, message: str) -> None:
        option = Setting("--zip", "")
        self.notes.add(node or option, "sweep.zip" if node else message[:40], message)

    def _corners(
        self, head: Head, cls: type[Kernel], found: dict[str, Entry], choices: dict[str, Choices]
    ) -> Shape:
        """The shape of the first point, once the ordinary reader took the grid's corners.

        Those are the smallest and the largest of every axis, and the values that say most and
        least: with all that differ from their default, and with all that do not.
        """

        def corner(place: Any) -> Shape:
            chosen = {key: one.node(place(one)) for key, one in choices.items()}
            entries = {
                key: entry._replace(value=chosen.get(key, entry.value))
                for key, entry in found.items()
            }
            return super(SweepReading, self).inputs(head, cls, entries)

        shape = corner(lambda one: 0)
        if choices and not self.notes:
            for place in (_least, _largest, partial(_default, True), partial(_default, False)):
                corner(place)
        return shape


def _least(one: Choices) -> int:
    if isinstance(one.values, range):
        return 0
    return min(range(len(one.values)), key=lambda i: (one.values[i] is not None, one.values[i]))


def _largest(one: Choices) -> int:
    if isinstance(one.values, range):
        return len(one.values) - 1
    return max(range(len(one.values)), key=lambda i: (one.values[i] is not None, one.values[i]))


def _default(wanted: bool, one: Choices) -> int:
    """The first value that is the default, or that is not; else the first."""
    places = range(min(len(one.values), 1 << 16))
    fitting = (i for i in places if (one.values[i] == one.declared.default) is wanted)
    return next(fitting, 0)


def _declared(known: Grammar, key: str) -> Input | None:
    if key in known.inputs:
        return known.inputs[key][1]
    return known.spellings[key].read if key in known.spellings else None


def _is_range(node: Node) -> bool:
    return isinstance(node, ScalarNode) and ".." in node.value


def _listed(node: Node) -> Node:
    """The list that the text of an option holds, as ``--set BM=[64, 128]``; else the node."""
    found = spread(node)
    return found if isinstance(found, SequenceNode) else node


def _values(item: Node, declared: Input) -> Values:
    """The values one item of a list stands for; raises `RefusedError`."""
    if isinstance(item, SequenceNode | MappingNode):
        raise RefusedError(f"expected a value or a range, not {kind_of(item)}")
    if _is_range(item) and declared.kind is int:
        return _range(item.value, declared)
    if meant := _several(item):
        raise RefusedError(f"expected a value, a list or a range, not {shown(item.value)}; {meant}")
    if is_null(item):
        if declared.default is REQUIRED:
            raise RefusedError("the value is empty, and there is no default")
        return (declared.default,)
    return (read(item, declared),)


def _several(item: Node) -> str:
    """What to write where a list or a range is meant; empty where it is one value."""
    if not isinstance(item, ScalarNode) or item.style:
        return ""
    parts = [part.strip() for part in item.value.split(",")]
    grouped = any(part.startswith("0") and len(part) == 3 for part in parts[1:])  # 1,024 is one
    if len(parts) > 1 and all(parts) and not grouped and item.value[0] not in "[{":
        return f"for a list write [{item.value}]"
    slice_ = SLICE.fullmatch(item.value)
    if slice_ is None:
        return ""
    step = f" step {slice_[3]}" if slice_[3] else ""
    return f"for a range write {slice_[1]}..{slice_[2]}{step}"


def _range(written: str, declared: Input) -> range:
    match = RANGE.fullmatch(written.strip())
    if not match:
        raise RefusedError(
            f"expected a range such as 64..512 or 64..512 step 64, not {shown(written)}"
        )
    first, last, step = int(match[1]), int(match[2]), int(match[3] or 1)
    if step < 1:
        raise RefusedError("the step of a range is at least 1")
    if last < first:
        raise RefusedError(f"the range ends before it begins; write {last}..{first}")
    found = range(first, last + 1, step)
    for value in found if declared.choices else (found[0], found[-1]):
        in_range(value, declared)
    return found
