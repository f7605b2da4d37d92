"""A formula read as data says what the code does: its text, reads, numbers and terms."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from operator import attrgetter
from types import FunctionType
from typing import Any

import pytest
import shapes
from formula_rules import vocabulary
from hypothesis import HealthCheck, given, settings, strategies as st

from kcfg.core import kernels, targets
from kcfg.core.engine import formula, reasons, terms, trees
from kcfg.core.engine.arith import div
from kcfg.core.engine.formula import Expression
from kcfg.core.engine.graph import graph
from kcfg.core.engine.quantity import Quantity, integer, quantity
from kcfg.core.engine.struct import Struct
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Kernel

SOME = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def quantities(kernel: Kernel) -> Iterator[tuple[Struct, Quantity[Any]]]:
    """Every quantity of a kernel and of the parts it is made of, with its struct."""
    for name in graph(type(kernel)).reads:
        read = formula.resolve(type(kernel), tuple(name.split(".")))
        at = name.rpartition(".")[0]
        if isinstance(read.member, Quantity):
            yield attrgetter(at)(kernel) if at else kernel, read.member


def words(entry: Quantity[Any]) -> dict[str, Any]:
    """What a line of an explanation may use: the vocabulary, and helpers of the kernels."""
    helpers = {
        name: value
        for name, value in formula.of(entry).names.items()
        if getattr(value, "__module__", "").startswith("kcfg.core.kernels.")
    }
    return {**helpers, **vocabulary()}


def same(one: Any, two: Any) -> bool:
    return type(one) is type(two) and bool(one == two)


def recorded(entry: Quantity[Any], struct: Struct) -> list[tuple[str, dict[str, Any], Any]]:
    """The words with named terms that a formula calls when it is evaluated."""
    calls: list[tuple[str, dict[str, Any], Any]] = []

    def recording(word: str) -> Callable[..., Any]:
        def record(**named: Any) -> Any:
            result = getattr(terms, word)(**named)
            calls.append((word, named, result))
            return result

        return record

    code: Any = entry.formula
    named = {word: recording(word) for word in reasons.WORDS.values()}
    FunctionType(code.__code__, {**code.__globals__, **named})(struct)
    return calls


KEPT: set[tuple[Any, str, str]] = set()
"""Formulas with numbers that kept the law: the lines of the same with the same are the same."""


def assert_law(kernel: Kernel) -> None:
    """Every line of every quantity's explanation evaluates to its value."""
    for struct, entry in quantities(kernel):
        value, first = getattr(struct, entry.name), formula.substituted(struct, entry)
        if (entry.formula, first, repr(value)) in KEPT:
            continue
        KEPT.add((entry.formula, first, repr(value)))
        lines, names = formula.steps(struct, entry), words(entry)
        assert lines[0] == first
        assert lines[-1] == repr(value)
        for line in lines:
            assert same(eval(line, names), value), (entry.key, line, value)
        for line in (formula.text(entry), *lines):
            assert not re.search(r"negate|[|&]", line), f"only arrays need this: {line}"


def assert_reasons(kernel: Kernel) -> None:
    """Ledgers are what the words were really called with, and fits divide without rest."""
    for struct, entry in quantities(kernel):
        calls = recorded(entry, struct)
        for ledger in reasons.ledgers(struct, entry):
            found = {term.name: term.value for term in ledger.terms}
            assert (ledger.word, found, ledger.value) in calls
            if ledger.word == "total":
                assert ledger.terms[-1].running == ledger.value
            elif ledger.word in ("least", "most"):
                assert {t.value for t in ledger.terms if t.decides} == {ledger.value}
            else:
                assert ledger.value == (
                    any(t.decides for t in ledger.terms) is (ledger.word == "any_of")
                )
        for fit in reasons.fits(struct, entry):
            assert fit.fits == div(fit.room, fit.each)
            if fit.left is not None and fit.missing is not None:
                assert fit.room == fit.fits * fit.each + fit.left
                assert 0 <= fit.left < fit.each == fit.left + fit.missing


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.id)
def test_steps_evaluate_to_the_value(shape: shapes.Shape) -> None:
    assert_law(shapes.derive(shape.kernel, shape.release, shape.inputs))


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.id)
def test_terms_are_those_of_the_evaluation(shape: shapes.Shape) -> None:
    assert_reasons(shapes.derive(shape.kernel, shape.release, shape.inputs))


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
def test_random_shapes_keep_the_law(kernel: str, release: str) -> None:
    @SOME
    @given(shapes.random(kernel, release))
    def keep(inputs: dict[str, Any]) -> None:
        found = shapes.derive(kernel, release, inputs)
        assert_law(found)
        assert_reasons(found)

    keep()


