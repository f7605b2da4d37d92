"""What a kernel's methods say of its block, as formulas: the methods run over names.

A method of a kernel written in Python, such as `Kernel.smem`, places parts by the functions of
``kcfg.core.block.placing``. Here it runs once over a kernel whose values are formulas, with
functions in place of those that note what they are given.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, NamedTuple

from kcfg.core.block import placing
from kcfg.core.engine import arith
from kcfg.core.hardware.dtypes import dtype_bytes
from kcfg.core.hardware.occupancy import register_cap
from kcfg.core.kernel import Kernel

OPERATORS = {"add": ast.Add(), "sub": ast.Sub(), "mul": ast.Mult(), "floordiv": ast.FloorDiv()}


class Traced:
    """A number of which only the formula is known."""

    def __init__(self, tree: ast.expr) -> None:
        self.tree = tree

    def __bool__(self) -> bool:
        raise TypeError("a method asks for a number that is not known")


def _operated(operator: ast.operator, turned: bool) -> Callable[[Any, Any], Traced]:
    def operate(one: Any, two: Any) -> Traced:
        left, right = (two, one) if turned else (one, two)
        if isinstance(operator, ast.Mult):
            for known, other in ((left, right), (right, left)):
                if known in (0, 1):
                    return Traced(tree_of(other if known else 0))
        return Traced(ast.BinOp(tree_of(left), operator, tree_of(right)))

    return operate


for _name, _operator in OPERATORS.items():
    setattr(Traced, f"__{_name}__", _operated(_operator, False))
    setattr(Traced, f"__r{_name}__", _operated(_operator, True))


def tree_of(value: Any) -> ast.expr:
    """The tree of a number, known or not."""
    if isinstance(value, Traced):
        return value.tree
    if isinstance(value, int):
        return ast.Constant(value)
    raise TypeError("a method uses what is no number")


class Carved(NamedTuple):
    """A part of shared memory as `placing.carve` gets it."""

    name: str
    bytes: Any
    align: Any
    stages: Any


class Bounds(NamedTuple):
    """The registers that launch bounds leave a thread."""

    threads: Any
    blocks: Any


class Traces(NamedTuple):
    """What the methods of a kernel place; None for what they do not, or not in formulas.

    The columns allocated are None too where they follow as they do for a definition that does
    not say them.
    """

    smem: tuple[Any, Any, list[Carved]] | None
    tmem: tuple[Any, list[tuple[str, Any, Any]]] | None
    registers: tuple[Any, list[tuple[str, int, int, Any]]] | None
    barriers: list[tuple[str, Any, Any]] | None


def traced(cls: type[Kernel]) -> Traces:
    """What a kernel's methods place."""
    return Traces(*(_run(cls, name) for name in ("smem", "tmem", "registers", "barriers")))


def _run(cls: type[Kernel], name: str) -> Any:
    try:
        return getattr(_Over(cls), name)()
    except (TypeError, AttributeError, ValueError, KeyError):  # not in formulas
        return None


class _Over:
    """A kernel over formulas: every value is `Traced`, and every method notes what it places."""

    def __init__(self, cls: type[Kernel]) -> None:
        self._cls = cls

    def __getattr__(self, name: str) -> Any:
        me = ast.Name("self", ast.Load())
        if name == "target":
            return _Target()
        if name in self._cls.inputs or name in self._cls.quantities:
            return Traced(ast.Attribute(me, name, ast.Load()))
        method = getattr(self._cls, name)
        if not isinstance(method, FunctionType):
            raise AttributeError(name)
        return noting(method).__get__(self)


class _Target:
    def __getattr__(self, name: str) -> Traced:
        me = ast.Attribute(ast.Name("self", ast.Load()), "target", ast.Load())
        return Traced(ast.Attribute(me, name, ast.Load()))


def _carve(parts: Iterable[Any], needs: Any = None) -> list[Carved]:
    return [Carved(*part) for part in parts]


def _carved(parts: Iterable[Any]) -> list[Carved]:
    found = list(parts)
    if not all(isinstance(each, Carved) for each in found):
        raise TypeError("a part is placed by other means")
    return found


NOTING: dict[Any, Callable[..., Any]] = {
    placing.carve: _carve,
    placing.shared: lambda struct, limit, used, regions: (limit, used, _carved(regions)),
    placing.columns: lambda name, column, width, *others: (name, column, width, *others),
    placing.tensor: lambda target, used, allocated, regions: (allocated, list(regions)),
    placing.role: lambda name, first, last, count: (name, first, last, count),
    placing.allocation: lambda target, used: None,  # what definitions say where they say nothing
    register_cap: lambda target, *bounds: Bounds(*bounds),
    placing.registers: lambda target, entry, *roles: (entry, list(roles)),
    placing.barriers: lambda groups: list(groups),
    arith.div: lambda a, b: a // b,
    dtype_bytes: lambda dtype: Traced(
        ast.Call(ast.Name("bytes_of", ast.Load()), [tree_of(dtype)], [])
    ),
}
"""What stands for each function of placing, and for those of numbers that are not known."""


def noting(function: Callable[..., Any]) -> FunctionType:
    """A function with those of `NOTING` in place of what it calls.

    Raises TypeError for a callable that is none.
    """
    if not isinstance(function, FunctionType):
        raise TypeError("what has no code of its own cannot be traced")
    names = dict(function.__globals__)
    for name, value in function.__globals__.items():
        try:
            names[name] = NOTING.get(value, value)
        except TypeError:  # what cannot be looked up is none of them
            continue
    code = function.__code__
    return FunctionType(code, names, function.__name__, function.__defaults__, function.__closure__)
