"""What a compute capability settles: the limits that all its GPUs have in common.

A module below ``kcfg.core.targets`` adds to one of these what one GPU has; limits without
a word here are the same on all capabilities, and have their defaults in `Target`.
"""

from __future__ import annotations

from typing import Any

_LARGE_SM: dict[str, Any] = {
    "max_threads_per_sm": 2048,
    "max_warps_per_sm": 64,
    "max_blocks_per_sm": 32,
    "barriers_per_sm": 64,
}

_SMALL_SM: dict[str, Any] = {
    "max_threads_per_sm": 1536,
    "max_warps_per_sm": 48,
    "max_blocks_per_sm": 24,
    "barriers_per_sm": 24,
}

_SMEM_228_KIB: dict[str, Any] = {
    "smem_per_sm": 233472,
    "smem_optin_per_block": 232448,
    "carveout_kb": (0, 8, 16, 32, 64, 100, 132, 164, 196, 228),
}

_SMEM_100_KIB: dict[str, Any] = {
    "smem_per_sm": 102400,
    "smem_optin_per_block": 101376,
    "carveout_kb": (0, 8, 16, 32, 64, 100),
}

_TENSOR_MEMORY: dict[str, Any] = {
    "mma": "tcgen05",
    "tmem_columns": 512,
    "tmem_lanes": 128,
    "tmem_cell_bits": 32,
    "tmem_alloc_min": 32,
    "tmem_alloc_power_of_two": True,
}

CC_9_0: dict[str, Any] = {
    "cc": "9.0",
    "arch": "sm_90a",
    "mma": "wgmma",
    "cluster_nonportable": 16,
    **_LARGE_SM,
    **_SMEM_228_KIB,
}

CC_10_0: dict[str, Any] = {
    "cc": "10.0",
    "arch": "sm_100a",
    "cluster_nonportable": 16,
    **_LARGE_SM,
    **_SMEM_228_KIB,
    **_TENSOR_MEMORY,
}

CC_10_3: dict[str, Any] = {
    "cc": "10.3",
    "arch": "sm_103a",
    # Not stated for 10.3: what the tuning guide says of 10.0.
    "cluster_nonportable": 16,
    **_LARGE_SM,
    **_SMEM_228_KIB,
    **_TENSOR_MEMORY,
}

CC_11_0: dict[str, Any] = {
    "cc": "11.0",
    "arch": "sm_110a",
    "cluster_nonportable": None,
    **_SMALL_SM,
    **_SMEM_228_KIB,
    **_TENSOR_MEMORY,
}

# The tuning guide says 32 blocks and 128 KB of 12.0; all other sources 24 and 100 KB
# (128 KB is shared memory and L1 together).
CC_12_0: dict[str, Any] = {
    "cc": "12.0",
    "arch": "sm_120a",
    "mma": "mma.sync",
    "cluster_nonportable": None,
    **_SMALL_SM,
    **_SMEM_100_KIB,
}

# The occupancy header and Nsight Compute have the figures of 12.0 for 12.1 too, and ptxas
# refuses more than the same shared memory.
CC_12_1: dict[str, Any] = {**CC_12_0, "cc": "12.1", "arch": "sm_121a"}
