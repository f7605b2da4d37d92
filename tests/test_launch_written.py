"""Launches in terms of what their memory holds: what follows, what disagrees, what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from launched import launch
from typer.testing import CliRunner, Result

import kcfg as library
from kcfg.cli.main import application
from kcfg.core.findings import findings
from kcfg.core.schema import schema

GEMM = """\
kernel: launch
name: ws-gemm
shape:
  threads: 384
  registers:
    launch_bounds: [384, 1]
    roles:
      - {name: load, warps: 4, count: 40}
      - {name: store, warps: 8, count: 232}
  shared:
    base_align: 1024
    regions:
      - {name: a, ring: ab, of: bf16, shape: [128, 64], align: 1024, swizzle: 128B, tma: true}
      - {name: b, ring: ab, of: bf16, shape: [256, 64], align: 1024, swizzle: 128B, tma: true}
      - {name: c, of: bf16, shape: [128, 64], stages: 2, align: 1024}
      - {name: full, ring: ab, mbarriers: true}
      - {name: empty, ring: ab, mbarriers: true}
      - {name: tmem_pointer, bytes: 4}
  pipelines:
    - {name: ab, stages: max, maps: [a, b]}
  tma:
    - {name: a, box: [64, 128], dtype: bf16, swizzle: 128B}
    - {name: b, box: [64, 256], dtype: bf16, swizzle: 128B}
  tmem: {accumulators: [{name: acc, M: 128, N: 256}], allocations: [256]}
"""
"""(232,448 - 2 * 16,384 - 4) // (16,384 + 32,768 + 2 * 8) is 4."""


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(application(arguments), list(arguments), input=stdin)


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def gemm(tmp_path: Path) -> str:
    path = tmp_path / "gemm.kcfg.yaml"
    path.write_text(GEMM)
    return str(path)


# What follows


def test_every_view_has_what_follows(gemm: str, tmp_path: Path) -> None:
    stages = "pipelines[0].stages: 4 fit into 199,676 bytes (232,448 of a block on b200 - 32,772"
    stages += " beside the stages) at 49,168 each (a 16,384 + b 32,768 + full 8 + empty 8); 3,004"
    stages += " of these bytes stay free; a fifth needs 46,164 more."
    derived = run("derive", gemm)
    assert derived.exit_code == 0
    assert stages in flat(derived.stdout)
    assert "shared.regions[1].bytes 131,072 4 slots of 32,768 B" in flat(derived.stdout)
    explained = flat(run("explain", gemm).stdout)
    assert stages in explained
    assert "what follows from its keys is worked out" in explained
    assert flat(run("explain", gemm, "pipelines[0].stages").stdout).endswith(stages)
    got = run("derive", gemm, "--get", "pipelines[0].stages", "--get", "c.offset").stdout
    assert got.split() == ["4", "196608"]
    drawn = run("draw", gemm).stdout
    assert "4 x 16,384 B" in drawn
    page = tmp_path / "page.html"
    assert run("report", gemm, "-o", str(page)).exit_code == 0
    assert "4 slots of 16,384 B (16.0 KiB), 128 x 64 of bfloat16" in page.read_text()


def test_the_report_is_that_of_a_derived_kernel(gemm: str) -> None:
    found = json.loads(run("derive", gemm, "--format", "json").stdout)
    places = [(r["name"], r["offset"], r["bytes"], r["stages"]) for r in found["smem"]["regions"]]
    assert places == [
        ("a", 0, 65536, 4),
        ("b", 65536, 131072, 4),
        ("c", 196608, 32768, 2),
        ("full", 229376, 32, 4),
        ("empty", 229408, 32, 4),
        ("tmem_pointer", 229440, 4, 1),
    ]
    assert found["tmem"]["allocated"] == 256
    assert found["registers"]["pool"]["asked"] == 40 * 128 + 232 * 256
    assert [(g["name"], g["first"], g["count"]) for g in found["barriers"]["groups"]] == [
        ("full", 0, 4),
        ("empty", 4, 4),
    ]
    assert found["inputs"]["pipelines"][0]["stages"] == "max"
    assert found["units"]["pipelines[0].stages"] == "stages"
    (line,) = run("derive", gemm, "--format", "jsonl").stdout.splitlines()
    assert json.loads(line) == found


