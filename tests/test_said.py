"""What is said is said so that one understands it: laws that every text keeps."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import programs
import pytest
import shapes
from hypothesis import HealthCheck, given, settings, strategies as st
from typer.testing import CliRunner, Result

from kcfg.cli.main import application
from kcfg.cli.pages import explanation, kernels as kernel_pages, report as report_page
from kcfg.cli.pages.pieces import Heading, Line, Piece, Table
from kcfg.core import kernels
from kcfg.core.engine import formula
from kcfg.core.engine.graph import graph
from kcfg.core.engine.quantity import Quantity
from kcfg.core.explain.explanation import explain
from kcfg.core.figures import joined
from kcfg.core.findings import findings
from kcfg.core.report import Derived, report
from kcfg.core.rules import rules

INDEXER = "{dtype: fp8_e4m3, ks_dtype: f32, depth: 128, BM_key: 128, mma_n: 128, num_heads: 64}"


def kcfg(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(application(list(arguments)), list(arguments), input=stdin)


# Where a spec stood, and which release it is of


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two documents, of which only the second names a release."""
    monkeypatch.chdir(tmp_path)
    Path("two.yaml").write_text(
        f"kernel: index_prefill\nshape: {INDEXER}\n---\n"
        f"kernel: index_prefill\nrelease: 26.6\nshape: {INDEXER}\n"
    )
    return tmp_path


@pytest.mark.parametrize("command", [("derive",), ("explain",)], ids=" ".join)
def test_a_page_says_where_its_spec_stood_and_which_release_was_taken(
    command: tuple[str, ...], specs: Path
) -> None:
    lines = kcfg(*command, "two.yaml").stdout.splitlines()
    assert "two.yaml#1:1 (spec 1, line 1); no release given: 26.7, the newest" in lines
    assert "two.yaml#2:4 (spec 2, line 4)" in lines


def test_a_comparison_says_which_release_was_taken(specs: Path) -> None:
    text = kcfg("diff", "two.yaml", "--set", "mma_n=128..96").stdout
    assert text.count("no release given: 26.7, the newest") == 1
    assert "no release given" not in kcfg("diff", "two.yaml", "--release", "26.6..26.7").stdout


def test_the_report_says_whether_a_release_was_given(specs: Path) -> None:
    for first, *options in (("false",), ("true", "--release", "26.7")):
        found = kcfg("derive", "two.yaml", *options, "--get", "release_given").stdout
        assert found.splitlines() == [first, "true"]


def test_validating_says_which_release_was_taken_when_asked(specs: Path) -> None:
    said = "two.yaml#1:1: no release given: 26.7, the newest"
    assert kcfg("validate", "two.yaml", "--info").stdout.splitlines().count(said) == 1
    assert "no release given" not in kcfg("validate", "two.yaml").stdout


def test_a_launch_has_no_release_to_give() -> None:
    text = kcfg("derive", "-", stdin="{kernel: launch, shape: {threads: 128}}").stdout
    assert "release" not in text and "<stdin>#1:1 (spec 1, line 1)" in text


# Words


def test_the_glossary_has_every_word_that_a_formula_shows() -> None:
    told = json.loads(kcfg("explain", "--words", "--format", "json").stdout)["words"]
    known = {each["call"].partition("(")[0] for each in told}
    assert all(each["meaning"].endswith(".") for each in told)
    called = set()
    for kernel in kernels.names():
        for release in kernels.releases(kernel):
            plain = kernels.find(kernel, release)
            for cls in filter(None, (plain, plain.of_call())):
                for name in graph(cls).reads:
                    member = formula.resolve(cls, tuple(name.split("."))).member
                    if isinstance(member, Quantity):
                        called |= set(re.findall(r"(\w+)\(", formula.text(member)))
    assert called and called - known == set()
    assert {word for word in known if word.isidentifier()} == called


def test_the_glossary_takes_nothing_else() -> None:
    for arguments in (["x.yaml"], ["--preset", "llama-3-8b"], ["--kernel", "fa4"]):
        result = kcfg("explain", "--words", *arguments)
        assert result.exit_code == 2 and "--words" in result.stderr


# Verdicts


