"""Every rule finds what its page says, at the limit and one past it, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kcfg.core import rules as registry
from kcfg.core.errors import UnknownError
from kcfg.core.finding import Finding
from kcfg.core.findings import findings
from kcfg.core.rules import Breach, Rule, find, not_judged, rule, rules
from kcfg.core.spec import Spec, read


def judged(text: str) -> list[Finding]:
    """The findings of a spec; ``kernel: launch`` and the outer mapping may be left out."""
    if not text.startswith("{"):
        text = f"{{{text}}}" if text.startswith("shape:") else f"{{shape: {{{text}}}}}"
    if "kernel:" not in text:
        text = text.replace("{", "{kernel: launch, ", 1)
    (spec,) = read(text, "test.yaml")
    assert isinstance(spec, Spec), [str(problem) for problem in spec]
    return findings(spec.derive())


def of(id: str, text: str) -> list[Finding]:
    return [finding for finding in judged(text) if finding.rule == id]


# Pages


@pytest.mark.parametrize("each", rules(), ids=lambda each: each.id)
def test_page_fails_and_passes_as_it_says(each: Rule) -> None:
    failing = of(each.id, each.fails)
    assert failing
    wrong = {finding.severity for finding in failing}
    assert not [finding for finding in of(each.id, each.passes) if finding.severity in wrong]


@pytest.mark.parametrize("each", rules(), ids=lambda each: each.id)
def test_page_has_its_sections(each: Rule) -> None:
    title, why, *_ = each.page.split("\n\n")
    assert title.endswith(".") and "\n" not in title
    assert len(why) > 40 and not why.startswith("Fails")
    assert each.page.endswith(f".\n\nReference: {each.source}.")
    assert "\n\nEvidence: " in each.page


# At the limit, and one past it

EDGES = [
    ("BLK001", "threads: 1025", "threads: 1024", "1 over the 1,024"),
    ("BLK001", "threads: 0", "threads: 1", "0 threads"),
    (
        "BLK001",
        "threads: 160, registers: {launch_bounds: [128, 1]}",
        "threads: 128, registers: {launch_bounds: [128, 1]}",
        "32 over the 128 of its launch bounds",
    ),
    ("BLK002", "block: [1, 1, 65]", "block: [1, 1, 64]", "block z is 65"),
    ("BLK002", "threads: 64, block: [32]", "threads: 32, block: [32, 1, 1]", "32 threads"),
    ("BLK003", "threads: 33", "threads: 64", "2 warps, 31 lanes"),
    (
        "BLK004",
        "threads: 128, unit: wgmma, registers: {roles: [{warps: 4, first: 2}]}",
        "threads: 128, unit: wgmma, registers: {roles: [{warps: 4, first: 4}]}",
        "starts at warp 2",
    ),
    (
        "BLK005",
        "threads: 256, registers: {warpgroups: [40, 232, 232]}",
        "threads: 384, registers: {warpgroups: [40, 232, 232]}",
        "384 threads, the block has 256",
    ),
    ("GRD001", "grid: [2147483648]", "grid: [2147483647, 65535, 65535]", "grid x"),
    ("GRD001", "grid: [1, 1, 65536]", "grid: [1, 1, 65535]", "put the long dimension in x"),
    (
        "GRD002",
        "{target: h200, shape: {cooperative: true, grid: [133, 4], threads: 512}}",
        "{target: h200, shape: {cooperative: true, grid: [132, 4], threads: 512}}",
        "532 blocks is 4 over what is resident at once: 132 SMs hold 528 blocks, 4 each",
    ),
    (
        "GRD002",
        "{target: h200, shape: {cooperative: true, grid: [124], cluster: [4], threads: 1024,"
        " registers: {entry: 64}, active_clusters: 30}}",
        "{target: h200, shape: {cooperative: true, grid: [120], cluster: [4], threads: 1024,"
        " registers: {entry: 64}, active_clusters: 30}}",
        "30 clusters of 4 are 120 blocks; use at most 120",
    ),
    (
        "BLK006",
        "threads: 96, block_size: [64]",
        "threads: 64, block_size: [64, 1, 1]",
        "launch 64",
    ),
    (
        "CLU005",
        "cluster: [3, 3], non_portable: true, registers: {launch_bounds: [256, 1, 8]}",
        "cluster: [2, 4], registers: {launch_bounds: [256, 1, 8]}",
        "1 over the 8 of its launch bounds",
    ),
    (
        "CLU006",
        "cluster: [2, 2], cluster_attribute: [4]",
        "cluster: [2], cluster_attribute: [2, 1]",
        "a cluster of 4, the kernel is compiled for 2 x 2",
    ),
    ("CLU001", "cluster: [17], non_portable: true", "cluster: [16], non_portable: true", "1 over"),
    ("CLU001", "cluster: [9], non_portable: false", "cluster: [8], non_portable: false", "1 over"),
    ("CLU002", "cluster: [3, 3]", "cluster: [2, 4]", "1 over the portable 8"),
    ("CLU003", "grid: [8, 3], cluster: [4, 2]", "grid: [8, 4], cluster: [4, 2]", "grid y of 3"),
    (
        "CLU004",
        "cluster: [3], tmem: {allocations: [{columns: 64, cta_group: 2}]}",
        "cluster: [4], tmem: {allocations: [{columns: 64, cta_group: 2}]}",
        "here 3; use a cluster of 4",
    ),
    ("REG001", "registers: {maxnreg: 256}", "registers: {maxnreg: 255}", "use 255"),
    (
        "REG002",
        "threads: 512, registers: {entry: 129}",
        "threads: 512, registers: {entry: 128}",
        "allocated as 136",
    ),
    ("REG003", "registers: {entry: 254}", "registers: {entry: 255}", "allocated as 256"),
    (
        "REG004",
        "threads: 256, registers: {launch_bounds: [256, 2], entry: 129}",
        "threads: 256, registers: {launch_bounds: [256, 2], entry: 128}",
        "2 blocks per SM the compiler's cap is 128, 1 fewer",
    ),
    (
        "REG004",
        "threads: 256, blocks_per_sm: 5, registers: {launch_bounds: [256, 5], entry: 64}",
        "threads: 256, blocks_per_sm: 5, registers: {entry: 64}",
        "at 256 threads and 5 blocks per SM the compiler's cap is 48",
    ),
    (
        "REG004",
        "threads: 128, registers: {entry: 176, launch_bounds: [384, 1]}",
        "threads: 128, registers: {entry: 168, launch_bounds: [384, 1]}",
        "at 384 threads the compiler's cap is 168",
    ),
    (
        "REG005",
        "registers: {launch_bounds: [32, 33]}",
        "registers: {launch_bounds: [32, 32]}",
        "at most 32 blocks, 33 are asked for",
    ),
    ("REG007", "registers: {maxnreg: 23}", "registers: {maxnreg: 24}", "raised to 24, 1 more"),
    ("SMR001", "registers: {warpgroups: [16]}", "registers: {warpgroups: [24]}", "8 below"),
    ("SMR001", "registers: {warpgroups: [264]}", "registers: {warpgroups: [256]}", "8 over"),
    ("SMR001", "registers: {roles: [{count: 25}]}", "registers: {roles: [{count: 32}]}", "24 or"),
    (
        "SMR002",
        "threads: 256, registers: {roles: [{warps: 4, count: 264}, {warps: 4, count: 256}],"
        " entry: 255}",
        "threads: 256, registers: {roles: [{warps: 4, count: 256}, {warps: 4, count: 256}],"
        " entry: 255}",
        "",
    ),
    (
        "SMR003",
        "registers: {entry: 168, roles: [{count: 160, direction: inc}]}",
        "registers: {entry: 168, roles: [{count: 168, direction: inc}]}",
        "inc to 160 from 168",
    ),
    (
        "SMR004",
        "registers: {launch_bounds: 384, roles: [{count: 40}]}",
        "registers: {launch_bounds: 384, maxnreg: 168, roles: [{count: 40}]}",
        "__launch_bounds__(384, 1)",
    ),
    (
        "SMR005",
        "registers: {debug: true, warpgroups: [40]}",
        "registers: {debug: true, warpgroups: [{}]}",
        "-G",
    ),
    (
        "SMR006",
        "registers: {roles: [{first: 6, warps: 4, count: 40}, {first: 10, warps: 2, count: 48}]}",
        "registers: {roles: [{first: 4, warps: 4, count: 40}, {first: 8, warps: 2, count: 48}]}",
        "warps 8 to 11",
    ),
    (
        "SMR007",
        "threads: 384, registers: {entry: 168, warpgroups: [32, 232, 232]}",
        "threads: 384, registers: {entry: 168, warpgroups: [40, 232, 232]}",
        "496 of the pool's 504",
    ),
    (
        "SMR008",
        "{target: sm_110, shape: {registers: {warpgroups: [40]}}}",
        "{target: sm_100f, shape: {registers: {warpgroups: [40]}}}",
        "",
    ),
    ("SMEM001", "shared: {static: 16, dynamic: 232433}", "shared: {dynamic: 232448}", "1 B over"),
    (
        "SMEM001",
        "shared: {static: 40, dynamic: 231425, base_align: 1024}",
        "shared: {static: 40, dynamic: 231424, base_align: 1024}",
        "(1,024 B (1.0 KiB) static: 40 B padded to the 1,024 B (1.0 KiB) of the dynamic array), 1",
    ),
    (
        "SMEM001",
        "shared: {static: 230000, base_align: 2048, dynamic: 1025}",
        "shared: {static: 229376, base_align: 2048, dynamic: 1025}",
        "1 B over",
    ),
    (
        "SMEM001",
        "pipelines: [{stages: 5, stage_bytes: 49152}]",
        "pipelines: [{stages: 4, stage_bytes: 49152}]",
        "4 stages fit",
    ),
    (
        "SMEM001",
        "pipelines: [{stages: 4, stage_bytes: 49152}, {fixed_bytes: 35841}]",
        "pipelines: [{stages: 4, stage_bytes: 49152}, {fixed_bytes: 35840}]",
        "1 B over",
    ),
    (
        "SMEM002",
        "shared: {static: 1, dynamic: 49152}",
        "shared: {static: 0, dynamic: 49152}",
        "1 B over",
    ),
    (
        "SMEM002",
        "shared: {static: 40, dynamic: 48129, base_align: 1024}",
        "shared: {static: 40, dynamic: 48128, base_align: 1024}",
        "1 B over",
    ),
    (
        "SMEM003",
        "{target: sm_100f, shape: {shared: {static: 49153}}}",
        "{target: sm_100f, shape: {shared: {static: 49152}}}",
        "make it dynamic",
    ),
    (
        "SMEM004",
        "blocks_per_sm: 3, shared: {dynamic: 76801}",
        "blocks_per_sm: 3, shared: {dynamic: 76800}",
        "1 B over",
    ),
    (
        "SMEM004",
        "blocks_per_sm: 2, shared: {static: 1, dynamic: 115585, base_align: 128}",
        "blocks_per_sm: 2, shared: {static: 1, dynamic: 115584, base_align: 128}",
        "1 B over",
    ),
    (
        "SMEM004",
        "blocks_per_sm: 2, registers: {launch_bounds: [128, 3]}, shared: {dynamic: 76801}",
        "blocks_per_sm: 2, registers: {launch_bounds: [128, 2]}, shared: {dynamic: 76801}",
        "3 blocks share an SM",
    ),
    (
        "SMEM005",
        "registers: {launch_bounds: [128, 2]}, shared: {carveout: 64, dynamic: 31745}",
        "registers: {launch_bounds: [128, 1]}, shared: {carveout: 64, dynamic: 31745}",
        "1 block of the 2 wanted",
    ),
    (
        "SMEM005",
        "shared: {carveout: 229, dynamic: 1024}",
        "shared: {carveout: 228, dynamic: 1024}",
        "1 KiB over what an SM has; choose 228 KiB",
    ),
    (
        "SMEM005",
        "blocks_per_sm: 2, shared: {carveout: 64, dynamic: 31745}",
        "blocks_per_sm: 2, shared: {carveout: 64, dynamic: 31744}",
        "choose 100 KiB",
    ),
    (
        "SMEM005",
        "blocks_per_sm: 2, shared: {carveout_percent: 28, dynamic: 40000}",
        "blocks_per_sm: 2, shared: {carveout_percent: 43, dynamic: 40000}",
        "choose 100 KiB, 43 percent",
    ),
    (
        "SMEM006",
        "shared: {dynamic: 127, regions: [{bytes: 128}]}",
        "shared: {dynamic: 128, regions: [{bytes: 128}]}",
        "1 B past",
    ),
    (
        "SMEM006",
        "shared: {regions: [{name: a, bytes: 128}, {offset: 0, bytes: 64, alias_of: c}]}",
        "shared: {regions: [{name: a, bytes: 128}, {offset: 0, bytes: 64, alias_of: a}]}",
        "no region; name one of a",
    ),
    (
        "SMEM006",
        "shared: {regions: [{name: a, bytes: 16}, {name: a, bytes: 8}, {bytes: 8, alias_of: a}]}",
        "shared: {regions: [{name: a, bytes: 16}, {name: b, bytes: 8}, {bytes: 8, alias_of: a}]}",
        "shares the bytes of a, the name of 2; give each region its own name",
    ),
    (
        "SMEM007",
        "shared: {regions: [{offset: 12, bytes: 8, mbarriers: true}]}",
        "shared: {regions: [{offset: 8, bytes: 8, mbarriers: true}]}",
        "4 B past",
    ),
    (
        "SMEM007",
        "shared: {regions: [{offset: 8, bytes: 8, descriptor: true}]}",
        "shared: {regions: [{offset: 8, bytes: 8}, {bytes: 8, bulk: true}]}",
        "put it at 0 B or 16 B",
    ),
    (
        "SMEM008",
        "shared: {regions: [{offset: 256, bytes: 8, swizzle: 64B}]}",
        "shared: {regions: [{offset: 256, bytes: 8, swizzle: 32B}]}",
        "512 B",
    ),
    (
        "SMEM009",
        "shared: {dynamic: 1135, regions: [{bytes: 1024, tma: true}]}",
        "shared: {dynamic: 1136, regions: [{bytes: 1024, tma: true}]}",
        "111 B is spare",
    ),
    (
        "SMEM009",
        "shared: {dynamic: 16, base_align: 2048}",
        "shared: {dynamic: 16, base_align: 1024}",
        "2,048 B (2.0 KiB), of which 1,024 B (1.0 KiB) is kept",
    ),
    (
        "SMEM009",
        "shared: {static: 40, dynamic: 232000, regions: [{bytes: 232000, align: 1024}]}",
        "shared: {static: 40, dynamic: 231424, base_align: 1024, regions: [{bytes: 231424,"
        " align: 1024}]}",
        "take out 576 B and declare the alignment on the array",
    ),
    (
        "SMEM009",  # what is declared takes nothing where no static memory is padded to it
        "shared: {dynamic: 232448, regions: [{bytes: 232448, align: 1024}]}",
        "shared: {dynamic: 232448, base_align: 1024, regions: [{bytes: 232448, align: 1024}]}",
        "; declare the alignment on the array; to move the base, no room is left",
    ),
    (
        "CHK011",  # Triton tells threads as one number, whatever the block's dimensions
        "block: [64, 4], compiled: {threads: 128}",
        "block: [64, 2], compiled: {threads: 128}",
        "just 128 threads, the configuration has 256",
    ),
    ("PIPE001", "pipelines: [{stages: 1, tma: true}]", "pipelines: [{stages: 1}]", "take turns"),
    (
        "PIPE002",
        "shared: {static: 448}, pipelines: [{stage_bytes: 232001}]",
        "shared: {static: 448}, pipelines: [{stage_bytes: 232000}]",
        "0 stages of pipeline 0 fit",
    ),
    (
        "PIPE002",
        "shared: {dynamic: 4095}, pipelines: [{stages: 2, stage_bytes: 2048}]",
        "shared: {dynamic: 4096}, pipelines: [{stages: 2, stage_bytes: 2048}]",
        "1 B over; 1 stage fits",
    ),
    (
        "PIPE002",
        "registers: {launch_bounds: [128, 2]}, pipelines: [{stage_bytes: 115713}]",
        "registers: {launch_bounds: [128, 2]}, pipelines: [{stage_bytes: 115712}]",
        "0 stages of pipeline 0 fit",
    ),
    (
        "PIPE003",
        "pipelines: [{stages: 3, barriers_per_stage: 1, barrier_bytes: 23}]",
        "pipelines: [{stages: 3, barriers_per_stage: 1, barrier_bytes: 24}]",
        "3 mbarriers, 24 B: 1 B over",
    ),
    (
        "PIPE004",
        "pipelines: [{expect_tx: 1048576}]",
        "pipelines: [{expect_tx: 1048575}]",
        "1 B over",
    ),
    (
        "PIPE004",
        "pipelines: [{expect_tx: 65, boxes: [32, 32]}]",
        "pipelines: [{expect_tx: 64, boxes: [32, 32]}]",
        "never ends",
    ),
    (
        "BAR002",
        "threads: 64, named_barriers: [{participants: 96}]",
        "threads: 96, named_barriers: [{participants: 96}]",
        "32 over the block's 64",
    ),
    (
        "BAR003",
        "{target: rtx_5090, shape: {blocks_per_sm: 4, named_barriers: [6]}}",
        "{target: b200, shape: {blocks_per_sm: 4, named_barriers: [6]}}",
        "leave 3 of the 4",
    ),
    (
        "BAR003",
        "registers: {launch_bounds: [32, 5]}, named_barriers: [0], compiled: {barriers: 16}",
        "registers: {launch_bounds: [32, 4]}, named_barriers: [0], compiled: {barriers: 16}",
        "16 named barriers per block leave 4 of the 5 wanted",
    ),
    (
        "TMA001",
        "tma: [{box: [300, 8], dtype: f16, swizzle: 128B}]",
        "tma: [{box: [64, 8], dtype: f16, swizzle: 128B}]",
        "44 over the most, 256; make it 5 copies of 64, the last of them 20 past the end",
    ),
    ("TMA001", "tma: [{box: [257]}]", "tma: [{box: [256]}]", "1 over"),
    ("TMA001", "tma: [{box: [0]}]", "tma: [{box: [1]}]", "the least is 1"),
    ("TMA002", "tma: [{box: [8], dtype: fp8}]", "tma: [{box: [16], dtype: fp8}]", "8 B past"),
    (
        "TMA003",
        "tma: [{box: [65, 8], element_bytes: 1, swizzle: 64B}]",
        "tma: [{box: [64, 8], element_bytes: 1, swizzle: 64B}]",
        "1 B over",
    ),
    (
        "TMA004",
        "tma: [{strides: [16], interleave: 32B}]",
        "tma: [{strides: [32], interleave: 32B}]",
        "multiple of 32 B",
    ),
    (
        "TMA004",
        "tma: [{strides: [1099511627776]}]",
        "tma: [{strides: [1099511627760]}]",
        "must be below",
    ),
    (
        "TMA002",
        "tma: [{box: [8, 8, 8], dtype: fp8, interleave: 16B}]",
        "tma: [{box: [16, 8, 8], dtype: fp8, interleave: 16B}]",
        "8 B past",
    ),
    (
        "TMA002",
        "tma: [{box: [33], dtype: 16U4_ALIGN8B}]",
        "tma: [{box: [32], dtype: 16U4_ALIGN8B}]",
        "is 16.5 B, 0.5 B past",
    ),
    (
        "TMA003",
        "tma: [{box: [72], dtype: bf16, swizzle: 128B_ATOM_64B}]",
        "tma: [{box: [72, 1, 1], dtype: bf16, swizzle: 128B_ATOM_64B, interleave: 16B}]",
        "16 B over its 128 B swizzle",
    ),
    (
        "TMA004",
        "tma: [{strides: [1099511627768]}]",
        "tma: [{strides: [0]}]",
        "to have at most 1,099,511,627,760 B",
    ),
    (
        "TMA005",
        "tma: [{address: 144115188075855872}]",
        "tma: [{address: 144115188075855856}]",
        "not below 144,115,188,075,855,872; use at most 144,115,188,075,855,856",
    ),
    (
        "TMA005",
        "tma: [{address: 144115188075855864}]",
        "tma: [{address: 0}]",
        "move it down by 8 B",
    ),
    (
        "TMA005",
        "tma: [{address: 64, swizzle: 128B}]",
        "tma: [{address: 128, swizzle: 128B}]",
        "guide asks for",
    ),
    ("TMA006", "tma: [{dims: [4294967297]}]", "tma: [{dims: [4294967296]}]", "4,294,967,296"),
    ("TMA006", "tma: [{dims: [64, 0]}]", "tma: [{dims: [64, 1]}]", "use at least 1"),
    (
        "TMA006",
        "tma: [{dims: [64, 8], element_strides: [1]}]",
        "tma: [{dims: [64, 8], element_strides: [1, 1]}]",
        "rank 2 and 1 element stride",
    ),
    (
        "TMA006",
        "tma: [{dims: [64, 64], interleave: 16B}]",
        "tma: [{dims: [64, 64, 1], interleave: 16B}]",
        "3 to 5",
    ),
    (
        "TMA007",
        "tma: [{dims: [192, 8], dtype: 16U4_ALIGN16B}]",
        "tma: [{dims: [128, 8], dtype: 16U4_ALIGN16B}]",
        "pad it to 256",
    ),
    (
        "TMA008",
        "tma: [{box: [256, 57, 16], dtype: uint8}, {box: [256, 58, 16], dtype: uint8}]",
        "tma: [{box: [256, 57, 16], dtype: uint8}]",
        "the box of tensor map 1 is 237,568 B (232.0 KiB), 4,096 B (4.0 KiB) over the 233,472 B",
    ),
    (
        "TMA008",
        "tma: [{box: [256, 256, 16], dtype: uint8, element_strides: [1, 2, 2]}]",
        "tma: [{box: [256, 256, 15], dtype: uint8, element_strides: [1, 2, 2]}]",
        "make it 2 copies with a box of [256, 256, 8]",
    ),
    (
        "TMA009",
        "tma: [{box: [8, 8], element_strides: [9, 1]}]",
        "tma: [{box: [8, 8], element_strides: [8, 1]}]",
        "element stride 0 of tensor map 0 is 9",
    ),
    ("TMA009", "tma: [{element_strides: [0]}]", "tma: [{element_strides: [1]}]", "use 1"),
    (
        "TMA010",
        "tma: [{dtype: uint16, oob_fill: nan}]",
        "tma: [{dtype: f16, oob_fill: nan}, {dtype: uint16, oob_fill: zero}]",
        "to the driver uint16 is no float",
    ),
    (
        "TMA011",
        "{target: h100, shape: {tma: [{dtype: 16U4_ALIGN8B}]}}",
        "{target: b300, shape: {tma: [{dtype: 16U4_ALIGN8B, swizzle: 32B}]}}",
        "compute capability 9.0 does not have; use uint8",
    ),
    (
        "TMA011",
        "tma: [{dtype: 16U4_ALIGN16B, swizzle: 128B_ATOM_64B}]",
        "tma: [{dtype: 16U6_ALIGN16B, swizzle: 128B_ATOM_64B}]",
        "it goes with NONE, 128B and 128B_ATOM_32B only",
    ),
    (
        "TMA011",
        "tma: [{dtype: 16U6_ALIGN16B, interleave: 16B}]",
        "tma: [{dtype: 16U4_ALIGN16B, interleave: 16B}]",
        "use NONE",
    ),
    (
        "BULK001",
        "bulk_copies: [{bytes: 16, destination: 8}]",
        "bulk_copies: [{bytes: 16, destination: 0}]",
        "destination",
    ),
    ("MMA001", "mma: [{kind: mxf4, M: 64}]", "mma: [{kind: mxf4, M: 128}]", "which has 128"),
    (
        "MMA001",
        "unit: wgmma, mma: [{kind: f16, M: 128}]",
        "unit: wgmma, mma: [{kind: f16, M: 64}]",
        "",
    ),
    ("MMA002", "mma: [{kind: i8, N: 40}]", "mma: [{kind: i8, N: 24}]", "use 32 or 48"),
    ("MMA002", "mma: [{kind: tf32, N: 264}]", "mma: [{kind: tf32, N: 256}]", "from 8 to 256"),
    (
        "MMA003",
        "mma: [{kind: f16, sparse: true, K: 48}]",
        "mma: [{kind: f16, sparse: true, K: 64}]",
        "multiple of 32",
    ),
    (
        "MMA003",
        "mma: [{kind: mxf4, cta_group: 2, M: 128, K: 96}]",
        "mma: [{kind: mxf4, cta_group: 2, M: 256, K: 96}]",
        "64 or 128",
    ),
    (
        "MMA004",
        "mma: [{kind: mxf8f6f4, cta_group: 2, M: 128, N: 64}]",
        "mma: [{kind: mxf8f6f4, cta_group: 2, M: 256, N: 64}]",
        "M 256",
    ),
    (
        "MMA005",
        "{target: sm_100f, shape: {mma: [{kind: mxf4nvf4}]}}",
        "{target: sm_100a, shape: {mma: [{kind: mxf4nvf4}]}}",
        "",
    ),
    (
        "MMA006",
        "{target: sm_103, shape: {unit: tcgen05, mma: [{kind: i8}]}}",
        "{target: sm_103a, shape: {unit: tcgen05, mma: [{kind: i8}]}}",
        "compile for sm_103a or sm_103f",
    ),
    (
        "MMA006",
        "{target: sm_100, shape: {tmem: {allocations: [64]}}}",
        "{target: sm_100f, shape: {tmem: {allocations: [64]}}}",
        "compile for sm_100a",
    ),
    (
        "MMA007",
        "mma: [{kind: f16, ws: true, N: 256, sparse: true}]",
        "mma: [{kind: f16, ws: true, N: 256}]",
        "64 and 128",
    ),
    (
        "MMA007",
        "mma: [{kind: f16, ws: true, cta_group: 2}]",
        "mma: [{kind: f16, ws: true, cta_group: 1}]",
        "one CTA",
    ),
    (
        "CFG002",
        "{kernel: fa4, release: 25.6, shape: {num_q_heads: 32, group: 4, depth: 2048,"
        " dtype_size: 2, swizzle_mode: NONE}}",
        "{kernel: fa4, release: 25.6, shape: {num_q_heads: 32, group: 4, depth: 128,"
        " dtype_size: 2, swizzle_mode: NONE}}",
        "tensor memory cannot be laid out: no room is left for S0; what else there is takes all of"
        " the 512 columns",
    ),
    ("TMEM001", "tmem: {allocations: [1024]}", "tmem: {allocations: [512]}", "512 fewer"),
    ("TMEM001", "tmem: {allocations: [16]}", "tmem: {allocations: [32]}", "allocate 32"),
    (
        "TMEM002",
        "tmem: {allocations: [32], regions: [{columns: 33}]}",
        "tmem: {allocations: [32], regions: [{columns: 32}]}",
        "33 columns are needed, 1 over the 32 allocated",
    ),
    (
        "TMEM002",
        "tmem: {allocations: [128], accumulators: [{M: 64, N: 129, ws: true}, {N: 65}]}",
        "tmem: {allocations: [128], accumulators: [{M: 64, N: 128, ws: true}, {N: 64}]}",
        "over the 128 allocated",
    ),
    (
        "TMEM002",
        "tmem: {accumulators: [{M: 64, N: 256}, {M: 64, N: 256}, {M: 128, N: 256}, {M: 64, N: 8}]}",
        "tmem: {accumulators: [{M: 64, N: 256}, {M: 64, N: 256}, {M: 128, N: 256}]}",
        "8 over",
    ),
    ("TMEM002", "tmem: {columns: 513}", "tmem: {columns: 512}", "1 over the 512"),
    (
        "TMEM002",
        "tmem: {accumulators: [{name: a, M: 128, N: 256}, {M: 128, N: 256}, {M: 64, N: 8}]}",
        "tmem: {accumulators: [{name: a, M: 128, N: 256}, {M: 128, N: 256}, {M: 64, N: 8,"
        " alias_of: a}]}",
        "8 over",
    ),
    ("TMEM003", "tmem: {columns: 257}", "tmem: {columns: 512}", "1 fewer would do with 256"),
    (
        "TMEM004",
        "blocks_per_sm: 3, tmem: {allocations: [256]}",
        "blocks_per_sm: 2, tmem: {allocations: [256]}",
        "2 can hold theirs",
    ),
    (
        "TMEM004",
        "registers: {launch_bounds: [256, 2]}, tmem: {allocations: [512]}",
        "registers: {launch_bounds: [256, 1]}, tmem: {allocations: [512]}",
        "2 blocks of 512 columns need 512 more",
    ),
    (
        "TMEM005",
        "tmem: {allocations: [64, {columns: 32, after_relinquish: true}]}",
        "tmem: {allocations: [64, 32]}",
        "after relinquish_alloc_permit",
    ),
    (
        "OCC001",
        "threads: 1024, blocks_per_sm: 3",
        "threads: 1024, blocks_per_sm: 2",
        "limited by warps",
    ),
    (
        "OCC001",
        "threads: 384, blocks_per_sm: 2, registers: {entry: 168, launch_bounds: [384, 1]}",
        "threads: 384, blocks_per_sm: 1, registers: {entry: 168, launch_bounds: [384, 1]}",
        "1 block per SM (limited by registers; shared memory not given), 2 wanted; want 1 or",
    ),
    (
        "CHK004",
        "shared: {static: 40, dynamic: 64, base_align: 1024}, compiled: {smem: 40}",
        "shared: {static: 40, dynamic: 64, base_align: 1024}, compiled: {shared: 2048}",
        "984 B under the 1,024 B (1.0 KiB) of the configuration: 40 B padded",
    ),
    (
        "CHK004",
        "shared: {static: 40, dynamic: 64}, compiled: {smem: 1024}",
        "shared: {static: 40, dynamic: 64}, compiled: {smem: 48}",
        "say `base_align: 1024`",
    ),
    (
        "CHK009",
        "shared: {dynamic: 232433}, compiled: {smem: 16}",
        "shared: {dynamic: 232433}, compiled: {smem: 15}",
        "at most 15 B may be static",
    ),
    (
        "CHK009",
        "shared: {dynamic: 231425, base_align: 1024}, compiled: {smem: 40}",
        "shared: {dynamic: 231424, base_align: 1024}, compiled: {smem: 40}",
        "40 B of static shared memory, padded to 1,024 B (1.0 KiB)",
    ),
    ("OCC002", "shared: {carveout_percent: 102}", "shared: {carveout_percent: 100}", "use 100"),
    (
        "OCC002",
        "shared: {carveout_percent: -2}",
        "shared: {carveout_percent: -1}",
        "the driver takes 0 to 100, and -1 for no preference",
    ),
    (
        "OCC002",
        "shared: {carveout_percent: 58, carveout: 132}",
        "shared: {carveout_percent: 57, carveout: 132}",
        "58 percent is 164 KiB",
    ),
]


@pytest.mark.parametrize(("id", "fails", "passes", "says"), EDGES, ids=lambda value: value[:60])
def test_at_the_limit_and_past_it(id: str, fails: str, passes: str, says: str) -> None:
    failing = of(id, fails)
    assert failing
    assert says in " | ".join(finding.message for finding in failing)
    wrong = {finding.severity for finding in failing}
    assert not [finding for finding in of(id, passes) if finding.severity in wrong]


# Figures of a finding


CASES = [*((each.id, each.fails) for each in rules()), *((id, fails) for id, fails, *_ in EDGES)]

PADDED = {"CHK009"}
"""Rules whose ``over`` counts what is padded, too."""

BY_THE_LANE = {"SMR007"}
"""Rules whose sentence counts registers by the lane, their figures all of them."""


@pytest.mark.parametrize(("id", "text"), CASES, ids=lambda value: value[:60])
def test_figures_agree_with_each_other_and_with_the_sentence(id: str, text: str) -> None:
    for finding in of(id, text):
        value, limit, over = finding.value, finding.limit, finding.over
        if type(limit) is not int:
            continue
        if limit and id not in BY_THE_LANE:
            assert re.search(rf"(?<![\d,]){limit:,}(?!,?\d)", finding.message)
        if type(value) is int and over is not None and id not in PADDED:
            past_a_multiple = value % limit if limit else None
            assert over in (abs(value - limit), max(value - limit, 0), past_a_multiple)


# Severities: those of every rule, and those that depend on the case


KEPT = {
    "error": "BAR001 BAR002 BLK001 BLK002 BLK004 BLK005 BLK006 BULK001 CFG001 CFG002 CHK001 CHK003"
    " CHK004 CHK006 CHK008 CHK009 CHK010 CLU001 CLU003 CLU004 CLU005 CLU006 GRD001 GRD002 MMA001"
    " MMA002 MMA003 MMA005 MMA006 MMA007 OCC002 PIPE001 PIPE003 PIPE004 REG001 REG002 REG004 REG006"
    " SMEM001 SMEM003 SMEM004 SMEM006 SMEM007 SMEM008 SMR001 SMR002 SMR003 SMR004 SMR008 TMA001"
    " TMA002 TMA003 TMA004 TMA005 TMA006 TMA007 TMA008 TMA009 TMA010 TMA011 TMEM001 TMEM002 TMEM005"
    " TMEM006",
    "warning": "BAR003 BLK003 CFG003 CFG005 CHK002 CHK005 CLU002 MMA004 REG005 REG007 SMEM005"
    " SMEM009 SMR005 TMEM004",
    "info": "CFG004 CHK007 OCC001 PIPE002 REG003 SMEM002 SMR007 TMEM003",
}
"""What people's exit codes rest on. A new rule need not be here."""


