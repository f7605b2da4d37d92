"""NVIDIA B300 (Blackwell Ultra, compute capability 10.3)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_10_3
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_10_3,
    name="b300",
    product="B300",
    aliases=("B300 SXM", "HGX B300"),
    names_arch=True,
    sm_count=148,
    sm_count_note="148 in HGX B300 boards (third-party tables), 152 in GB300, 160 on the full chip",
    l2_bytes=None,
    dram_bytes_per_s=8_000_000_000_000,
    dense_tflops={"fp4": 13125, "fp8": 4500, "fp16": 2250, "bf16": 2250, "tf32": 1125, "fp32": 75},
    basis="HGX B300 page by way of third parties; "
    "FP4 dense is given as 13.1 to 14 (HGX) and 15 (GB300) PFLOPS",
)
