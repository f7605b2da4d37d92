"""Launches that people had trouble with, and what is said of each."""

from __future__ import annotations

import re

import pytest

from kcfg.core.finding import Finding
from kcfg.core.findings import findings
from kcfg.core.launch import schema as launch_schema
from kcfg.core.report import report
from kcfg.core.spec import Spec, read


def judged(text: str) -> list[Finding]:
    (spec,) = read(text, "test.yaml")
    assert isinstance(spec, Spec), [str(problem) for problem in spec]
    return findings(spec.derive())


def launch(shape: str, target: str = "b200") -> list[Finding]:
    return judged(f"{{kernel: launch, target: {target}, shape: {{{shape}}}}}")


def worst(found: list[Finding]) -> str:
    """The severest finding's severity, notes not counted."""
    return found[0].severity if found and found[0].severity != "info" else "fine"


def mla_block(kpe: int) -> str:
    """Q of 64 rows, two K/V stages with a rope part of their own, bf16."""
    query = 2 * 64 * (512 + kpe)
    stage = 2 * 64 * 512 + max(64 * kpe * 2, 8192)
    return f"pipelines: [{{stages: 2, stage_bytes: {stage}, fixed_bytes: {query + 864}}}]"


ERRORS = [
    ("shared: {dynamic: 233472}", "b200", "SMEM001", "1,024 B (1.0 KiB) over the 232,448 B"),
    ("shared: {static: 16, dynamic: 232433}", "b200", "SMEM001", "1 B over"),
    ("shared: {dynamic: 102400}", "rtx_5090", "SMEM001", "over the 101,376 B (99.0 KiB)"),
    ("shared: {dynamic: 102400}", "rtx_pro_6000", "SMEM001", "1,024 B (1.0 KiB) over"),
    ("pipelines: [{stage_bytes: 232449}]", "b200", "PIPE002", "0 stages of pipeline 0 fit: one"),
    (mla_block(128), "b200", "SMEM001", "246,624 B (240.8 KiB) of shared memory, 14,176 B"),
    (
        "threads: 384, registers: {warpgroups: [40, 240, 240]}",
        "b200",
        "SMR002",
        "520 registers per lane (66,560 in all), the launch gave 504 (64,512): 16 per lane over",
    ),
    (
        "threads: 256, blocks_per_sm: 2, registers: {warpgroups: [24, 240]}",
        "b200",
        "SMR002",
        "264 registers per lane (33,792 in all), the launch gave 256",
    ),
    (
        "threads: 512, registers: {warpgroups: [24, 24, 240, 240]}",
        "b200",
        "SMR002",
        "528 registers per lane (67,584 in all), the launch gave 512",
    ),
    *(
        (f"registers: {{warpgroups: [{count}]}}", "b200", "SMR001", f"setmaxnreg {count} is")
        for count in (16, 20, 236, 264)
    ),
    (
        "threads: 512, registers: {entry: 162}",
        "b200",
        "REG002",
        "allocated as 168, need 16 warps x 5,376 = 86,016 registers, 20,480 over the 65,536 of a"
        " block; use 128 registers or 384 threads",
    ),
    (
        "threads: 384, registers: {launch_bounds: [384], warpgroups: [40, 232, 232]}",
        "b200",
        "SMR004",
        "write __launch_bounds__(384, 1)",
    ),
    (
        "tmem: {allocations: [{needs: 384}, {needs: 4}, {needs: 4}, {needs: 4}]}",
        "b200",
        "TMEM002",
        "608 columns (512 + 32 + 32 + 32, rounded up), 96 over the 512 of an SM; one allocation"
        " of 512 holds all",
    ),
    ("tmem: {allocations: [48]}", "b200", "TMEM001", "allocate 64"),
    ("tmem: {allocations: [96]}", "b200", "TMEM001", "allocate 128"),
    ("tmem: {allocations: [16]}", "b200", "TMEM001", "allocate 32"),
    ("tmem: {allocations: [513]}", "b200", "TMEM001", "no allocation has more than 512"),
    (
        "shared: {regions: [{offset: 128, bytes: 16384, swizzle: 128B}]}",
        "b200",
        "SMEM008",
        "repeats every 1,024 B (1.0 KiB)",
    ),
    ("tma: [{box: [512, 64], dtype: bf16}]", "b200", "TMA001", "make it 2 copies of 256"),
    (
        "tma: [{box: [128, 64], dtype: bf16, swizzle: 128B}]",
        "b200",
        "TMA003",
        "make it 2 copies with a box of 64 elements",
    ),
    ("cluster: [32]", "b200", "CLU001", "16 over the 16"),
    ("unit: tcgen05", "rtx_pro_6000", "MMA006", "sm_120a has no tcgen05"),
]


