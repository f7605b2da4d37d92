"""`NamedTuple` as `typing` has it, declared in a thirtieth of the time.

The one of `typing` compiles every annotation and a constructor for each class, half a
millisecond altogether. Some forty such classes lie on the way to kcfg's first answer, and
a hook asks for it at every commit; here a constructor is compiled when it is needed, or when
it pays. A type checker sees `typing.NamedTuple` itself.
"""

from __future__ import annotations

from kcfg.core.typed import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from operator import itemgetter

    FEW = 16
    """Records of a class up to which a constructor of its own takes longer than it saves."""
    _MADE: dict[type, int] = {}

    class NamedTuple(tuple):
        """A tuple with names for its places, in the order in which a subclass annotates them."""

        __slots__ = ()
        _fields: ClassVar[tuple[str, ...]] = ()
        _field_defaults: ClassVar[dict[str, Any]] = {}

        def __init_subclass__(cls) -> None:
            if NamedTuple in cls.__bases__:
                own = vars(cls)
                cls._fields = cls.__match_args__ = tuple(cls.__annotations__)
                cls._field_defaults = {name: own[name] for name in cls._fields if name in own}
                for place, name in enumerate(cls._fields):
                    setattr(cls, name, property(itemgetter(place)))

        def __new__(cls, /, *given: Any, **named: Any) -> Any:
            made = _MADE[cls] = _MADE.get(cls, 0) + 1
            if made < FEW and len(given) == len(cls._fields) and not named:
                return tuple.__new__(cls, given)
            # From now on there is a constructor with the parameters of this class.
            defaults = cls._field_defaults
            takes = [f"{key}=_with[{key!r}]" if key in defaults else key for key in cls._fields]
            values = "".join(f"{key}, " for key in cls._fields)
            text = f"lambda {', '.join(['_cls', *takes])}: _new(_cls, ({values}))"
            new = cls.__new__ = eval(text, {"_new": tuple.__new__, "_with": defaults})
            new.__qualname__ = f"{cls.__name__}.__new__"
            return cls(*given, **named)

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            named = (f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({', '.join(named)})"

        def _asdict(self) -> dict[str, Any]:
            cls = type(self)
            pairs = (f"{key!r}: self[{place}]" for place, key in enumerate(cls._fields))
            cls._asdict = eval(f"lambda self: {{{', '.join(pairs)}}}")
            return self._asdict()

        def _replace(self, /, **named: Any) -> Any:
            changed = tuple.__new__(type(self), map(named.pop, self._fields, self))
            if named:
                raise TypeError(f"{type(self).__name__} has no {', '.join(named)}")
            return changed
