"""NVIDIA H100 SXM (Hopper, compute capability 9.0)."""

from __future__ import annotations

from kcfg.core.hardware.target import Target

TARGET = Target(
    name="h100",
    product="H100 SXM",
    arch="sm_90a",
    cc="9.0",
    mma="wgmma",
    sm_count=132,
    sm_count_note="SXM; the PCIe card has 114",
    max_threads_per_sm=2048,
    max_warps_per_sm=64,
    max_blocks_per_sm=32,
    cluster_nonportable=16,
    smem_per_sm=233472,
    smem_optin_per_block=232448,
    carveout_kb=(0, 8, 16, 32, 64, 100, 132, 164, 196, 228),
    barriers_per_sm=64,
    l2_bytes=52428800,
    dram_bytes_per_s=3_350_000_000_000,
    dense_tflops={
        "fp8": 1979,
        "int8": 1979,
        "fp16": 989,
        "bf16": 989,
        "tf32": 494,
        "fp32": 67,
        "fp64": 34,
    },
    basis="H100 datasheet, SXM, sparse rows halved",
)
