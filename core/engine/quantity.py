"""Structs whose inputs and quantities are declared once, as code.

A kernel's configuration struct is a class below `Struct`: its inputs are
annotated attributes (`integer`, `flag`, `choice`), and every number it derives
is a method under `quantity`, in the order in which the real struct computes
them, so that a file reads top to bottom like the code it stands for. Values,
explanations, tables and schemas are all views of these declarations.

The rules of a formula, held by ``tests/test_engine.py`` for every kernel:

* a docstring, and one ``return``; a branch is a smaller quantity, or `pick`;
* it reads only inputs and quantities that are declared above it;
* its unit is one of `Unit`, and its source names the upstream code;
* sums, minima and conjunctions name their terms (``kcfg.core.engine.terms``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    overload,
)

from kcfg.core.once import once

if TYPE_CHECKING:
    from kcfg.core.targets import Target

T = TypeVar("T")

Unit = Literal[
    "address",  # a tensor-memory address: lane in the upper 16 bits, column in the lower
    "barriers",
    "bool",
    "bytes",
    "columns",  # of tensor memory, or of a tile in tensor memory
    "count",
    "CTAs",
    "dtype",
    "elements",
    "factor",
    "heads",
    "index",
    "registers",
    "rows",
    "stages",
    "swizzle",
    "threads",
    "tokens",
    "warps",
]
UNITS: frozenset[str] = frozenset(get_args(Unit))

MOST = 1 << 20
"""The largest integer an input may have unless it says otherwise: far above any real
shape, and low enough that no upstream 64-bit product can wrap around."""

REQUIRED: Any = object()

MANY = 256
"""Structs of one class from which on it pays to write a program for it."""


class Input:
    """One input of a struct: what a spec's ``shape`` may say under this name.

    ``kind`` is the Python type a value has; integers lie in least..most, texts in
    ``choices``. ``default`` is `REQUIRED` where a spec must give the value. A ``repeated``
    input is a member of the upstream struct too, and so also one of the values. A ``tunable``
    input is a choice of the kernel's author or its caller (a tile, a number of stages, a page
    of the cache); any other is a fact of the model that the kernel must serve.
    """

    def __init__(
        self,
        kind: type,
        unit: Unit,
        doc: str,
        default: Any,
        *,
        key: str = "",
        least: int = 0,
        most: int = 0,
        choices: tuple[str, ...] = (),
        repeated: bool = False,
        tunable: bool = False,
    ) -> None:
        if unit not in UNITS:
            raise TypeError(f"no such unit: {unit}")
        self.kind, self.unit, self.doc, self.default = kind, unit, doc, default
        self.key, self.least, self.most, self.choices = key, least, most, choices
        self.repeated, self.tunable = repeated, tunable
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.key = self.key or name


def integer(
    unit: Unit,
    doc: str,
    *,
    default: Any = REQUIRED,
    least: int = 1,
    most: int = MOST,
    key: str = "",
    repeated: bool = False,
    tunable: bool = False,
) -> Any:
    """An integer input, in ``unit``, from ``least`` to ``most``.

    ``key`` is its name in a spec where that differs from the attribute's: a request
    whose result has the same name upstream. ``repeated`` makes it one of the values;
    ``tunable`` says that the kernel's author chooses it, and no model demands it.
    """
    return Input(
        int,
        unit,
        doc,
        default,
        least=least,
        most=most,
        key=key,
        repeated=repeated,
        tunable=tunable,
    )


def flag(
    doc: str,
    *,
    default: Any = REQUIRED,
    key: str = "",
    repeated: bool = False,
    tunable: bool = False,
) -> Any:
    """A truth value as input; ``key``, ``repeated`` and ``tunable`` as of `integer`."""
    return Input(bool, "bool", doc, default, key=key, repeated=repeated, tunable=tunable)


def choice(
    unit: Unit,
    doc: str,
    choices: tuple[str, ...],
    *,
    default: Any = REQUIRED,
    key: str = "",
    repeated: bool = False,
    tunable: bool = False,
) -> Any:
    """A text input, one of ``choices``; a default of None makes it optional (absent).

    ``key``, ``repeated`` and ``tunable`` are as of `integer`.
    """
    return Input(
        str, unit, doc, default, choices=choices, key=key, repeated=repeated, tunable=tunable
    )


class Quantity(Generic[T]):
    """One derived number, computed at its first reading and kept in the struct.

    ``key`` is the name a report gives it; it differs from the attribute's where
    upstream's name holds a dot (a member of a nested struct). A ``step`` is no member
    of the upstream struct but an intermediate result of it that has a name here.
    """

    def __init__(
        self, formula: Callable[[Any], T], unit: Unit, source: str, key: str, step: bool
    ) -> None:
        if unit not in UNITS:
            raise TypeError(f"{formula.__qualname__}: no such unit: {unit}")
        self.formula, self.unit, self.source, self.key = formula, unit, source, key
        self.step = step
        self.name = formula.__name__
        self.doc = (formula.__doc__ or "").strip()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.key = self.key or name

    @overload
    def __get__(self, struct: None, owner: type) -> Quantity[T]: ...
    @overload
    def __get__(self, struct: object, owner: type | None = None) -> T: ...
    def __get__(self, struct: object | None, owner: type | None = None) -> Quantity[T] | T:
        if struct is None:
            return self
        value = self.formula(struct)
        struct.__dict__[self.name] = value  # found before this descriptor from now on
        return value


def quantity(
    unit: Unit, *, source: str, key: str = ""
) -> Callable[[Callable[[Any], T]], Quantity[T]]:
    """Declare the method below as a quantity: its unit, and the upstream code it follows."""

    def declare(formula: Callable[[Any], T]) -> Quantity[T]:
        return Quantity(formula, unit, source, key, step=False)

    return declare


def step(unit: Unit, *, source: str, key: str = "") -> Callable[[Callable[[Any], T]], Quantity[T]]:
    """Declare the method below as a quantity that upstream computes but keeps no member for."""

    def declare(formula: Callable[[Any], T]) -> Quantity[T]:
        return Quantity(formula, unit, source, key, step=True)

    return declare


class Part(Generic[T]):
    """A struct that another struct holds or builds, made at its first reading.

    A shown part's values appear in the report under ``<name>.<key>``. ``shown`` names the
    class attribute that holds the part's class, so that a later release states its own;
    it is empty where the part is not shown. ``needed`` names a bool quantity without which
    no result rests on the part: where that is false the struct itself stands in for it,
    which spares the building.
    """

    def __init__(self, build: Callable[[Any], T], shown: str, needed: str) -> None:
        self.build, self.shown, self.needed = build, shown, needed
        self.name = build.__name__
        self.doc = (build.__doc__ or "").strip()

    @overload
    def __get__(self, struct: None, owner: type) -> Part[T]: ...
    @overload
    def __get__(self, struct: object, owner: type | None = None) -> T: ...
    def __get__(self, struct: object | None, owner: type | None = None) -> Part[T] | T:
        if struct is None:
            return self
        value: Any = struct
        if not self.needed or getattr(struct, self.needed):
            value = self.build(struct)
        struct.__dict__[self.name] = value
        return cast("T", value)


def part(shown: str = "", *, needed: str = "") -> Callable[[Callable[[Any], T]], Part[T]]:
    """Declare the method below as a nested struct; see `Part` for ``shown`` and ``needed``."""

    def declare(build: Callable[[Any], T]) -> Part[T]:
        return Part(build, shown, needed)

    return declare


@dataclass_transform(
    eq_default=False, kw_only_default=True, field_specifiers=(integer, flag, choice)
)
class Struct:
    """A struct of inputs and quantities; see the module's docstring for how one is written.

    Subclasses take over what they inherit in its place and order; ``without`` names
    what a later release no longer has.
    """

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

    def __init_subclass__(cls) -> None:
        members: dict[str, Input | Quantity[Any] | Part[Any]] = {}
        for ancestor in reversed(cls.__mro__):
            for name, member in vars(ancestor).items():
                if isinstance(member, Input | Quantity | Part) and name not in cls.without:
                    members[name] = member
        cls.inputs = {name: each for name, each in members.items() if isinstance(each, Input)}
        cls.quantities = {n: each for n, each in members.items() if isinstance(each, Quantity)}
        cls.parts = {name: each for name, each in members.items() if isinstance(each, Part)}
        cls.defaults = {name: member.default for name, member in cls.inputs.items()}
        cls.needed = frozenset(n for n, default in cls.defaults.items() if default is REQUIRED)
        repeated = {name: member for name, member in cls.inputs.items() if member.repeated}
        cls.own = {**repeated, **cls.quantities}

    def __init__(self, **given: Any) -> None:
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
        for name, member in cls.own.items():
            if member.key == key:
                return name
        raise KeyError(key)

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


Program = Callable[[Struct], tuple[Any, ...]]
"""Computes every quantity of a struct, and returns the values it has of itself."""


@once
def _keys(struct: type[Struct]) -> tuple[str, ...]:
    return tuple(key for key, _ in struct.declared())