def test_what_has_no_verdict_of_its_own_is_said_to_pass_or_not() -> None:
    for threads, verdict in (
        (1024, "passes the rules, which alone judge it"),
        (1025, "CANNOT RUN"),
    ):
        spec = f"{{kernel: launch, shape: {{threads: {threads}}}}}"
        for command in ("derive", "explain"):
            assert verdict in kcfg(command, "-", stdin=spec).stdout.splitlines()


# Modules of one's own


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that stands in for the one of kernels, with a kernel called ``mine``."""
    monkeypatch.setattr(kernels, "__path__", [str(tmp_path)])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").touch()
    caches = (kernels.names, kernels._files, kernels._releases)
    for cache in caches:
        cache.cache_clear()
    yield tmp_path / "mine" / "r1_0.py"
    for cache in caches:
        cache.cache_clear()
    for name in [name for name in sys.modules if name.startswith("kcfg.core.kernels.mine")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("code", "line", "why"),
    [
        ("import math\n\nprint(undefined)\n", 3, "NameError: name 'undefined' is not defined"),
        ("class Kernel:\n    size = = 2\n", 2, "SyntaxError: invalid syntax"),
        ("from math import sinus\n", 1, "ImportError: cannot import name 'sinus' from 'math'"),
        (
            "from kcfg.core.engine.quantity import integer\n\nN = integer()\n",
            3,
            "TypeError: integer() missing",
        ),
        ("KERNELS = 1\n", 0, "it declares no KERNEL"),
    ],
)
def test_a_kernel_of_ones_own_that_fails_to_import_is_told_by_file_and_line(
    code: str, line: int, why: str, mine: Path
) -> None:
    mine.write_text(code)
    for arguments in (["kernels", "mine"], ["derive", "-"], ["explain", "--kernel", "mine", "x"]):
        done = programs.run(*arguments, given="kernel: mine\nshape: {a: 1}\n")
        assert done.code == 2
        place = f"{mine}:{line}" if line else str(mine)
        assert done.stderr.startswith(f"{place}: this module cannot be loaded: {why}"), done.stderr


# Spaces, numbers and sizes in every text


WRONG = {
    "doubled space": re.compile(r"\S  +\S"),
    "line break": re.compile(r"\n"),
    "plural of one": re.compile(
        r"(?<![\d.,=-])1 (?!this\b|is\b|has\b|was\b|plus\b)[a-zA-Z]+[a-z]s\b"
    ),
    "size below 0": re.compile(r"-\d[\d,]* (fit|each)\b|\bat -\d"),
}
"""What no text for people contains."""


def texts(page: Iterable[Piece]) -> Iterator[str]:
    """Everything that a page says in words."""
    for piece in page:
        if isinstance(piece, Heading | Line):
            yield piece.text
        elif isinstance(piece, Table):
            yield from (cell.strip() for row in piece.rows for cell in row.cells)


def assert_readable(found: Iterable[str]) -> None:
    for text in found:
        for what, wrong in WRONG.items():
            assert not wrong.search(text), (what, text)


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.id)
def test_pages_read_well(shape: shapes.Shape) -> None:
    kernel = shapes.derive(shape.kernel, shape.release, shape.inputs)
    assert_readable(texts(report_page.page(Derived(kernel, report(kernel)))))
    assert_readable(each.said for each in kernel.candidates())


@pytest.mark.parametrize("shape", shapes.SHAPES[::3], ids=lambda shape: shape.id)
def test_explanations_read_well(shape: shapes.Shape) -> None:
    kernel = shapes.derive(shape.kernel, shape.release, shape.inputs)
    for member in type(kernel).quantities.values():
        assert_readable(texts(explanation.reasons(explain(kernel, member.key))))


@pytest.mark.parametrize(("name", "release"), shapes.RELEASES)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_refused_shapes_read_well(name: str, release: str, data: st.DataObject) -> None:
    kernel = shapes.derive(name, release, data.draw(shapes.random(name, release)))
    assert_readable(finding.message for finding in findings(kernel))
    for member in type(kernel).quantities.values():
        assert_readable(texts(explanation.reasons(explain(kernel, member.key))))


@pytest.mark.parametrize("name", kernels.names())
def test_manuals_read_well(name: str) -> None:
    assert_readable(texts(kernel_pages.manual([kernels.find(name)])))


ONES = [
    "threads: 1, registers: {entry: 1}",
    "threads: 33, registers: {entry: 255, launch_bounds: [1, 33]}, blocks_per_sm: 33",
    "threads: 2, block: [1, 1, 1]",
    "threads: 64, registers: {launch_bounds: [32, 33], warpgroups: [24]}, named_barriers: [1]",
    "blocks_per_sm: 33, named_barriers: [1], tmem: {columns: 1}",
    "tmem: {allocations: [512], columns: 513}, blocks_per_sm: 2",
    "pipelines: [{name: kv, stages: 1, tma: true, stage_bytes: 1}]",
    "pipelines: [{name: kv, stages: 1, barrier_bytes: 8, stage_bytes: 232448}]",
    "tma: [{dims: [1], box: [1, 1], strides: [1, 1]}]",
]
"""Launches with one of things, that rules have something to say of."""


@pytest.mark.parametrize("shape", ONES)
def test_one_of_a_thing_is_singular(shape: str) -> None:
    done = kcfg("validate", "-", "--info", stdin=f"{{kernel: launch, shape: {{{shape}}}}}")
    lines = done.stdout.splitlines()
    assert len(lines) > 1 and " SPEC" not in done.stdout
    assert_readable(line.partition(" ")[2] for line in lines)


def test_no_example_of_a_rule_is_told_badly() -> None:
    for rule in rules():
        found = kcfg("validate", "-", "--info", stdin=f"{{kernel: launch, {rule.fails}}}")
        assert_readable(line.partition(" ")[2] for line in found.stdout.splitlines())


def test_what_cannot_fit_is_told_without_sizes_below_0() -> None:
    refused = ("--preset", "llama-3-8b", "--set", "qk_depth=512", "--set", "ov_depth=512")
    text = " ".join(kcfg("explain", *refused).stdout.split())
    assert "slots_estimated: none can be counted: the size of one (slot_bytes" in text
    deep = ("--preset", "deepseek-v3-2-index", "--set", "depth=1024", "k_stages")
    text = " ".join(kcfg("explain", *deep).stdout.split())
    assert "none fit: carveout - fixed_smem_bytes is " in text and " short of any room" in text


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        ("stages: 2, ", "2 stages of ab asked, at most 4 would fit; stage 5 needs 16,384 B"),
        ("stages: 4, ", "4 stages of ab asked, the most that fit; stage 5 needs 16,384 B"),
        ("", "at most 4 stages of ab fit; stage 5 needs 16,384 B"),
        (
            "stages: 5, ",
            "5 stages of ab do not fit the 65,536 B (64.0 KiB) of dynamic shared memory",
        ),
    ],
)
def test_stages_are_told_as_asked_at_most_and_one_more(stages: str, said: str) -> None:
    line = f"pipelines: [{{name: ab, {stages}stage_bytes: 16384}}]"
    spec = f"{{kernel: launch, shape: {{shared: {{dynamic: 65536}}, {line}}}}}"
    assert said in kcfg("validate", "-", "--info", stdin=spec).stdout


def test_a_refusal_names_the_condition_and_few_inputs_or_explain() -> None:
    few = kcfg("derive", "--preset", "deepseek-v3-2-index", "--set", "mma_n=256").stdout
    said = "one consumer warpgroup fails, mma_n <= 128: mma_n is 256; it rests on mma_n"
    assert said in " ".join(few.split())
    many = ("--preset", "llama-3-8b", "--set", "qk_depth=256", "--set", "ov_depth=256")
    text = " ".join(kcfg("derive", *many).stdout.split())
    assert "key tile fails, BN >= 64: BN is 0" in text
    assert "inputs, and `kcfg explain` says which of them to change" in text
    assert "num_qk_stages, splitk_partitions" not in text


def test_a_launch_key_that_takes_a_few_words_lists_them() -> None:
    keys = json.loads(kcfg("kernels", "launch", "--format", "json").stdout)["inputs"]
    page = " ".join(kcfg("kernels", "launch").stdout.split())
    limited = [key["choices"] for key in keys if key["choices"]]
    assert limited
    for choices in limited:
        assert f"One of {joined(choices, 'or')}." in page
