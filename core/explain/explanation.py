"""What ``kcfg explain`` says, as plain data: one quantity, its manual page, a configuration.

Everything here is read off the declarations and formulas; how it looks is a view's business.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kcfg.core.block import places
from kcfg.core.engine import formula
from kcfg.core.engine.formula import Expression, Kind, Read
from kcfg.core.engine.graph import Graph, graph
from kcfg.core.engine.quantity import REQUIRED, Input, Quantity
from kcfg.core.engine.reasons import Choice, Fit, Ledger, choices, fits, ledgers, words
from kcfg.core.engine.struct import Struct
from kcfg.core.errors import UnknownError
from kcfg.core.kernel import Kernel


class Dependency(NamedTuple):
    """One name a formula reads, with its value; ``unit`` is None where none is declared."""

    name: str
    key: str
    kind: Kind
    value: Any
    unit: str | None
    doc: str = ""


class Explanation(NamedTuple):
    """One quantity, or input, of one configuration.

    ``key`` is its name in reports, ``name`` the one formulas use. ``used_by`` and
    ``inputs`` are keys: who reads it, and what it rests on in the end. ``because``
    explains what it reads, as deep as was asked; a name explained once is not repeated.
    An input has no formula, unless it is one of a part: then what it is given. Nor has a place
    that only the layout knows. ``remarks`` say what was never run of it, and what a spec
    gave in place of what would be chosen.
    """

    key: str
    name: str
    kind: Kind
    value: Any
    unit: str
    doc: str
    source: str = ""
    formula: str = ""
    substituted: str = ""
    steps: tuple[str, ...] = ()
    ledgers: tuple[Ledger, ...] = ()
    choices: tuple[Choice, ...] = ()
    fits: tuple[Fit, ...] = ()
    depends_on: tuple[Dependency, ...] = ()
    used_by: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    because: tuple[Explanation, ...] = ()
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        formula = f": {self.formula}" if self.formula else ""
        return f"<{self.key} = {self.value}{formula}>"


class Word(NamedTuple):
    """A word with named terms in a formula; ``terms`` are pairs of name and formula."""

    word: str
    terms: tuple[tuple[str, str], ...]


class Reference(NamedTuple):
    """The manual page of a quantity or input: what holds for every configuration.

    ``least``, ``most``, ``choices`` and ``default`` are those of an input; ``required``
    says that it has no default.
    """

    key: str
    name: str
    kind: Kind
    unit: str
    doc: str
    source: str
    formula: str
    words: tuple[Word, ...]
    depends_on: tuple[Read, ...]
    used_by: tuple[str, ...]
    inputs: tuple[str, ...]
    least: int | None
    most: int | None
    choices: tuple[str, ...]
    default: Any
    required: bool


def explain(kernel: Kernel, key: str, depth: int = 0) -> Explanation:
    """Why a quantity has its value, and what it reads, ``depth`` levels down.

    ``key`` may be a report's name or the code's; raises `UnknownError` for any other,
    `NoSourceError` where the source of the formulas is missing.
    """
    try:
        place = locate(type(kernel), key)
    except UnknownError:
        if key not in places.names(kernel.block):
            raise
        return _of_layout(kernel, key)
    return _explained(kernel, place, depth, set())


def _of_layout(kernel: Kernel, key: str) -> Explanation:
    """A place that only the layout knows: there is no formula of it."""
    unit, doc = places.unit_of(key) or "count", places.doc(key)
    return Explanation(key, key, "quantity", places.place(kernel.block, key), unit, doc)


def explain_name(kernel: Kernel, name: str) -> Explanation:
    """The same for a name that formulas use."""
    return _explained(kernel, named(type(kernel), name), 0, set())


def reference(kernel: type[Kernel], key: str) -> Reference:
    """The same without a configuration; raises as `explain` does."""
    place = locate(kernel, key)
    member, expression = place.member, _expression(kernel, place)
    limits = member if isinstance(member, Input) else None
    quantity = member if isinstance(member, Quantity) else None
    bounded = limits if limits is not None and limits.kind is int else None
    return Reference(
        key=place.key,
        name=place.label,
        kind=place.kind,
        unit=member.unit,
        doc=member.doc,
        source=quantity.source if quantity else "",
        formula=expression.text if expression else "",
        words=tuple(
            Word(word, tuple((name, term.text) for name, term in named.items()))
            for word, named in (words(quantity) if quantity else ())
        ),
        depends_on=graph(kernel).reads.get(place.name, ()),
        used_by=_users(kernel, place.name),
        inputs=_inputs(kernel, place.name),
        least=bounded.least if bounded else None,
        most=bounded.most if bounded else None,
        choices=limits.choices if limits else (),
        default=None if limits is None or limits.default is REQUIRED else limits.default,
        required=limits is not None and limits.default is REQUIRED,
    )


class Place(NamedTuple):
    """Where a key is declared: its name in the code, the part it belongs to, and what it is."""

    key: str
    name: str
    at: str
    member: Input | Quantity[Any]

    @property
    def label(self) -> str:
        """The name as formulas are shown."""
        return self.name if self.name.isascii() else self.key

    @property
    def kind(self) -> Kind:
        return "input" if isinstance(self.member, Input) else "quantity"


def named(struct: type[Struct], name: str) -> Place:
    """What a name that formulas use means; raises `UnknownError` where none is declared."""
    read = formula.resolve(struct, tuple(name.split(".")))
    if read.member is None:
        raise UnknownError("name", name, graph(struct).reads)
    return Place(read.key, name, name.rpartition(".")[0], read.member)


def locate(struct: type[Struct], key: str) -> Place:
    """What a key names: a value, an input, or a member of a part; raises `UnknownError`.

    A value goes before an input that asks for it under the same key, and a key before a
    name that only formulas use.
    """
    place = _located(struct, key)
    if place is None:
        known = dict.fromkeys(key for key, _ in struct.declared())
        known.update(dict.fromkeys(member.key for member in struct.inputs.values()))
        raise UnknownError("quantity", key, known)
    return place


def _located(struct: type[Struct], key: str) -> Place | None:
    members: list[Input | Quantity[Any]] = [*struct.quantities.values(), *struct.inputs.values()]
    for member in sorted(members, key=lambda member: member.key != key):
        if key in (member.key, member.name):
            return Place(member.key, member.name, "", member)
    first, _, rest = key.partition(".")
    inner = formula.struct_of(struct, first)
    place = _located(inner, rest) if inner and rest else None
    if place is None:
        return None
    at = f"{first}.{place.at}" if place.at else first
    return place._replace(key=f"{first}.{place.key}", name=f"{first}.{place.name}", at=at)


def _expression(kernel: type[Struct], place: Place) -> Expression | None:
    """A quantity's formula, or what a part's input is given; None for a kernel's own input."""
    if isinstance(place.member, Quantity):
        return formula.of(place.member)
    outer, _, part = place.at.rpartition(".")
    if not part:
        return None
    build = formula.of_part(_struct_at(kernel, outer).parts[part])
    return build.named.get(place.member.name)


