"""Two figures of a launch that mean one thing are held against each other."""

from __future__ import annotations

import pytest
from launched import ROLES, TMA, of


def ring(bytes: int, stages: int = 4, more: str = "") -> str:
    return f"shared: {{regions: [{{name: kv, bytes: {bytes}, stages: {stages}{more}}}]}}"


COMMIT = "{role: mma, by: commit}"
FP8 = "shared: {regions: [{name: a, of: fp8, shape: [64, 64], descriptor: true}]}"
SLOT_K = "{name: k, ring: kq, of: bf16, shape: [128, 64]}"

PAIRS = [
    # Dynamic memory, regions, pipelines
    (
        "SMEM006",
        "shared: {dynamic: 4095, regions: [{bytes: 4096}]}",
        "shared: {dynamic: 4096, regions: [{bytes: 4096}]}",
        "1 B past the 4,095 B",
    ),
    (
        "PIPE002",
        "shared: {dynamic: 4095}, pipelines: [{stages: 2, stage_bytes: 2048}]",
        "shared: {dynamic: 4096}, pipelines: [{stages: 2, stage_bytes: 2048}]",
        "1 stage fits",
    ),
    (
        "PIPE005",
        "shared: {dynamic: 4095}, pipelines: [{fixed_bytes: 4096}]",
        "shared: {dynamic: 4096}, pipelines: [{fixed_bytes: 4096}]",
        "1 B over the 4,095 B (4.0 KiB) of dynamic shared memory; ask for 4,096 B",
    ),
    (
        "PIPE005",
        "shared: {regions: [{name: AB, bytes: 8191}]}, pipelines: [{stages: 4, stage_bytes: 2048}]",
        "shared: {regions: [{name: AB, bytes: 8192}]}, pipelines: [{stages: 4, stage_bytes: 2048}]",
        "the regions have 8,191 B (8.0 KiB) for that: 1 B over",
    ),
    (
        "PIPE005",  # one pipeline says where it lies, which leaves less to the other
        "shared: {regions: [{name: a, bytes: 4096}, {name: b, bytes: 2047}]},"
        " pipelines: [{name: a, stages: 2, stage_bytes: 2048}, {stages: 1, stage_bytes: 2048}]",
        "shared: {regions: [{name: a, bytes: 4096}, {name: b, bytes: 2048}]},"
        " pipelines: [{name: a, stages: 2, stage_bytes: 2048}, {stages: 1, stage_bytes: 2048}]",
        "pipeline 1 takes 2,048 B",
    ),
    (
        "PIPE005",  # neither in the region nor beside it
        "shared: {dynamic: 3000, regions: [{bytes: 2000}]}, pipelines: [{fixed_bytes: 2001}]",
        "shared: {dynamic: 4001, regions: [{bytes: 2000}]}, pipelines: [{fixed_bytes: 2001}]",
        "1,000 B is beside them",
    ),
    # A pipeline and its region
    (
        "PIPE006",
        f"{ring(8192, 2)}, pipelines: [{{name: kv, stages: 3, stage_bytes: 2048}}]",
        f"{ring(8192, 2)}, pipelines: [{{name: kv, stages: 2, stage_bytes: 4096}}]",
        "kv has 3 stages, its region kv 2 slots; give both 2",
    ),
    (
        "PIPE006",
        f"{ring(163840)}, pipelines: [{{name: kv, stages: 4, stage_bytes: 49152}}]",
        f"{ring(196608)}, pipelines: [{{name: kv, stages: 4, stage_bytes: 49152}}]",
        "each runs 8,192 B (8.0 KiB) into the next; make a stage at most 40,960 B",
    ),
    (
        "PIPE006",  # the only pipeline lies in the only ring
        f"{ring(163840)}, pipelines: [{{name: mainloop, stages: 4, stage_bytes: 49152}}]",
        f"{ring(196608)}, pipelines: [{{name: mainloop, stages: 4, stage_bytes: 49152}}]",
        "the slots of kv are 40,960 B",
    ),
    (
        "PIPE006",
        ring(32768, 4, ", stride: 4096")
        + ", pipelines: [{name: kv, stages: 4, stage_bytes: 8192}]",
        ring(32768, 4, ", stride: 8192")
        + ", pipelines: [{name: kv, stages: 4, stage_bytes: 8192}]",
        "4,096 B (4.0 KiB) apart",
    ),
    (
        "PIPE006",  # one stage lies in two regions
        "shared: {regions: [{name: a, bytes: 8192, stages: 2}, {name: b, bytes: 4096, stages: 2}]},"
        " pipelines: [{stages: 2, stage_bytes: 8192, region: [a, b]}]",
        "shared: {regions: [{name: a, bytes: 8192, stages: 2}, {name: b, bytes: 8192, stages: 2}]},"
        " pipelines: [{stages: 2, stage_bytes: 8192, region: [a, b]}]",
        "the slots of a and b are 6,144 B",
    ),
    (
        "PIPE006",  # two pipelines lie in one region
        "shared: {regions: [{name: kv, bytes: 12287}]}, pipelines: [{name: k, stages: 2,"
        " stage_bytes: 4096, region: kv, barriers_per_stage: 0},"
        " {name: v, stages: 1, stage_bytes: 4096, region: kv, barriers_per_stage: 0}]",
        "shared: {regions: [{name: kv, bytes: 12288}]}, pipelines: [{name: k, stages: 2,"
        " stage_bytes: 4096, region: kv, barriers_per_stage: 0},"
        " {name: v, stages: 1, stage_bytes: 4096, region: kv, barriers_per_stage: 0}]",
        "v ends at 12,288 B (12.0 KiB) of its region, kv, 1 B past its end; make it 12,288 B",
    ),
    (
        "PIPE006",  # a stage may count its own mbarriers, and no byte more
        f"{ring(8192)}, pipelines: [{{name: kv, stages: 4, stage_bytes: 2065}}]",
        f"{ring(8192)}, pipelines: [{{name: kv, stages: 4, stage_bytes: 2064}}]",
        "into the next",
    ),
    # What copies bring
    (
        "PIPE007",
        "pipelines: [{stages: 4, stage_bytes: 40960, expect_tx: 49152, boxes: [49152]}]",
        "pipelines: [{stages: 4, stage_bytes: 49152, expect_tx: 49152, boxes: [49152]}]",
        "they overwrite 8,192 B (8.0 KiB) of the next; make a stage 49,152 B",
    ),
    (
        "PIPE007",
        f"{ring(163840)}, pipelines: [{{stages: 4, expect_tx: 49152, boxes: [49152]}}]",
        f"{ring(196608)}, pipelines: [{{stages: 4, expect_tx: 49152, boxes: [49152]}}]",
        "which has 40,960 B",
    ),
    (
        "PIPE007",
        f"pipelines: [{{stage_bytes: 16383, maps: [k, k]}}], {TMA}",
        f"pipelines: [{{stage_bytes: 16384, maps: [k, k]}}], {TMA}",
        "1 B of the next",
    ),
    (
        "PIPE007",  # a pair's barrier may count both CTAs' bytes, a box lies in one of them
        "cluster: [2, 1, 1], mma: [{kind: f16, cta_group: 2}],"
        f" pipelines: [{{stage_bytes: 16384, expect_tx: 32768, maps: [k, q]}}], {TMA}",
        "cluster: [2, 1, 1], mma: [{kind: f16, cta_group: 2}],"
        f" pipelines: [{{stage_bytes: 24576, expect_tx: 49152, maps: [k, q]}}], {TMA}",
        "copies bring 24,576 B (24.0 KiB) into a stage of pipeline 0, which has 16,384 B",
    ),
    (
        "PIPE007",  # no half of a box lies in the other CTA
        "mma: [{cta_group: 2}], pipelines: [{stage_bytes: 16384, boxes: [24576]}]",
        "mma: [{cta_group: 2}], pipelines: [{stage_bytes: 16384, boxes: [16384, 16384]}]",
        "copies bring 24,576 B (24.0 KiB) into a stage of pipeline 0, which has 16,384 B",
    ),
    (
        "PIPE007",  # where CTAs of a cluster share no barrier's count
        "cluster: [2, 1, 1], mma: [{kind: f16, cta_group: 1}],"
        " pipelines: [{stage_bytes: 16384, expect_tx: 32768}]",
        "cluster: [2, 1, 1], mma: [{kind: f16, cta_group: 2}],"
        " pipelines: [{stage_bytes: 16384, expect_tx: 32768}]",
        "copies bring 32,768 B (32.0 KiB) into a stage",
    ),
    (
        "PIPE007",  # the stage holds both boxes, the slot of q not its own
        f"shared: {{regions: [{SLOT_K}, {{name: q, ring: kq, of: bf16, shape: [64, 64]}}]}},"
        f" pipelines: [{{name: kq, stages: 2, maps: [k, q]}}], {TMA}",
        f"shared: {{regions: [{SLOT_K}, {{name: q, ring: kq, of: bf16, shape: [128, 64]}}]}},"
        f" pipelines: [{{name: kq, stages: 2, maps: [k, q]}}], {TMA}",
        "a box of the tensor map q brings 16,384 B (16.0 KiB) into a stage of kq, and a slot of q"
        " has 8,192 B (8.0 KiB): 8,192 B (8.0 KiB) over; make a slot 16,384 B",
    ),
    (
        "PIPE008",
        f"pipelines: [{{name: kv, boxes: [16384], maps: [k]}}], {TMA}",
        f"pipelines: [{{name: kv, boxes: [8192, 8192], maps: [k, k]}}], {TMA}",
        "bring 16,384 B (16.0 KiB), but the boxes of k bring 8,192 B",
    ),
    (
        "PIPE008",
        f"pipelines: [{{name: q, boxes: [8192]}}], {TMA}",
        f"pipelines: [{{name: q, boxes: [16384, 512]}}], {TMA}",
        "the box of its tensor map brings 16,384 B (16.0 KiB); say boxes: [16384]",
    ),
    (
        "PIPE004",
        f"pipelines: [{{expect_tx: 16384, maps: [k, q]}}], {TMA}",
        f"pipelines: [{{expect_tx: 24576, maps: [k, q]}}], {TMA}",
        "8,192 B (8.0 KiB) more",
    ),
    ("PIPE004", "pipelines: [{boxes: [0]}]", "pipelines: [{boxes: [16]}]", "brings 0 B"),
    (
        "PIPE004",
        "pipelines: [{tma: true, expect_tx: 0}]",
        "pipelines: [{tma: true, expect_tx: 16}]",
        "expects 0 B",
    ),
    # mbarriers
    (
        "PIPE009",
        "mbarriers: [4, 3], pipelines: [{stages: 4, barriers_per_stage: 2}]",
        "mbarriers: [4, 4], pipelines: [{stages: 4, barriers_per_stage: 2}]",
        "take 8 mbarriers, there are 7; make that 8",
    ),
    (
        "PIPE009",
        "shared: {regions: [{bytes: 56, mbarriers: true}]},"
        " pipelines: [{stages: 4, barriers_per_stage: 2}]",
        "shared: {regions: [{bytes: 64, mbarriers: true}]},"
        " pipelines: [{stages: 4, barriers_per_stage: 2}]",
        "the regions have room for 7",
    ),
    (
        "PIPE009",
        "mbarriers: [{name: kv, count: 9}], pipelines: [{name: kv, stages: 4, barrier_bytes: 64}]",
        "mbarriers: [{name: kv, count: 8}], pipelines: [{name: kv, stages: 4, barrier_bytes: 64}]",
        "8 B over the 64 B in the layout; give them 72 B",
    ),
    (
        "PIPE009",
        "mbarriers: [{name: kv, count: 3}],"
        " pipelines: [{name: kv, stages: 4, barriers_per_stage: 1}]",
        "mbarriers: [{name: kv, count: 4}],"
        " pipelines: [{name: kv, stages: 4, barriers_per_stage: 1}]",
        "kv has 4 stages, its group of mbarriers 3; count 4 in the group",
    ),
    (
        "BAR004",
        "shared: {regions: [{bytes: 64, mbarriers: true}]}, mbarriers: [5, 4]",
        "shared: {regions: [{bytes: 64, mbarriers: true}]}, mbarriers: [4, 4]",
        "the groups have 9 mbarriers, which take 72 B, and their regions 64 B",
    ),
    ("MBAR001", "mbarriers: [{arrivals: 1048576}]", "mbarriers: [{arrivals: 1048575}]", "at most"),
    (
        "MBAR001",
        "pipelines: [{name: kv, empty_arrivals: 0}]",
        "pipelines: [{name: kv, empty_arrivals: 1}]",
        "an empty barrier of kv waits for 0 arrivals",
    ),
    # Who arrives
    (
        "MBAR002",
        f"mbarriers: [{{name: s, arrivals: 128, arrive: softmax}}], {ROLES}",
        f"mbarriers: [{{name: s, arrivals: 256, arrive: softmax}}], {ROLES}",
        "softmax arrives 256 times: it opens too early; wait for 256",
    ),
    (
        "MBAR002",
        f"mbarriers: [{{arrivals: 256, arrive: [softmax], by: warp}}], {ROLES}",
        f"mbarriers: [{{arrivals: 8, arrive: [softmax], by: warp}}], {ROLES}",
        "it never opens; wait for 8",
    ),
    (
        "MBAR002",  # 128 threads and a commit
        f"mbarriers: [{{arrivals: 256, arrive: [softmax, {{role: mma, by: commit}}]}}], {ROLES}",
        f"mbarriers: [{{arrivals: 257, arrive: [softmax, {{role: mma, by: commit}}]}}], {ROLES}",
        "softmax and mma arrive 257 times",
    ),
    (
        "MBAR002",  # the thread that TMA works for also says how many bytes come
        f"pipelines: [{{tma: true, full_arrivals: 32, producers: load}}], {ROLES}",
        f"pipelines: [{{tma: true, full_arrivals: 1, producers: load}}], {ROLES}",
        "load arrives 1 time",
    ),
    (
        "MBAR002",
        f"pipelines: [{{full_arrivals: 1, producers: load}}], {ROLES}",
        f"pipelines: [{{full_arrivals: 32, producers: load}}], {ROLES}",
        "load arrives 32 times",
    ),
    (
        "MBAR002",
        f"pipelines: [{{empty_arrivals: 2, consumers: {{role: mma, by: commit}}}}], {ROLES}",
        f"cluster: [2], pipelines: [{{empty_arrivals: 2,"
        f" consumers: {{role: mma, by: commit}}}}], {ROLES}",
        "mma arrives 1 time",
    ),
    (
        "MBAR002",  # both CTAs of a pair, whose cluster is not said
        f"mma: [{{cta_group: 1}}], mbarriers: [{{arrivals: 512, arrive: softmax}}], {ROLES}",
        f"mma: [{{cta_group: 2}}], mbarriers: [{{arrivals: 512, arrive: softmax}}], {ROLES}",
        "softmax arrives 256 times",
    ),
    (
        "MBAR002",
        f"mbarriers: [{{arrivals: 1, arrive: [sofmax]}}], {ROLES}",
        f"mbarriers: [{{arrivals: 1, arrive: [{{role: softmax, by: role}}]}}], {ROLES}",
        "is no role; name softmax, load or mma",
    ),
    (
        "BAR005",
        f"named_barriers: [{{id: 1, participants: 288, roles: [softmax]}}], {ROLES}",
        f"named_barriers: [{{id: 1, participants: 288, roles: [softmax, load]}}], {ROLES}",
        "is for 288 threads, and softmax has 256: it never opens; use 256",
    ),
    (
        "BAR005",
        f"named_barriers: [{{id: 1, participants: 256, roles: [softmax, load]}}], {ROLES}",
        f"named_barriers: [{{id: 1, participants: 288, roles: [softmax, load]}}], {ROLES}",
        "softmax and load have 288: it opens too early; use 288",
    ),
    (
        "BAR005",
        f"named_barriers: [{{id: 1, roles: [idle]}}], {ROLES}",
        f"named_barriers: [{{id: 1, roles: [load]}}], {ROLES}",
        "idle arrives at named barrier 1, and is no role; name softmax, load or mma",
    ),
    (
        "BAR002",
        f"named_barriers: [{{participants: 416}}], {ROLES}",
        f"named_barriers: [{{participants: 384}}], {ROLES}",
        "32 over the block's 384 threads",
    ),
    # Tensor memory
    (
        "TMEM002",
        "tmem: {allocations: [{columns: 64, needs: 65}]}",
        "tmem: {allocations: [{columns: 64, needs: 64}]}",
        "an allocation of 64 columns for the 65 that it needs, 1 more; allocate 128",
    ),
    (
        "TMEM002",
        "tmem: {allocations: [128], regions: [{columns: 128}, {columns: 8}]}",
        "tmem: {allocations: [128], regions: [{columns: 120}, {columns: 8}]}",
        "136 columns are needed, 8 over the 128 allocated",
    ),
    (
        "TMEM008",
        "tmem: {accumulators: [{name: S, N: 128}], regions: [{name: S, columns: 127}]}",
        "tmem: {accumulators: [{name: S, N: 128}], regions: [{name: S, columns: 128}]}",
        "S takes 128 columns, its range has 127; give its range 128 columns",
    ),
    (
        "TMEM008",
        "tmem: {columns: 8, accumulators: [{N: 128}], regions: [{columns: 128}]}",
        "tmem: {columns: 8, accumulators: [{N: 120}], regions: [{columns: 128}]}",
        "136 columns are needed, the ranges end at 128; let the ranges have 8 more columns",
    ),
    (
        "TMEM009",
        "mma: [{M: 64, N: 64, accumulators: S}], tmem: {accumulators: [{name: S, M: 128}]}",
        "mma: [{M: 64, N: 64, accumulators: S}], tmem: {accumulators: [{name: S, M: 64}]}",
        "S has 128 rows, the MMA 64; use M 64",
    ),
    (
        "TMEM009",
        "mma: [{N: 128, accumulators: S}], tmem: {accumulators: [{name: S, N: 192}]}",
        "mma: [{N: 128, accumulators: S}], tmem: {accumulators: [{name: S, N: 256}]}",
        "S has 192 columns, which are no multiple of 128",
    ),
    (
        "TMEM009",
        "mma: [{accumulators: [O]}], tmem: {accumulators: [{name: S, N: 64}]}",
        "mma: [{accumulators: [S]}], tmem: {accumulators: [{name: S, N: 64}]}",
        "an MMA adds to O, which is no accumulator; name S",
    ),
    (
        "MMA008",
        "unit: wgmma, mma: [{M: 64, cta_group: 2}]",
        "unit: wgmma, mma: [{M: 64, cta_group: 1}]",
        "cta_group 2 belongs to tcgen05, and the unit is wgmma",
    ),
    (
        "MMA010",  # what a pipeline's maps bring, where only commits give its stages back
        f"mma: [{{kind: f8f6f4}}], pipelines: [{{maps: [k, q], consumers: [{COMMIT}]}}], {TMA}",
        f"mma: [{{kind: f16}}], pipelines: [{{maps: [k, q], consumers: [{COMMIT}]}}], {TMA}",
        "what there is to read, what k brings and what q brings, is of bfloat16",
    ),
    (
        "MMA010",
        f"mma: [{{kind: f16}}, {{kind: tf32}}], {FP8}",
        f"mma: [{{kind: f16}}, {{kind: mxf8f6f4}}], {FP8}",
        "f16 and tf32 take bfloat16, float16, float32 and tfloat32, and what there is to read, a,"
        " is of float8_e4m3fn; such elements are those of f8f6f4 or mxf8f6f4",
    ),
    (
        "MMA010",  # others read it too, and may make other elements of it
        f"mma: [{{kind: f8f6f4}}], pipelines: [{{maps: k, consumers: [{COMMIT}]}}], {TMA}",
        f"mma: [{{kind: f8f6f4}}], pipelines: [{{maps: k, consumers: [{COMMIT}, load]}}], {TMA}",
        "what k brings, is of bfloat16",
    ),
    (
        "MMA010",  # bytes may be any elements
        f"mma: [{{kind: f16}}], {FP8}",
        f"mma: [{{kind: f16}}], {FP8.replace('fp8', 'uint8')}",
        "a, is of float8_e4m3fn",
    ),
    # Threads
    (
        "BLK005",
        "registers: {roles: [{warps: 4}, {warps: 2}], warpgroups: [40, 40]}",
        "registers: {roles: [{warps: 4}, {warps: 4}], warpgroups: [40, 40]}",
        "the roles have 6 warps, the warpgroups 8; give the roles 8 together",
    ),
    (
        "BLK005",
        "threads: 128, registers: {roles: [{warps: 5}, {name: idle}]}",
        "threads: 128, registers: {roles: [{warps: 4}, {name: idle}]}",
        "160 threads at the least, the block has 128",
    ),
    (
        "BLK001",
        "registers: {roles: [{warps: 33}, {name: idle}]}",
        "registers: {roles: [{warps: 32}, {name: idle}]}",
        "32 over the 1,024",
    ),
    (
        "BLK001",
        "registers: {roles: [{warps: 4}], warpgroups: [40, 40], launch_bounds: [255, 1]}",
        "registers: {roles: [{warps: 4}], warpgroups: [40, 40], launch_bounds: [256, 1]}",
        "1 over the 255 of its launch bounds",
    ),
]