@pytest.mark.parametrize(("shape", "target", "rule", "says"), ERRORS)
def test_error(shape: str, target: str, rule: str, says: str) -> None:
    errors = [found for found in launch(shape, target) if found.severity == "error"]
    assert says in " | ".join(found.message for found in errors if found.rule == rule)
    assert worst(errors) == "error"


WARNINGS = [
    ("blocks_per_sm: 2, tmem: {allocations: [512]}", "TMEM004", "waits in alloc until one frees"),
    ("cluster: [16]", "CLU002", "needs NonPortableClusterSizeAllowed"),
    ("shared: {static: 65536}", "SMEM003", "16,384 B (16.0 KiB) over"),
]


@pytest.mark.parametrize(("shape", "rule", "says"), WARNINGS)
def test_warning(shape: str, rule: str, says: str) -> None:
    found = launch(shape)
    assert worst(found) == "warning"
    assert says in " | ".join(each.message for each in found if each.rule == rule)


FINE = [
    ("shared: {dynamic: 232448}", "b200"),
    ("shared: {static: 16, dynamic: 232432}", "b200"),
    ("shared: {dynamic: 102400}", "b200"),
    (mla_block(0), "b200"),
    (mla_block(64), "b200"),
    ("threads: 384, registers: {warpgroups: [40, 232, 232]}", "b200"),
    ("threads: 384, registers: {warpgroups: [24, 240, 240]}", "b200"),
    ("threads: 384, registers: {warpgroups: [56, 224, 224]}", "b200"),
    ("threads: 384, registers: {warpgroups: [168, 168, 168]}", "b200"),
    ("threads: 384, registers: {warpgroups: [24, 232, 232]}", "b200"),
    ("threads: 256, registers: {warpgroups: [24, 240]}", "b200"),
    ("threads: 256, blocks_per_sm: 2, registers: {warpgroups: [24, 232]}", "b200"),
    ("threads: 512, registers: {warpgroups: [24, 24, 224, 224]}", "b200"),
    ("threads: 384, registers: {entry: 162}", "b200"),
    ("tmem: {allocations: [{needs: 396}]}", "b200"),
    ("shared: {base_align: 128, regions: [{offset: 128, bytes: 16384, tma: true}]}", "b200"),
    ("tma: [{box: [64, 64], dtype: bf16, swizzle: 128B}]", "b200"),
    (
        "tma: [{box: [32, 8], dims: [64, 8], element_strides: [1, 2], dtype: tfloat32_ftz,"
        " swizzle: 128B_ATOM_32B_FLIP_8B, oob_fill: nan}]",
        "b200",
    ),
    ("tma: [{box: [256, 57, 16], dtype: uint8, address: 0, oob_fill: zero}]", "h200"),
    ("cluster: [16], non_portable: true", "b200"),
    ("threads: 128, grid: [1000]", "thor"),
]


@pytest.mark.parametrize(("shape", "target"), FINE)
def test_fine(shape: str, target: str) -> None:
    assert worst(launch(shape, target)) == "fine"


def test_registers_left_over_are_noted() -> None:
    (note,) = [
        f
        for f in launch("threads: 384, registers: {warpgroups: [24, 232, 232]}")
        if f.rule == "SMR007"
    ]
    assert "488 of the pool's 504 registers per lane, unbalanced: 16 stay unused" in note.message
    assert note.fix == "24/240/240 would fit"


