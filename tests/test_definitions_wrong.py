"""Wrong definitions: one message each, at its place, that says what would be right."""

from __future__ import annotations

import os
import re
from pathlib import Path

import defined
import pytest
from typer.testing import CliRunner

from kcfg.cli.hook import run as validate
from kcfg.cli.main import application

HEAD = "defines: g\ninputs:\n  BM: 128\nvalues:\n"


def told(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """The exit code of validating a file, and its findings."""
    code = validate([str(path)])
    lines = capsys.readouterr().out.splitlines()
    return code, [line for line in lines if re.search(r":\d+:\d+: (error|warning) ", line)]


@pytest.mark.parametrize("path", defined.WRONG, ids=lambda path: path.name.partition(".")[0])
def test_the_place_and_the_message(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, at, says, *_ = path.read_text().splitlines()
    place, code = re.findall(r"# at: (\d+:\d+), exit (\d)", at)[0]
    found, lines = told(path, capsys)
    assert found == int(code)
    assert len(lines) == 1, lines
    assert lines[0].startswith(f"{path}:{place}: error SPEC"), lines
    for part in says.removeprefix("# says:").split(" | "):
        assert part.strip().strip("`").lower() in lines[0].lower()


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        (HEAD + "  x: " + "BM + " * 1199 + "BM + 1\n", "5:6", "4,000 characters, not some 6,000"),
        (HEAD + "".join(f"  v{i}: {i}\n" for i in range(3000)), "1005:3", "at most 1,000 values"),
        (HEAD + "  x: 0 " + "- -" * 1200 + "BM\n", "5:6", "nested too deeply"),
        (HEAD + "  x: " + "not " * 900 + "true\n", "5:6", "nested too deeply"),
        (
            HEAD + "  x: " + "".join(f"{i} if BM == {i} else " for i in range(150)) + "0\n",
            "5:6",
            "nested too deeply",
        ),
        (
            HEAD + f"  x: {{by: BM, cases: {{{', '.join(f'{i}: {i}' for i in range(1001))}}}}}\n",
            "5:22",
            "at most 1,000 cases",
        ),
        (
            "defines: g\nshared:\n  " + "a: {struct: {" * 40 + "b: {bytes: 1}" + "}}" * 40 + "\n",
            "3:215",
            "at most 16 levels",
        ),
        (HEAD + "  x:\n", "5:5", "expected a formula, not nothing"),
        (HEAD + "  x: [1, 2]\n", "5:6", "one that begins with a bracket needs quotes"),
        (HEAD + "  x: 0x10\n", "5:6", "write 16"),
        (HEAD + "  x: 1.5 * BM\n", "5:6", "whole number"),
        (HEAD + "  x: BM / 2\n", "5:6", "write //"),
        (HEAD + "  x: BM 3\n", "5:9", "`3` cannot stand here"),
        (HEAD + "  x: BM +\n", "5:9", "something is missing at the end"),
        (HEAD + '  x: "\'BM"\n', "5:6", "this quoted text has no end"),
        (HEAD + "  x: {by: [], cases: {1: 2}}\n", "5:11", "the names that the cases go by"),
        (HEAD + "  x: BM && 1\n", "5:9", "write `and`"),
        (HEAD + "  x: BM ? 1\n", "5:9", "a if c else b"),
        (HEAD + "  x: up(BM)\n", "5:6", "`up` takes 2"),
        (HEAD + "  x: halved(BM)\n", "5:6", "`halved` takes 2 numbers, not 1"),
        (HEAD + "  x: bytes_of()\n", "5:6", "`bytes_of` takes 1 element type, not 0"),
        (HEAD + "  x: target.sms\n", "5:6", "did you mean `target.sm_count`"),
        (HEAD + "  x: total(BM, 2)\n", "5:6", "terms with names"),
        (HEAD + "  x: target.smem_optin\n", "5:6", "target.smem_optin_per_block"),
        (HEAD + "  x: 2199023255552\n", "5:6", "at most 1099511627776"),
        (HEAD + "  x: 1 if BM > 2 else true\n", "5:23", "one arm is a number"),
        (HEAD + "  x: bytes_of(BM)\n", "5:15", "no element type"),
        (HEAD + "  x: {is: BM, unit: bool}\n", "5:21", "a number, which is in no bool"),
        (HEAD + "  x: {is: BM, by: BM}\n", "5:11", "keep one"),
        (HEAD + "  end: BM\n", "5:3", "every kernel has"),
        (HEAD + "  on: BM\n", "5:3", "truth value to some YAML loaders"),
        (HEAD + "  lambda: BM\n", "5:3", "cannot stand in a formula"),
        (HEAD + "  supported: BM > 1\n", "5:3", "every kernel has"),
        (HEAD + "  x: BM\n  x: BM\n", "6:3", "given twice, first in line 5"),
        ("defines: g\nkernel: fa4\n", "2:1", "unknown key `kernel`"),
        ("defines: g\ninputs:\n  a: {least: 5, default: 3}\n", "3:26", "must be at least 5"),
        ("defines: g\ninputs:\n  a: text\n", "3:6", "a text has `choices`"),
        ("defines: g\ninputs:\n  a: {choices: [x, x]}\n", "3:20", "given twice"),
        ("defines: g\ninputs:\n  a: {choices: [1, 1]}\n", "3:20", "given twice"),
        ("defines: g\ninputs:\n  a: {choices: [1, x]}\n", "3:20", "these are numbers"),
        ("defines: g\ninputs:\n  a: {choices: [x, 1]}\n", "3:20", "needs quotes"),
        ("defines: g\ninputs:\n  a: {choices: [1, 2], default: 3}\n", "3:33", "one of 1, 2"),
        ("defines: g\ninputs:\n  a: {choices: [1, 2], most: 2}\n", "3:30", "leave `most` out"),
        ("defines: g\ninputs:\n  a:\n", "3:5", "{unit: rows} of what specs must say: nothing says"),
        ("defines: g\ninputs: {a: []}\n", "2:13", "expected a default, as 128, or a mapping"),
        ("defines: g\nneeds: tensor\n", "2:8", "expected one of tcgen05, wgmma, mma"),
        ("defines: g\ntarget: b2000\n", "2:9", "did you mean 'b200'"),
        ("defines: g\nshared:\n  a: {of: bf17, shape: [2]}\n", "3:11", "bf17"),
        ("defines: g\nshared:\n  a: {of: bf16}\n", "3:3", "missing key `shape`"),
        ("defines: g\nshared:\n  a: {stages: 2}\n", "3:3", "say its size"),
        ("defines: g\nshared:\n  o: {in: q, bytes: 2}\n", "3:11", "unknown region `q`"),
        ("defines: g\nshared:\n  in: {bytes: 2}\n", "3:3", "cannot stand in a formula"),
        (
            "defines: g\nshared: {a: {struct: {to: {bytes: 2}, from: {bytes: 2}}}}\n",
            "2:39",
            "give the region another one",
        ),
        ("defines: g\ntensor_memory: {or: {columns: 32}}\n", "2:17", "give the range another"),
        ("defines: g\nroles:\n  a: {warps: 4}\n", "3:14", "write `warp: 4`"),
        ("defines: g\nroles:\n  a: {warps: 4-2}\n", "3:14", "in order"),
        ("defines: g\nroles: {a: {warp: 0}}\nlaunch: {threads: 32}\n", "3:10", "is derived"),
        ("defines: g\nlaunch: {tma: [{bix: [2]}]}\n", "2:17", "did you mean `box`"),
        ("defines: g\nlaunch: {mma: [{kind: f17}]}\n", "2:23", "expected one of f16"),
        ("defines: g\nextends: fa5 26.6\n", "2:10", "did you mean 'fa4'"),
        ("defines: g\nextends: index_prefill 26.6\nwithout: [q_slot]\n", "3:11", "q_slots"),
        (
            "defines: g\nextends: index_prefill 26.6\nvalues: {k_stages: n_mbars}\n",
            "3:20",
            "itself",
        ),
        (
            HEAD + "  size: a.end\nshared:\n  a: {bytes: size}\n",
            "5:9",
            "`size` rests on itself: size <- a.end <- a.bytes <- size",
        ),
        (
            HEAD + "  x: >-\n      total(a=BM,\n      b=BX)\n",
            "7:9",
            "unknown name `BX`",
        ),
        (HEAD + '  x: {is: "up(BM, BX)", unit: bytes}\n', "5:19", "unknown name `BX`"),
    ],
    ids=lambda value: value[-40:] if isinstance(value, str) and len(value) > 8 else None,
)
def test_what_else_is_wrong(text: str, place: str, says: str) -> None:
    found = defined.complaints(text)
    assert len(found) == 1, found
    assert found[0][0] == place, found
    assert says in found[0][1]


