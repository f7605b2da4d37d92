"""NVIDIA GB10, the GPU of DGX Spark (Blackwell, compute capability 12.1)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_12_1
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_12_1,
    name="gb10",
    product="GB10",
    aliases=("DGX Spark",),
    names_arch=True,
    sm_count=48,
    l2_bytes=None,
    dram_bytes_per_s=None,
    dense_tflops={},
    basis="the number of SMs alone, from Mojo and FlashInfer; no other figure was read",
)
