"""Groups of optional keys, declared once for their reader, their schema and their docs.

A group is a class below `Group` whose annotated attributes are keys (`number`, `truth`,
`word`, and `group` for a nested one). A key that is not given is None, a list that is
not given is empty: not given means not judged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar, overload

from kcfg.core.hardware.dtypes import ELEMENTS

T = TypeVar("T")

LARGEST = 1 << 62
"""The largest number a key may have; the rules know the real limits."""


class Key:
    """One key: ``kind`` is int, bool, str, or the `Group` that stands under it.

    Numbers lie in least..most, words in ``choices`` unless that is empty. ``many`` makes
    the value a list, of at most ``longest`` values where that is not 0. ``instead`` are words
    that may stand for a number.
    """

    def __init__(
        self,
        kind: type,
        unit: str,
        doc: str,
        *,
        least: int = 0,
        most: int = LARGEST,
        choices: tuple[str, ...] = (),
        many: bool = False,
        longest: int = 0,
        instead: tuple[str, ...] = (),
    ) -> None:
        self.kind, self.unit, self.doc = kind, unit, doc
        self.least, self.most, self.choices = least, most, choices
        self.many, self.longest, self.instead = many, longest, instead
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, group: object | None, owner: type) -> Key:
        if group is None:
            return self
        raise AttributeError(f"{owner.__name__} was made without {self.name}")

    @property
    def default(self) -> Any:
        """What stands for a key that is not given."""
        return () if self.many else None


def number(
    unit: str, doc: str, *, least: int = 0, most: int = LARGEST, instead: tuple[str, ...] = ()
) -> Any:
    """A whole number in ``unit``, or a word ``instead``."""
    return Key(int, unit, doc, least=least, most=most, instead=instead)


def numbers(unit: str, doc: str, *, longest: int = 0) -> Any:
    """A list of whole numbers; a single one may stand for a list of one."""
    return Key(int, unit, doc, many=True, longest=longest)


def truth(doc: str) -> Any:
    """A truth value."""
    return Key(bool, "bool", doc)


def word(doc: str, choices: tuple[str, ...] = ()) -> Any:
    """A word, one of ``choices`` where there are any."""
    return Key(str, "text", doc, choices=choices)


def dtype(doc: str) -> Any:
    """An element type, by its full name or a short one."""
    return Key(str, "dtype", doc, choices=ELEMENTS)


def words(doc: str) -> Any:
    """A list of words; a single one may stand for a list of one."""
    return Key(str, "text", doc, many=True)


def group(kind: type[Group], doc: str, *, many: bool = False) -> Any:
    """A nested group, or a list of them."""
    return Key(kind, "group", doc, many=many)


class Derived(Generic[T]):
    """A value that follows from a group's keys: computed at its first reading, and kept.

    `functools.cached_property` does the same behind a lock, at three times the cost.
    """

    def __init__(self, follow: Callable[[Any], T]) -> None:
        self.follow, self.__doc__ = follow, follow.__doc__

    @overload
    def __get__(self, group: None, owner: type) -> Derived[T]: ...
    @overload
    def __get__(self, group: object, owner: type | None = None) -> T: ...
    def __get__(self, group: object | None, owner: type | None = None) -> Derived[T] | T:
        if group is None:
            return self
        value = self.follow(group)
        group.__dict__[self.follow.__name__] = value
        return value


class Group:
    """A group of keys; ``lead`` is the one that a bare value in place of a mapping gives."""

    keys: ClassVar[dict[str, Key]] = {}
    defaults: ClassVar[dict[str, Any]] = {}
    lead: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        cls.keys = {name: key for name, key in vars(cls).items() if isinstance(key, Key)}
        cls.defaults = {name: key.default for name, key in cls.keys.items()}

    def __init__(self, **given: Any) -> None:
        values = self.__dict__
        values.update(self.defaults)
        values.update(given)
        if len(values) > len(self.defaults):
            unknown = ", ".join(name for name in given if name not in self.defaults)
            raise TypeError(f"{type(self).__name__} has no key {unknown}")

    def __repr__(self) -> str:
        given = (f"{name}={value!r}" for name, value in vars(self).items() if name in self.keys)
        return f"{type(self).__name__}({', '.join(given)})"

    def plain(self) -> dict[str, Any]:
        """The keys that are given, as plain data."""
        values = vars(self)
        given = {name: values[name] for name in self.keys if values[name] not in (None, ())}
        return {name: _plain(value) for name, value in given.items()}

    def replaced(self, **changes: Any) -> Any:
        """The same group with some keys changed."""
        return type(self)(**{**{name: vars(self)[name] for name in self.keys}, **changes})


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.plain() if isinstance(value, Group) else value
