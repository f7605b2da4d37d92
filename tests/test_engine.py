"""Every kernel keeps the rules of a formula, and the rules see what breaks them."""

from __future__ import annotations

import pytest
import shapes
from formula_rules import breaches, capacities
from hypothesis import given, settings, strategies as st

from kcfg.core import kernels, targets
from kcfg.core.engine.arith import div, up
from kcfg.core.engine.quantity import integer, part, quantity
from kcfg.core.engine.struct import Struct
from kcfg.core.engine.terms import least, pick
from kcfg.core.hardware.target import Target


@pytest.mark.parametrize(("kernel", "release"), shapes.IN_PYTHON)
def test_a_kernel_keeps_the_rules(kernel: str, release: str) -> None:
    assert breaches(kernels.find(kernel, release)) == []


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
def test_shapes_cover_every_release_and_both_verdicts(kernel: str, release: str) -> None:
    verdicts = {shape.supported for shape in shapes.SHAPES if shape[:2] == (kernel, release)}
    has_one = "supported" in kernels.find(kernel, release).quantities
    assert verdicts == ({True, False} if has_one else {None})


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.id)
def test_a_shape_has_its_verdict_and_values(shape: shapes.Shape) -> None:
    kernel = shapes.derive(shape.kernel, shape.release, shape.inputs)
    assert kernel.values().get("supported") is shape.supported


@pytest.mark.parametrize(
    ("release", "depth", "mbarriers", "taken"),
    [("26.6", 2, 256, True), ("26.6", 1, 298, False), ("26.7", 2, 265, False)],
)
def test_the_indexer_takes_an_mbarrier_for_each_of_its_threads(
    release: str, depth: int, mbarriers: int, taken: bool
) -> None:
    inputs = shapes.INDEXER | {"depth": depth, "mma_n": 32}
    values = shapes.derive("index_prefill", release, inputs).values()
    assert (values["nthreads"], values["n_mbars"]) == (256, mbarriers)
    assert values["supported"] is taken


def test_capacities_are_those_of_the_default_target() -> None:
    limits = vars(targets.find())
    assert {limits["smem_per_sm"], limits["smem_optin_per_block"]} <= set(capacities())


class Inner(Struct):
    """A struct to build."""

    target: Target

    rows: int = integer("rows", "Rows.")


class Broken(Struct):
    """Each quantity breaks one rule, named in `BREACHES`."""

    rows: int = integer("rows", "Rows.")

    @quantity("rows", source="here")
    def silent(self) -> int:
        return self.rows

    @quantity("rows", source="  ")
    def unsourced(self) -> int:
        """Rows."""
        return self.rows

    @quantity("rows", source="here")
    def two_statements(self) -> int:
        """Rows."""
        assert self.rows
        return self.rows

    @quantity("rows", source="here")
    def branching(self) -> int:
        """Rows."""
        return self.rows if self.rows > 1 else 1

    @quantity("bool", source="here")
    def conjunction(self) -> bool:
        """Rows."""
        return self.rows > 1 and self.rows < 9

    @quantity("bool", source="here")
    def negation(self) -> bool:
        """Rows."""
        return not self.branching

    @quantity("bool", source="here")
    def chained(self) -> bool:
        """Rows."""
        return 1 < self.rows < 9

    @quantity("rows", source="here")
    def unnamed_limit(self) -> int:
        """Rows."""
        return min(self.rows, 8)

    @quantity("rows", source="here")
    def unknown_word(self) -> int:
        """Rows."""
        return divmod(self.rows, 8)[0]

    @quantity("rows", source="here")
    def quotient(self) -> int:
        """Rows."""
        return 512 // (2 * self.rows) + self.rows // 8

    @quantity("rows", source="here")
    def remainder(self) -> int:
        """Rows."""
        return 512 % up(self.rows, 8) + self.rows % (1 << 5)

    @quantity("rows", source="here")
    def comprehension(self) -> int:
        """Rows."""
        return least(**{name: len(name) for name in "ab"}) + self.rows

    @quantity("bytes", source="here")
    def capacity(self) -> int:
        """Rows."""
        return div(232448, self.rows)

    @quantity("rows", source="here")
    def looks_ahead(self) -> int:
        """Rows."""
        return pick(self.rows > 1, self.declared_later, 1)

    @quantity("rows", source="here")
    def declared_later(self) -> int:
        """Rows."""
        return self.rows

    @quantity("rows", source="here")
    def undeclared(self) -> int:
        """Rows."""
        return self.columns  # type: ignore[attr-defined, no-any-return]

    @part()
    def inner(self) -> Inner:
        """A part."""
        return Inner(target=self.target, rows=self.rows)

    @quantity("rows", source="here")
    def takes_whole(self) -> int:
        """Rows."""
        return pick(True, self.inner, 1)  # type: ignore[return-value]


BREACHES = {
    "silent": "has no docstring",
    "unsourced": "names no source",
    "two_statements": "is not a docstring and one return",
    "branching": "uses if",
    "conjunction": "uses and, or",
    "negation": "uses not: write negate",
    "chained": "chains comparisons: write &",
    "unnamed_limit": "calls min: write least",
    "unknown_word": "calls divmod, which is neither",
    "quotient": "divides by 2 * self.rows with //: write div",
    "remainder": "divides by up(self.rows, 8) with %: write mod",
    "comprehension": "uses a comprehension",
    "capacity": "writes 232448: read target.smem_optin_per_block",
    "looks_ahead": "reads declared_later, which is declared below it",
    "undeclared": "reads columns, which is not declared",
    "takes_whole": "reads inner as a whole",
}


@pytest.mark.parametrize(("name", "breach"), BREACHES.items())
def test_a_breach_is_seen(name: str, breach: str) -> None:
    assert any(f".Broken.{name}: {breach}" in line for line in breaches(Broken))


def test_nothing_else_is_called_a_breach() -> None:
    blamed = {line.split(": ")[0].rpartition(".")[2] for line in breaches(Broken)}
    assert blamed == set(BREACHES)


def test_overriding_may_not_close_a_circle() -> None:
    class First(Struct):
        @quantity("rows", source="here")
        def one(self) -> int:
            """Rows."""
            return 1

        @quantity("rows", source="here")
        def two(self) -> int:
            """Rows."""
            return self.one

    class Second(First):
        @quantity("rows", source="here")
        def one(self) -> int:
            """Rows."""
            return self.two

    assert breaches(First) == []
    assert any("one -> two -> one is a circle" in line for line in breaches(Second))


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_no_input_takes_a_value_out_of_upstreams_64_bits(
    kernel: str, release: str, data: st.DataObject
) -> None:
    drawn = data.draw(shapes.extreme(kernel, release))
    values = shapes.derive(kernel, release, drawn).values()
    numbers = {key: value for key, value in values.items() if isinstance(value, int)}
    assert {key: value for key, value in numbers.items() if not -(2**63) <= value < 2**63} == {}