def _explained(kernel: Kernel, place: Place, depth: int, seen: set[str]) -> Explanation:
    seen.add(place.name)
    struct = type(kernel)
    member, expression = place.member, _expression(struct, place)
    reads = graph(struct).reads.get(place.name, ())
    quantity = member if isinstance(member, Quantity) else None
    at = place.at if quantity else place.at.rpartition(".")[0]
    owner = _value(kernel, at) if at else kernel
    return Explanation(
        key=place.key,
        name=place.label,
        kind=place.kind,
        value=_value(kernel, place.name),
        unit=member.unit,
        doc=member.doc,
        source=quantity.source if quantity else "",
        formula=expression.text if expression else "",
        substituted=expression.substituted(owner) if expression else "",
        steps=expression.steps(owner) if expression else (),
        ledgers=ledgers(owner, quantity) if quantity else (),
        choices=choices(owner, quantity) if quantity else (),
        fits=fits(owner, quantity) if quantity else (),
        depends_on=tuple(_dependency(kernel, owner, expression, read) for read in reads),
        used_by=_users(struct, place.name),
        inputs=_inputs(struct, place.name),
        because=tuple(_reasons(kernel, reads, depth, seen)),
        remarks=tuple(
            said for key, said in (*kernel.remarks(), *kernel.unexecuted()) if key == place.key
        ),
    )


def _reasons(
    kernel: Kernel, reads: tuple[Read, ...], depth: int, seen: set[str]
) -> Iterator[Explanation]:
    for read in reads if depth > 0 else ():
        if read.member is not None and read.name not in seen:
            yield _explained(kernel, named(type(kernel), read.name), depth - 1, seen)


def _dependency(
    kernel: Kernel, owner: Struct, expression: Expression | None, read: Read
) -> Dependency:
    if read.kind == "constant" and expression is not None:
        return Dependency(read.name, read.key, read.kind, expression.names[read.name], None)
    if read.name == "target":  # as a whole, given to a part
        return Dependency(read.name, read.key, read.kind, kernel.target.name, None)
    value = _value(owner if read.kind == "target" else kernel, read.name)
    declared: Any = read.member
    if read.kind == "target":
        declared = kernel.target.limits.get(read.name.partition(".")[2])
    unit, doc = (declared.unit, declared.doc) if declared is not None else (None, "")
    return Dependency(read.label, read.key, read.kind, value, unit, doc)


def _value(struct: Struct, name: str) -> Any:
    return formula.found(struct, Read(name, name, "unknown", None))


def _struct_at(struct: type[Struct], at: str) -> type[Struct]:
    for part in filter(None, at.split(".")):
        struct = formula.struct_of(struct, part) or struct
    return struct


def _users(struct: type[Struct], name: str) -> tuple[str, ...]:
    return tuple(_key(struct, user) for user in graph(struct).users(name))


def _inputs(struct: type[Struct], name: str) -> tuple[str, ...]:
    found: Graph = graph(struct)
    return tuple(struct.inputs[entry].key for entry in found.rests_on(name))


def _key(struct: type[Struct], name: str) -> str:
    return formula.resolve(struct, tuple(name.split("."))).key


def plain(value: Any) -> Any:
    """Any of this module's data as what JSON is made of: named tuples become objects."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(inner) for name, inner in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, Input | Quantity):
        return {"unit": value.unit, "doc": value.doc}
    return value
