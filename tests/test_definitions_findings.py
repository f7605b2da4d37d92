"""Where findings of a defined kernel point to: the key of its definition that is to blame."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from defined import derived
from launched import launch

from kcfg.cli.hook import run as validate
from kcfg.core.findings import findings
from kcfg.core.kernel import Kernel
from kcfg.core.spec import Spec, read

DEFINITION = """\
defines: g
inputs:
  n: NEEDED
values:
  x: 2 * n
shared:
  pad: {bytes: 64}
  a: {bytes: 64, tma: true}
  st: {struct: {u: {bytes: 24}, v: {bytes: 40, tma: true}}}
  bars: {mbarriers: {full: {count: 2, arrivals: 0}}}
tensor_memory:
  s: {columns: 400}
  t: {columns: 300}
roles:
  p: {warps: 0-3, registers: 20}
  q: {warps: 4-6}
  r: {warps: 7-10}
launch:
  cluster: [3, 1, 9]
  pipelines: [{name: ab, stages: 0}]
  mbarriers: [{name: full, count: 2, arrivals: 3, arrive: [{role: p}]}]
"""
PLACES = {
    "BLK004 registers.roles[r]": "17:3",
    "CLU001 cluster": "19:3",
    "MBAR002 mbarriers[0].arrivals": "21:48",
    "PIPE001 pipelines[0].stages": "20:34",
    "SMEM007 a.offset": "8:3",
    "SMEM007 st.v.offset": "9:33",
    "SMR001 registers.roles[p].count": "15:30",
    "TMEM002 tensor_memory.used": "11:1",
}


def told(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Where findings of a file are, by rule and key; every one of them in that file."""
    path = folder / "g.kcfg.yaml"
    path.write_text(text)
    validate([str(path)])
    out = capsys.readouterr().out
    lines = re.findall(r"^(\S+):(\d+:\d+): (?:error|warning) (\S+) (\S+): ", out, re.MULTILINE)
    assert {file for file, *_ in lines} == {str(path)}, out
    return {f"{rule} {key}": place for _, place, rule, key in lines}


@pytest.mark.parametrize("specs", ["", "---\nkernel: g\nshape:\n  n: 4\n"], ids=["own", "spec"])
def test_at_the_key_that_says_it(
    specs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = DEFINITION.replace("NEEDED", "{least: 1}" if specs else "4")
    found = told(text + specs, tmp_path, capsys)
    assert {key: found.get(key) for key in PLACES} == PLACES


def test_at_the_input_to_blame(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "defines: g\ninputs: {n: 16}\nshared:\n  p: {bytes: n}\n  a: {bytes: 128, tma: true}\n"
    specs = "---\nkernel: g\n---\nkernel: g\nshape:\n  n: 48\n"
    path = tmp_path / "g.kcfg.yaml"
    path.write_text(text + specs)
    validate([str(path)])
    lines = [line for line in capsys.readouterr().out.splitlines() if "SMEM007" in line]
    assert [re.findall(r":(\d+:\d+): ", line)[0] for line in lines] == ["5:3", "7:1", "11:3"]


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("inputs:\n  n: 3\nvalues: {x: {by: n, cases: {1: 2}}}\n", "3:3", "no case for n 3"),
        (
            "inputs:\n  n: true\nroles: {a: {warp: 0, when: n}, b: {warp: 0, when: n}}\n",
            "3:3",
            "warp 0 has two roles",
        ),
        ("inputs:\n  n: 3\nsupported: {deep: n > 5}\n", "3:3", "deep fails"),
        ("must:\n  never: 1 > 2\n", "2:1", "never fails"),
        (
            "values:\n  few: 40 // 2\nroles:\n  a: {warps: 0-3, registers: few}\n"
            "tensor_memory:\n  s: {columns: few, count: 2}\n",
            "3:3",
            "setmaxnreg 20 is 4 below",
        ),
        (
            "shared:\n  a: {bytes: 64}\n  b: {bytes: 128, in: a}\n",
            "4:3",
            "b would end at 128, past a",
        ),
        (
            "tensor_memory:\n  s: {columns: 64}\n  t: {columns: 100, in: s}\n",
            "4:3",
            "t would end at 100, past s",
        ),
        (
            "inputs:\n  n: {default: 0, least: 0}\nshared:\n  p: {bytes: 4}\n"
            "  a: {bytes: 8, align: n}\n",
            "6:3",
            "a asks for an alignment of 0",
        ),
        (
            "shared:\n  a: {struct: {x: {bytes: 64, align: 128, tma: true}}, stages: 2,"
            " stride: 192}\n",
            "3:3",
            "the second a.x, a TMA destination, is at 192 B, 64 B past the last multiple",
        ),
        (
            "shared:\n  a: {struct: {x: {bytes: 64, align: 512, swizzle: 64B}}, stages: 2,"
            " stride: 768}\n",
            "3:3",
            "the 64B swizzle of a.x repeats every 512 B, and 256 B shifts",
        ),
    ],
)
def test_what_is_wrong_by_default_is_told_where_it_is_said(
    text: str, place: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.kcfg.yaml"
    path.write_text(f"defines: g\n{text}")
    validate([str(path)])
    lines = [line for line in capsys.readouterr().out.splitlines() if ": error " in line]
    assert [line.partition(": error ")[0] for line in lines] == [f"{path}:{place}"], lines
    assert says in lines[0]


def test_what_is_taken_over_is_told_where_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "base.kcfg.yaml").write_text(
        "defines: base\ninputs: {n: 128}\nshared: {p: {bytes: n}, a: {bytes: 128, tma: true}}\n"
    )
    child = "defines: g\nextends: base.kcfg.yaml\ninputs: {n: 48}\n"
    assert told(child, tmp_path, capsys)["SMEM007 a.offset"] == "2:1"