@pytest.mark.parametrize(
    "shape", [s for s in shapes.SHAPES if s[:2] in shapes.IN_PYTHON], ids=lambda shape: shape.id
)
def test_a_text_is_the_formula_without_self(shape: shapes.Shape) -> None:
    for struct, entry in quantities(shapes.derive(shape.kernel, shape.release, shape.inputs)):
        declared = (*struct.inputs, *struct.quantities, *struct.parts, "target")
        own = {name for name in declared if name in formula.of(entry).text}
        names = formula.of(entry).names | {name: getattr(struct, name) for name in own}
        assert same(eval(formula.text(entry), names), getattr(struct, entry.name))
        assert "self" not in formula.text(entry) and "\n" not in formula.text(entry)


class Spy:
    """Stands for a struct, and notes what a formula reads of it."""

    def __init__(self, struct: Any, prefix: str, seen: list[str]) -> None:
        self._struct, self._prefix, self._seen = struct, prefix, seen

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._struct, name)
        if name == "target" or isinstance(value, Struct):
            return Spy(value, f"{self._prefix}{name}.", self._seen)
        self._seen.append(self._prefix + name)
        return value


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.id)
def test_dependencies_are_what_the_code_reads(shape: shapes.Shape) -> None:
    for struct, entry in quantities(shapes.derive(shape.kernel, shape.release, shape.inputs)):
        seen: list[str] = []
        entry.formula(Spy(struct, "", seen))
        found = formula.dependencies(type(struct), entry)
        names = [read.name for read in found if read.kind != "constant"]
        assert len(names) == len(set(names))
        assert set(names) == set(seen), entry.key


# What it looks like


def indexer(release: str = "26.6", **changes: Any) -> Kernel:
    return shapes.derive("index_prefill", release, shapes.INDEXER | changes)


def entry(kernel: Kernel, name: str) -> Quantity[Any]:
    return type(kernel).quantities[name]


def test_the_steps_of_a_stage_count() -> None:
    kernel = indexer()
    stages = entry(kernel, "k_stages")
    assert formula.text(stages) == "div(carveout - fixed_smem_bytes, k_stage_bytes)"
    assert formula.steps(kernel, stages) == (
        "(115712 - 16932) // 17040",
        "98780 // 17040",
        "5",
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("negate(self.pair_cta) | (self.num_q == 2)", "not pair_cta or num_q == 2"),
        ("(a == 1) | (b == 2) | (c == 3)", "a == 1 or b == 2 or c == 3"),
        ("negate(c & d) & (a | b)", "not (c and d) and (a or b)"),
        ("pick(negate(b) & a, x // 2, up(y, 8))", "pick(not b and a, x // 2, up(y, 8))"),
        ("all_of(one=negate(negate(a)), two=b < 3)", "all_of(one=not not a, two=b < 3)"),
    ],
)
def test_conditions_are_written_in_words(code: str, said: str) -> None:
    expression = Expression(ast.parse(code, mode="eval").body, {})
    assert expression.text == said


def test_a_division_by_zero_stays_a_call() -> None:
    kernel = shapes.derive("mha_depth512", "26.7", shapes.DEPTH_512 | {"qk_depth": 64})
    assert formula.steps(kernel, entry(kernel, "BK0")) == ("div(64, 0)", "0")


def test_dependencies_are_classified() -> None:
    kernel = indexer("26.7")
    found = formula.dependencies(type(kernel), entry(kernel, "fixed_smem_bytes"))
    assert {read.name: read.kind for read in found} == {
        "q_slots": "quantity",
        "q_bytes": "quantity",
        "q_scale_bytes": "quantity",
        "RECORD_BYTES": "constant",
        "fixed_mbars": "quantity",
        "target.mbarrier_bytes": "target",
    }
    depth = formula.dependencies(type(kernel), entry(kernel, "n_tokens"))
    assert [(read.name, read.kind) for read in depth] == [
        ("mma_n", "input"),
        ("num_heads", "input"),
    ]


def test_a_part_is_read_by_its_dotted_name() -> None:
    cls = kernels.find("mla_prefill", "26.7")
    (read,) = formula.dependencies(cls, cls.quantities["BN"])
    assert (read.name, read.key, read.kind) == ("fa4_config.BN", "fa4_config.BN", "quantity")