def test_warpgroups_are_reported_with_their_warps() -> None:
    (spec,) = read(
        "{kernel: launch, shape: {threads: 384, registers: {warpgroups: [24, {}, 232]}}}", "test"
    )
    assert isinstance(spec, Spec)
    roles = report(spec.derive())["registers"]["roles"]
    assert [(role["role"], role["warps"], role["cap"]) for role in roles] == [
        ("warpgroup 0", [0, 3], 24),
        ("warpgroup 1", [4, 7], None),
        ("warpgroup 2", [8, 11], 232),
    ]


@pytest.mark.parametrize("target", ["sm_100a", "B200", "b200", "'10.0'", "10.0"])
def test_spellings_of_a_target_are_judged_alike(target: str) -> None:
    text = "registers: {warpgroups: [40]}, shared: {static: 65536}"
    assert launch(text, target) == launch(text, "b200")


@pytest.mark.parametrize("depth", [72, 80, 96, 112])
def test_padding_is_said(depth: int) -> None:
    shape = (
        f"qkv_dtype: bf16, num_q_heads: 32, group: 4, qk_depth: {depth}, ov_depth: {depth},"
        " swizzle_mode: 128B, page_size: 128, is_mla: false"
    )
    notes = [f for f in judged(f"{{kernel: fa4, shape: {{{shape}}}}}") if f.rule == "CFG004"]
    assert f"qk_depth {depth} is padded to 128 elements" in " ".join(n.message for n in notes)


@pytest.mark.parametrize("depth", [208, 256, 320, 512])
def test_wide_heads_are_refused_by_the_tensor_memory_they_need(depth: int) -> None:
    shape = (
        f"qkv_dtype: bf16, num_q_heads: 32, group: 4, qk_depth: {depth}, ov_depth: {depth},"
        " swizzle_mode: 128B, page_size: 0, is_mla: false"
    )
    errors = [f for f in judged(f"{{kernel: fa4, shape: {{{shape}}}}}") if f.rule == "CFG001"]
    assert "BN >= 64" in " | ".join(found.message for found in errors)


NUMBER = 4611686018427387904  # 2^62: the largest there may be


@pytest.mark.parametrize(
    "shape",
    [
        f"threads: {NUMBER}, registers: {{entry: {NUMBER}, warpgroups: [{NUMBER}]}}",
        f"threads: {NUMBER}, registers: {{roles: [{{warps: {NUMBER}, count: 40}}]}}",
        f"shared: {{dynamic: {NUMBER}, regions: [{{bytes: {NUMBER}, offset: {NUMBER}}}]}}",
        f"blocks_per_sm: {NUMBER}, shared: {{dynamic: {NUMBER}}}, named_barriers: [{NUMBER}]",
        f"blocks_per_sm: {NUMBER}, tmem: {{columns: {NUMBER}, allocations: [{NUMBER}]}}",
        f"pipelines: [{{stages: {NUMBER}, stage_bytes: {NUMBER}, expect_tx: {NUMBER}}}]",
        f"tma: [{{box: [{NUMBER}], dims: [{NUMBER}, {NUMBER}], dtype: f32}}], bulk_copies: [1]",
        f"grid: [{NUMBER}], cluster: [{NUMBER}], block: [{NUMBER}, {NUMBER}, {NUMBER}]",
        f"mma: [{{kind: f16, M: {NUMBER}, N: {NUMBER}, K: {NUMBER}}}]",
        f"threads: 128, registers: {{launch_bounds: [{NUMBER}, {NUMBER}], warpgroups: [40]}}",
        f"cluster: [{NUMBER}], pipelines: [{{stages: {NUMBER}, boxes: [{NUMBER}, 3, 5, 7, 11, 13],"
        f" expect_tx: {NUMBER}, full_arrivals: {NUMBER}}}], mbarriers: [{NUMBER}]",
        f"shared: {{regions: [{{bytes: {NUMBER}, stages: {NUMBER}, stride: {NUMBER}, tma: true}},"
        f" {{alias_of: a, offset: {NUMBER}, bytes: {NUMBER}}}]}}",
        f"tmem: {{regions: [{{column: {NUMBER}, columns: {NUMBER}}}],"
        f" accumulators: [{', '.join(f'{{M: 64, N: {8 * n + 1}}}' for n in range(60))}]}}",
    ],
)
def test_largest_numbers_are_judged_in_no_time(shape: str) -> None:
    assert worst(launch(shape)) in ("error", "warning")


