"""The program of a struct gives what its formulas give one by one, value and type."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import shapes
from hypothesis import given, settings

from kcfg.core import kernels
from kcfg.core.engine.arith import up
from kcfg.core.engine.program import program
from kcfg.core.engine.quantity import integer, part, quantity
from kcfg.core.engine.struct import MANY, Struct
from kcfg.core.engine.terms import all_of, pick, total
from kcfg.core.hardware.target import Target
from kcfg.core.targets import find

written = cache(program)


def assert_same(kernel: str, release: str, inputs: dict[str, Any]) -> None:
    one_by_one = shapes.derive(kernel, release, inputs)
    at_once = shapes.derive(kernel, release, inputs)
    written(kernels.find(kernel, release))(at_once)
    for name, member in type(one_by_one).quantities.items():
        assert name in vars(at_once) or member.place  # a place is worked out when it is asked for
        expected, found = getattr(one_by_one, name), getattr(at_once, name)
        assert (name, type(expected), expected) == (name, type(found), found)
    assert one_by_one.values() == at_once.values()


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.id)
def test_a_shape_has_the_same_values(shape: shapes.Shape) -> None:
    assert_same(shape.kernel, shape.release, shape.inputs)


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
def test_random_shapes_have_the_same_values(kernel: str, release: str) -> None:
    @settings(max_examples=60, deadline=None)
    @given(shapes.random(kernel, release))
    def compare(inputs: dict[str, Any]) -> None:
        assert_same(kernel, release, inputs)

    compare()


class Inner(Struct):
    """A tile, and how often one was made by `counted`."""

    target: Target
    made = 0

    rows: int = integer("rows", "Rows.")

    @quantity("rows", source="here")
    def padded(self) -> int:
        """Rows in whole steps; the step is computed once, whatever the word does with it."""
        return up(self.rows, total(step=self.rows - 1, one=1))


class Outer(Struct):
    """A struct of two parts, one of which few ask for."""

    target: Target
    shown = Inner

    rows: int = integer("rows", "Rows.")
    least: int = integer("rows", "The fewest worth padding.", default=1)

    @part("shown")
    def tile(self) -> Inner:
        """The tile."""
        return type(self).shown(target=self.target, rows=self.rows)

    @part()
    def other(self) -> Inner:
        """A tile of one row more, counted as it is made."""
        return counted(self.target, self.rows + 1)

    @quantity("rows", source="here")
    def taken(self) -> int:
        """Rows of the one tile or the other."""
        return pick(self.tile_will_do, self.tile.padded, self.other.padded)

    @quantity("bool", source="here")
    def tile_will_do(self) -> bool:
        """Whether the tile is as large as it must be; declared below who reads it."""
        return all_of(rows=self.rows >= self.least, padded=self.tile.padded >= self.least)


def counted(target: Target, rows: int) -> Inner:
    Inner.made += 1
    return Inner(target=target, rows=rows)


def test_the_many_are_as_the_few() -> None:
    target = find()
    for rows in range(1, 2 * MANY):
        expected = rows if rows >= 4 else rows + 1
        assert Outer(target=target, rows=rows, least=4).values() == {
            "taken": expected,
            "tile_will_do": rows >= 4,
            "tile.padded": rows,
        }


def test_a_part_that_no_value_needs_is_not_built() -> None:
    complete = program(Outer)
    made = Inner.made
    complete(Outer(target=find(), rows=8))
    assert Inner.made == made
    complete(Outer(target=find(), rows=8, least=9))
    assert Inner.made == made + 1


LIMIT = 7


def bounded(LIMIT: int) -> type[Struct]:
    """A struct of formulas that keep few rules; each goes on meaning what it says."""

    class Bounded(Struct):
        target: Target

        rows: int = integer("rows", "Rows.", least=0)
        pieces: int = integer("count", "Pieces.", least=0)

        @quantity("rows", source="here")
        def enclosed(self) -> int:
            """Reads a name of the function around it, which a global has too."""
            return self.rows + LIMIT

        @quantity("rows", source="here")
        def guarded(self) -> int:
            """Divides only where it can."""
            return up(8, self.rows // self.pieces) if self.pieces else -1

        @quantity("rows", source="here")
        def named(self) -> int:
            """Gives the arguments of words by name."""
            return pick(condition=self.rows > 3, then=up(b=4, a=self.rows), otherwise=0)

        @quantity("rows", source="here")
        def early(self) -> int:
            """Returns in two places."""
            if self.rows > 3:
                return 1
            return 2

        @quantity("rows", source="here")
        def worked(self) -> int:
            """Has a variable, and a comprehension over another one."""
            step = self.enclosed + 1
            return sum(step * rows for rows in range(self.rows))

        @quantity("rows", source="here")
        def spread(self) -> int:
            """Gives its terms as one, by a variable."""
            terms = {"rows": self.rows, "pieces": self.pieces}
            return total(**terms)

    return Bounded


@pytest.mark.parametrize("pieces", [0, 2])
@pytest.mark.parametrize("rows", [0, 3, 9])
def test_a_formula_that_is_more_than_an_expression_keeps_its_meaning(
    rows: int, pieces: int
) -> None:
    struct = bounded(500)
    once, at_once = (struct(target=find(), rows=rows, pieces=pieces) for _ in range(2))
    program(struct)(at_once)
    assert once.values() == at_once.values()
    assert once.values()["enclosed"] == rows + 500


def test_what_was_set_before_is_kept() -> None:
    for rows in range(MANY + 2):
        struct = Outer(target=find(), rows=rows + 8)
        tile = struct.tile
        vars(struct)["tile_will_do"] = False
        assert struct.values()["taken"] == rows + 9 and struct.tile is tile


def test_without_a_source_a_formula_is_called() -> None:
    namespace: dict[str, Any] = {"Struct": Struct, "quantity": quantity}
    exec(
        "class Bare(Struct):\n"
        "    @quantity('rows', source='here')\n"
        "    def rows(self):\n"
        "        'Rows.'\n"
        "        return 8\n",
        namespace,
    )
    bare: type[Struct] = namespace["Bare"]
    found = [bare(target=find()).values() for _ in range(MANY + 2)]
    assert found == [{"rows": 8}] * (MANY + 2)


def test_of_a_part_only_what_is_asked_for_is_computed() -> None:
    struct = Outer(target=find(), rows=8, least=9)
    program(Outer)(struct)
    assert struct.taken == 9 and vars(struct.other).keys() == {"target", "rows", "padded"}
    deep = shapes.derive("mla_prefill", "26.6", {**shapes.MLA, "num_q": 2})
    written(type(deep))(deep)
    inner = vars(deep)["one_query"]
    assert "supported" in vars(inner) and "BK1" not in vars(inner)
    assert "smem_used" in vars(inner.fa4_config) and "mbars_size" not in vars(inner.fa4_config)
    assert (
        inner.values() == shapes.derive("mla_prefill", "26.6", {**shapes.MLA, "num_q": 1}).values()
    )
