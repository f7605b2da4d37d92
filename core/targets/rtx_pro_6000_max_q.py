"""NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition (compute capability 12.0)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_12_0
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_12_0,
    name="rtx_pro_6000_max_q",
    product="RTX PRO 6000 Blackwell Max-Q Workstation Edition",
    sm_count=188,
    l2_bytes=None,
    dram_bytes_per_s=None,
    dense_tflops={},
    basis="the number of SMs alone; the other figures of this edition were not read",
)
