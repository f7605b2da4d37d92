"""Kernels defined in YAML: the numbers of the examples, and every command on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import compare as compare_rows
import defined
import jsonschema
import pytest
import shapes
import yaml
from typer.testing import CliRunner

import kcfg
from kcfg.cli.hook import run as validate
from kcfg.cli.main import application
from kcfg.core import kernels, targets
from kcfg.core.definitions.names import refused
from kcfg.core.diff import compare, derived as side
from kcfg.core.emit.outline import outline
from kcfg.core.engine import formula
from kcfg.core.engine.struct import MANY
from kcfg.core.explain.explanation import explain, reference
from kcfg.core.kernel import Kernel
from kcfg.core.report import report
from kcfg.core.schema import schema
from kcfg.core.spec import Spec, read_file

GOLDEN = Path(__file__).parent / "golden" / "index_prefill@26.6.0.jsonl"
LABELS = ("kernel", "release", "digest", "name", "source")
"""What reports of two kernels say differently whatever they derive."""


@pytest.mark.parametrize("name", defined.EXAMPLES)
def test_every_pin_of_the_examples_holds(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    validate([str(defined.path(name))])
    told = capsys.readouterr().out
    assert "EXP001" not in told and "SPEC" not in told, told
    refused = [each for each in defined.specs(name) if "supported" in each.expect]
    unsupported = any(each.expect["supported"].value is False for each in refused)
    assert ("error" not in told.replace(" 0 errors", "")) or unsupported, told


def rows() -> list[dict[str, Any]]:
    return [row["inputs"] for row in compare_rows.rows(GOLDEN)]


@pytest.mark.parametrize("inputs", rows(), ids=lambda inputs: "-".join(map(str, inputs.values())))
def test_a_shipped_kernel_written_again_reports_the_same(inputs: dict[str, Any]) -> None:
    (first, *_) = defined.specs("index_prefill_26_6")
    target = targets.find()
    one = kernels.find("index_prefill", "26.6")(target=target, **inputs)
    two = first.cls(target=target, **inputs)
    before, after = report(one), report(two)
    for key in (*LABELS, "findings"):  # the definition does not say how many blocks share an SM
        del before[key], after[key]
    assert after == before


def test_it_explains_and_emits_the_same_numbers() -> None:
    (first, *_) = defined.specs("index_prefill_26_6")
    two = first.derive()
    one = kernels.find("index_prefill", "26.6")(target=two.target, **first.shape)
    for name, quantity in type(one).quantities.items():
        if name == "supported":
            continue
        mine = type(two).quantities[name]
        assert formula.steps(two, mine)[-1] == formula.steps(one, quantity)[-1]
        told, wanted = explain(two, name), explain(one, name)
        assert (told.value, told.unit, told.inputs) == (wanted.value, wanted.unit, wanted.inputs)
    mine_, theirs = outline(two, None, ()), outline(one, None, ())
    for before, after in zip(theirs.sections, mine_.sections, strict=True):
        if before.name in ("", "inputs", "smem", "tmem", "barriers", "registers"):
            pairs = [[(each.name, each.value) for each in s.constants] for s in (before, after)]
            assert pairs[0] == pairs[1]


def test_a_change_to_a_shipped_kernel_is_compared_value_by_value() -> None:
    original, first, *_ = defined.specs("index_prefill_plans")
    found = compare(side(original), side(first))
    assert found.relation == "releases"
    changed = {each.name: each for each in found.changed}
    assert changed["fixed_smem_bytes"].delta == 16960
    assert changed["k_stages"].delta == -1
    assert changed["smem_used"].delta == -80
    causes = {change.name for causes in changed["n_mbars"].because for change in causes}
    assert causes == {"q_slots", "fixed_mbars"}
    assert [each.name for each in found.verdict.new_failures] == ["ring_depth"]
    rules = {each["rule"] for each in found.new.report["findings"]}
    assert "BAR004" not in rules  # the groups follow the number of query slots


def test_two_versions_of_a_definition_differ_in_formulas(tmp_path: Path) -> None:
    text = defined.path("ws_gemm").read_text().split("\n---")[0]
    sides = []
    for name, whole in (("a", text), ("b", text.replace("c=2 * c_bytes", "c=3 * c_bytes"))):
        (tmp_path / f"{name}.kcfg.yaml").write_text(whole)
        (spec,) = read_file(str(tmp_path / f"{name}.kcfg.yaml"))
        assert isinstance(spec, Spec)
        sides.append(side(spec))
    found = compare(*sides)
    assert found.relation == "releases"
    assert [each.name for each in found.formulas] == ["fixed_bytes"]
    assert found.old.report["digest"] != found.new.report["digest"]


@pytest.mark.parametrize("name", defined.EXAMPLES)
def test_editors_accept_what_the_reader_accepts(name: str) -> None:
    (spec, *_) = [each for each in defined.specs(name) if each.cls.digest]
    described = schema(f"{defined.path(name)}#{spec.kernel}")
    jsonschema.Draft202012Validator.check_schema(described)
    validator = jsonschema.Draft202012Validator(described)
    for document in yaml.safe_load_all(defined.path(name).read_text()):
        if document.get("kernel") == spec.kernel:
            validator.validate(document)
    spoiled = {"kernel": spec.kernel, "shape": {"no_such_input": 1}}
    assert not validator.is_valid(spoiled)


def test_a_place_has_a_name_everywhere() -> None:
    kernel = defined.specs("ws_gemm")[0].derive()
    assert kernel.read("c.offset") == 196608
    assert explain(kernel, "c.offset").formula == "up(b.end, 1024)"
    assert explain(kernel, "stages").formula == (
        "(target.smem_optin_per_block - fixed_bytes) // stage_bytes"
    )
    assert reference(type(kernel), "shared_bytes").inputs == ("BM", "BN", "BK", "dtype")
    assert "c.offset" not in report(kernel)["values"]


def test_a_shipped_kernel_has_names_for_its_places_too() -> None:
    kernel = shapes.derive("fa4", "26.6", shapes.FA4_26)
    layout = report(kernel)
    first = layout["smem"]["regions"][1]
    assert kernel.read(f"{first['name']}.offset") == first["offset"]
    assert kernel.read("shared_bytes") == layout["smem"]["used"]
    assert kernel.read("mbarriers") == layout["barriers"]["count"]
    with pytest.raises(KeyError):
        kernel.read("no_such_region.offset")


def test_findings_blame_the_quantity_behind_a_figure() -> None:
    text = """