def test_a_saved_report_gives_the_same_launch_again(gemm: str, tmp_path: Path) -> None:
    for format in ("json", "yaml"):
        saved = tmp_path / f"saved.{format}"
        saved.write_text(run("derive", gemm, "--format", format).stdout)
        assert run("diff", str(saved)).exit_code == 0
        assert run("validate", str(saved)).exit_code == 0
    changed = run("diff", gemm, "--set", "shared.regions[c].stages=2..1")
    assert changed.exit_code == 1
    assert "shared.regions[2].bytes 32,768 16,384 -16,384 B" in flat(changed.stdout)


@pytest.mark.parametrize("language", ["cpp", "cuda", "mojo", "python"])
def test_a_launch_is_emitted(gemm: str, language: str) -> None:
    emitted = run("emit", gemm, "--lang", language)
    assert emitted.exit_code == 0
    for name, value in {
        "a_bytes": 65536,
        "full_offset": 229376,
        "full_count": 4,
        "ab_stages": 4,
        "ab_stage_bytes": 49152,
        "entry": 168,
        "min_blocks": 1,
        "dynamic_smem": 229444,
        "allocated": 256,
    }.items():
        assert re.search(rf"\b{name}\b(: (Int|Final))? = {value}\b", emitted.stdout), name
    assert re.search(r"needs_opt_in(: (Bool|Final))? = [Tt]rue", emitted.stdout)
    assert "does not hold" not in emitted.stdout


def test_what_is_emitted_holds_its_numbers_together(gemm: str) -> None:
    text = run("emit", gemm, "--lang", "python").stdout
    exec(text, {})
    for name in ("a_stages", "ab_stages", "ab_stage_bytes", "c_bytes", "b_offset", "dynamic_smem"):
        wrong = re.sub(
            rf"(\b{name}: Final = )(\d+)", lambda m: f"{m[1]}{int(m[2]) + 1}", text, count=1
        )
        with pytest.raises(AssertionError):
            exec(wrong.replace("dynamic_smem: Final = 229445", "dynamic_smem: Final = 229443"), {})


def test_static_memory_counts_where_it_must_be_opted_in() -> None:
    shape = "shared: {static: 40000, dynamic: 10000, base_align: 1024}, threads: 32"
    text = run("emit", "-", "--lang", "python", stdin=f"{{kernel: launch, shape: {{{shape}}}}}")
    assert "static_smem: Final = 40960" in text.stdout
    assert "needs_opt_in: Final = True" in text.stdout


def test_parts_of_one_name_are_emitted_apart() -> None:
    shape = (
        "threads: 64, registers: {entry: 128, roles: [{name: x, warps: 1}, {name: x, warps: 1}]}"
    )
    text = run("emit", "-", "--lang", "python", stdin=f"{{kernel: launch, shape: {{{shape}}}}}")
    assert "x_first_warp: Final = 0" in text.stdout
    assert "x_2_first_warp: Final = 1" in text.stdout


def test_the_library_takes_the_same() -> None:
    found = library.derive("launch", **yaml.safe_load(GEMM)["shape"])
    assert found["pipelines[0].stages"] == 4
    assert found.units["pipelines[0].stages"] == "stages"
    assert found.runs


