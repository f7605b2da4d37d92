"""NVIDIA H200 (Hopper, compute capability 9.0)."""

from __future__ import annotations

from kcfg.core.hardware.target import Target

TARGET = Target(
    name="h200",
    product="H200",
    arch="sm_90a",
    cc="9.0",
    mma="wgmma",
    sm_count=132,
    max_threads_per_sm=2048,
    max_warps_per_sm=64,
    max_blocks_per_sm=32,
    cluster_nonportable=16,
    smem_per_sm=233472,
    smem_optin_per_block=232448,
    carveout_kb=(0, 8, 16, 32, 64, 100, 132, 164, 196, 228),
    barriers_per_sm=64,
    l2_bytes=62914560,
    dram_bytes=150_109_880_320,
    dram_bytes_per_s=4_800_000_000_000,
    max_sm_clock_mhz=1980,
    dense_tflops={
        "fp8": 1979,
        "int8": 1979,
        "fp16": 989,
        "bf16": 989,
        "tf32": 494,
        "fp32": 67,
        "fp64": 34,
    },
    basis="H200 datasheet, SXM, sparse rows halved; sizes and clock read on one H200",
)
