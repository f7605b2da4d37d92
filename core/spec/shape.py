"""A spec's ``shape``, read against the inputs that its kernel declares."""

from __future__ import annotations

from typing import Any, NamedTuple

from kcfg.core import kernels
from kcfg.core.engine.quantity import Input
from kcfg.core.kernel import Kernel, Spelling
from kcfg.core.spec.nodes import Node
from kcfg.core.spec.problem import listed
from kcfg.core.spec.scalars import RefusedError, in_range, is_null, read
from kcfg.core.spec.section import MERGE, Entry, Notes, Places


class Shape:
    """What a shape says: ``values`` by the input's attribute, and where it says so.

    ``given`` are the keys that have a value, as written. ``at`` has their places, and that
    of an input given by another word under the input's own path as well.
    """

    def __init__(self, values: dict[str, Any], given: tuple[str, ...], at: Places) -> None:
        self.values, self.given, self.at = values, given, at


class Called(NamedTuple):
    """Where the call of a spec stands, and the keys that it has."""

    node: Node
    keys: frozenset[str]


class Grammar:
    """What the shape of a kernel may hold: its inputs, and other words for some, by key.

    ``defaults`` are those of the inputs that have one; ``needed`` are the others' keys.
    ``call`` are the keys of the inputs that belong to a call; they stand under ``call``, or
    under ``shape`` where the kernel derives nothing but calls.
    """

    def __init__(
        self,
        inputs: dict[str, tuple[str, Input]],
        spellings: dict[str, Spelling],
        defaults: dict[str, Any],
        needed: frozenset[str],
        call: tuple[str, ...],
        calls_alone: bool,
    ) -> None:
        self.inputs, self.spellings, self.defaults = inputs, spellings, defaults
        self.needed, self.call, self.calls_alone = needed, call, calls_alone

    def at(self, key: str, called: bool = False) -> str:
        """The path of a key in a spec; ``called`` says that it stands under ``call`` there."""
        called = key in self.call and (called or not self.calls_alone)
        return f"call.{key}" if called else f"shape.{key}"

    def same(self, key: str) -> tuple[str, ...]:
        """Every key that gives the same input as this one."""
        means = self.spellings[key].means if key in self.spellings else key
        words = (word for word, spelling in self.spellings.items() if spelling.means == means)
        return (means, *words)


_GRAMMARS: dict[type[Kernel], Grammar] = {}


def grammar(cls: type[Kernel]) -> Grammar:
    """The shape's grammar of one release of a kernel."""
    if cls not in _GRAMMARS:
        inputs = {member.key: (name, member) for name, member in cls.inputs.items()}
        spellings = {spelling.word: spelling for spelling in cls.spellings}
        needed = frozenset(key for key, (name, _) in inputs.items() if name in cls.needed)
        defaults = {key: each.default for key, (_, each) in inputs.items() if key not in needed}
        call = tuple(key for key, (_, member) in inputs.items() if member.call)
        alone = bool(call) and cls.of_call() is cls and cls.origin is None
        _GRAMMARS[cls] = Grammar(inputs, spellings, defaults, needed, call, alone)
    return _GRAMMARS[cls]


def needed(cls: type[Kernel], called: bool = False) -> str:
    """The keys of the inputs that have no default, as a list with commas.

    Without those of a call, where a spec has these elsewhere.
    """
    known = grammar(cls)
    elsewhere = known.call if called else ()
    return listed(key for key in known.inputs if key in known.needed and key not in elsewhere)


def read_shape(
    cls: type[Kernel],
    found: dict[str, Entry],
    shape: Node,
    notes: Notes,
    call: Called | None = None,
) -> Shape:
    """The inputs of a kernel, from the entries of ``shape``, whose key that node is.

    Those of a ``call`` are among the entries. A kernel whose shape has a grammar of its own has a
    class method ``read_shape``, which gets the three arguments behind ``cls`` and returns the same.
    """
    own = getattr(cls, "read_shape", None)
    if own is not None:
        shaped: Shape = own(found, shape, notes)
        return shaped
    return _Reading(cls, found, shape, notes, call).shape()