ZEROS = """
threads: 0, block: [0], grid: [0, 0, 0], cluster: [0], registers: {entry: 0, launch_bounds: [0, 0],
maxnreg: 0, warpgroups: [0]}, shared: {static: 0, dynamic: 0, carveout: 0, regions: [{}]},
pipelines: [{stages: 0, stage_bytes: 0}], named_barriers: [{id: 0, participants: 0}],
tmem: {allocations: [0, {}], accumulators: [{}], columns: 0}, tma: [{box: [0], dims: [0]}],
bulk_copies: [0], mma: [{kind: f16, M: 0, N: 0, K: 0}], blocks_per_sm: 1
"""


def test_zeros_and_empty_entries_are_judged() -> None:
    rules = {found.rule for found in launch(ZEROS) if found.severity == "error"}
    assert {"BLK001", "GRD001", "CLU001", "REG001", "SMR001", "BAR002", "MMA001"} <= rules


PROBLEMS = [
    ("threads: 12O", "shape.threads"),
    ("threads: -1", "shape.threads"),
    ("thread: 128", "shape.thread"),
    ("registers: 128", "shape.registers"),
    ("registers: {warpgroups: [40, yes]}", "shape.registers.warpgroups[1]"),
    ("registers: {warpgroups: [{counts: 40}]}", "shape.registers.warpgroups[0].counts"),
    ("block: [1, 1, 1, 1]", "shape.block"),
    ("shared: {regions: [{swizzle: 256B}]}", "shape.shared.regions[0].swizzle"),
    ("shared: {opt_in: 1}", "shape.shared.opt_in"),
    ("tmem: {allocations: [[64]]}", "shape.tmem.allocations[0]"),
    ("mma: [{kind: fp16}]", "shape.mma[0].kind"),
    ("tma: [{dtype: bf61}]", "shape.tma[0].dtype"),
    ("tma: [{swizzle: 64B_ATOM_32B}]", "shape.tma[0].swizzle"),
    ("tma: [{oob_fill: inf}]", "shape.tma[0].oob_fill"),
    ("tma: [{element_strides: [1, -1]}]", "shape.tma[0].element_strides[1]"),
]


@pytest.mark.parametrize(("shape", "path"), PROBLEMS)
def test_what_cannot_be_read_is_named_where_it_stands(shape: str, path: str) -> None:
    (problems,) = read(f"kernel: launch\nshape: {{{shape}}}\n", "test.yaml")
    assert isinstance(problems, list)
    assert [problem.path for problem in problems] == [path]
    assert problems[0].line == 2


def test_every_problem_is_told_in_one_run() -> None:
    (problems,) = read("kernel: launch\nshape: {thread: 1, grid: x, mma: [{M: y}]}\n", "t.yaml")
    assert isinstance(problems, list)
    assert len(problems) == 3


def test_a_launch_has_no_release() -> None:
    (problems,) = read("kernel: launch\nrelease: 26.6\nshape: {threads: 1}\n", "t.yaml")
    assert isinstance(problems, list)
    assert "no release" in str(problems[0])


def test_schema_takes_what_the_reader_takes() -> None:
    import yaml
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

    schema = launch_schema.shape()
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for text in (ZEROS, *(shape for shape, *_ in (*ERRORS, *WARNINGS, *FINE))):
        assert list(validator.iter_errors(yaml.safe_load(f"{{{text}}}"))) == []
    for text, _ in PROBLEMS:
        assert list(validator.iter_errors(yaml.safe_load(f"{{{text}}}"))), text