defines: g
inputs: {BM: 128, wide: 300}
shared:
  a: {bytes: BM * 2000, align: 128}
launch:
  tma: [{name: A, box: [64, wide], dims: [1024, 1024], dtype: bf16}]
"""
    found = {each["rule"]: each for each in report(defined.derived(text))["findings"]}
    assert found["TMA001"]["path"] == "wide"
    assert found["SMEM001"]["path"] == "shared_bytes"


def test_a_definition_is_named_by_name_by_path_and_by_the_projects_list(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    listed = tmp_path / "kernels" / "all.kcfg.yaml"
    listed.write_text("defines: one\ninputs: {a: 1}\nvalues: {x: a + 1}\n---\ndefines: two\n")
    (tmp_path / "pyproject.toml").write_text('[tool.kcfg]\nkernels = ["kernels/*.kcfg.yaml"]\n')
    spec = tmp_path / "spec.kcfg.yaml"
    for said in ("one", "kernels/all.kcfg.yaml#one"):
        spec.write_text(f"kernel: {said}\nshape: {{a: 4}}\n")
        (found,) = read_file(str(spec))
        assert isinstance(found, Spec), found
        assert found.derive().read("x") == 5
    spec.write_text("defines: one\n---\nkernel: one\n")
    (problems,) = read_file(str(spec))
    assert isinstance(problems, list)
    assert "rename one" in problems[0].message
    spec.write_text("kernel: kernels/all.kcfg.yaml\nshape: {}\n")
    (problems,) = read_file(str(spec))
    assert isinstance(problems, list)
    assert "defines several kernels" in problems[0].message


def test_the_head_of_a_spec(tmp_path: Path) -> None:
    text = 'defines: g\nversion: "3"\ntarget: h200\nneeds: wgmma\n---\nkernel: g\n'
    path = tmp_path / "g.kcfg.yaml"
    path.write_text(text + "release: 3\n")
    (spec,) = read_file(str(path))
    assert isinstance(spec, Spec)
    assert (spec.target.name, spec.release) == ("h200", "3")
    path.write_text(text + "release: 4\n")
    (problems,) = read_file(str(path))
    assert isinstance(problems, list)
    assert "expected the version of g, 3" in problems[0].message
    path.write_text(text + "target: b200\n")
    (problems,) = read_file(str(path))
    assert isinstance(problems, list)
    assert "g needs wgmma" in problems[0].message


def test_another_word_for_an_input() -> None:
    text = """