@pytest.mark.parametrize("severity", KEPT)
def test_a_rule_keeps_its_severity(severity: str) -> None:
    assert [id for id in KEPT[severity].split() if find(id).severity != severity] == []


SEVERITIES = [
    (
        "CHK003",
        "shape: {compiled: {setmaxnreg_ignored: 'C7508, in 1 of 2 kernels here, the log does not"
        " say which'}}",
        "warning",
    ),
    (
        "CHK012",
        "shape: {threads: 128, registers: {launch_bounds: [128]}, compiled: {max_threads: 256}}",
        "warning",
    ),
    ("SMEM001", "shared: {static: 1, dynamic: 232440}", "warning"),
    ("SMEM002", "shared: {static: 1, dynamic: 49145, opt_in: false}", "warning"),
    ("SMEM004", "blocks_per_sm: 2, shared: {static: 1, dynamic: 115705}", "warning"),
    ("CHK001", "registers: {entry: 168}, compiled: {registers: 160}", "warning"),
    (
        "CHK019",
        "registers: {warpgroups: [64, 232]}, compiled: {setmaxnreg: [24, 64, 232]}",
        "warning",
    ),
    (
        "CHK018",
        "cluster: [2], registers: {launch_bounds: [128, 1, 2]}, compiled: {max_cluster: 4}",
        "warning",
    ),
    ("GRD002", "cooperative: true, grid: [4], cluster: [2], block: [128]", "info"),
    ("SMEM002", "shared: {dynamic: 100000, opt_in: false}", "error"),
    ("SMEM002", "shared: {dynamic: 100000}", "info"),
    ("SMEM003", "{target: sm_100, shape: {shared: {static: 65536}}}", "error"),
    ("SMEM003", "{target: sm_100a, shape: {shared: {static: 65536}}}", "warning"),
    ("SMEM003", "{target: b200, shape: {shared: {static: 65536}}}", "warning"),
    ("SMEM008", "shared: {regions: [{offset: 128, bytes: 8, swizzle: 128B}]}", "error"),
    (
        "SMEM008",
        "shared: {regions: [{offset: 128, bytes: 8, swizzle: 128B, base_offset: true}]}",
        "warning",
    ),
    ("PIPE001", "pipelines: [{stages: 0}]", "error"),
    ("PIPE001", "pipelines: [{stages: 1, tma: true}]", "warning"),
    ("TMA005", "tma: [{address: 8, swizzle: 128B}]", "error"),
    ("TMA005", "tma: [{address: 16, swizzle: 128B}]", "info"),
    ("OCC001", "threads: 128", "info"),
    ("CLU001", "cluster: [16], non_portable: false", "error"),
    ("CLU002", "cluster: [16]", "warning"),
]


