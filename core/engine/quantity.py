"""What a struct is made of: inputs, quantities and parts, declared once, as code.

A kernel's configuration struct is a class below `kcfg.core.engine.struct.Struct`: its inputs are
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

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast, get_args, overload

if TYPE_CHECKING:
    import ast

from kcfg.core.docs import paragraphs

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
    "text",  # one of a few words
    "threads",
    "tokens",
    "warps",
]
UNITS: frozenset[str] = frozenset(get_args(Unit))

MOST = 1 << 20
"""The largest integer an input may have unless it says otherwise: far above any real
shape, and low enough that no upstream 64-bit product can wrap around."""

REQUIRED: Any = object()


class Input:
    """One input of a struct: what a spec's ``shape`` may say under this name.

    ``kind`` is the Python type a value has; integers lie in least..most, texts in ``choices``, and
    so do integers that have some. ``default`` is `REQUIRED` where a spec must give the value. A
    ``repeated`` input is a member of the upstream struct too, and so also one of the values. A
    ``tunable`` input is a choice of the kernel's author or its caller (a tile, a number of stages,
    a page of the cache); any other is a fact of the model that the kernel must serve. What belongs
    to a ``call`` (how many sequences, how long) stands in a spec under that key.
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
        choices: tuple[Any, ...] = (),
        repeated: bool = False,
        tunable: bool = False,
        call: bool = False,
    ) -> None:
        if unit not in UNITS:
            raise TypeError(f"no such unit: {unit}")
        self.kind, self.unit, self.doc, self.default = kind, unit, doc, default
        self.key, self.least, self.most, self.choices = key, least, most, choices
        self.repeated, self.tunable, self.call = repeated, tunable, call
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
    call: bool = False,
) -> Any:
    """An integer input, in ``unit``, from ``least`` to ``most``.

    ``key`` is its name in a spec where that differs from the attribute's: a request
    whose result has the same name upstream. ``repeated`` makes it one of the values;
    ``tunable`` says that the kernel's author chooses it, and no model demands it, ``call`` that
    it is one of a call.
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
        call=call,
    )


def flag(
    doc: str,
    *,
    default: Any = REQUIRED,
    key: str = "",
    repeated: bool = False,
    tunable: bool = False,
    call: bool = False,
) -> Any:
    """A truth value as input; all but ``doc`` and ``default`` as of `integer`."""
    return Input(bool, "bool", doc, default, key=key, repeated=repeated, tunable=tunable, call=call)


def choice(
    unit: Unit,
    doc: str,
    choices: tuple[str, ...],
    *,
    default: Any = REQUIRED,
    key: str = "",
    repeated: bool = False,
    tunable: bool = False,
    call: bool = False,
) -> Any:
    """A text input, one of ``choices``; a default of None makes it optional (absent).

    ``key``, ``repeated``, ``tunable`` and ``call`` are as of `integer`.
    """
    return Input(
        str,
        unit,
        doc,
        default,
        choices=choices,
        key=key,
        repeated=repeated,
        tunable=tunable,
        call=call,
    )


class Quantity(Generic[T]):
    """One derived number, computed at its first reading and kept in the struct.

    ``key`` is the name a report gives it; it differs from the attribute's where
    upstream's name holds a dot (a member of a nested struct). A ``step`` is no member
    of the upstream struct but an intermediate result of it that has a name here. A ``place``
    is where something of the block lies, and how much of it there is: it is asked for by name
    as any other, and is none of the values of a report, which has the layouts themselves.

    ``tree`` is the expression that the formula returns, where it was made from one; else it is
    in the formula's source (``kcfg.core.engine.formula.of`` gives either). ``doc`` is what it
    means, which is the formula's docstring where nothing else is said.
    """

    def __init__(
        self,
        formula: Callable[[Any], T],
        unit: Unit,
        source: str,
        key: str,
        step: bool,
        *,
        place: bool = False,
        tree: ast.expr | None = None,
        doc: str | None = None,
    ) -> None:
        if unit not in UNITS:
            raise TypeError(f"{formula.__qualname__}: no such unit: {unit}")
        self.formula, self.unit, self.source, self.key = formula, unit, source, key
        self.step, self.place, self.tree = step, place, tree
        self.name, self._said = formula.__name__, doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.key = self.key or name

    @property
    def doc(self) -> str:
        """What it means, in paragraphs."""
        return paragraphs(self.formula.__doc__) if self._said is None else self._said

    def as_step(self) -> Quantity[T]:
        """The same as an intermediate result, where upstream has no such member."""
        return Quantity(
            self.formula,
            self.unit,
            self.source,
            self.key,
            step=True,
            place=self.place,
            tree=self.tree,
            doc=self._said,
        )

    def over(self, formula: Callable[[Any], T]) -> Quantity[T]:
        """The same quantity, computed by another function."""
        return Quantity(
            formula,
            self.unit,
            self.source,
            self.key,
            self.step,
            place=self.place,
            doc=self.doc,
        )

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
    ``hidden`` does the same for a part that is not shown. ``needed`` names a bool quantity
    without which no result rests on the part: where that is false the struct itself stands in
    for it, which spares the building.
    """

    def __init__(self, build: Callable[[Any], T], shown: str, hidden: str, needed: str) -> None:
        self.build, self.shown, self.needed = build, shown, needed
        self.holder = shown or hidden
        self.name = build.__name__

    @property
    def doc(self) -> str:
        """What it is, in paragraphs."""
        return paragraphs(self.build.__doc__)

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


def part(
    shown: str = "", *, hidden: str = "", needed: str = ""
) -> Callable[[Callable[[Any], T]], Part[T]]:
    """Declare the method below as a nested struct; `Part` says what the arguments are."""

    def declare(build: Callable[[Any], T]) -> Part[T]:
        return Part(build, shown, hidden, needed)

    return declare
