"""NVIDIA H100 PCIe (Hopper, compute capability 9.0)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_9_0
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_9_0,
    name="h100_pcie",
    product="H100 PCIe",
    sm_count=114,
    l2_bytes=None,
    dram_bytes_per_s=None,
    dense_tflops={},
    basis="the number of SMs alone; the other figures of the card were not read",
)