FOLLOWS = [
    ("shared: {regions: [{of: bf16, shape: [128, 64]}]}", {"shared.regions[0].bytes": 16384}),
    ("shared: {regions: [{of: float4_e2m1fn, shape: [3]}]}", {"shared.regions[0].bytes": 2}),
    ("shared: {regions: [{of: bf16, shape: 8, stages: 3}]}", {"shared.regions[0].bytes": 48}),
    (
        "shared: {regions: [{of: fp8, shape: 8, stages: 3, stride: 128}]}",
        {"shared.regions[0].bytes": 264},
    ),
    (
        "shared: {regions: [{name: full, mbarriers: 4}]}",
        {"shared.regions[0].bytes": 32, "mbarriers[0].count": 4},
    ),
    (
        "shared: {regions: [{name: full, mbarriers: 4}]}, mbarriers: [{name: full, arrivals: 1}]",
        {"shared.regions[0].bytes": 32, "mbarriers[0].count": 4},
    ),
    (
        "shared: {regions: [{name: kv, ring: kv}]},"
        " pipelines: [{name: kv, stages: 3, stage_bytes: 48 KiB}]",
        {"shared.regions[0].stages": 3, "shared.regions[0].bytes": 147456},
    ),
    (
        "shared: {regions: [{name: k, ring: kv, of: bf16, shape: [64, 64], stages: 4},"
        " {name: v, ring: kv, of: bf16, shape: [64, 64]}]}, pipelines: [{name: kv}]",
        {
            "pipelines[0].stages": 4,
            "shared.regions[1].bytes": 32768,
            "pipelines[0].stage_bytes": 16384,
        },
    ),
    ("pipelines: [{stages: max, stage_bytes: 48 KiB}]", {"pipelines[0].stages": 4}),
    (
        "blocks_per_sm: 2, pipelines: [{stages: max, stage_bytes: 48 KiB}]",
        {"pipelines[0].stages": 2},
    ),
    (
        "shared: {regions: [{name: kv, bytes: 160 KiB}]},"
        " pipelines: [{name: kv, stages: max, stage_bytes: 48 KiB}]",
        {"pipelines[0].stages": 3},
    ),
    (
        "shared: {regions: [{ring: kv, of: bf16, shape: [128, 64]}, {offset: 40 KiB, bytes: 16}]},"
        " pipelines: [{name: kv, stages: max}]",
        {"pipelines[0].stages": 2, "shared.regions[0].bytes": 32768},
    ),
]


@pytest.mark.parametrize(("shape", "figures"), FOLLOWS)
def test_what_is_not_said_follows(shape: str, figures: dict[str, int]) -> None:
    kernel = launch(shape).derive()
    values = kernel.values()
    assert {path: values.get(path) for path in figures} == figures
    assert not [each for each in findings(kernel) if each.severity == "error"]


def test_mbarriers_of_which_nobody_says_how_many_are_not_counted() -> None:
    text = "{kernel: launch, shape: {threads: 32, mbarriers: [{name: full, arrivals: 1}]}}"
    assert json.loads(run("derive", "-", "--format", "json", stdin=text).stdout)["barriers"] is None
    assert "full_count" not in run("emit", "-", "--lang", "python", stdin=text).stdout


def test_what_is_said_stays() -> None:
    shape = "shared: {regions: [{bytes: 8, of: bf16, shape: [4], align: 2, stages: 1}]}"
    assert launch(shape).derive().values() == {}


# What disagrees


