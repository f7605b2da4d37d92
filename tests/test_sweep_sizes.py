"""How large numbers can get: no value is beyond its bound, and some value is at it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

pytest.importorskip("numpy")

from kcfg.core import targets
from kcfg.core.engine import arith
from kcfg.core.engine.quantity import integer, quantity
from kcfg.core.engine.struct import Struct
from kcfg.core.hardware.target import Target
from kcfg.core.sweep.arrays import Vocabulary
from kcfg.core.sweep.sizes import LIMIT, SIZES, Size

DIVISORS = st.integers(-40, 40).filter(bool)


@given(most=st.integers(0, 300), divisor=DIVISORS)
def test_a_known_divisor_divides_the_bound(most: int, divisor: int) -> None:
    numbers = range(-most, most + 1)
    assert (Size(most) // divisor).most == max(abs(a // divisor) for a in numbers)
    for word in (arith.div, arith.ceildiv):
        bound = SIZES[word](Size(most), divisor).most
        assert bound == max(abs(word(a, divisor)) for a in numbers)


@given(most=st.integers(0, 40), divisors=st.integers(0, 40))
def test_a_divisor_that_varies_may_be_one(most: int, divisors: int) -> None:
    for word in (arith.div, arith.ceildiv):
        bound = SIZES[word](Size(most), Size(divisors)).most
        pairs = [(a, b) for a in range(-most, most + 1) for b in range(-divisors, divisors + 1)]
        assert bound >= max(abs(word(a, b)) for a, b in pairs)


def test_a_divisor_of_0_leaves_nothing() -> None:
    assert SIZES[arith.div](Size(9), 0).most == arith.div(9, 0) == 0


class Chain(Struct):
    """Packs a size by a literal again and again: each product alone is far from the limit."""

    target: Target

    rows: int = integer("rows", "Rows.")

    @quantity("bytes", source="here")
    def packed(self) -> int:
        """Rows of rows, 1,024 in one."""
        return self.rows * self.rows // 1024

    @quantity("bytes", source="here")
    def packed_twice(self) -> int:
        """The same of those."""
        return self.packed * self.rows // 1024

    @quantity("bytes", source="here")
    def packed_thrice(self) -> int:
        """And of those."""
        return self.packed_twice * self.rows // 1024


def test_a_family_that_divides_by_literals_stays_within_the_limit() -> None:
    target, largest = targets.find(), 1 << 20
    most: Any = Size(largest)
    bound: Any = Vocabulary(SIZES).over(Chain)(target=target, rows=most).packed_thrice
    assert bound.most == Chain(target=target, rows=largest).packed_thrice < LIMIT < largest**4
