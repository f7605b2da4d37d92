"""Conditions on constants: what an emitted assertion says, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from kcfg.core.emit.model import Check


class Number(NamedTuple):
    """A number as it is written in a condition, and its value."""

    text: str
    value: int


def literal(value: int) -> Number:
    """A number that is written out."""
    return Number(str(value), value)


def total(numbers: Sequence[Number]) -> Number:
    """The sum of numbers."""
    return Number(
        " + ".join(number.text for number in numbers), sum(number.value for number in numbers)
    )


def product(*numbers: Number) -> Number:
    """The product of numbers, none of which is a sum."""
    return Number(
        " * ".join(number.text for number in numbers), prod(number.value for number in numbers)
    )


def bracketed(number: Number) -> Number:
    """The same in brackets, as part of a product."""
    return Number(f"({number.text})", number.value)


def above(a: Number, b: Number) -> Number:
    """Whether the first number is above the second, as a truth value to compare."""
    return Number(f"({a.text} > {b.text})", a.value > b.value)


def equal(a: Number, b: Number, why: str) -> Check:
    """That two numbers are the same."""
    return Check(f"{a.text} == {b.text}", why, a.value == b.value, _larger(a, b))


def at_most(a: Number, b: Number, why: str) -> Check:
    """That the first number is not above the second."""
    return Check(f"{a.text} <= {b.text}", why, a.value <= b.value, _larger(a, b))


def up_to(a: Number, b: Number, why: str) -> Check:
    """That the first number is the second, where it comes to that, else that it is not above."""
    return equal(a, b, why) if a.value == b.value else at_most(a, b, why)


def multiple(a: Number, b: Number, why: str) -> Check:
    """That the first number, which is no sum, is a multiple of the second, which is not 0."""
    return Check(f"{a.text} % {b.text} == 0", why, a.value % b.value == 0, _larger(a, b))


def _larger(a: Number, b: Number) -> int:
    return max(abs(a.value), abs(b.value))
