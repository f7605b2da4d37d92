"""NVIDIA B200 (Blackwell, compute capability 10.0)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_10_0
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_10_0,
    name="b200",
    product="B200",
    aliases=("B200 SXM", "HGX B200", "DGX B200"),
    # Mojo has 132 SMs for a B100, and marks that as a guess.
    unstated=("B100",),
    names_arch=True,
    sm_count=148,
    sm_count_note="GB200 parts report 152",
    l2_bytes=132644864,
    dram_bytes=191_495_471_104,
    # As published; the memory clock and bus width read on one B200 make it 7.67 TB/s.
    dram_bytes_per_s=8_000_000_000_000,
    max_sm_clock_mhz=1965,
    dense_tflops={
        "fp4": 9000,
        "fp8": 4500,
        "fp6": 4500,
        "int8": 4500,
        "fp16": 2250,
        "bf16": 2250,
        "tf32": 1125,
        "fp32": 75,
        "fp64": 37,
    },
    basis="HGX B200 page, per GPU, 8-GPU total / 8, sparse rows halved",
)
