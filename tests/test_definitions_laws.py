"""The laws of derived kernels, over the examples and over definitions that nobody wrote."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import defined
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st
from test_formula import assert_law, assert_reasons
from typer.testing import CliRunner

pytest.importorskip("numpy")

import sweeps

from kcfg.cli.main import application
from kcfg.core.engine.arith import ceildiv, div, down, halved, mod, next_pow2, prev_pow2, up
from kcfg.core.kernel import Kernel
from kcfg.core.report import report
from kcfg.core.spec import Spec
from kcfg.core.spec.head import kernels as registry
from kcfg.core.sweep.grid import Axis
from kcfg.core.sweep.named_values import name_of
from kcfg.core.sweep.query import Head, Query

SOME = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))

Values = dict[str, Any]


@dataclass
class Formula:
    """A formula as a person would write it, and its value found without kcfg's own grammar."""

    text: str
    value: Callable[[Values], Any]


def leaf(names: list[str]) -> st.SearchStrategy[Formula]:
    numbers = st.integers(0, 64).map(lambda n: Formula(str(n), lambda values: n))
    named = st.sampled_from(names).map(lambda name: Formula(name, lambda values: values[name]))
    return st.one_of(named, numbers)


TWO: dict[str, Callable[[Any, Any], Any]] = {
    "({} + {})": lambda a, b: a + b,
    "({} - {})": lambda a, b: a - b,
    "({} * {})": lambda a, b: a * b,
    "({} // {})": div,
    "({} % {})": mod,
    "div({}, {})": div,
    "ceildiv({}, {})": ceildiv,
    "up({}, {})": up,
    "down({}, {})": down,
    "min({}, {})": min,
    "max({}, {})": max,
    "least(one={}, two={})": min,
    "most(one={}, two={})": max,
    "total(one={}, two={})": lambda a, b: a + b,
    "(next_pow2({}) + {})": lambda a, b: next_pow2(a) + b,
    "(prev_pow2({}) + {})": lambda a, b: prev_pow2(a) + b,
    "halved(abs({}), abs({}) + 1)": lambda a, b: halved(abs(a), abs(b) + 1),
    "(0 - {} + {})": lambda a, b: b - a,
}
CONDITIONS: dict[str, Callable[[Any, Any], bool]] = {
    "{} < {}": lambda a, b: a < b,
    "{} == {} or false": lambda a, b: a == b,
    "not {} >= {}": lambda a, b: a < b,
    "{} in [{}, 3, 64]": lambda a, b: a in (b, 3, 64),
    "0 <= {} <= {}": lambda a, b: 0 <= a <= b,
    "any_of(one={} > 7, two={} > 7)": lambda a, b: a > 7 or b > 7,
}