AB = "name: a, ring: ab, of: bf16, shape: [128, 64]"
DISAGREE = [
    (
        f"shared: {{regions: [{{{AB}, bytes: 32 KiB}}]}}, pipelines: [{{name: ab, stages: 4}}]",
        "SMEM012",
        "a has 32,768 B (32.0 KiB), and holds 4 slots of 128 x 64 of bfloat16, which take 65,536 B",
    ),
    (
        "shared: {regions: [{name: a, of: bf16, shape: [8], bytes: 32}]}",
        "SMEM012",
        "16 B hold nothing",
    ),
    (
        "shared: {regions: [{name: a, of: bf16, shape: [8], stages: 2, stride: 8}]}",
        "SMEM012",
        "each runs 8 B into the next",
    ),
    (
        "shared: {regions: [{name: a, mbarriers: 2, bytes: 8}]}",
        "SMEM012",
        "a has 8 B, and holds 2 mbarriers, which take 16 B: 8 B too few",
    ),
    (
        "shared: {regions: [{name: a, mbarriers: 2, of: bf16, shape: [4]}]}",
        "SMEM012",
        "give each a region of its own",
    ),
    ("shared: {regions: [{name: a, of: bf16}]}", "SMEM012", "says its elements and no `shape`"),
    ("shared: {regions: [{name: a, shape: [4]}]}", "SMEM012", "says a shape and no `of`"),
    (
        f"shared: {{regions: [{{{AB}}}]}}",
        "PIPE010",
        "is ab, which is no pipeline; say pipelines: [{name: ab}]",
    ),
    (
        f"shared: {{regions: [{{{AB}}}]}}, pipelines: [{{name: ba, stages: 4}}]",
        "PIPE010",
        "the ring of a is ab, which is no pipeline; name ba",
    ),
    (
        f"shared: {{regions: [{{{AB}}}]}}, pipelines: [{{name: ab, stages: 2}}, {{name: ab}}]",
        "PIPE010",
        "which is the name of 2 pipelines",
    ),
    (
        f"shared: {{regions: [{{{AB}}}]}}, pipelines: [{{name: ab}}]",
        "PIPE010",
        "says no stages; say stages of the pipeline: a number, or max",
    ),
    (
        "shared: {regions: [{name: a, ring: ab}]}, pipelines: [{name: ab, stages: 4}]",
        "PIPE010",
        "how long a slot of a is is not known",
    ),
    (
        f"shared: {{regions: [{{{AB}}}, {{name: b, bytes: 1 MiB}}]}},"
        " pipelines: [{name: ab, stages: 4, region: b}]",
        "PIPE010",
        "the ring of a is ab, which lies in b",
    ),
    (
        f"shared: {{regions: [{{{AB}}}, {{name: full, ring: ab, mbarriers: 1, stages: 3}}]}},"
        " pipelines: [{name: ab, stages: 4}]",
        "PIPE010",
        "ab has 4 stages, full mbarriers of 3 slots; give both 4",
    ),
    (
        f"shared: {{regions: [{{{AB}}}, {{name: full, ring: ab, mbarriers: 1}}]}},"
        " pipelines: [{name: ab, stages: 4, barriers_per_stage: 2}]",
        "PIPE010",
        "ab counts 2 mbarriers a stage, and its ring has 1",
    ),
    (
        f"shared: {{regions: [{{{AB}}}]}}, pipelines: [{{name: ab, stages: 4, stage_bytes: 8192}}]",
        "PIPE010",
        "a stage of ab is 8,192 B (8.0 KiB), and the slots of a hold 16,384 B (16.0 KiB) of it",
    ),
    (
        f"shared: {{regions: [{{{AB}}}]}},"
        " pipelines: [{name: ab, stages: 4, stage_bytes: 20 KiB}]",
        "PIPE006",
        "the slots of a are 16,384 B (16.0 KiB) apart",
    ),
    (
        f"shared: {{regions: [{{{AB}, stages: 3}}]}}, pipelines: [{{name: ab, stages: 4}}]",
        "PIPE006",
        "ab has 4 stages, its region a 3 slots",
    ),
    (
        f"shared: {{regions: [{{{AB}}}]}}, tma: [{{name: k, box: [64, 256], dtype: bf16}}],"
        " pipelines: [{name: ab, stages: 4, maps: k}]",
        "PIPE007",
        "copies bring 32,768 B (32.0 KiB) into a stage of ab, which has 16,384 B",
    ),
    (
        f"shared: {{dynamic: 32 KiB, regions: [{{{AB}}}]}}, pipelines: [{{name: ab, stages: 4}}]",
        "SMEM006",
        "a ends at 65,536 B (64.0 KiB), 32,768 B (32.0 KiB) past the 32,768 B",
    ),
    (
        "shared: {regions: [{name: a, of: fp8, shape: [64, 64]}]},"
        " tma: [{name: a, box: [64, 32], dtype: bf16}]",
        "SMEM013",
        "copies elements of bf16, 16 bits each; its region is of float8_e4m3fn, 8 bits",
    ),
    (
        "shared: {regions: [{name: a, of: fp8, shape: [64, 64], swizzle: 64B}]},"
        " tma: [{name: a, box: [64, 64], dtype: fp8, swizzle: 128B}]",
        "SMEM013",
        "has the swizzle 128B, its region 64B",
    ),
    (
        "shared: {regions: [{name: a, of: fp8, shape: [64, 64]}]},"
        " tma: [{name: a, box: [64, 128], dtype: fp8}]",
        "SMEM013",
        "brings 8,192 B (8.0 KiB), and a slot of its region has 4,096 B",
    ),
    (
        "shared: {regions: [{name: x, mbarriers: 4}, {name: y, mbarriers: 4}]},"
        " mbarriers: [{name: x, count: 3}, {name: y, count: 5}]",
        "BAR004",
        "y has 5 mbarriers, which take 40 B, and the region of its name 32 B",
    ),
]


