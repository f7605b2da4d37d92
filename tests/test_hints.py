"""What is said of a slip or a failed pin can be followed: it names what is there, and works."""

from __future__ import annotations

import json
import re
from pathlib import Path

import defined
import launched
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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


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


# Something to start from, and names of one's own kernels


def test_a_launch_to_start_from_passes_and_judges_most() -> None:
    text = run("define", "--like", "launch").stdout
    done = run("validate", "-", "--strict", stdin=text)
    assert done.exit_code == 0, done.output
    (told,) = json.loads(run("validate", "-", "--format", "json", stdin=text).stdout)["not_judged"]
    assert sum(len(each["rules"]) for each in told["not_judged"]) < 20
    spec = launched.only(text)
    block = spec.derive().block
    assert block.entry == 168 and "bounds: [384, 1]          # of these the count at entry" in text
    assert block.smem and block.smem.limit == 232448 and "of 232,448 that a block may" in text
    for part in (block.pipelines, block.mbarriers, block.tma, block.tmem, block.mma):
        assert part
    for right, wrong in (
        ("count: 240", "count: 248"),
        ("stages: 4\n", "stages: 5\n"),
        ("expect_tx: 49152", "expect_tx: 49153"),
        ("box: [64, 256]", "box: [64, 128]"),
        ("arrivals: 256}", "arrivals: 128}"),
        ("allocations: [512]", "allocations: [256]"),
    ):
        assert right in text
        other = text.replace(right, wrong, 1)
        assert run("validate", "-", "--strict", stdin=other).exit_code == 1, wrong
    assert "`kcfg define --like launch`" in run("kernels", "launch").stdout.splitlines()[2]
    assert run("define", "--like", "launch", "26.6").exit_code == 2


def test_a_name_that_a_definition_has_not_is_listed_where_it_says(folder: Path) -> None:
    definition = Path(GEMM).read_text().partition("\n---\n")[0]
    (folder / "gemm.kcfg.yaml").write_text(f"{definition}\n---\nkernel: ws_gemm\n")
    for arguments in (("--columns", "foo"), ("--where", "foo > 1")):
        told = said("sweep", "gemm.kcfg.yaml", "--set", "BK=[64,128]", *arguments)
        (command,) = re.findall(r"`(kcfg [^`]*)` lists", told)
        assert command == "kcfg kernels gemm.kcfg.yaml#ws_gemm"
        listed = run(*command.split()[1:])
        assert listed.exit_code == 0 and "stages" in listed.stdout


def test_a_definition_that_is_named_by_name_alone_is_to_be_named_by_file(folder: Path) -> None:
    (folder / "gemm.kcfg.yaml").write_text(Path(GEMM).read_text())
    spec = folder / "mine.kcfg.yaml"
    for kernel, code in (("ws_gemm", 1), ("gemm.kcfg.yaml", 0)):
        spec.write_text(f"kernel: {kernel}\n")
        assert run("validate", "mine.kcfg.yaml").exit_code == code
    assert "named by that, as gemm.kcfg.yaml" in said("kernels", "ws_gemm")
    (folder / "pyproject.toml").write_text('[tool.kcfg]\nkernels = ["gemm.kcfg.yaml"]\n')
    spec.write_text("kernel: ws_gemm\n")
    assert run("validate", "mine.kcfg.yaml").exit_code == 0
