"""Structs: what computes its quantities from its inputs, and shows them by their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, cast, dataclass_transform

from kcfg.core.engine.quantity import REQUIRED, Input, Part, Quantity, choice, flag, integer
from kcfg.core.once import once

if TYPE_CHECKING:
    from kcfg.core.hardware.target import Target

MANY = 256
"""Structs of one class from which on it pays to write a program for it."""

MEMBERS = (Input, Quantity, Part)
"""What a struct declares."""


@dataclass_transform(
    eq_default=False, kw_only_default=True, field_specifiers=(integer, flag, choice)
)
class Struct:
    """A struct of inputs and quantities; ``kcfg.core.engine.quantity`` has how one is written.

    Subclasses take over what they inherit in its place and order; ``without`` names
    what another release does not have, ``steps`` what is no member of its struct but an
    intermediate result.
    """

    stated: ClassVar[dict[str, Input | Quantity[Any] | Part[Any]]] = {}
    """What the class itself declares, which is less than it has."""
    inputs: ClassVar[dict[str, Input]] = {}
    quantities: ClassVar[dict[str, Quantity[Any]]] = {}
    parts: ClassVar[dict[str, Part[Any]]] = {}
    own: ClassVar[dict[str, Input | Quantity[Any]]] = {}
    """What the struct itself has values of: its repeated inputs, then its quantities."""
    defaults: ClassVar[dict[str, Any]] = {}
    """The value of every input that is not given, `REQUIRED` where there is none."""
    needed: ClassVar[frozenset[str]] = frozenset()
    """The inputs that have no default."""
    without: ClassVar[frozenset[str]] = frozenset()
    steps: ClassVar[frozenset[str]] = frozenset()
    wanted: ClassVar[tuple[str, ...]] = ()
    """The places that are asked for of every configuration: worth computing with the values."""

    def __init_subclass__(cls) -> None:
        stated = vars(cls).items()
        cls.stated = {name: each for name, each in stated if isinstance(each, MEMBERS)}
        members: dict[str, Input | Quantity[Any] | Part[Any]] = {}
        for ancestor in reversed(cls.__mro__):
            members |= vars(ancestor).get("stated", {})
        for name in cls.without:
            members.pop(name, None)
        for name in cls.steps:
            member = members.get(name)
            if isinstance(member, Quantity):
                members[name] = member.as_step()
        cls.inputs = {name: each for name, each in members.items() if isinstance(each, Input)}
        cls.quantities = {n: each for n, each in members.items() if isinstance(each, Quantity)}
        cls.parts = {name: each for name, each in members.items() if isinstance(each, Part)}
        cls.defaults = {name: member.default for name, member in cls.inputs.items()}
        cls.needed = frozenset(n for n, default in cls.defaults.items() if default is REQUIRED)
        repeated = {name: member for name, member in cls.inputs.items() if member.repeated}
        cls.own = repeated | {n: each for n, each in cls.quantities.items() if not each.place}

    def __init__(self, /, **given: Any) -> None:  # an input may be called self
        values = self.__dict__
        values["target"] = given.pop("target")
        values.update(self.defaults)
        values.update(given)
        if len(values) > len(self.defaults) + 1:
            unknown = ", ".join(name for name in given if name not in self.defaults)
            raise TypeError(f"{type(self).__name__} has no input {unknown}")
        if not self.needed <= given.keys():
            names = ", ".join(name for name in self.defaults if values[name] is REQUIRED)
            raise TypeError(f"{type(self).__name__} needs {names}")

    if TYPE_CHECKING:
        target: Target

    _own = cast("tuple[Any, ...]", ())  # not annotated: it is no input

    def read(self, key: str) -> Any:
        """The value that a report shows under ``key``; KeyError where there is none."""
        first, dot, rest = key.partition(".")
        if dot and first in self.parts and self.parts[first].shown:
            inner: Struct = getattr(self, first)
            return inner.read(rest)
        return getattr(self, type(self).attribute(key))

    @classmethod
    def attribute(cls, key: str) -> str:
        """The attribute behind the key of a value; KeyError where there is none."""
        if key in cls.quantities and cls.quantities[key].key == key:
            return key
        for name, member in (*cls.own.items(), *cls.quantities.items()):
            if member.key == key:
                return name
        raise KeyError(key)

    @classmethod
    def places(cls) -> Iterator[tuple[str, Quantity[Any]]]:
        """Every place that has a name, with its declaration, in order."""
        for member in cls.quantities.values():
            if member.place:
                yield member.key, member

    @classmethod
    def declared(cls) -> Iterator[tuple[str, Input | Quantity[Any]]]:
        """Every key a report of this struct has, with its declaration, in order."""
        for member in cls.own.values():
            yield member.key, member
        for name, inner in cls.parts.items():
            if inner.shown:
                struct: type[Struct] = getattr(cls, inner.shown)
                for key, member in struct.declared():
                    yield f"{name}.{key}", member

    def values(self) -> dict[str, Any]:
        """Every value by its key: repeated inputs, quantities, shown parts."""
        return dict(zip(_keys(type(self)), self._numbers(), strict=True))

    def complete(self) -> None:
        """Compute every quantity, as declared, so that no formula waits for another."""
        if self._own or self._run():
            return
        known = self.__dict__
        for name, formula in self.quantities.items():
            if name not in known:
                known[name] = formula.formula(self)
        self._own = tuple(map(known.__getitem__, self.own))

    def hasten(self) -> None:
        """Compute every quantity if that takes less than to compute those that are needed."""
        if not self._own:
            self._run()

    def _run(self) -> bool:
        """Run the program of the class, if it has one and nothing was computed yet."""
        if self.begun or not (program := _program(type(self))):
            return False
        self._own = program(self)
        return True

    @property
    def begun(self) -> bool:
        """Whether anything but the inputs and the target is there."""
        return len(self.__dict__) > len(self.defaults) + 1

    def _numbers(self) -> tuple[Any, ...]:
        """The values alone, in the order of `declared`."""
        self.complete()
        found = self._own
        for name, inner in self.parts.items():
            if inner.shown:
                nested: Struct = getattr(self, name)
                found += nested._numbers()
        return found


Program = Callable[[Struct], tuple[Any, ...]]
"""Computes every quantity of a struct, and returns the values it has of itself."""


_PROGRAMS: dict[type[Struct], Program] = {}
_ASKED: dict[type[Struct], int] = {}
"""How often a program for a class was asked for."""


def _program(cls: type[Struct]) -> Program | None:
    """The program of a class of which there have been many; None for any other."""
    if cls in _PROGRAMS:
        return _PROGRAMS[cls]
    asked = _ASKED[cls] = _ASKED.get(cls, 0) + 1
    if asked < MANY:
        return None
    from kcfg.core.engine.program import program

    _PROGRAMS[cls] = program(cls)
    return _PROGRAMS[cls]


@once
def _keys(struct: type[Struct]) -> tuple[str, ...]:
    return tuple(key for key, _ in struct.declared())
