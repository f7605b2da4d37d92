"""The words of a formula over arrays: what ``engine.arith`` and ``engine.terms`` say of one
number, said of many.

Every word takes plain numbers, arrays, or both, and gives a plain number where it got no
array. Integers are signed 64-bit. NumPy's own quotient and remainder round as Python's do,
and give 0 for a divisor of 0 with a warning, which whoever evaluates turns off.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add, and_, or_
from typing import Any

import numpy as np

from kcfg.core.engine import arith, terms
from kcfg.core.hardware import dtypes

Value = Any
"""A plain value, or an array with one for each point (of length 1 along what it rests not on)."""

Words = dict[Callable[..., Any], Callable[..., Any]]
"""What stands in for each word of a formula."""


def is_array(value: Value) -> bool:
    return isinstance(value, np.ndarray)


def _of_two(
    scalar: Callable[[int, int], int], array: Callable[[Value, Value], Value]
) -> Callable[[Value, Value], Value]:
    """A word of two numbers: ``scalar`` where both are plain, else ``array``."""

    def word(a: Value, b: Value) -> Value:
        return array(a, b) if is_array(a) or is_array(b) else scalar(a, b)

    return word


def _of_many(
    scalar: Callable[..., Any], array: Callable[[Value, Value], Value]
) -> Callable[..., Value]:
    """A word of two numbers or more, of which the order does not matter."""

    def word(*given: Value) -> Value:
        return _folded(scalar, array, dict(enumerate(given)))

    return word


def _of_one(
    scalar: Callable[[int], Any], array: Callable[[Value], Value]
) -> Callable[[Value], Value]:
    def word(a: Value) -> Value:
        return array(a) if is_array(a) else scalar(a)

    return word


def _ceildiv(a: Value, b: Value) -> Value:
    return -np.floor_divide(-a, b)


def _smeared(a: Value) -> Value:
    """Every bit below the highest one set as well."""
    for shift in (1, 2, 4, 8, 16, 32):
        a = a | (a >> shift)
    return a


def _prev_pow2(a: Value) -> Value:
    return np.where(a > 0, (_smeared(a) >> 1) + 1, 0)


def _next_pow2(a: Value) -> Value:
    return np.where(a > 0, _smeared(a - 1) + 1, 1)


div = _of_two(arith.div, np.floor_divide)
mod = _of_two(arith.mod, np.remainder)
ceildiv = _of_two(arith.ceildiv, _ceildiv)
up = _of_two(arith.up, lambda a, b: _ceildiv(a, b) * b)
down = _of_two(arith.down, lambda a, b: np.floor_divide(a, b) * b)
gcd = _of_two(arith.gcd, np.gcd)
prev_pow2 = _of_one(arith.prev_pow2, _prev_pow2)
next_pow2 = _of_one(arith.next_pow2, _next_pow2)
halved = _of_two(arith.halved, lambda a, limit: a // next_pow2(a // (limit + 1) + 1))


def least(**given: Value) -> Value:
    return _folded(min, np.minimum, given)


def most(**given: Value) -> Value:
    return _folded(max, np.maximum, given)


def _folded(
    scalar: Callable[..., Any], array: Callable[[Value, Value], Value], given: dict[Any, Value]
) -> Value:
    arrays = [value for value in given.values() if is_array(value)]
    plain = [value for value in given.values() if not is_array(value)]
    return reduce(array, arrays, scalar(plain)) if plain else reduce(array, arrays)


def total(**given: Value) -> Value:
    return reduce(add, given.values())


def all_of(**given: Value) -> Value:
    return reduce(and_, given.values())


def any_of(**given: Value) -> Value:
    return reduce(or_, given.values())


def negate(condition: Value) -> Value:
    return ~condition if is_array(condition) else not condition


def pick(condition: Value, then: Value, otherwise: Value) -> Value:
    if is_array(condition):
        return np.where(condition, then, otherwise)
    return then if condition else otherwise


def _swizzle_of_width(width: Value) -> Value:
    found: Value = "NONE"
    for mode, row in dtypes.SWIZZLE_BYTES.items():
        found = np.where(width == row, mode, found)
    return found


def _widest_swizzle(width: Value) -> Value:
    found: Value = "NONE"
    for mode in ("32B", "64B", "128B"):
        found = np.where(width % dtypes.SWIZZLE_BYTES[mode] == 0, mode, found)
    return found


ARRAYS: Words = {
    min: _of_many(min, np.minimum),
    max: _of_many(max, np.maximum),
    arith.div: div,
    arith.mod: mod,
    arith.ceildiv: ceildiv,
    arith.up: up,
    arith.down: down,
    arith.gcd: gcd,
    arith.prev_pow2: prev_pow2,
    arith.next_pow2: next_pow2,
    arith.halved: halved,
    terms.least: least,
    terms.most: most,
    terms.total: total,
    terms.all_of: all_of,
    terms.any_of: any_of,
    terms.negate: negate,
    terms.pick: pick,
    dtypes.swizzle_of_width: _of_one(dtypes.swizzle_of_width, _swizzle_of_width),
    dtypes.widest_swizzle: _of_one(dtypes.widest_swizzle, _widest_swizzle),
}
"""The words over arrays. Those that look a text up stay as they are: text is never an array."""
