"""What is said of a slip or a failed pin can be followed: it names what is there, and works."""

from __future__ import annotations

import json
from pathlib import Path

import defined
import pytest
from click.testing import Result
from typer.testing import CliRunner

from kcfg.cli.main import application

LAUNCH = """\
kernel: launch
shape:
  threads: 128
  shared: {dynamic: 8192, regions: [{name: a, bytes: 4096}, {name: c, bytes: 4096}]}
"""
FA4 = """\
kernel: fa4
release: 26.6
shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4, qk_depth: 128, ov_depth: 128, page_size: 128}
"""
GEMM = str(defined.path("ws_gemm"))


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(application(list(arguments)), list(arguments), input=stdin)


def said(*arguments: str, stdin: str | None = None) -> str:
    """What a command says, its lines joined."""
    return " ".join(run(*arguments, stdin=stdin).output.split())


# Pins of places


def test_a_pin_of_a_launch_that_fails_is_a_finding_at_its_value() -> None:
    for bound, code in (("8192", 1), ("<= 100", 1), ("4096", 0)):
        done = run("validate", "-", stdin=f"{LAUNCH}expect: {{c.offset: {bound}}}\n")
        assert done.exit_code == code
        told = "<stdin>:5:20: error EXP001 expect.c.offset: c.offset is 4,096 B" in done.stdout
        assert told is bool(code), done.stdout
        assert "author" not in done.output  # nothing of a launch is anyone's choice


def test_a_pin_of_a_derived_kernels_place_says_what_reaches_it() -> None:
    done = run("validate", "-", stdin=f"{FA4}expect: {{kv.offset: <= 32768}}\n")
    assert done.exit_code == 1
    assert "kv.offset is 65,536 B" in done.stdout and "; with BM 64 it is 16384" in done.stdout
    got = run("derive", "-", "--set", "BM=64", "--get", "kv.offset", stdin=FA4).stdout
    assert got == "16384\n"


@pytest.mark.parametrize("key", ["shared.regions.c.offset", "cc.offset"])
def test_a_pin_of_what_is_nowhere_says_what_it_may_mean(key: str) -> None:
    done = run("validate", "-", stdin=f"{LAUNCH}expect: {{{key}: 4096}}\n")
    assert done.exit_code == 1 and "did you mean `c.offset`?" in done.stdout
    assert run("validate", "-", stdin=f"{LAUNCH}expect: {{c.offset: 4096}}\n").exit_code == 0


# Goals


def test_a_goal_may_be_about_an_input_or_a_place() -> None:
    told = json.loads(run("explain", GEMM, "BN <= 128", "--format", "json").stdout)[0]["sought"]
    assert told["search"]["found"][0] == [{"key": "BN", "given": 256, "passes": 128}]
    assert "kv.offset is 16,384" in said("explain", "llama-3-8b", "kv.offset <= 32768")
    wrong = run("explain", "llama-3-8b", "kx.offset <= 32768")
    assert wrong.exit_code == 2 and "did you mean 'kv.offset'?" in wrong.output


def test_a_place_of_a_shipped_kernel_is_explained_by_its_layout() -> None:
    assert "kv.offset = 65,536 B" in said("explain", "llama-3-8b", "kv.offset")


# Who arrives


ROLES = "registers: {roles: [{name: load, warps: 1}, {name: math, warps: 8}]}"


@pytest.mark.parametrize(("role", "arrivals", "by"), [("load", 1, "role"), ("math", 8, "warp")])
def test_arrivals_that_do_not_add_up_may_be_of_fewer_threads(
    role: str, arrivals: int, by: str
) -> None:
    head = f"kernel: launch\nshape:\n  {ROLES}\n  mbarriers: "
    group = "[{{arrivals: {}, arrive: [{{role: {}, by: {}}}]}}]\n"
    one = group.format(arrivals, role, "thread")
    told = said("validate", "-", stdin=head + one)
    assert "MBAR002 shape.mbarriers[0].arrivals: " in told
    assert f", or say `by: {by}` in `mbarriers[0].arrive` if" in told
    followed = group.format(arrivals, role, by)
    assert "MBAR002" not in said("validate", "-", stdin=head + followed)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path