REFUSED = [
    ("grid: [4], cluster: [1, 2]", "CLU003", "grid y of 1"),
    ("registers: {launch_bounds: [1024, 1], entry: 128}", "REG004", "cap is 64, 64 fewer"),
    ("registers: {maxnreg: 64, entry: 72}", "REG004", "under its maxnreg"),
    ("registers: {roles: [{warps: 40}]}", "BLK001", "1,280 threads"),
    ("registers: {launch_bounds: [2048, 1]}", "BLK001", "2,048 threads"),
    ("compiled: {smem: 300000}", "CHK009", "67,552 B (66.0 KiB) over"),
    (
        "threads: 256, blocks_per_sm: 2, compiled: {registers: 168}",
        "CHK001",
        "40 over the 128 it may have at entry; compile it with __launch_bounds__(256, 2)",
    ),
    (
        "threads: 256, registers: {launch_bounds: [256, 1], warpgroups: [24, 240]},"
        " blocks_per_sm: 2",
        "OCC001",
        "1 block per SM (limited by registers; shared memory not given), 2 wanted",
    ),
    (
        "tmem: {accumulators: [{name: a, N: 256}, {name: b, N: 512, alias_of: a}, {N: 256}]}",
        "TMEM002",
        "768 columns are needed",
    ),
    ("tmem: {accumulators: [{name: a, N: 8, alias_of: a}]}", "TMEM002", "the columns of itself"),
    ("tmem: {accumulators: [{N: 8, alias_of: x}]}", "TMEM002", "x, which is no accumulator"),
    (
        "shared: {regions: [{name: a, alias_of: b}, {name: b, alias_of: a}]}",
        "SMEM006",
        "in the end its own",
    ),
    ("tmem: {allocations: [384, 4, 4, 4]}", "TMEM002", "512 + 32 + 32 + 32, rounded up"),
    (
        "registers: {warpgroups: [40], roles: [{warps: 4, count: 48}]}",
        "SMR009",
        "where `warpgroups` says 40",
    ),
    (
        "registers: {roles: [{warps: 4, first: 0}, {warps: 4, first: 2}]}",
        "BLK005",
        "role 0 ends with warp 3; start it at warp 4",
    ),
    (
        "threads: 256, registers: {roles: [{warps: 4}, {warps: 4, first: 100}]}",
        "BLK005",
        "warps up to 103",
    ),
    ("tma: [{dims: [64, 8], strides: [128, 1024]}]", "TMA006", "rank 2 and 2 strides"),
    ("tma: [{element_bytes: 3}]", "TMA002", "1, 2, 4 or 8 bytes"),
    ("tma: [{element_bytes: 2, dtype: f32}]", "TMA002", "f32 has 32 bits"),
    ("tma: [{dims: [33], dtype: 16U4_ALIGN8B}]", "TMA007", "pad it to 34"),
    ("shared: {base_align: 100}", "SMEM009", "no power of two; use 64 or 128"),
]


@pytest.mark.parametrize(("shape", "rule", "says"), REFUSED)
def test_what_cannot_be_is_refused(shape: str, rule: str, says: str) -> None:
    errors = [found for found in launch(shape) if found.severity == "error"]
    assert says in " | ".join(found.message for found in errors if found.rule == rule)


WARNED = [
    ("threads: 128, registers: {launch_bounds: [2048]}", "BLK001", "write the block's own 128"),
    (
        "registers: {roles: [{warps: 2, count: 40}, {warps: 2}]}",
        "SMR006",
        "different counts, 40 and none: undefined",
    ),
    ("blocks_per_sm: 2, tmem: {columns: 512}", "TMEM004", "waits in alloc"),
    ("blocks_per_sm: 2, tmem: {accumulators: [{N: 512}]}", "TMEM004", "waits in alloc"),
    ("compiled: {spill_loads: 4}", "CHK002", "loads 4 B"),
    (
        "named_barriers: [{id: 1, participants: 128}, {id: 1, participants: 64}]",
        "BAR002",
        "for 128 threads and for 64",
    ),
    ("shared: {dynamic: 9, regions: [{name: a}, {name: a}]}", "SMEM006", "have one name, a"),
]