defines: g
inputs:
  heads: 8
  N: {default: 64, unit: columns}
  n_tokens: {in_place_of: N, is: n_tokens * heads, unit: tokens}
values: {twice: 2 * N}
"""
    assert defined.derived(text, n_tokens=3).read("twice") == 48
    assert defined.derived(text, n_tokens=3, heads=2).read("twice") == 12


def test_an_element_type_in_place_of_its_size(tmp_path: Path) -> None:
    text = """
defines: g
inputs:
  size: {default: 2, unit: bytes}
  dtype: {in_place_of: size, is: bytes_of(dtype), dtype: [bf16, fp8], doc: Element type.}
values: {tile: 64 * size}
"""
    assert defined.derived(text, dtype="fp8").read("tile") == 64
    assert defined.derived(text, dtype="bfloat16").read("tile") == 128
    wrong = f"{text}---\nkernel: g\nshape: {{dtype: float32}}\n"
    ((place, message),) = defined.complaints(wrong)
    assert place == "9:16" and "bfloat16" in message and "float8_e4m3fn" in message
    path = tmp_path / "g.kcfg.yaml"
    path.write_text(text)
    validator = jsonschema.Draft202012Validator(schema(str(path)))
    assert validator.is_valid({"kernel": "g", "shape": {"dtype": "fp8"}})
    assert not validator.is_valid({"kernel": "g", "shape": {"dtype": "float32"}})


def test_extends_takes_over_and_replaces_in_place() -> None:
    text = """
defines: base
inputs: {a: 2, b: 3}
values:
  x: {is: a + b, unit: bytes, doc: The sum.}
  y: x * 2
supported: {small: y < 100}
shared: {buf: {bytes: y}}
---
defines: child
extends: base
inputs: {c: 5}
values:
  x: a + b + extra
  extra: c * 10