@pytest.mark.parametrize(("id", "fails", "passes", "says"), PAIRS, ids=lambda value: value[:70])
def test_figures_that_disagree_are_told(id: str, fails: str, passes: str, says: str) -> None:
    found = of(id, fails)
    assert says in " | ".join(each.message for each in found)
    assert not of(id, passes)


def test_dynamic_memory_is_the_most_that_is_said_of_it() -> None:
    pipeline = "pipelines: [{name: AB, stages: 5, stage_bytes: 49152}]"
    region = "regions: [{name: AB, bytes: 196608}]"
    for shape in (
        pipeline,
        f"shared: {{{region}}}, {pipeline}",
        f"shared: {{dynamic: 4096, {region}}}, {pipeline}",
    ):
        (found,) = of("SMEM001", shape)
        assert (found.value, found.path) == (245760, "shape.pipelines")
    (found,) = of("SMEM001", "shared: {dynamic: 4096, regions: [{bytes: 232449}]}")
    assert (found.value, found.path) == (232449, "shape.shared.regions")
    (found,) = of("SMEM001", f"shared: {{dynamic: 250000, {region}}}, {pipeline}")
    assert (found.value, found.path) == (250000, "shape.shared.dynamic")


def test_of_regions_past_the_end_the_one_that_needs_the_most_is_told() -> None:
    regions = (
        "regions: [{name: a, bytes: 8192}, {name: b, bytes: 8192}, {name: c, bytes: 4096},"
        " {name: d, offset: 12288, bytes: 16, alias_of: b}]"
    )
    (found,) = of("SMEM006", f"shared: {{dynamic: 12288, {regions}}}")
    assert (found.path, found.over) == ("shape.shared.regions[2]", 8192)
    assert found.message.endswith("and 2 regions before it do too; ask for 20,480 B (20.0 KiB)")
    (found,) = of("SMEM006", f"shared: {{dynamic: 20479, {regions}}}")
    assert "region" not in found.message and found.over == 1
    assert not of("SMEM006", f"shared: {{dynamic: 20480, {regions}}}")
