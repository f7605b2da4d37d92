"""NVIDIA H200 (Hopper, compute capability 9.0)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_9_0
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_9_0,
    name="h200",
    product="H200",
    aliases=("H200 SXM", "HGX H200", "DGX H200"),
    unstated=("H200 NVL", "GH200", "GH200 480GB"),
    sm_count=132,
    l2_bytes=62914560,
    dram_bytes=150_109_880_320,
    dram_bytes_per_s=4_800_000_000_000,
    max_sm_clock_mhz=1980,
    dense_tflops={
        "fp8": 1979,
        "int8": 1979,
        "fp16": 989,
        "bf16": 989,
        "tf32": 494,
        "fp32": 67,
        "fp64": 34,
    },
    basis="H200 datasheet, SXM, sparse rows halved; sizes and clock read on one H200",
)