supported: {large: y > 3}
shared: {more: {bytes: 4, align: 16}}
---
kernel: child
shape: {c: 7}
"""
    (spec,) = [each for each in defined.read(text, "t.kcfg.yaml") if isinstance(each, Spec)]
    kernel = spec.derive()
    assert list(kernel.values()) == ["extra", "x", "y", "supported"]
    assert kernel.values() == {"extra": 70, "x": 75, "y": 150, "supported": False}
    assert type(kernel).quantities["x"].doc == "The sum."
    assert kernel.read("more.offset") == 160


@pytest.mark.parametrize("says", ["f", "'f'", "f   # the first", "f 1", "\n  f"])
def test_what_is_extended_in_a_file_is_found_however_it_is_written(
    says: str, tmp_path: Path
) -> None:
    path = tmp_path / "two.kcfg.yaml"
    base = "defines: f\nvalues: {x: 3, y: x * 2}\n"
    path.write_text(f"{base}---\ndefines: g\nextends: {says}\nvalues: {{x: 5}}\n")
    assert kcfg.derive(f"{path}#g")["y"] == 10


def test_what_is_wrong_with_another_definition_of_a_file_is_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "two.kcfg.yaml"
    path.write_text(
        "defines: index\nvalues: {x: nothing}\n---\ndefines: g\nextends: index_prefill 26.7\n"
    )
    assert kcfg.kernel(f"{path}#g").kernel == "g"


def test_what_overlaps_and_what_does_not_fit() -> None:
    inside = "defines: g\ninputs: {n: 64}\nshared:\n  q: {bytes: 32}\n  o: {in: q, bytes: n}\n"
    unplaced = report(defined.derived(inside))["smem"]["unplaced"]
    assert unplaced == "o would end at 64, past q, which ends at 32"
    assert report(defined.derived(inside, n=32))["smem"]["unplaced"] is None
    negative = "defines: g\ninputs: {n: 4}\nvalues: {x: 2 - n}\nshared: {a: {bytes: x}}\n"
    kernel = defined.derived(negative)
    assert kernel.values() == {"x": -2}
    assert "CFG002" in {each["rule"] for each in report(kernel)["findings"]}


@pytest.mark.parametrize("stages", [1, 2])
def test_structs_are_padded_and_unions_as_large_as_their_largest_arm(stages: int) -> None:
    """`sizeof` of a struct of alignas(16) char[100] is 112; that of a place for arms is theirs."""
    arms = "a: {bytes: 100, align: 16}, b: {bytes: 20}"
    text = f"defines: g\nshared: {{u: {{union: {{{arms}}}}}, v: {{bytes: 1}}}}\n"
    assert defined.derived(text).read("v.offset") == 100
    members = f"struct: {{u: {{union: {{{arms}}}}}}}"
    kernel = defined.derived(f"defines: g\nshared: {{s: {{stages: {stages}, {members}}}}}\n")
    assert kernel.read("end") == stages * 112


def test_slots_that_lie_apart_end_with_the_last_one() -> None:
    text = "defines: g\nshared:\n  a: {bytes: 100, stages: 3, stride: 128}\n"
    kernel = defined.derived(f"{text}  b: {{mbarriers: 2}}\n  c: {{of: f32, shape: [3]}}\n")
    assert [kernel.read(key) for key in ("a.end", "b.offset", "c.offset")] == [356, 360, 376]
    text = "defines: g\nshared:\n  a: {bytes: 1}\n  b: {of: f32, shape: [1]}\n"
    kernel = defined.derived(f"{text}  c: {{bytes: 4}}\n  d: {{mbarriers: 1}}\n")
    assert [kernel.read(key) for key in ("b.offset", "d.offset")] == [4, 16]


def test_what_lies_in_each_of_several_may_fill_it_to_the_end() -> None:
    text = "defines: g\ninputs: {n: 2}\ntensor_memory:\n  s: {columns: 128, count: n}\n"
    kernel = defined.derived(f"{text}  p: {{columns: 64, count: n, in: s, offset: 64}}\n", n=2)
    tensor = kernel.block.tensor
    assert tensor is not None and tensor.unplaced is None
    assert [(each.name, each.column, each.alias_of) for each in tensor.regions] == [
        *(("s0", 0, None), ("p0", 64, "s0"), ("s1", 128, None), ("p1", 192, "s1")),
    ]


@pytest.mark.parametrize(("entry", "compiled"), [("n", 255), ("n - 8", 248), ("256", 256)])
def test_what_a_formula_allocates_is_compiled_with_one_less(entry: str, compiled: int) -> None:
    text = "defines: g\ninputs: {n: 256}\nroles: {a: {warps: 0-3}}\n"
    registers = defined.derived(f"{text}registers_at_entry: {entry}\n").block.registers
    assert registers is not None and registers.entry == compiled


def test_mbarriers_of_a_repeated_struct_are_counted_once() -> None:
    text = """