@pytest.mark.parametrize(("shape", "rule", "says"), DISAGREE)
def test_figures_that_disagree_are_found(shape: str, rule: str, says: str) -> None:
    found = [each for each in findings(launch(shape).derive()) if each.rule == rule]
    assert says in " | ".join(each.message for each in found)


def test_stages_that_fit_leave_room_for_what_is_beside_them() -> None:
    shape = "shared: {regions: [{name: ab, bytes: 96 KiB, stages: 2}, {name: c, bytes: 64 KiB}]},"
    shape += " pipelines: [{name: ab, stages: 2, stage_bytes: 48 KiB}]"
    (note,) = [each for each in findings(launch(shape).derive()) if each.rule == "PIPE002"]
    assert note.limit == (232448 - 65536) // 49152 == 3


# What is refused


LONG = "9" * 5000
MOST = "pipelines: [{name: ab, stages: max"
REFUSED = [
    (f"{MOST}}}]", "nothing bounds the stages of ab: say what one takes", "pipelines[0].stages"),
    (f"{MOST}, stage_bytes: 0}}]", "nothing bounds the stages of ab", "pipelines[0].stages"),
    (
        f"{MOST}, stage_bytes: 300 KiB}}]",
        "not even one stage of ab fits: it takes 307,200 B (300.0 KiB) and 232,448 B (227.0 KiB)"
        " are left of the 232,448 of a block on b200; make it or the rest smaller by 74,752 B",
        "pipelines[0].stages",
    ),
    (
        f"{MOST}, stage_bytes: 16}}, {{name: c, stages: max, stage_bytes: 16}}]",
        "`max` is said of ab as well",
        "pipelines[1].stages",
    ),
    (
        f"shared: {{regions: [{{name: ab, bytes: 16 KiB}}]}}, {MOST}, stage_bytes: 48 KiB}}]",
        "it takes 49,152 B (48.0 KiB) and ab has 16,384 B (16.0 KiB)",
        "pipelines[0].stages",
    ),
    (
        f"shared: {{regions: [{{{AB}, stages: 4}}]}}, {MOST}}}]",
        "region a says its `stages`",
        "pipelines[0].stages",
    ),
    (
        f"shared: {{regions: [{{{AB}, bytes: 64}}]}}, {MOST}}}]",
        "region a says its `bytes`, which follow from that: leave one of them out",
        "pipelines[0].stages",
    ),
    (
        f"shared: {{regions: [{{ring: ab, stages: 2, bytes: 64}}]}}, {MOST}}}]",
        "says its `stages` and `bytes`, which follow from that: say `of` and `shape` of one stage"
        " instead, or give the stages a number",
        "pipelines[0].stages",
    ),
    (
        f"shared: {{regions: [{{{AB}}}, {{name: b, ring: ab}}]}}, {MOST}}}]",
        "region b of its ring says no size",
        "pipelines[0].stages",
    ),
    ("pipelines: [{stages: most}]", "expected max, or an integer", "pipelines[0].stages"),
    ("pipelines: [{stages: -1}]", "must be at least 0", "pipelines[0].stages"),
    (f"pipelines: [{{stages: {LONG}}}]", "(5,000 digits)", "pipelines[0].stages"),
    ("shared: {dynamic: 16kb}", "write 16 KiB, which is 16384", "shared.dynamic"),
    ("shared: {dynamic: 1.5 MiB}", "write 1572864", "shared.dynamic"),
    ("shared: {dynamic: -1 KiB}", "or a size such as 16 KiB", "shared.dynamic"),
    ("shared: {dynamic: 1 GiB}", "or a size such as 16 KiB", "shared.dynamic"),
    (f"shared: {{dynamic: {LONG} KiB}}", "(5,000 digits) KiB is too many", "shared.dynamic"),
    (f"shared: {{dynamic: {LONG}K}}", "(5,001 characters)", "shared.dynamic"),
    ("shared: {dynamic: 9223372036854775807 MiB}", "must be at most", "shared.dynamic"),
    ("shared: {carveout: 100 B}", "expected whole KiB", "shared.carveout"),
    ("threads: 1 KiB", "expected an integer", "threads"),
    ("shared: {regions: [{of: bf17}]}", "did you mean `bfloat16`?", "shared.regions[0].of"),
    ("shared: {regions: [{of: 16}]}", "expected one of bfloat16", "shared.regions[0].of"),
    ("shared: {regions: [{shape: [x]}]}", "expected an integer", "shared.regions[0].shape[0]"),
    ("shared: {regions: [{shape: [-1]}]}", "must be at least 0", "shared.regions[0].shape[0]"),
    (f"shared: {{regions: [{{shape: {[1] * 9}}}]}}", "at most 8", "shared.regions[0].shape"),
    (
        f"shared: {{regions: [{{of: bf16, shape: [{1 << 62}, {1 << 62}]}}]}}",
        "this comes to more than",
        "shared.regions[0].bytes",
    ),
    ("shared: {regions: [{mbarriers: -1}]}", "at least 0", "shared.regions[0].mbarriers"),
    ("shared: {regions: [{mbarriers: yes}]}", "write true", "shared.regions[0].mbarriers"),
    ("shared: {regions: [{ring: [a]}]}", "expected text", "shared.regions[0].ring"),
]