def test_a_comma_within_braces_is_told_of_wherever_it_is() -> None:
    for text, place in (
        ("defines: g\ninputs: {a: 1}\nvalues:\n  x: {is: up(a, 32), unit: bytes}\n", "4:11"),
        ("defines: g\ninputs: {a: 1}\nshared: {b: {of: bf16, shape: [up(a, 32), 2]}}\n", "3:32"),
    ):
        found = defined.complaints(text)
        assert len(found) == 1, found
        assert found[0][0] == place
        assert "the comma ends the value here" in found[0][1]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("loop", "links"),
        ("folder", "directory"),
        ("pipe", "no plain file"),
        ("none", "no such file"),
    ],
)
def test_what_is_no_plain_file_is_not_opened(
    name: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder.kcfg.yaml").mkdir()
    os.symlink("loop.kcfg.yaml", tmp_path / "loop.kcfg.yaml")
    os.mkfifo(tmp_path / "pipe.kcfg.yaml")
    path = tmp_path / "g.kcfg.yaml"
    path.write_text(f"defines: g\nextends: {name}.kcfg.yaml\n")
    code, lines = told(path, capsys)
    assert code == 2
    assert len(lines) == 1 and ":2:10: error SPEC001" in lines[0]
    assert says in lines[0] and f"{name}.kcfg.yaml" in lines[0]


def test_an_unknown_name_is_told_the_names_and_one_place_of_all() -> None:
    text = HEAD + "  x: zzz\nshared: {a: {bytes: 64}, b: {bytes: 64}}\n"
    ((_, message),) = defined.complaints(text)
    names = "BM, end, shared_bytes, shared_limit, mbarriers"
    assert message == f"unknown name `zzz`; known: {names}, and places, as a.offset"


READS = """\
values: {size: 64 * bytes_of(t), twice: 2 * size, named: "t == 'bf16'", by: {by: t, cases: {a: 1}}}
supported: {odd: twice % 2 == 1 and t != 'fp8'}
shared: {a: {of: t, shape: [twice, 64]}, b: {bytes: size, in: a, offset: twice}}
tensor_memory: {acc: {columns: twice}}
roles: {load: {warp: 0, registers: twice, when: t == 'bf16'}}
launch: {tma: [{dtype: t, box: [64, size], swizzle: 128B}]}
"""


@pytest.mark.parametrize(
    ("head", "place", "says"),
    [
        ("inputs: {t: [bf16, fp8]}", "2:13", "as `{default: bf16, dtype: [bf16, fp8]}`: nothing"),
        ("inputs: {t: [a, b]}", "2:13", "as `{default: a, choices: [a, b]}`: nothing says"),
        ("inputs: {t: {default: bf17}}", "2:23", "an element type as default, not `bf17`"),
        ("inputs: {t: {kind: dtype}}", "2:14", "unknown key `kind`"),
        ("inputs: {t: {}}", "2:13", "this one is empty"),
        ("inputs: {u: 4}\ninputs: {t: bf16}", "3:1", "key `inputs` is given twice"),
        ("input: {t: bf16}", "2:1", "did you mean `inputs`?"),
        ("inputs: [t]", "2:9", "expected a mapping of names, not a list"),
    ],
)
def test_what_reads_a_broken_input_is_not_to_blame_as_well(
    head: str, place: str, says: str
) -> None:
    text = f"defines: g\n{head}\n{READS}"
    ((at, message),) = defined.complaints(text)
    assert at == place and says in message
    others = defined.complaints(text.replace("columns: twice", "columns: twine"))
    assert [message for _, message in others if "unknown name `twine`" in message]


def test_the_form_that_an_input_is_told_to_have_is_taken() -> None:
    (_, message), *_ = defined.complaints("defines: g\ninputs: {t: [bf16, fp8]}\n")
    form = message.split("`")[1]
    bytes_ = "values: {size: 64 * bytes_of(t)}\n"
    assert defined.derived(f"defines: g\ninputs: {{t: {form}}}\n{bytes_}").read("size") == 128
    texts = f"defines: g\ninputs: {{t: {{choices: [bf16, fp8]}}}}\n{bytes_}"
    ((_, message),) = defined.complaints(texts)
    assert message.endswith("list them by `dtype: [bf16, fp8]`, not `choices`")


def test_nothing_outside_the_project_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "there.kcfg.yaml").write_text("defines: g\n")
    for name in ("there", "not_there"):
        spec = inner / "s.kcfg.yaml"
        spec.write_text(f"kernel: ../{name}.kcfg.yaml\n")
        problem = next(each for each in defined.read_file(str(spec)) if isinstance(each, list))[0]
        assert (
            problem.message
            == f"`../{name}.kcfg.yaml` lies outside the project, and is not looked at: the project"
            " is inner, the file's own folder, as none above has pyproject.toml or .git; keep the"
            " definition below it, or put an empty pyproject.toml into a folder that holds both"
        )
    (tmp_path / "pyproject.toml").touch()
    spec.write_text("kernel: ../there.kcfg.yaml\n")
    assert not [each for each in defined.read_file(str(spec)) if isinstance(each, list)]
    (inner / ".git").mkdir()
    problem = next(each for each in defined.read_file(str(spec)) if isinstance(each, list))[0]
    assert "the project is inner, the nearest folder above with pyproject.toml or .git;" in str(
        problem
    )


