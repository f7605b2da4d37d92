"""NVIDIA GB200, the Blackwell GPU beside a Grace CPU (compute capability 10.0)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_10_0
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_10_0,
    name="gb200",
    product="GB200",
    aliases=("GB200 NVL72",),
    sm_count=152,
    l2_bytes=None,
    dram_bytes_per_s=8_000_000_000_000,
    dense_tflops={
        "fp4": 10000,
        "fp8": 5000,
        "fp6": 5000,
        "int8": 5000,
        "fp16": 2500,
        "bf16": 2500,
        "tf32": 1250,
        "fp32": 80,
        "fp64": 40,
    },
    basis="third-party digests of NVIDIA's pages, per GPU",
)