@pytest.mark.parametrize(("id", "text", "severity"), SEVERITIES)
def test_severity(id: str, text: str, severity: str) -> None:
    assert [finding.severity for finding in of(id, text)] == [severity]


# Findings


def test_finding_has_figures_path_and_fix() -> None:
    (found,) = of("SMEM001", "shared: {static: 16, dynamic: 232433}")
    assert (found.path, found.value, found.limit, found.over, found.unit) == (
        "shape.shared.dynamic",
        232449,
        232448,
        1,
        "bytes",
    )
    assert found.fix == "take out 1 B"
    assert found.message.endswith(f"; {found.fix}")
    assert "232,449 B (227.0 KiB)" in found.message
    assert found.to_json()["line"] is None


@pytest.mark.parametrize(
    ("id", "text", "path"),
    [
        ("SMR001", "registers: {warpgroups: [40, 236]}", "shape.registers.warpgroups[1]"),
        ("BAR001", "named_barriers: [1, {id: 16}]", "shape.named_barriers[1].id"),
        (
            "OCC001",
            "threads: 1024, registers: {launch_bounds: [1024, 3]}",
            "shape.registers.launch_bounds[1]",
        ),
        (
            "OCC001",
            "threads: 1024, blocks_per_sm: 3, registers: {launch_bounds: [1024, 2]}",
            "shape.blocks_per_sm",
        ),
        ("OCC001", "threads: 32, compiled: {barriers: 16}", "shape.compiled.barriers"),
        ("TMA001", "tma: [{box: [8, 300]}]", "shape.tma[0].box[1]"),
        (
            "SMEM007",
            "shared: {regions: [{offset: 8, tma: true}]}",
            "shape.shared.regions[0].offset",
        ),
    ],
)
def test_path_is_a_key_of_the_spec(id: str, text: str, path: str) -> None:
    assert [finding.path for finding in of(id, text)] == [path]
    (spec,) = read(f"kernel: launch\nshape: {{{text}}}\n", "test.yaml")
    assert isinstance(spec, Spec)
    line, column = spec.at[path][1]
    assert line == 2 and column > 9


