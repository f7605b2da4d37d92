"""The configuration upstream chooses for a fused matmul and SwiGLU."""

from __future__ import annotations

from kcfg.core.engine.arith import ceildiv
from kcfg.core.hardware.dtypes import dtype_bytes
from kcfg.core.hardware.target import Target
from kcfg.core.kernels.matmul.search import Choice, Extent, Widths, choose_tile
from kcfg.core.kernels.matmul.settings import Settings

WIDTHS = Widths(few=8, pairs=((64, 16), (128, 16)), narrowest=32)


def choose(target: Target, ab_dtype: str, extent: Extent) -> Choice:
    """The configuration for a problem (source: choose_swiglu_config, max 26.7.0)."""
    size = dtype_bytes(ab_dtype)
    return choose_tile(target, extent, WIDTHS, 32 // size, ceildiv(extent.K, 128 // size))


def settled(given: Settings, ab_dtype: str, extent: Extent) -> Settings:
    """The settings given, or where there is a problem those chosen for it."""
    return given if extent.M is None else choose(given.target, ab_dtype, extent).settings