defines: g
inputs: {n: 3}
shared:
  s:
    struct:
      data: {bytes: 16}
      bars: {mbarriers: 2}
      inner:
        struct: {b: {mbarriers: {full: 1, empty: {count: n, arrivals: 4}}}}
        stages: 2
    stages: n
"""
    kernel = defined.derived(text)
    sizes = {name: kernel.read(f"{name}.bytes") for name in ("s.bars", "s.inner.b", "s.inner", "s")}
    assert sizes == {"s.bars": 16, "s.inner.b": 32, "s.inner": 64, "s": 3 * (16 + 16 + 64)}
    groups = {each.name: each.count for each in kernel.block.mbarriers}
    assert groups == {"s.bars": 2 * 3, "full": 2 * 3, "empty": 3 * 2 * 3}
    assert kernel.read("mbarriers") == sum(groups.values())
    told = report(kernel)["barriers"]["groups"]  # one after the other in no order of their groups
    assert [each["first"] for each in told] == [None] * 3
    done = CliRunner().invoke(application(["emit"]), ["emit", "-", "--lang", "python"], input=text)
    assert "s_bars_count: Final = 6" in done.stdout and "s_bars_first" not in done.stdout


def test_mbarriers_in_one_place_have_no_order() -> None:
    arms = "u: {union: {a: {mbarriers: 2}, b: {mbarriers: 3}}}"
    text = f"defines: g\nshared: {{x: {{mbarriers: 1}}, {arms}, y: {{mbarriers: 1, in: x}}}}\n"
    told = report(defined.derived(text))["barriers"]["groups"]
    assert [(each["name"], each["first"]) for each in told] == [
        *(("x", 0), ("u.a", None), ("u.b", None), ("y", None)),
    ]


def test_a_layout_is_held_to_its_own_limit() -> None:
    text = "defines: g\ninputs: {n: 2}\nshared: {s: {bytes: 1000, stages: n}}\nshared_limit: 2048\n"
    assert not report(defined.derived(text))["findings"]
    (found,) = report(defined.derived(text, n=3))["findings"]
    assert (found["rule"], found["path"]) == ("CFG003", "shared_limit")
    assert (found["value"], found["limit"], found["over"]) == (3000, 2048, 952)
    judged = f"{text}supported: {{fits: shared_bytes <= shared_limit}}\n"
    assert [each["rule"] for each in report(defined.derived(judged, n=3))["findings"]] == ["CFG001"]


@pytest.mark.parametrize("base", ["cutedsl_gemm", "cutlass_gemm", "fa4_cute"])
@pytest.mark.parametrize(
    "said", ["shared: {a: {bytes: 16, align: 256}}", "launch: {registers: {maxnreg: 168}}"]
)
def test_the_launch_of_what_is_extended_stays(base: str, said: str) -> None:
    kept = kernels.find(base)(target=targets.find())
    block = defined.derived(f"defines: g\nextends: {base}\n{said}\n").block
    assert block.mma == kept.block.mma and block.cluster == kept.block.cluster
    assert block.mma
    if "shared" in said:
        assert block.shared is not None and block.shared.base_align == 256
    else:
        assert block.registers is not None and block.registers.maxnreg == 168


def test_roles_that_are_there_by_a_condition() -> None:
    text = """
defines: g
inputs: {two: false}
roles:
  a: {warps: 0-3, registers: 24}
  b: {warps: 4-7, when: two}
  c: {warps: 4-5, when: not two}
  d: {warps: 8-11, when: two, registers: 240}
