"""NVIDIA Jetson Thor (Blackwell, compute capability 11.0)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_11_0
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_11_0,
    name="thor",
    product="Jetson Thor",
    aliases=("AGX Thor", "AGX Thor Developer Kit", "T5000"),
    unstated=("T4000",),
    names_arch=True,
    sm_count=20,
    sm_count_note="the chip has up to 24; the developer kit reports 20",
    l2_bytes=33554432,
    dram_bytes_per_s=273_000_000_000,
    dense_tflops={},
    basis="forum report of a device query",
)