class _Reading:
    """One shape on its way to values; what is refused goes to ``notes``."""

    def __init__(
        self,
        cls: type[Kernel],
        found: dict[str, Entry],
        node: Node,
        notes: Notes,
        call: Called | None,
    ) -> None:
        self.cls, self.found, self.node, self.notes = cls, found, node, notes
        self.call = call
        self.grammar = grammar(cls)
        self.values: dict[str, Any] = {}  # by key
        self.refused: set[str] = set()  # keys of the inputs whose value is none

    def shape(self) -> Shape:
        before = len(self.notes)
        words = self._read()
        for word, value in words.items():
            self._convert(self.grammar.spellings[word], value)
        self._missing()
        given = tuple([key for key in self.found if key in self.values or key in words])
        if len(self.notes) == before and not self.refused and MERGE not in self.found:
            self._conflicts(given)
        inputs, spellings = self.grammar.inputs, self.grammar.spellings
        at = Places(self.notes.line)
        at.mappings["shape"] = self.found
        at.others = {self._at(spellings[word].means): self.found[word] for word in words}
        return Shape({inputs[key][0]: value for key, value in self.values.items()}, given, at)

    def _at(self, key: str) -> str:
        """The path of a key; one that is missing is looked for under ``call``, if there is one."""
        call = self.call
        return self.grammar.at(
            key, call is not None and (key in call.keys or key not in self.found)
        )

    def _read(self) -> dict[str, Any]:
        """Read every entry; the values under another word than the input's own are returned."""
        inputs, spellings = self.grammar.inputs, self.grammar.spellings
        words: dict[str, Any] = {}
        for key, (key_node, node) in self.found.items():
            if key in inputs:
                means, declared, values = key, inputs[key][1], self.values
            elif key in spellings:
                means, declared, values = spellings[key].means, spellings[key].read, words
            elif key != MERGE:
                self._strange(key, key_node)
                continue
            else:
                continue
            try:
                value = read(node, declared)
            except RefusedError as error:
                self.refused.add(means)
                self.notes.add(node, self._at(key), str(error))
            else:
                if value is not None:
                    values[key] = value
        return words

    def _strange(self, key: str, node: Node) -> None:
        """Note a key that is no input; one of a call stands elsewhere."""
        called = self.cls.of_call()
        if called is not None and key in grammar(called).call:
            self.notes.add(node, f"shape.{key}", f"`{key}` stands under `call:`")
            return
        others = () if self.cls.digest else self._releases_with(key)
        if others:
            said = f"what {self.cls.kernel} {self.cls.release} launches for a call is not known"
            self.notes.add(node, f"shape.{key}", f"{said}; it is of {listed(others)}")
            return
        if derived := self._derived(key):
            self.notes.add(node, f"shape.{key}", derived)
            return
        known = (*self.grammar.inputs, *self.grammar.spellings)
        self.notes.unknown(node, f"shape.{key}", known)

    def _releases_with(self, key: str) -> list[str]:
        """The other releases of the kernel in which a key is one of a call."""
        found = []
        for kernel, release in kernels.with_calls():
            called = kernels.find(kernel, release).of_call()
            if kernel == self.cls.kernel and called and key in grammar(called).call:
                found.append(release)
        return found

    def _derived(self, key: str) -> str:
        """What is said of a key that is a result, and no input; empty for any other."""
        if not any(key == member.key for member in self.cls.quantities.values()):
            return ""
        from kcfg.core.findings import blamed_inputs

        rests = blamed_inputs(self.cls, key)
        members = {member.key: member for member in self.cls.inputs.values()}
        chosen = [each for each in rests if members[each].tunable] or rests
        on = f": it follows from {listed(chosen)}" if chosen else ""
        return f"`{key}` is derived, and no input{on}"

    def _convert(self, spelling: Spelling, value: Any) -> None:
        word, means = spelling.word, spelling.means
        node = self.found[word].value
        for other in self.grammar.same(word):
            if other != word and other in self.found and not is_null(self.found[other].value):
                message = f"`{word}` and `{other}` give the same input: keep one"
                self.notes.add(self.found[word].key, self._at(word), message)
                self.refused.add(means)
                return
        try:
            converted = spelling.convert(value, {**self.grammar.defaults, **self.values})
        except KeyError:  # an input it rests on is missing or refused, which is noted elsewhere
            self.refused.add(means)
            return
        declared = self.grammar.inputs[means][1]
        try:
            self.values[means] = (
                in_range(converted, declared) if declared.kind is int else converted
            )
        except RefusedError as error:
            self.refused.add(means)
            self.notes.add(node, self._at(word), f"`{means}`, which this gives, {error}")

    def _missing(self) -> None:
        if self.grammar.needed <= self.values.keys() or MERGE in self.found:
            return
        lacking = self.grammar.needed - self.values.keys() - self.refused
        for key, (_, declared) in self.grammar.inputs.items():
            if key in lacking:
                self._missed(key, declared)

    def _missed(self, key: str, declared: Input) -> None:
        words = self.grammar.same(key)
        unit = "" if declared.unit == "bool" else f" [{declared.unit}]"
        about = f": {declared.doc}" if declared.doc else ""
        for word in words:
            if word in self.found:
                message = f"the value is empty, and `{key}`{unit} has no default{about}"
                self.notes.add(self.found[word].value, self._at(word), message)
                return
        other = f" (or {listed(f'`{word}`' for word in words[1:])})" if words[1:] else ""
        message = f"missing key `{key}`{other}{unit}{about}"
        self.notes.add(self._around(key), self._at(key), message)

    def _around(self, key: str) -> Node:
        """The key of the section that a missing key belongs to."""
        return self.call.node if self.call and key in self.grammar.call else self.node

    def _conflicts(self, given: tuple[str, ...]) -> None:
        """Ask the kernel whether its inputs go together."""
        inputs = {**self.grammar.defaults, **self.values}
        for key, message in self.cls.conflicts(inputs, given):
            word = next((word for word in self.grammar.same(key) if word in self.found), key)
            node = self.found[word].value if word in self.found else self._around(word)
            self.notes.add(node, self._at(word), message)