@pytest.mark.parametrize(
    ("regions", "rules"),
    [
        ("a: {struct: {x: {bytes: 16}, full: {mbarriers: 2}}, stages: 3}", []),
        ("u: {union: {p: {struct: {x: {bytes: 16}, f: {mbarriers: 2}}}, q: {bytes: 16}}}", []),
        (
            "u: {union: {p: {struct: {x: {bytes: 16}, f: {mbarriers: 2}}}, q: {bytes: 24}}}",
            ["u.p.f.bytes", "u.q.bytes"],
        ),
    ],
)
def test_mbarriers_of_a_struct_are_in_nobodys_way(
    regions: str, rules: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"defines: g\nshared:\n  {regions}\n"
    path = tmp_path / "g.kcfg.yaml"
    path.write_text(text)
    validate([str(path)])
    assert re.findall(r"SMEM011 (\S+):", capsys.readouterr().out) == rules


# The same figures, of a launch and of a definition that has them as numbers or by formulas.
LAUNCHED = """\
threads: 128, registers: {entry: 168, roles: [{name: p, warps: 4, count: 220}]},
tmem: {columns: 600}, mma: [{kind: f16, M: 100, N: 300}], named_barriers: [{participants: 130}],
pipelines: [{name: ab, stages: 0}],
mbarriers: [{name: full, arrivals: 3, arrive: [{role: p, by: thread}]}]
"""
DEFINED = """\
defines: g
inputs: {n: 300}
roles: {p: {warps: 0-3, registers: ASKED}}
registers_at_entry: 168
tensor_memory: {acc: {columns: 2 * n}}
launch:
  mma: [{kind: f16, M: n - 200, N: n}]
  named_barriers: [{participants: 130}]
  pipelines: [{name: ab, stages: 0}]
  mbarriers: [{name: full, arrivals: 3, arrive: [{role: p, by: thread}]}]
"""


@pytest.mark.parametrize("asked", ["220", "n - 80"])
def test_what_would_do_is_said_of_a_definition_as_of_a_launch(asked: str) -> None:
    def fixes(subject: Kernel) -> dict[str, str]:
        found = {each.rule: each for each in findings(subject) if each.severity != "info"}
        assert all(each.message.endswith(each.fix) for each in found.values())
        return {rule: each.fix for rule, each in found.items()}

    by_hand = fixes(launch(LAUNCHED.replace("\n", " ")).derive())
    assert by_hand == fixes(derived(DEFINED.replace("ASKED", asked)))
    assert by_hand["SMR001"] == "use 216 or 224" and by_hand["SMR002"] == "p at 168 would fit"
    assert all(by_hand[rule] for rule in ("TMEM002", "MMA001", "MMA002", "MBAR002", "BAR002"))


SHAPE = (
    "qkv_dtype: bfloat16, num_q_heads: 16, group: 2, qk_depth: 256, ov_depth: 256, page_size: 128,"
    " BM: 128, single_o: true, bn_cap: 64"
)


def test_what_others_derive_is_not_told_to_change() -> None:
    """The same columns, of a kernel in Python, of one that extends it, of one in formulas."""
    python = f"kernel: fa4\nrelease: 26.6\nshape: {{{SHAPE}}}\n"
    extended = f"defines: g\nextends: fa4 26.6\n---\nkernel: g\nshape: {{{SHAPE}}}\n"
    for text in (python, extended, "kernel: flashmla_sparse_decode_head64\n"):
        *_, spec = read(text, "test.kcfg.yaml")
        assert isinstance(spec, Spec), spec
        (found,) = [each for each in findings(spec.derive()) if each.rule == "TMEM003"]
        assert found.message.endswith(" unused") and not found.fix


WIDE = "defines: g\ninputs: {n: 256}\ntensor_memory:\n  s: {columns: n, count: 2}\n"


@pytest.mark.parametrize(
    ("text", "options", "places"),
    [
        (WIDE, [], []),
        (WIDE, ["--set", "n=300"], ["3:1"]),
        (f"{WIDE}---\nkernel: g\n", ["--set", "n=300"], ["6:1"]),
        (f"{WIDE}---\nkernel: g\n---\n{WIDE.replace(': g', ': h')}", ["--set", "n=300"], ["6:1"]),
        (
            f"---\n{WIDE.replace('n: 256', 'n: 300')}---\nkernel: g\nshape: {{n: 256}}\n",
            [],
            ["4:1"],
        ),
        (f"{WIDE.replace('columns: n', 'columns: 300')}---\nkernel: g\n", [], ["3:1"]),
        (
            f"{WIDE.replace('columns: n', 'columns: 300')}---\nkernel: g\n---\nkernel: g\n",
            [],
            ["3:1", "3:1"],
        ),
    ],
    ids=["fits", "set alone", "set of a spec", "set behind it", "default", "literal", "two specs"],
)
def test_one_mistake_is_told_once(
    text: str,
    options: list[str],
    places: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of the definition or of its specs, each of which fails by itself."""
    path = tmp_path / "g.kcfg.yaml"
    path.write_text(text)
    assert validate([str(path), *options]) == (1 if places else 0)
    assert re.findall(r":(\d+:\d+): error TMEM002", capsys.readouterr().out) == places
