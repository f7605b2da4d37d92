"""NVIDIA B300 (Blackwell Ultra, compute capability 10.3)."""

from __future__ import annotations

from kcfg.core.hardware.target import Target

TARGET = Target(
    name="b300",
    product="B300",
    arch="sm_103a",
    cc="10.3",
    mma="tcgen05",
    sm_count=148,
    sm_count_note="148 in HGX B300 boards (third-party tables), 152 in GB300, 160 on the full chip",
    max_threads_per_sm=2048,
    max_warps_per_sm=64,
    max_blocks_per_sm=32,
    # Not stated for B300: what the tuning guide says of B200.
    cluster_nonportable=16,
    smem_per_sm=233472,
    smem_optin_per_block=232448,
    carveout_kb=(0, 8, 16, 32, 64, 100, 132, 164, 196, 228),
    barriers_per_sm=64,
    tmem_columns=512,
    tmem_lanes=128,
    tmem_cell_bits=32,
    tmem_alloc_min=32,
    tmem_alloc_power_of_two=True,
    l2_bytes=None,
    dram_bytes_per_s=8_000_000_000_000,
    dense_tflops={"fp4": 13125, "fp8": 4500, "fp16": 2250, "bf16": 2250, "tf32": 1125, "fp32": 75},
    basis="HGX B300 page by way of third parties; "
    "FP4 dense is given as 13.1 to 14 (HGX) and 15 (GB300) PFLOPS",
)
