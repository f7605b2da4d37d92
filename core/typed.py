"""The names of `typing` that annotations need, without the time it takes to import.

Annotations are not looked at while kcfg runs, so most names only have to exist; `typing`
itself is a twelfth of what a hook takes for a spec. A type checker sees the real ones, and
so does whoever has imported `typing` before. What no hook imports may well use `typing`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False

if TYPE_CHECKING or "typing" in sys.modules:
    from typing import (
        Any as Any,
        BinaryIO as BinaryIO,
        ClassVar as ClassVar,
        Generic as Generic,
        Literal as Literal,
        NoReturn as NoReturn,
        ParamSpec as ParamSpec,
        Protocol as Protocol,
        TypeVar as TypeVar,
        cast as cast,
        dataclass_transform as dataclass_transform,
        get_args as get_args,
        overload as overload,
    )
else:

    class _Name:
        """Stands for a type, and for whatever is made of it."""

        def __init__(self, *made_of: object) -> None:
            pass

        def __class_getitem__(cls, items: object) -> type:
            return cls

    Any = BinaryIO = ClassVar = Generic = NoReturn = ParamSpec = Protocol = TypeVar = _Name

    class Literal:
        """A tuple of the words that are allowed."""

        def __class_getitem__(cls, words: object) -> object:
            return words

    def get_args(words: object) -> object:
        return words

    def cast(kind: object, value: object) -> object:
        return value

    def overload(function: object) -> object:
        return function

    def dataclass_transform(**options: object) -> object:
        return overload
