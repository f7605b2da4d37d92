"""NVIDIA H100 SXM (Hopper, compute capability 9.0)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_9_0
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_9_0,
    name="h100",
    product="H100 SXM",
    aliases=("H100 SXM5", "H100 80GB HBM3", "HGX H100", "DGX H100"),
    unstated=("H100 NVL",),
    names_arch=True,
    sm_count=132,
    sm_count_note="SXM; the PCIe card has 114",
    l2_bytes=52428800,
    dram_bytes_per_s=3_350_000_000_000,
    dense_tflops={
        "fp8": 1979,
        "int8": 1979,
        "fp16": 989,
        "bf16": 989,
        "tf32": 494,
        "fp32": 67,
        "fp64": 34,
    },
    basis="H100 datasheet, SXM, sparse rows halved",
)