def test_what_fits_says_what_one_more_would_need() -> None:
    kernel = indexer()
    (fit,) = reasons.fits(kernel, entry(kernel, "k_stages"))
    assert (fit.room, fit.each, fit.fits, fit.left, fit.missing) == (98780, 17040, 5, 13580, 3460)
    assert (fit.unit, fit.path, fit.binds) == ("bytes", ("k_stages",), True)


def test_fits_follow_the_arm_that_was_taken() -> None:
    plain = shapes.derive("fa4", "26.7", shapes.FA4_26)
    short = shapes.derive("fa4", "26.7", shapes.FA4_26 | {"BM": 32})
    paths = [
        fit.path
        for kernel in (plain, short)
        for fit in reasons.fits(kernel, entry(kernel, "num_kv_stages"))
    ]
    assert paths == [
        ("num_kv_stages", "slots", "slots_paired", "slots_estimated"),
        ("num_kv_stages", "ws_slots"),
    ]


def test_the_smaller_of_two_limits_binds() -> None:
    kernel = shapes.derive("mha_depth512", "26.7", shapes.DEPTH_512)
    found = reasons.fits(kernel, entry(kernel, "num_kv_stages"))
    stages = kernel.read("num_kv_stages")
    assert len(found) == 2
    assert [fit.binds for fit in found] == [fit.fits == stages for fit in found]


def test_a_choice_says_which_way_it_went() -> None:
    kernel = indexer()
    (choice,) = reasons.choices(kernel, entry(kernel, "ctas_per_sm"))
    assert choice == reasons.Choice("mma_n <= 128", "128 <= 128", True, "2")


# Differences between releases, and formulas without a source


def test_a_difference_is_one_of_meaning() -> None:
    class One(Struct):
        rows: int = integer("rows", "Rows.")

        @quantity("rows", source="here")
        def twice(self) -> int:
            """Twice the rows."""
            return 2 * self.rows

    class Two(Struct):
        rows: int = integer("rows", "Rows.")

        @quantity("rows", source="here")
        def twice(self) -> int:
            """The rows, doubled."""
            return (
                2  # two
                * self.rows
            )

        @quantity("rows", source="here")
        def thrice(self) -> int:
            """Three times the rows."""
            return 3 * self.rows

    one, two = One.quantities["twice"], Two.quantities["twice"]
    assert formula.difference(one, two) == (False, "2 * rows", "2 * rows")
    assert formula.difference(one, Two.quantities["thrice"]) == (True, "2 * rows", "3 * rows")


def test_a_constant_with_another_value_is_a_difference() -> None:
    def declared(size: int) -> Quantity[Any]:
        copy = FunctionType(sized.__code__, {**globals(), "SIZE": size})
        return quantity("rows", source="here")(copy)

    assert not formula.difference(declared(16), declared(16)).differs
    found = formula.difference(declared(16), declared(32))
    assert found == (True, "div(rows, SIZE)", "div(rows, SIZE)")


SIZE = 16


def sized(self: Any) -> int:
    """Rows in units of `SIZE`."""
    return div(self.rows, SIZE)


def test_without_a_source_it_says_so() -> None:
    names: dict[str, Any] = {"quantity": quantity, "Struct": Struct, "__name__": "nowhere"}
    code = "class Bare(Struct):\n @quantity('rows', source='x')\n def two(self): return 2\n"
    exec(compile(code, "nowhere.py", "exec"), names)
    with pytest.raises(trees.NoSourceError, match=r"source of Bare\.two is not available"):
        formula.text(names["Bare"].quantities["two"])
    assert names["Bare"](target=targets.find()).two == 2


@given(st.integers(-1000, 1000), st.integers(-8, 8))
def test_negative_numbers_and_zero_divisors_keep_the_law(rows: int, pieces: int) -> None:
    struct = Corners(target=targets.find(), rows=rows, pieces=pieces)
    for entry in Corners.quantities.values():
        for line in formula.steps(struct, entry):
            assert same(eval(line, vocabulary()), getattr(struct, entry.name)), line


class Corners(Struct):
    """Operations whose substituted form is easily wrong."""

    target: Target

    rows: int = integer("rows", "Rows.")
    pieces: int = integer("count", "Pieces.")

    @quantity("rows", source="here")
    def quotient(self) -> int:
        """A quotient within a product."""
        return 2 * div(self.rows, self.pieces) - self.rows

    @quantity("rows", source="here")
    def negative(self) -> int:
        """Signs before names and after operators."""
        return -self.rows - -self.pieces * (self.rows - (self.pieces - 1)) // 7

    @quantity("bool", source="here")
    def compared(self) -> bool:
        """Comparisons joined."""
        return (self.rows > self.pieces) & (self.rows % 4 != 0) | (-self.rows == self.pieces)