def squared(first: str, rest: str = "shared:\n  x: {bytes: 16}\n") -> str:
    """A definition whose values are each the square of the one above, and a spec of it."""
    values = "".join(f"  v{i + 1}: v{i} * v{i} + 3\n" for i in range(26))
    return f"defines: g\n{first}{values}{rest}---\nkernel: g\n"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (squared("values:\n  v0: 1\n"), 9, "`v6` comes to"),
        (squared("values:\n  v0: 0 - 1000000\n"), 5, "`v2` comes to"),
        (
            squared(
                "values:\n  v0: 1000000000\n",
                "shared:\n  x: {bytes: v11}\n  y: {bytes: 16, stages: v11}\n",
            ),
            5,
            "`v2` comes to",
        ),
        (squared("values:\n  v0: target.smem_optin_per_block\n"), 33, "`v2` (g.kcfg.yaml:5:7)"),
        (squared("inputs: {n: {default: 9}}\nvalues:\n  v0: n\n"), 34, "`v5` (g.kcfg.yaml:9:7)"),
        (  # a place may be read above where it stands
            "defines: g\nshared:\n"
            + "".join(f"  x{i}: {{bytes: x{i + 1}.bytes * x{i + 1}.bytes}}\n" for i in range(60))
            + "  x60: {bytes: 1099511627776}\n---\nkernel: g\n",
            65,
            "`x59.bytes` (g.kcfg.yaml:62:",
        ),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ("validate", "--format", "json"),
        ("derive",),
        ("derive", "--format", "csv"),
        ("explain",),
        ("emit", "--lang", "cpp"),
        ("report", "-o", "-"),
        ("sweep",),
    ],
    ids=" ".join,
)
def test_numbers_of_no_end_are_the_definition_s_fault(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    text: str,
    line: int,
    says: str,
) -> None:
    if command[0] == "sweep":
        pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    Path("g.kcfg.yaml").write_text(text)
    done = CliRunner().invoke(application([*command]), [*command, "g.kcfg.yaml"])
    assert done.exit_code == 1, done.output
    assert says in done.output and "more than 2**63 - 1" in done.output
    if command != ("validate", "--format", "json"):
        assert f"g.kcfg.yaml:{line}:" in done.output


