"""NVIDIA RTX PRO 6000 (Blackwell, compute capability 12.0)."""

from __future__ import annotations

from kcfg.core.hardware.capabilities import CC_12_0
from kcfg.core.hardware.target import Target

TARGET = Target(
    **CC_12_0,
    name="rtx_pro_6000",
    product="RTX PRO 6000",
    aliases=("RTX PRO 6000 Workstation", "RTX 6000 PRO"),
    unstated=("RTX PRO 5000", "RTX PRO 4500", "RTX PRO 4000", "RTX PRO 2000"),
    sm_count=188,
    l2_bytes=134217728,
    dram_bytes_per_s=1_792_000_000_000,
    dense_tflops={"fp32": 125},
    basis="product pages",
)