@pytest.mark.parametrize(("shape", "says", "path"), REFUSED)
def test_what_cannot_be_is_refused_where_it_stands(shape: str, says: str, path: str) -> None:
    result = run("validate", "-", stdin=f"kernel: launch\nshape: {{{shape}}}\n")
    assert result.exit_code == 1
    assert re.match(r"<stdin>:2:\d+: error SPEC002 shape\.", result.stdout)
    assert f"shape.{path}: " in result.stdout
    assert says in result.stdout


def test_sizes_have_one_spelling_each() -> None:
    for written in ("16384", "16 KiB", "'16 KiB'", "16384 B"):
        assert launch(f"shared: {{dynamic: {written}}}").derive().block.dynamic_bytes == 16384
    assert launch("shared: {dynamic: 0, carveout: 132 KiB}").derive().block.carveout == 132 * 1024


# What the command line sets


SET = [
    ("shared.dynamic=240000", "SMEM001", 1),
    ("shared.dynamic=1 MiB", "SMEM001", 1),
    ("pipelines[0].stages=5", "SMEM001", 1),
    ("pipelines[ab].stages=5", "SMEM001", 1),
    ("shared.regions[a].shape=[128, 128]", "32,768", 0),
    ("tma[0].box[1]=256", "PIPE007", 1),
    ("cluster=[2, 1]", "0 errors", 0),
    ("grid[0]=4", "0 errors", 0),
    ("named_barriers[0].id=1", "0 errors", 0),
    ("tmem=", "0 errors", 0),
    ("named_barriers=[{id: 0, participants: 130}, 1]", "130 participants is no multiple", 1),
    ("pipelines[ab].producers=[{role: 'a, b', by: role}]", "a, b arrives at a full barrier", 1),
    ("pipelines[ab].producers=['a, b']", "a, b arrives at a full barrier", 1),
]


