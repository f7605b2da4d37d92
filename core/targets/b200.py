"""NVIDIA B200 (Blackwell, compute capability 10.0)."""

from __future__ import annotations

from kcfg.core.hardware.target import Target

TARGET = Target(
    name="b200",
    product="B200",
    arch="sm_100a",
    cc="10.0",
    mma="tcgen05",
    sm_count=148,
    sm_count_note="GB200 parts report 152",
    max_threads_per_sm=2048,
    max_warps_per_sm=64,
    max_blocks_per_sm=32,
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
    l2_bytes=132644864,
    dram_bytes=191_495_471_104,
    # As published; the memory clock and bus width read on one B200 make it 7.67 TB/s.
    dram_bytes_per_s=8_000_000_000_000,
    max_sm_clock_mhz=1965,
    dense_tflops={
        "fp4": 9000,
        "fp8": 4500,
        "fp6": 4500,
        "int8": 4500,
        "fp16": 2250,
        "bf16": 2250,
        "tf32": 1125,
        "fp32": 75,
        "fp64": 37,
    },
    basis="HGX B200 page, per GPU, 8-GPU total / 8, sparse rows halved",
)