def test_errors_come_first() -> None:
    order = [found.severity for found in judged("threads: 100, grid: [1, 70000], cluster: [1, 16]")]
    assert order == sorted(order, key=("error", "warning", "info").index)
    assert {"error", "warning", "info"} <= set(order)


def test_nothing_given_is_nothing_judged() -> None:
    (spec,) = read("{kernel: launch, shape: {threads: 128}}", "test.yaml")
    assert isinstance(spec, Spec)
    silent = not_judged(spec.derive().block)
    assert "without `tma`, TMA001 to TMA011" in silent
    assert not [line for line in silent if "BLK001" in line or "CFG" in line]
    assert judged("shape: {}") == []


# Registry


def test_second_rule_with_one_id_is_refused() -> None:
    with pytest.raises(TypeError, match="BLK001 is a rule already: block_size"):

        @rule("BLK001", "error", reads="threads", source="nowhere")
        def again(launch: object, threads: int) -> Iterator[Breach]:
            yield Breach("never")

    assert len({each.id for each in rules()}) == len(rules())


def test_a_rule_may_be_declared_elsewhere() -> None:
    program = (
        "from kcfg.core import presets\n"
        "from kcfg.core.findings import findings\n"
        "from kcfg.core.rules import Breach, rule, rules\n"
        "from kcfg.core.spec import read\n"
        "@rule('NEW001', 'warning', reads='threads', source='nowhere')\n"
        "def new(launch, threads):\n"
        "    yield Breach('seen')\n"
        "specs = presets.text('llama-3-8b') + '---\\n{kernel: launch, shape: {threads: 128}}'\n"
        "for spec in read(specs, 'test'):\n"
        "    print([each.rule for each in findings(spec.derive()) if each.message == 'seen'])\n"
        "assert 'NEW001' in {each.id for each in rules()}\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "['NEW001']\n['NEW001']\n", done.stderr


def test_a_rule_in_the_folder_of_a_key_reads_that_key() -> None:
    def misplaced(block: object, kernel: object) -> Iterator[Breach]:
        yield Breach("never")

    misplaced.__module__ = "kcfg.core.rules.tma.misplaced"
    with pytest.raises(
        TypeError, match=r"NEW001 does not read tma: its place is kcfg\.core\.rules"
    ):
        rule("NEW001", "error", reads="kernel", source="nowhere")(misplaced)
    assert "NEW001" not in {each.id for each in rules()}


def test_every_file_of_rules_has_some() -> None:
    folder = Path(registry.__path__[0])
    files = {each.check.__module__.removeprefix(f"{registry.__name__}.") for each in rules()}
    every = (path.relative_to(folder).with_suffix("").parts for path in folder.rglob("*.py"))
    found = {".".join(parts) for parts in every if parts[-1] != "__init__"}
    assert files == found - {"judging"}


def test_unknown_id_names_the_nearest() -> None:
    assert find("smem001").id == "SMEM001"
    with pytest.raises(UnknownError, match="did you mean 'SMEM001'"):
        find("SMEM0001")