def test_a_point_of_a_sweep_without_numbers_is_said(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    path = tmp_path / "g.kcfg.yaml"
    table = "  t: {by: n, cases: {1: 10, 2: 20, 1000: 30}}\n"
    path.write_text(squared(f"inputs: {{n: {{default: 0, least: 0}}}}\nvalues:\n{table}  v0: n\n"))
    path.write_text(path.read_text().replace(" + 3", ""))
    command = ["sweep", str(path), "--set", "n=[1,2,3,1000]", "--columns", "n,t", "--format", "csv"]
    done = CliRunner().invoke(application(command), command)
    assert done.exit_code == 0
    assert done.stdout == "n,t\n1,10\n"
    assert "not derived, as no spec may say them: 3 (75.0%)" in done.stderr
    assert "`v6` (" in done.stderr


GAPS = """
defines: g
inputs: {n: 1, two: false}
values:
  t: {by: n, cases: {1: 10, 2: 20, 4: 40}}
supported: {even: t % 20 == 0}
roles:
  load: {warps: 0-3}
  store: {warps: 2-3, when: two and n > 3}
"""


@pytest.mark.parametrize("values", ["[1,2,3,4]", "[3,1,2,4]"])
def test_points_that_no_spec_may_say_are_left_out_of_arrays(tmp_path: Path, values: str) -> None:
    pytest.importorskip("numpy")
    path = tmp_path / "g.kcfg.yaml"
    path.write_text(GAPS)
    command = ["sweep", str(path), "--set", f"n={values}", "--set", "two=[false,true]"]
    command += ["--columns", "n,two,t,supported", "--format", "csv"]
    done = CliRunner().invoke(application(command), command)
    assert done.exit_code == 0, done.output
    assert sorted(done.stdout.splitlines()[1:]) == [
        *("1,false,10,false", "1,true,10,false", "2,false,20,true", "2,true,20,true"),
        "4,false,40,true",
    ]
    assert "not derived, as no spec may say them: 3 (37.5%), the first for" in done.stderr
    assert "`t` has no case for n 3" in done.stderr
    assert "one by one" not in done.stderr


def test_what_is_extended_keeps_the_faults_of_its_own() -> None:
    head = "defines: g\nextends: deepgemm\nvalues: {twice: block_m * 2}\n---\nkernel: g\nshape:\n"
    shape = {"m": 64, "n": 4096, "k": 7168, "select": "true"}
    shape |= {"block_n_multiple_of": 333, "block_m_multiple_of": 777}
    text = "".join(f"  {key}: {value}\n" for key, value in shape.items())
    alone = defined.complaints(f"kernel: deepgemm\nshape:\n{text}")
    assert [message for _, message in defined.complaints(head + text)] == [
        message for _, message in alone
    ]
    assert "heuristics find no layout" in alone[0][1]


def test_numbers_stay_bounded() -> None:
    text = HEAD + "  v0: BM * BM\n" + "".join(f"  v{i + 1}: v{i} * v{i}\n" for i in range(900))
    found = defined.complaints(f"{text}---\nkernel: g\nshape:\n  BM: 1000\n")
    assert [place for place, _ in found] == [f"{text.count(chr(10)) + 4}:7"]
    assert "more than 2**63 - 1" in found[0][1]
