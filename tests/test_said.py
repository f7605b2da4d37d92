"""What is said is said so that one understands it: laws that every text keeps."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kcfg.cli import console
from kcfg.cli.main import application
from kcfg.core import kernels
from kcfg.core.engine import formula
from kcfg.core.engine.graph import graph
from kcfg.core.engine.quantity import Quantity

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
    for given, *options in (("false",), ("true", "--release", "26.7")):
        found = kcfg("derive", "two.yaml", *options, "--get", "release_given").stdout
        assert found.splitlines() == [given, "true"]


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
            cls = kernels.find(kernel, release)
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
    code: str, line: int, why: str, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine.write_text(code)
    for arguments in (["kernels", "mine"], ["derive", "-"], ["explain", "--kernel", "mine", "x"]):
        with pytest.raises(SystemExit) as left, given("kernel: mine\nshape: {a: 1}\n"):
            console.safely(lambda told=arguments: application(told)(told))
        said = capsys.readouterr().err
        assert left.value.code == 2
        place = f"{mine}:{line}" if line else str(mine)
        assert said.startswith(f"{place}: this module cannot be loaded: {why}"), said


@contextmanager
def given(text: str) -> Iterator[None]:
    """Standard input that holds a text."""
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        yield
    finally:
        sys.stdin = before