def larger(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    def two(pattern: str, a: Formula, b: Formula) -> Formula:
        work = TWO[pattern]
        return Formula(pattern.format(a.text, b.text), lambda v: work(a.value(v), b.value(v)))

    def chosen(pattern: str, parts: tuple[Formula, Formula, Formula, Formula]) -> Formula:
        asked, (a, b, c, d) = CONDITIONS[pattern], parts
        text = f"({c.text} if {pattern.format(a.text, b.text)} else {d.text})"
        return Formula(text, lambda v: c.value(v) if asked(a.value(v), b.value(v)) else d.value(v))

    return st.one_of(
        st.builds(two, st.sampled_from(sorted(TWO)), inner, inner),
        st.builds(
            chosen, st.sampled_from(sorted(CONDITIONS)), st.tuples(inner, inner, inner, inner)
        ),
    )


@dataclass
class Made:
    """A definition, and what its values are by a direct evaluation."""

    text: str
    formulas: dict[str, Formula]
    regions: dict[str, tuple[str, int]]

    def wanted(self, inputs: Values) -> Values:
        known = dict(inputs)
        for name, formula in self.formulas.items():
            known[name] = formula.value(known)
        return {name: known[name] for name in self.formulas}


@st.composite
def definitions(draw: st.DrawFn) -> Made:
    names = ["BM", "BN", "n"]
    formulas: dict[str, Formula] = {}
    for number in range(draw(st.integers(1, 6))):
        formula = draw(st.recursive(leaf(names), larger, max_leaves=6))
        formulas[f"v{number}"] = formula
        names.append(f"v{number}")
    regions = {
        f"r{number}": (draw(st.sampled_from(names)), draw(st.sampled_from([1, 8, 16, 128])))
        for number in range(draw(st.integers(0, 4)))
    }
    lines = ["defines: made", "inputs: {BM: 128, BN: 64, n: {least: 0, most: 300, default: 3}}"]
    lines += ["values:", *(f"  {name}: '{each.text}'" for name, each in formulas.items())]
    lines += ["supported: {enough: v0 >= 4, few: n < 100 and BM != 77}"]
    if regions:
        lines += ["shared:"]
        lines += [
            f"  {name}: {{bytes: '{up_to(size)}', stages: 2, align: {align}}}"
            for name, (size, align) in regions.items()
        ]
    return Made("\n".join(lines) + "\n", formulas, regions)


def up_to(name: str) -> str:
    """A size that is no longer than a megabyte, whatever the name stands for."""
    return f"max(0, {name}) % 5000"


INPUTS = st.fixed_dictionaries(
    {"BM": st.integers(1, 300), "BN": st.integers(1, 300), "n": st.integers(0, 300)}
)


@SOME
@given(definitions(), st.lists(INPUTS, min_size=2, max_size=4))
def test_a_definition_keeps_the_laws(made: Made, several: list[Values]) -> None:
    """All of them of one and the same definition: to make one costs most."""
    inputs = several[0]
    spec = first(made, inputs)
    kernel = spec.derive()
    assert_direct_evaluation(kernel, made, inputs)
    assert_places(kernel, made, inputs)
    assert_law(kernel)
    assert_reasons(kernel)
    keys = ("BM", "BN", "n")
    assert_sweep(
        spec,
        tuple(Axis((key,), (tuple(dict.fromkeys(each[key] for each in several)),)) for key in keys),
    )


def assert_direct_evaluation(kernel: Kernel, made: Made, inputs: Values) -> None:
    """Values are what the formulas come to without kcfg's own grammar."""
    values = kernel.values()
    wanted = made.wanted(inputs)
    assert {name: values[name] for name in wanted} == wanted
    assert values["supported"] is (wanted["v0"] >= 4 and inputs["n"] < 100 and inputs["BM"] != 77)


def assert_places(kernel: Kernel, made: Made, inputs: Values) -> None:
    """Places follow each other, and regions tile the memory."""
    known = {**inputs, **made.wanted(inputs)}
    end = 0
    for name, (size, align) in made.regions.items():
        start, length = up(end, align), 2 * (max(0, known[size]) % 5000)
        assert kernel.read(f"{name}.offset") == start
        assert kernel.read(f"{name}.bytes") == length
        end = start + length
        assert kernel.read(f"{name}.end") == end
    smem = report(kernel)["smem"]
    if not made.regions:
        assert smem is None
        return
    assert smem["used"] == kernel.read("end") == end
    reached = 0
    for region in smem["regions"]:
        assert region["offset"] == reached
        reached += region["bytes"]
    assert reached == (end if smem["regions"] else 0)


@pytest.mark.parametrize("name", defined.EXAMPLES)
def test_the_examples_explain_themselves(name: str) -> None:
    for spec in defined.specs(name):
        if spec.kernel in registry.names():
            continue
        assert_law(spec.derive())
        assert_reasons(spec.derive())


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("ws_gemm", {"BM": [64, 128], "BN": [64, 128, 256], "BK": [32, 64, 128, 1024]}),
        ("index_prefill_26_6", {"mma_n": [1, 96, 128, 384], "depth": [64, 512], "BM_key": [64]}),
        ("deepgemm_sm90_fp8", {"block_n": [16, 112, 128, 152, 192], "multicast": [1, 2]}),
        ("cutedsl_dense_gemm", {"ab": ["f16", "tf32"], "mma_n": [32, 96, 160], "c": ["f16"]}),
    ],
)
def test_a_sweep_of_an_example_equals_scalar_derivation(
    name: str, values: dict[str, list[Any]]
) -> None:
    spec = defined.specs(name)[0]
    assert_sweep(spec, tuple(Axis((key,), (tuple(each),)) for key, each in values.items()))