"""
    assert defined.derived(text).read("threads") == 192
    assert defined.derived(text, two=True).read("threads") == 384
    both = text.replace("when: not two", "when: two")
    told = defined.complaints(f"{both}\n---\nkernel: g\nshape:\n  two: true\n")
    assert told == [("13:8", "warp 4 has two roles, `b` and `c`: their conditions both hold")]


def test_a_long_chain_of_formulas_is_no_matter() -> None:
    chain = "".join(f"  v{i + 1}: v{i} + 1\n" for i in range(998))
    text = f"defines: g\ninputs: {{BM: 8}}\nvalues:\n  v0: BM\n{chain}"
    text += "shared:\n  a: {bytes: v998}\n"
    kernel = defined.derived(text)
    assert kernel.read("a.end") == 1006
    assert explain(kernel, "a.end").value == 1006
    assert report(defined.derived(text, BM=9))["smem"]["used"] == 1007


def test_workers_get_the_definition_along() -> None:
    import pickle

    spec = defined.specs("index_prefill_plans")[1]
    origin = pickle.loads(pickle.dumps(spec.cls.origin))
    again = origin.load()(target=spec.target, **spec.shape)
    assert again.values() == spec.derive().values()
    assert again.digest == spec.cls.digest


def test_a_saved_report_is_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "defs").mkdir()
    text = "defines: g\ninputs: {a: 2}\nvalues: {x: a * 3}\n"
    (tmp_path / "defs" / "g.kcfg.yaml").write_text(text)
    (tmp_path / "s.kcfg.yaml").write_text("kernel: defs/g.kcfg.yaml\nshape: {a: 7}\n")
    (spec,) = read_file("s.kcfg.yaml")
    assert isinstance(spec, Spec)
    saved = json.dumps(report(spec.derive(), source=spec.source))
    (tmp_path / "saved.json").write_text(saved)
    assert validate(["saved.json"]) == 0, capsys.readouterr().out
    (tmp_path / "saved.json").write_text(saved.replace('"x": 21', '"x": 22'))
    assert validate(["saved.json"]) == 1
    assert "x" in capsys.readouterr().out


def test_commands_list_what_the_project_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.kcfg.yaml").write_text("defines: mine\ntitle: A kernel of mine\n")
    (tmp_path / "pyproject.toml").write_text('[tool.kcfg]\nkernels = ["*.kcfg.yaml"]\n')
    done = CliRunner().invoke(application(["kernels"]), ["kernels"])
    assert "A kernel of mine" in done.output
    for said in ("mine", "g.kcfg.yaml"):
        done = CliRunner().invoke(application(["kernels"]), ["kernels", said])
        assert "mine: A kernel of mine" in done.output
    assert jsonschema.Draft202012Validator(schema()).is_valid({"kernel": "mine", "shape": {}})


@pytest.mark.parametrize("name", defined.EXAMPLES)
def test_many_of_a_kernel_are_derived_as_one_is(name: str) -> None:
    """A class that is asked for often is compiled; whatever its members are called."""
    (spec, *_) = defined.specs(name)
    first = spec.derive().values()
    assert all(spec.derive().values() == first for _ in range(MANY + 2))


@pytest.mark.parametrize(
    ("dtypes", "formula_of_bytes"),
    [
        ("bf16, fp8", "n * 3 * bytes_of(dt)"),
        ("fp8, float4_e2m1fn", "ceildiv(n * 3 * bits_of(dt), 8)"),
        (
            "fp8, 16U4_ALIGN16B",
            "ceildiv(n * 3 * (8 if dt == '16U4_ALIGN16B' else bits_of(dt)), 8)",
        ),
    ],
)
def test_bytes_of_elements_are_explained_in_words_that_anybody_may_write(
    dtypes: str, formula_of_bytes: str
) -> None:
    text = f"""