@pytest.mark.parametrize(("setting", "says", "code"), SET)
def test_a_key_inside_of_others_is_set(gemm: str, setting: str, says: str, code: int) -> None:
    result = run("validate", gemm, "--set", setting)
    assert result.exit_code == code
    if says[0].isdigit() and "error" not in says:
        assert says in run("derive", gemm, "--set", setting).stdout
    else:
        assert says in result.stdout


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("shared..dynamic=1", "leads to no key; write it as in `shared.dynamic`"),
        ("[0].stages=1", "leads to no key"),
        ("pipelines[0=1", "leads to no key"),
        ("pipelines[].stages=1", "leads to no key"),
        (f"{'a.' * 5000}b=1", "leads to no key"),
        ("shared.dynamc=1", "unknown key `dynamc`; did you mean `dynamic`?"),
        ("shard.dynamic=1", "unknown key `shard`; did you mean `shared`?"),
        ("threads.x=1", "`threads` is a single value, and has no key `x`"),
        ("shared.regions.a=1", "is a list, and has no key `a`; name an entry of it first"),
        ("pipelines[ba].stages=1", "has no entry `ba`; known: ab"),
        ("pipelines[2].stages=1", "has 1 entry, and no [2]: [1] would add one"),
        (f"pipelines[{LONG}].stages=1", "is the number of no entry"),
        ("shared.dynamic=x", "or a size such as 16 KiB, not `x`"),
        ("shared=1", "expected a mapping with `static`"),
        ("shared={dynamic: 1, dynamic: 2}", "key `dynamic` is given twice"),
        ("named_barriers=[{id: 0, id: 1]", "from 0 to 4611686018427387904, not `[{id: 0, id: 1]`"),
        ("named_barriers=[&a 0, *a]", "from 0 to 4611686018427387904, not `[&a 0, *a]`"),
        ("shape.shared.dynamic=1", "leave out `shape.`, as in --set shared.dynamic=..."),
    ],
)
def test_a_path_that_leads_nowhere_is_said_to(gemm: str, setting: str, says: str) -> None:
    for command in ("derive", "explain", "draw", "report", "diff"):
        more = ("-o", "-") if command == "report" else (gemm,) if command == "diff" else ()
        result = run(command, gemm, *more, "--set", setting)
        assert result.exit_code == 2, (command, result.output)
        assert says in flat(result.stderr), command


def test_one_key_is_set_once(gemm: str) -> None:
    twice = ("--set", "shared.dynamic=1", "--set", "shared.dynamic=2")
    result = run("derive", gemm, *twice)
    assert result.exit_code == 2
    assert "set twice" in result.stderr
    both = run("validate", gemm, "--set", "shared.static=16", "--set", "shared.dynamic=231424")
    assert both.exit_code == 0


# What tells of the keys


def test_editors_complete_what_is_read() -> None:
    validator = jsonschema.Draft202012Validator(schema("launch"))
    spec: Any = yaml.safe_load(GEMM)
    validator.validate(spec)
    spec["shape"]["shared"]["dynamic"] = "16 KiB"
    spec["shape"]["shared"]["regions"][3]["mbarriers"] = 2
    validator.validate(spec)
    for path, value in (("stages", "most"), ("stage_bytes", "16kb"), ("stages", 1.5)):
        wrong = json.loads(json.dumps(spec))
        wrong["shape"]["pipelines"][0][path] = value
        assert not validator.is_valid(wrong)


def test_the_manual_lists_the_keys() -> None:
    page = flat(run("kernels", "launch").stdout)
    assert "shared.regions[].ring text The pipeline whose stages are its slots." in page
    assert "max for the most that fit" in page


SHARING = """\
kernel: launch
shape:
  threads: 128
  shared:
    base_align: 1024
    regions:
      - {name: raw, ring: p, of: fp8, shape: [128, 64], align: 1024}
      - {name: wide, ring: p, of: bf16, shape: [64, 64], align: 1024, alias_of: raw}
  pipelines: [{name: p, stages: max}]
"""


