"""NVIDIA RTX PRO 6000 (Blackwell, compute capability 12.0)."""

from __future__ import annotations

from kcfg.core.hardware.target import Target

TARGET = Target(
    name="rtx_pro_6000",
    product="RTX PRO 6000",
    arch="sm_120a",
    cc="12.0",
    mma="mma.sync",
    sm_count=188,
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
    l2_bytes=134217728,
    dram_bytes_per_s=1_792_000_000_000,
    dense_tflops={"fp32": 125},
    basis="product pages",
)
