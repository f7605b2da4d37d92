"""NVIDIA GeForce RTX 5090 (Blackwell, compute capability 12.0)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_12_0
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_12_0,
    name="rtx_5090",
    product="GeForce RTX 5090",
    unstated=("RTX 5080", "RTX 5070 Ti", "RTX 5070", "RTX 5060 Ti", "RTX 5060"),
    names_arch=True,
    sm_count=170,
    l2_bytes=100663296,
    dram_bytes_per_s=1_792_000_000_000,
    dense_tflops={"fp32": 105},
    basis="product pages",
)
