"""How large numbers can get: the words of a formula over bounds instead of values.

NumPy's integers have 64 bits and wrap around in silence. Before a block is derived as
arrays, its formulas run once over the largest magnitude of each input; where that could
pass `LIMIT`, the block is derived point by point, with Python's own integers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kcfg.core.engine import arith, terms
from kcfg.core.hardware import dtypes

if TYPE_CHECKING:
    from kcfg.core.sweep.words import Words

LIMIT = 1 << 62
"""What no number of an array may exceed: a bit below what 64-bit integers hold."""


class Unknown:
    """A truth value or a text that differs from point to point."""

    def __and__(self, other: Any) -> Unknown:
        return self

    __rand__ = __or__ = __ror__ = __and__

    def __eq__(self, other: object) -> Unknown:  # type: ignore[override]
        return self

    __ne__ = __eq__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TypeError("a formula branches on what differs from point to point")


UNKNOWN = Unknown()


class Size:
    """An integer of which only the largest magnitude is known; OverflowError past `LIMIT`."""

    __slots__ = ("most",)

    def __init__(self, most: int) -> None:
        if most > LIMIT:
            raise OverflowError
        self.most = most

    def __add__(self, other: Any) -> Size:
        return Size(self.most + _most(other))

    __radd__ = __sub__ = __rsub__ = __add__

    def __mul__(self, other: Any) -> Size:
        return Size(self.most * _most(other))

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Size:
        return _quotient(self, other)

    def __rfloordiv__(self, other: Any) -> Size:
        return Size(_most(other))

    def __mod__(self, other: Any) -> Size:
        return Size(_most(other))

    def __rmod__(self, other: Any) -> Size:
        return self

    def __lshift__(self, bits: int) -> Size:
        return Size(self.most << bits)

    def __neg__(self) -> Size:
        return self

    __abs__ = __neg__

    def _compared(self, other: object) -> Any:
        return UNKNOWN

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared
    __hash__ = None  # type: ignore[assignment]


def _most(value: Any) -> int:
    return value.most if isinstance(value, Size) else abs(value)


def _largest(*values: Any) -> Size:
    return Size(max(map(_most, values)))


def _quotient(a: Any, b: Any) -> Size:
    """The bound of a / b, whichever way it is rounded; a divisor that is known divides it too.

    Of one that is not, the least magnitude is 1. Where it is 0, so is the quotient.
    """
    least = 1 if isinstance(b, Size) else abs(b)
    return Size(-(-_most(a) // least) if least else 0)


def _pick(condition: Any, then: Any, otherwise: Any) -> Any:
    if not isinstance(condition, Unknown):
        return then if condition else otherwise
    if isinstance(then, str | bool | Unknown):
        return UNKNOWN
    return _largest(then, otherwise)


def _unknown(**given: Any) -> Any:
    return UNKNOWN


def _of(scalar: Callable[..., Any], bound: Callable[..., Any]) -> Callable[..., Any]:
    """A word: the scalar one where it gets plain numbers only, else the bound of its result."""

    def word(*given: Any, **named: Any) -> Any:
        values = (*given, *named.values())
        plain = not any(isinstance(value, Size | Unknown) for value in values)
        return scalar(*given, **named) if plain else bound(*given, **named)

    return word


SIZES: Words = {
    min: _of(min, _largest),
    max: _of(max, _largest),
    arith.div: _of(arith.div, _quotient),
    arith.mod: _of(arith.mod, lambda a, b: _largest(b)),
    arith.ceildiv: _of(arith.ceildiv, _quotient),
    arith.up: _of(arith.up, lambda a, b: Size(_most(a) + _most(b))),
    arith.down: _of(arith.down, lambda a, b: Size(_most(a) + _most(b))),
    arith.gcd: _of(arith.gcd, lambda a, b: _largest(a, b)),
    arith.prev_pow2: _of(arith.prev_pow2, lambda a: a),
    arith.next_pow2: _of(arith.next_pow2, lambda a: Size(2 * a.most + 1)),
    arith.halved: _of(arith.halved, lambda a, limit: Size(2 * _most(a) + _most(limit) + 2)),
    terms.least: _of(terms.least, lambda **given: _largest(*given.values())),
    terms.most: _of(terms.most, lambda **given: _largest(*given.values())),
    terms.total: _of(terms.total, lambda **given: Size(sum(map(_most, given.values())))),
    terms.all_of: _of(terms.all_of, _unknown),
    terms.any_of: _of(terms.any_of, _unknown),
    terms.negate: _of(terms.negate, lambda condition: UNKNOWN),
    terms.pick: _pick,
    dtypes.swizzle_of_width: _of(dtypes.swizzle_of_width, lambda width: UNKNOWN),
    dtypes.widest_swizzle: _of(dtypes.widest_swizzle, lambda width: UNKNOWN),
}
"""The words over bounds."""
