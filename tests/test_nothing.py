"""Extents of nothing, and heads that a group leaves over."""

from __future__ import annotations

import pytest
from launched import of, only

from kcfg.core.finding import Finding
from kcfg.core.findings import findings

NOTHING = [
    ("BLK001", "threads: 0", "error"),
    ("BLK001", "registers: {roles: [{warps: 0}]}", "error"),
    ("BLK001", "registers: {launch_bounds: [0]}", "error"),
    ("BLK002", "block: [32, 0]", "error"),
    ("BLK005", "registers: {roles: [{warps: 0}, {warps: 4}]}", "warning"),
    ("GRD001", "grid: [0]", "error"),
    ("CLU001", "cluster: [2, 0]", "error"),
    ("REG001", "registers: {entry: 0}", "error"),
    ("SMR001", "registers: {warpgroups: [0]}", "error"),
    ("SMEM010", "shared: {regions: [{bytes: 0}]}", "warning"),
    ("SMEM010", "shared: {regions: [{bytes: 8, stages: 0}]}", "error"),
    ("SMEM010", "shared: {regions: [{bytes: 8, stages: 2, stride: 0}]}", "error"),
    ("PIPE001", "pipelines: [{stages: 0}]", "error"),
    ("PIPE004", "pipelines: [{boxes: [16, 0]}]", "error"),
    ("PIPE004", "pipelines: [{expect_tx: 0, tma: true}]", "error"),
    ("PIPE007", "pipelines: [{stage_bytes: 0}]", "warning"),
    ("PIPE007", "pipelines: [{stage_bytes: 0, boxes: [16]}]", "error"),
    ("MBAR001", "mbarriers: [{arrivals: 0}]", "error"),
    ("MBAR001", "pipelines: [{full_arrivals: 0}]", "error"),
    ("MBAR003", "mbarriers: [0]", "warning"),
    ("BAR002", "named_barriers: [{participants: 0}]", "error"),
    ("TMEM001", "tmem: {allocations: [0]}", "error"),
    ("TMEM007", "tmem: {regions: [{columns: 0}]}", "warning"),
    ("TMEM008", "tmem: {accumulators: [{N: 0}]}", "error"),
    ("TMEM008", "tmem: {accumulators: [{M: 0, N: 8}]}", "error"),
    ("MMA001", "mma: [{M: 0}]", "error"),
    ("MMA002", "mma: [{N: 0}]", "error"),
    ("MMA003", "mma: [{K: 0}]", "error"),
    ("MMA001", "mma: [{kind: f16, M: 0}]", "error"),
    ("TMA001", "tma: [{box: [0]}]", "error"),
    ("TMA006", "tma: [{dims: [0]}]", "error"),
    ("BULK001", "bulk_copies: [0]", "warning"),
]


@pytest.mark.parametrize(("id", "shape", "severity"), NOTHING)
def test_an_extent_of_nothing_is_told(id: str, shape: str, severity: str) -> None:
    assert of(id, shape, severity)


HEADS = {
    "fa4": "qkv_dtype: bf16, qk_depth: 128, ov_depth: 128, page_size: 128",
    "mha_depth512": "qkv_dtype: bf16, qk_depth: 512, ov_depth: 512, swizzle_mode: 128B,"
    " page_size: 128",
    "mla_prefill": "qkv_dtype: bf16, rope_gmem_dtype: bf16, rope_mma_dtype: bf16, depth: 192,"
    " page_size: 128, num_q: 1",
}


@pytest.mark.parametrize("kernel", HEADS)
@pytest.mark.parametrize(
    ("heads", "group", "near"),
    [(32, 5, "4 or 8"), (32, 33, "32"), (7, 2, "1 or 7"), (49, 50, "49")],
)
def test_heads_that_are_no_whole_groups(kernel: str, heads: int, group: int, near: str) -> None:
    def found(size: int | str) -> list[Finding]:
        shape = f"num_q_heads: {heads}, group: {size}, {HEADS[kernel]}"
        kernel_of = only(f"{{kernel: {kernel}, shape: {{{shape}}}}}").derive()
        return [each for each in findings(kernel_of) if each.rule == "CFG007"]

    (one,) = found(group)
    assert (one.severity, one.path, one.value, one.limit) == ("warning", "group", heads, group)
    assert one.over == heads % group
    assert one.fix == f"use a group of {near}"
    for size in near.split(" or "):
        assert not found(size)
