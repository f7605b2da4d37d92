"""NVIDIA GB300, the Blackwell Ultra GPU beside a Grace CPU (compute capability 10.3)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_10_3
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_10_3,
    name="gb300",
    product="GB300",
    aliases=("GB300 NVL72",),
    sm_count=152,
    l2_bytes=None,
    dram_bytes_per_s=8_000_000_000_000,
    dense_tflops={"fp4": 15000, "fp8": 5000, "fp16": 2500, "bf16": 2500, "tf32": 1250, "fp32": 80},
    basis="third-party digests of NVIDIA's pages, per GPU",
)
