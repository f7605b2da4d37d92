"""NVIDIA Jetson Thor (Blackwell, compute capability 11.0)."""

from __future__ import annotations

from kcfg.core.hardware.target import Target

TARGET = Target(
    name="thor",
    product="Jetson Thor",
    arch="sm_110a",
    cc="11.0",
    mma="tcgen05",
    sm_count=20,
    sm_count_note="the chip has up to 24; the developer kit reports 20",
    max_threads_per_sm=1536,
    max_warps_per_sm=48,
    max_blocks_per_sm=24,
    cluster_nonportable=None,
    smem_per_sm=233472,
    smem_optin_per_block=232448,
    carveout_kb=(0, 8, 16, 32, 64, 100, 132, 164, 196, 228),
    barriers_per_sm=24,
    tmem_columns=512,
    tmem_lanes=128,
    tmem_cell_bits=32,
    tmem_alloc_min=32,
    tmem_alloc_power_of_two=True,
    l2_bytes=33554432,
    dram_bytes_per_s=273_000_000_000,
    dense_tflops={},
    basis="forum report of a device query",
)