@pytest.mark.parametrize(("shape", "rule", "says"), WARNED)
def test_what_may_go_wrong_is_warned_of(shape: str, rule: str, says: str) -> None:
    found = launch(shape)
    assert worst(found) == "warning"
    assert says in " | ".join(each.message for each in found if each.rule == rule)


ONE_MISTAKE = [
    ("threads: 1056", {"BLK001"}),
    ("threads: 128, shared: {dynamic: 233472}", {"SMEM001"}),
    ("threads: 512, registers: {maxnreg: 168, warpgroups: [168, 168, 168, 168]}", {"REG002"}),
    ("threads: 1024, registers: {maxnreg: 128}", set()),
    ("shared: {dynamic: 100, regions: [{bytes: 200}]}", {"SMEM006"}),
    ("tmem: {allocations: [513]}", {"TMEM001"}),
    ("compiled: {target: b200}", set()),
    ("threads: 128, blocks_per_sm: 2, shared: {dynamic: 116000}", {"SMEM004"}),
    ("threads: 128, blocks_per_sm: 2, shared: {dynamic: 300000}", {"SMEM001"}),
    ("threads: 128, blocks_per_sm: 2, shared: {dynamic: 61440, carveout: 100}", {"SMEM005"}),
    ("threads: 128, shared: {dynamic: 49153, opt_in: false}", {"SMEM002"}),
    ("threads: 128, blocks_per_sm: 8, named_barriers: [15]", {"BAR003"}),
    ("threads: 128, blocks_per_sm: 2, named_barriers: [16]", {"BAR001"}),
    ("threads: 128, blocks_per_sm: 2, tmem: {allocations: [512]}", {"TMEM004"}),
    ("threads: 384, blocks_per_sm: 2, registers: {entry: 168}", {"OCC001"}),
    ("threads: 384, blocks_per_sm: 2, registers: {entry: 88, maxnreg: 88}", {"OCC001"}),
    ("threads: 384, registers: {entry: 168, launch_bounds: [384, 2]}", {"REG004"}),
    ("threads: 1024, registers: {launch_bounds: [1024, 3]}", {"REG005"}),
    ("threads: 32, registers: {launch_bounds: [32, 33]}", {"REG005"}),
    ("threads: 1024, blocks_per_sm: 3, registers: {launch_bounds: [1024, 2]}", {"OCC001"}),
    ("threads: 1024, blocks_per_sm: 3", {"OCC001"}),
    ("tma: [{dims: [100, 3, 5], dtype: f16}]", {"TMA004"}),
]


@pytest.mark.parametrize(("shape", "rules"), ONE_MISTAKE)
def test_one_mistake_is_told_once(shape: str, rules: set[str]) -> None:
    found = [each for each in launch(shape) if each.severity != "info"]
    assert {each.rule for each in found} == rules


