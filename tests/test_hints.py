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

from kcfg.cli import emit_hook
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
        assert "tunable" not in done.output  # nothing of a launch is anyone's choice


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
        ("empty_arrivals: 256", "empty_arrivals: 128"),
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


# Slips, and what was meant


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("explain", "llama-3-8b", "stages"), "did you mean 'num_kv_stages'?"),
        (("derive", "llama-3-8b", "--get", "stages"), "did you mean 'num_kv_stages'?"),
        (("explain", "llama-3-8b", "bn"), "did you mean 'BN'?"),
        (("sweep", "llama-3-8b", "-q", "--set", "qk_depth=64,128"), "write [64,128]"),
        (("sweep", "llama-3-8b", "-q", "--set", "BM=1,024"), "write 1024"),
        (("sweep", "llama-3-8b", "-q", "--set", "BM=64:256:64"), "write 64..256 step 64"),
        (("derive", "llama-3-8b", "--set", "BM=128,bn_cap=64"), "--set BM=128 --set bn_cap=64"),
        (("derive", "llama-3-8b", "--set", "BN=64"), "`BN` is derived, and no input: it follows"),
        (("derive", "fa4"), "`fa4` is a kernel, which a spec names: `kcfg presets` lists"),
        (("derive", "launch"), "`kcfg define --like launch` writes one"),
        (
            ("explain", "llama-3-8b", "BM >= 6 && BN == 128"),
            "`&&` is no operator here; write `and`",
        ),
        (("sweep", "llama-3-8b", "--where", "BM >= 6 && BN == 128"), "`&&` is no operator here;"),
    ],
)
def test_a_slip_is_told_with_what_was_meant(arguments: tuple[str, ...], says: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2 and says in " ".join(done.output.split()), done.output


def test_what_is_advised_of_a_slip_is_taken() -> None:
    for range_ in ("BM=[64,128]", "BM=64..256 step 64"):
        assert run("sweep", "llama-3-8b", "-q", "--set", range_).exit_code == 0
    assert run("derive", "llama-3-8b", "--set", "BM=128", "--set", "bn_cap=64").exit_code == 0
    assert "bn_cap" in run("derive", "llama-3-8b", "--set", "BN=64").output
    assert run("explain", "llama-3-8b", "BM >= 6 and BN == 128").exit_code == 0


def test_sections_and_words_of_elsewhere_are_known() -> None:
    text = 'defines: x\nvalues: {{a: "{}(3, 4)"}}\n{}: {{a: {{columns: 32}}}}\n'
    wrong = defined.complaints(text.format("align", "tmem"))
    assert [place for place, _ in wrong] == ["2:13", "3:1"]
    assert "did you mean `up`?" in wrong[0][1] and "did you mean `tensor_memory`?" in wrong[1][1]
    assert defined.made(text.format("up", "tensor_memory"))
    ring = "defines: x\nshared: {{a: {{bytes: {}, stages: {}}}}}\n"
    wrong = defined.complaints(ring.format("16 KiB", "max"))
    assert [place for place, _ in wrong] == ["2:21", "2:37"]
    assert "write 16 * 1024" in wrong[0][1] and "(limit - fixed) // stage" in wrong[1][1]
    assert defined.derived(ring.format("16 * 1024", 2)).read("a.end") == 32768


def test_the_rules_of_a_group_are_listed() -> None:
    rows = json.loads(run("rules", "tmem", "--format", "json").stdout)
    assert {each["id"][:4] for each in rows} == {"TMEM"} and len(rows) > 5
    assert run("rules", "TMEM001").exit_code == 0 and run("rules", "TME").exit_code == 2


# What would pass


def test_what_a_rule_refuses_is_told_with_the_nearest_that_passes() -> None:
    definition = (
        "defines: x\nneeds: tcgen05\n"
        "inputs: {BM: 128, BN: {default: 256, unit: columns, tunable: true}}\n"
        "values: {c_bytes: BM * BN}\nsupported: {some: c_bytes > 0}\n"
        "tensor_memory: {acc: {columns: BN, count: 2}}\n"
        "launch: {mma: [{kind: f16, M: BM, N: BN, K: 64}]}\n---\nkernel: x\n"
    )
    asked = ("explain", "-", "--set", "BN=512")
    told = said(*asked, stdin=definition)
    assert "CANNOT RUN" in told
    (change,) = re.findall(r"passes with BN = (\d+) \(not 512\)", told)
    assert run("validate", "-", "--set", "BN=512", stdin=definition).exit_code == 1
    assert run("validate", "-", "--set", f"BN={change}", stdin=definition).exit_code == 0


def test_what_was_tried_does_not_outweigh_an_answer() -> None:
    lines = run("explain", "llama-3-8b", "num_kv_stages >= 6").stdout.splitlines()
    start = next(place for place, line in enumerate(lines) if "Tried of" in line)
    assert len(lines) - start <= 2
    done = run("validate", "-", stdin=f"{FA4}expect: {{num_kv_stages: 9}}\n").stdout.splitlines()
    assert max(map(len, done)) < 200


def test_lists_of_a_launch_are_shown_as_lists() -> None:
    text = run("define", "--like", "launch").stdout
    told = run("explain", "-", stdin=text).stdout
    assert "[A, B]" in told and "[384, 1]" in told and "[8192, 8192]" in told
    assert " x " not in told


def test_a_file_to_be_emitted_that_is_not_there_says_what_writes_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.kcfg.yaml").write_text(FA4)
    (folder / "pyproject.toml").write_text(
        '[tool.kcfg]\nemit = [{spec = "a.kcfg.yaml", lang = "cpp", output = "a.h"}]\n'
    )
    assert emit_hook.run([]) == 2
    assert "a.h: no such file; `kcfg-emit --write` writes it" in capsys.readouterr().err
    assert emit_hook.run(["--write"]) == 0 and emit_hook.run([]) == 0


# Names that nobody knows


@pytest.mark.parametrize(
    ("command", "meant", "lists", "other"),
    [
        (("presets", "gemma-3-12"), "gemma-3-12b", "presets", "llama-3-8b"),
        (("rules", "SMEM099"), "SMEM009", "rules", "TMEM001"),
        (("validate", "-", "--ignore", "SMEN001"), "SMEM001", "rules", "TMEM001"),
        (("model", "llama-3-8b"), "llama-3.1-8b", "model", "gemma-3-4b"),
        (("kernels", "fa5"), "fa4", "kernels", "deepgemm"),
    ],
)
def test_a_slip_is_told_the_name_and_what_lists_all(
    command: tuple[str, ...], meant: str, lists: str, other: str
) -> None:
    told = said(*command, stdin=LAUNCH)
    assert f"did you mean '{meant}'? `kcfg {lists}` lists all" in told
    assert other not in told and other in run(lists).stdout
    assert other in said(*command[:-1], "0", stdin=LAUNCH)  # no slip: the names themselves


def test_an_input_without_a_text_is_missed_without_a_colon() -> None:
    text = (
        "defines: g\ninputs: {a: {unit: rows}, b: {unit: rows, doc: Rows of B.}}\n---\nkernel: g\n"
    )
    told = run("validate", "-", stdin=f"{text}shape: {{}}\n").stdout
    assert "missing key `a` [rows]\n" in told and "missing key `b` [rows]: Rows of B.\n" in told


def test_a_figure_of_a_launch_is_meant_by_the_end_of_its_path() -> None:
    def told(name: str) -> str:
        return run("derive", "-", "--get", name, stdin=LAUNCH).stderr

    (meant,) = re.findall(r"did you mean '(.*?)'", told("bytes"))
    assert run("derive", "-", "--get", meant, stdin=LAUNCH).stdout == "4096\n"
    assert "did you mean 'shared.dynamic'?" in told("dynamic")


def test_the_page_of_a_definition_lists_every_place_that_may_be_asked_for() -> None:
    about = json.loads(run("kernels", GEMM, "--format", "json").stdout)
    places = {each["name"]: each for each in about["places"]}
    assert places["full.stages"]["unit"] == "stages"
    assert places["threads"]["unit"] == "threads" and places["a.offset"]["unit"] == "bytes"
    assert {"shared_bytes", "end", "mbarriers", "tensor_memory_allocated", "a.end"} <= {*places}
    asked = [part for name in places for part in ("--get", name)]
    done = run("derive", GEMM, *asked)
    assert not done.stderr and len(done.stdout.split()) == 5 * len(places)  # of five specs
    page = run("kernels", GEMM).stdout
    for name, each in places.items():
        assert re.search(rf"^  {re.escape(name)} +{each['unit']}\b", page, re.MULTILINE), name
    assert re.search(
        r"^  shared_bytes +bytes +Dynamic shared memory of a block", page, re.MULTILINE
    )
