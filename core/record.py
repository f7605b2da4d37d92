"""`NamedTuple` as `typing` has it, declared in a thirtieth of the time.

The one of `typing` compiles every annotation and a constructor for each class, half a
millisecond altogether. Some forty such classes lie on the way to kcfg's first answer, and
a hook asks for it at every commit. A type checker sees `typing.NamedTuple` itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from operator import itemgetter

    class NamedTuple(tuple):
        """A tuple with names for its places, in the order in which a subclass annotates them."""

        __slots__ = ()
        _fields: ClassVar[tuple[str, ...]] = ()
        _field_defaults: ClassVar[dict[str, Any]] = {}
        _tails: ClassVar[tuple[Any, ...]] = ()  # the defaults, which the last places have

        def __init_subclass__(cls) -> None:
            if NamedTuple in cls.__bases__:
                own = vars(cls)
                cls._fields = cls.__match_args__ = tuple(cls.__annotations__)
                cls._field_defaults = {name: own[name] for name in cls._fields if name in own}
                cls._tails = tuple(cls._field_defaults.values())
                for place, name in enumerate(cls._fields):
                    setattr(cls, name, property(itemgetter(place)))

        def __new__(cls, /, *given: Any, **named: Any) -> Any:
            missing = len(cls._fields) - len(given)
            if named or missing:
                if not named and 0 < missing <= len(cls._tails):
                    return tuple.__new__(cls, given + cls._tails[-missing:])
                defaults, rest = cls._field_defaults, cls._fields[len(given) :]
                try:
                    values = [named.pop(key) if key in named else defaults[key] for key in rest]
                except KeyError as error:
                    raise TypeError(f"{cls.__name__} needs {error}") from None
                if named or missing < 0:
                    raise TypeError(f"{cls.__name__} takes {', '.join(cls._fields)}, each once")
                given += tuple(values)
            return tuple.__new__(cls, given)

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            named = (f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({', '.join(named)})"

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, /, **named: Any) -> Any:
            return type(self)(**{**self._asdict(), **named})