ADVICE = [
    ("block: [1025, 1, 1]", "BLK002", "use at most 1,024"),
    ("threads: 1025", "BLK003", "use 1,024"),
    ("threads: 256, registers: {launch_bounds: [128, 1]}", "BLK001", "__launch_bounds__(256, 1)"),
    (
        "threads: 256, registers: {launch_bounds: [128, 1, 4]}",
        "BLK001",
        "__launch_bounds__(256, 1, 4)",
    ),
    ("threads: 96, named_barriers: [{participants: 100}]", "BAR002", "use 96"),
    ("cluster: [3, 3], mma: [{kind: f16, cta_group: 2}]", "CLU004", "use a cluster of 8"),
    ("cluster: [15], grid: [15], mma: [{kind: f16, cta_group: 2}]", "CLU004", "a grid x of 16"),
    ("tma: [{box: [257, 8], dtype: uint8}]", "TMA001", "make it 2 copies of 144"),
    ("tma: [{box: [257, 8], dtype: uint8}]", "TMA002", "use 256 elements"),
    ("tma: [{box: [128], dtype: 16U6_ALIGN16B, swizzle: 64B}]", "TMA003", "use the 128B swizzle"),
    (
        "tma: [{box: [512], dtype: 16U6_ALIGN16B, swizzle: 64B}]",
        "TMA001",
        "make it 4 copies of 128",
    ),
    ("tma: [{box: [256], dtype: 16U6_ALIGN16B, swizzle: 64B}]", "TMA003", "and 128 elements"),
    ("tma: [{box: [0, 64], dtype: fp8}]", "TMA001", "use 16"),
    ("tma: [{box: [64, 300], element_strides: [1, 7]}]", "TMA001", "make it 2 copies of 154"),
    ("tma: [{box: [256, 256], dtype: f32}]", "TMA008", "2 copies with a box of [256, 128]"),
    (
        "tma: [{box: [300, 256, 256], dtype: uint8, swizzle: 64B}]",
        "TMA008",
        "make it 95 copies with a box of [64, 256, 14]",
    ),
    ("tma: [{dims: [100, 3, 5], dtype: f16}]", "TMA004", "pad it to 208 B"),
    ("tma: [{address: 8, swizzle: 64B}]", "TMA005", "move it up by 120 B"),
    ("tma: [{dims: [8589934593]}]", "TMA006", "split it into 3 tensors of 2,863,311,531"),
    ("compiled: {target: sm_90a}", "CHK006", "compile for sm_100a, or say `target: sm_90a`"),
    (
        "shared: {regions: [{bytes: 512}, {bytes: 8, swizzle: 128B}, {offset: 1024, bytes: 8}]}",
        "SMEM008",
        "put it at 2,048 B",
    ),
    ("shared: {regions: [{bytes: 8}, {offset: 0, bytes: 8}]}", "SMEM006", "start it at 8 B"),
    (
        "threads: 1024, blocks_per_sm: 4, shared: {dynamic: 100000}",
        "OCC001",
        "want 2 or use at most 512 threads and at most 57,344 B (56.0 KiB) of shared memory",
    ),
]


@pytest.mark.parametrize(("shape", "rule", "fix"), ADVICE)
def test_advice_is_what_works(shape: str, rule: str, fix: str) -> None:
    assert fix in " | ".join(each.fix for each in launch(shape) if each.rule == rule)


@pytest.mark.parametrize("depth", [256, 320, 512])
def test_refusal_names_tensor_memory_and_no_count_below_zero(depth: int) -> None:
    shape = (
        f"qkv_dtype: bf16, num_q_heads: 32, group: 4, qk_depth: {depth}, ov_depth: {depth},"
        " swizzle_mode: 128B, page_size: 0, is_mla: false"
    )
    errors = judged(f"{{kernel: fa4, shape: {{{shape}}}}}")
    assert f"of 512 columns of tensor memory, s_budget_cols is 0, o_budget_cols is {depth}" in (
        " | ".join(found.message for found in errors)
    )
    placed = [found.message for found in errors if found.rule in ("PIPE001", "CFG002")]
    assert not [message for message in placed if re.search(r"(^|\s)-\d", message)]


def test_refusal_leaves_out_the_columns_of_what_is_only_weighed() -> None:
    shape = (
        "qkv_dtype: bf16, rope_gmem_dtype: bf16, rope_mma_dtype: bf16, num_q_heads: 64, group: 1,"
        " depth: 256, v_depth: 256, page_size: 128, num_q: 2"
    )
    errors = judged(f"{{kernel: mla_prefill, release: 26.7, shape: {{{shape}}}}}")
    (message,) = [found.message for found in errors if "columns of tensor memory" in found.message]
    columns = "fa4_config.s_budget_cols is 0, fa4_config.o_budget_cols is 256"
    assert f"of 512 columns of tensor memory, {columns}; " in message


def test_barriers_of_a_build_count_where_they_are_more() -> None:
    for barriers, blocks in ((16, 4), (2, 32)):
        shape = f"threads: 32, named_barriers: [1], compiled: {{barriers: {barriers}}}"
        (found,) = [each for each in launch(shape) if each.rule == "OCC001"]
        assert found.value == blocks
        assert ("limited by named barriers" in found.message) == (barriers == 16)