defines: g
inputs: {{n: 101, dt: {{dtype: [{dtypes}]}}}}
values: {{same: dt if n > 1 else dt}}
shared: {{a: {{of: dt, shape: [n, 3]}}, b: {{of: same, shape: [n, 3]}}}}
"""
    sizes = {"bf16": 606, "fp8": 303, "float4_e2m1fn": 152, "16U4_ALIGN16B": 303}
    for dtype in dtypes.split(", "):
        (spec,) = defined.read(f"{text}---\nkernel: g\nshape: {{dt: {dtype}}}\n", "t.kcfg.yaml")
        assert isinstance(spec, Spec)
        kernel = spec.derive()
        assert kernel.read("a.bytes") == kernel.read("b.bytes") == sizes[dtype]
        assert explain(kernel, "a.bytes").formula == formula_of_bytes
        assert explain(kernel, "b.bytes").formula == formula_of_bytes.replace("dt", "same")


def test_parts_of_a_sum_are_in_its_unit_where_that_is_known() -> None:
    text = """
defines: g
inputs: {n: 128}
values:
  room: {is: "4096 - up(total(a=n, b=64), 8)", unit: bytes}
  stages: {is: "(4096 - total(a=n, b=64)) // n", unit: stages}
"""
    kernel = defined.derived(text)
    units = {name: explain(kernel, name).ledgers[0].unit for name in ("room", "stages")}
    assert units == {"room": "bytes", "stages": None}


@pytest.mark.parametrize("name", ["end", "shared_bytes", "shared_limit", "threads", "mbarriers"])
def test_what_a_shipped_kernel_has_as_a_whole_is_explained(name: str) -> None:
    kernel = shapes.derive("fa4", "26.6", shapes.FA4_26)
    told = explain(kernel, name)
    assert told.value == kernel.read(name)
    assert told.doc


NAMES = [
    name
    for name in dict.fromkeys(
        (
            *dir(Kernel),
            *(name for cls in Kernel.__mro__ for name in getattr(cls, "__annotations__", ())),
            *("self", "none"),  # what formulas and conditions have of their own
        )
    )
    if not refused(name, "input")
]


@pytest.mark.parametrize("even", [True, False])
def test_inputs_and_values_may_have_the_names_of_what_a_kernel_has(
    even: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs, values = NAMES[not even :: 2], NAMES[even::2]
    assert {"kernel", "release", "title"} <= {*inputs, *values}
    text = "defines: g\ninputs:\n" + "".join(f"  {name}: 3\n" for name in inputs)
    text += "values:\n" + "".join(f"  {name}: 2 * {inputs[0]}\n" for name in values)
    shape = ", ".join(f"{name}: 5" for name in inputs)
    monkeypatch.chdir(tmp_path)
    Path("g.kcfg.yaml").write_text(f"{text}---\nkernel: g\nshape: {{{shape}}}\n")
    (spec,) = read_file("g.kcfg.yaml")
    assert isinstance(spec, Spec), spec
    told = report(spec.derive())
    assert (told["kernel"], told["release"]) == ("g", "1")
    assert told["inputs"] == dict.fromkeys(inputs, 5)
    assert told["values"] == dict.fromkeys(values, 10)
    for command in (
        ["derive"],
        ["explain", "--format", "json"],
        ["diff", "g.kcfg.yaml"],
        ["sweep", "--columns", "all", "--where", "self >= 5 and none >= 5"],
    ):
        done = CliRunner().invoke(application(command), [*command, "g.kcfg.yaml"])
        assert done.exit_code == 0, done.output


def test_a_value_may_be_an_element_type_by_a_text() -> None:
    text = """
defines: g
inputs: {fmt: {choices: [mxf8, mxf4]}}
values:
  one: {is: '"fp8" if fmt == "mxf8" else "float4_e2m1fn"', unit: dtype}
  two: {by: fmt, cases: {mxf8: '"fp8"', mxf4: '"float4_e2m1fn"'}, unit: dtype}
shared: {a: {of: one, shape: [10]}, b: {of: two, shape: [10]}}
"""
    for fmt, size in (("mxf8", 10), ("mxf4", 5)):
        kernel = defined.derived(text, fmt=fmt)
        assert kernel.read("a.bytes") == kernel.read("b.bytes") == size
