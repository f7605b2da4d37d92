"""NVIDIA GeForce RTX 5090 (Blackwell, compute capability 12.0)."""

from __future__ import annotations

from kcfg.core.hardware.target import Target

TARGET = Target(
    name="rtx_5090",
    product="GeForce RTX 5090",
    arch="sm_120a",
    cc="12.0",
    mma="mma.sync",
    sm_count=170,
    max_threads_per_sm=1536,
    max_warps_per_sm=48,
    # The tuning guide says 32 blocks and 128 KB; all other sources 24 and 100 KB
    # (128 KB is shared memory and L1 together).
    max_blocks_per_sm=24,
    cluster_nonportable=None,
    smem_per_sm=102400,
    smem_optin_per_block=101376,
    carveout_kb=(0, 8, 16, 32, 64, 100),
    barriers_per_sm=24,
    l2_bytes=100663296,
    dram_bytes_per_s=1_792_000_000_000,
    dense_tflops={"fp32": 105},
    basis="product pages",
)