def assert_sweep(spec: Spec, axes: tuple[Axis, ...]) -> None:
    """A sweep over axes has at every point what deriving that point gives, places included."""
    cls = spec.cls
    known = {member.key: name for name, member in cls.inputs.items()}
    given = {member.key: spec.shape.get(name) for name, member in cls.inputs.items()}
    varied = {key for axis in axes for key in axis.keys}
    fixed = tuple((k, v) for k, v in given.items() if v is not None and k not in varied)
    names = [*(key for key, _ in cls.declared()), *(key for key, _ in cls.places())]
    asked = Query(
        kernel=spec.kernel,
        release=spec.release,
        target=spec.target.name,
        arch=spec.target.arch,
        fixed=fixed,
        axes=axes,
        block=1 << 17,
        where=None,
        columns=tuple(Head(name, name_of(cls, name).kind) for name in names),
        shown=len(names),
        keep=sweeps.EVERYTHING,
        encode=None,
        origin=cls.origin,
    )
    rows, tally = sweeps.swept(asked)
    assert len(rows) == asked.grid.size
    supported = 0
    for number, row in rows.items():
        inputs = {**dict(fixed), **asked.grid.point(number)}
        kernel = cls(target=spec.target, **{known[key]: value for key, value in inputs.items()})
        assert row == tuple(kernel.read(name) for name in names), inputs
        supported += bool(kernel.verdict)
    assert tally.supported == supported


def first(made: Made, inputs: Values) -> Spec:
    said = ", ".join(f"{key}: {value}" for key, value in inputs.items())
    text = f"{made.text}---\nkernel: made\nshape: {{{said}}}\n"
    (spec,) = defined.read(text, "made.kcfg.yaml")
    if isinstance(spec, list):  # numbers past the bound are refused, and what is past it is not
        assume("2**63" not in spec[0].message)
    assert isinstance(spec, Spec), spec
    return spec


def derived(made: Made, several: list[Values]) -> list[Kernel]:
    return [first(made, inputs).derive() for inputs in several]


CHOSEN = """\
defines: x
inputs:
  group: {choices: [1, 2, 4], default: 2, unit: CTAs, tunable: true}
  mode: {choices: ["1", "2"], default: "1"}
values: {half: 256 // group}
supported: {small: half <= 100}
---
kernel: x
"""


def test_choices_of_numbers_are_numbers() -> None:
    def run(*arguments: str) -> Any:
        return CliRunner().invoke(application(list(arguments)), list(arguments), input=CHOSEN)

    assert run("derive", "-", "--get", "half", "--get", "mode").stdout == "128\n1\n"
    assert run("derive", "-", "--set", "group=4", "--get", "half").stdout == "64\n"
    assert "passes with group = 4 (not 2)" in run("explain", "-").stdout
    refused = run("validate", "-", "--set", "group=3")
    assert refused.exit_code != 0 and "expected one of 1, 2, 4, not 3" in refused.output
    swept = run("sweep", "-", "--set", "group=[1,4]", "--columns", "half", "-q", "--format", "csv")
    assert swept.stdout.splitlines()[1:] == ["256", "64"]
    assert "expected one of" in run("sweep", "-", "--set", "group=1..4").output