def test_what_shares_bytes_in_a_ring_counts_once() -> None:
    names = ("pipelines[0].stages", "pipelines[0].stage_bytes", "smem.used")
    asked = [word for name in names for word in ("--get", name)]
    assert run("derive", "-", *asked, stdin=SHARING).stdout == "28\n8192\n229376\n"
    told = run("validate", "-", "--quiet", "--set", "pipelines[p].stages=29", stdin=SHARING)
    assert "28 stages of p fit" in told.stdout and told.exit_code == 1
    assert run("validate", "-", "--set", "pipelines[p].stages=28", stdin=SHARING).exit_code == 0


def test_max_stops_before_what_no_alias_moves() -> None:
    shape = (
        "shared: {base_align: 1024, regions: [{name: out, of: f32, shape: [64, 64], align: 1024},"
        " {name: a, ring: p, of: bf16, shape: [64, 64], align: 1024, alias_of: out},"
        " {name: bias, of: f32, shape: [256]}]}, pipelines: [{name: p, stages: max}]"
    )
    text = f"{{kernel: launch, shape: {{{shape}}}}}"
    assert run("derive", "-", "--get", "pipelines[0].stages", stdin=text).stdout == "2\n"
    told = run("explain", "-", "pipelines[0].stages", stdin=text).stdout
    assert "with one more a ends behind the start of bias" in flat(told)


PINNED = """\
kernel: launch
shape:
  grid: [148, 2]
  shared:
    regions:
      - {name: a, ring: p, of: bf16, shape: [64, 64], align: 1024}
      - {name: full, ring: p, mbarriers: true}
  pipelines: [{name: p, stages: max}, {name: q, stages: 2}]
expect:
  pipelines[p].stages: 28
  pipelines[q].stages: 2
  shared.regions[a].bytes: 229376
  mbarriers[full].count: 28
  grid[1]: 2
"""


def test_figures_are_found_by_their_paths_whether_said_or_worked_out() -> None:
    fine = run("validate", "-", "--quiet", stdin=PINNED)
    assert fine.exit_code == 0 and "EXP001" not in fine.stdout
    broken = run("validate", "-", "--quiet", "--set", "pipelines[q].stages=3", stdin=PINNED).stdout
    assert broken.count("EXP001") == 1 and "pipelines[q].stages is 3, pinned to 2" in broken
    names = ("pipelines[1].stages", "pipelines[p].stages", "shared.regions[a].of", "grid[0]")
    asked = [word for name in names for word in ("--get", name)]
    assert run("derive", "-", *asked, stdin=PINNED).stdout == "2\n28\nbfloat16\n148\n"
    for none in ("pipelines[2].stages", "pipelines[r].stages", "pipelines.stages", "shared.static"):
        assert run("derive", "-", "--get", none, stdin=PINNED).exit_code == 2


@pytest.mark.parametrize("dynamic", ["", "dynamic: 100000, "])
@pytest.mark.parametrize("asked", [57, 90, 300])
@pytest.mark.parametrize(
    "regions",
    [
        "{name: r, ring: p, of: bf16, shape: [77, 64], stride: 12 KiB}, {bytes: 1216}",
        "{name: e, ring: p, mbarriers: 2}, {of: f32, shape: [62, 64], align: 1024},"
        " {name: a, ring: p, of: fp8, shape: [158, 33]}",
    ],
)
def test_what_is_said_to_fit_is_the_most_that_does(regions: str, asked: int, dynamic: str) -> None:
    shape = f"shared: {{{dynamic}base_align: 1024, regions: [{regions}]}}"
    text = f"{{kernel: launch, shape: {{{shape}, pipelines: [{{name: p, stages: max}}]}}}}"
    most = run("derive", "-", "--get", "pipelines[0].stages", stdin=text).stdout.strip()
    told = run("validate", "-", "--set", f"pipelines[p].stages={asked}", stdin=text)
    fitting = re.findall(r"([\d,]+) stages (?:of p )?fit\b", told.stdout)
    assert fitting and set(fitting) == {most}
