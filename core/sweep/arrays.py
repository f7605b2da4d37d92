"""A kernel's formulas, word for word, with other words: the one place where that is done.

A formula is a method whose code calls words (`pick`, `least`, `div`) by their names. Here
its very code object gets other globals, in which those names mean the words of an array;
what it says is not written a second time. The alternative, words that look at their
arguments and choose, would make every scalar derivation pay for a sweep.

Once for each class, `over` makes a subclass whose quantities and parts are such methods.
Helpers of the kernels are treated alike, and so are the structs that a formula builds.
"""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from kcfg.core.engine.formula import Expression
from kcfg.core.engine.quantity import Part
from kcfg.core.engine.struct import Struct
from kcfg.core.once import once

if TYPE_CHECKING:
    from kcfg.core.sweep.words import Words

S = TypeVar("S", bound=Struct)

KERNELS = "kcfg.core.kernels."


class Vocabulary:
    """Formulas in other words; makes each class and function once."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.struct = once(self._struct)
        self.function = once(self._function)

    def over(self, struct: type[S]) -> type[S]:
        """The class whose formulas are those of ``struct`` in these words."""
        return cast(type[S], self.struct(struct))

    def expression(self, written: Expression) -> Expression:
        """An expression of a formula in these words."""
        return Expression(written.tree, self._globals(written.names, tuple(written.meanings)))

    def _struct(self, struct: type[Struct]) -> type[Struct]:
        members: dict[str, Any] = {}
        for ancestor in reversed(struct.__mro__):
            for name, member in vars(ancestor).items():
                if _is_struct(member):  # the class of a part
                    members[name] = self.struct(member)
        for name, quantity in struct.quantities.items():
            members[name] = quantity.over(self.function(quantity.formula))
        for name, part in struct.parts.items():
            members[name] = Part(self.function(part.build), part.shown, part.holder, needed="")
        return type(struct.__name__, (struct,), members)

    def _function(self, function: Any) -> Any:
        code: CodeType = function.__code__
        changed = FunctionType(
            code,
            self._globals(function.__globals__, _names(code)),
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        changed.__kwdefaults__ = function.__kwdefaults__
        changed.__doc__, changed.__qualname__ = function.__doc__, function.__qualname__
        return changed

    def _globals(self, names: dict[str, Any], used: tuple[str, ...]) -> dict[str, Any]:
        known = {"__builtins__": names["__builtins__"], "__name__": names["__name__"]}
        return known | {name: self._meaning(names[name]) for name in used if name in names}

    def _meaning(self, value: Any) -> Any:
        if _is_struct(value):
            return self.struct(value)
        if isinstance(value, FunctionType) or callable(value):
            if value in self.words:
                return self.words[value]
            if isinstance(value, FunctionType) and value.__module__.startswith(KERNELS):
                return self.function(value)
        return value


def _is_struct(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Struct)


def _names(code: CodeType) -> tuple[str, ...]:
    """The names a function looks up, those in its comprehensions included."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return (*code.co_names, *(name for block in inner for name in _names(block)))
