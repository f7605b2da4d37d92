"""The configuration upstream chooses for a block-scaled matmul."""

from __future__ import annotations

from typing import Any

from kcfg.core.engine.arith import ceildiv
from kcfg.core.hardware.target import Target
from kcfg.core.kernels.matmul.search import Choice, Extent, Widths, choose_tile
from kcfg.core.kernels.matmul.settings import Settings, with_more

PACKED = "uint8"
"""What operands of FP4 are given as: a byte that holds two numbers."""

WIDTHS = Widths(few=64, pairs=((128, 64),), narrowest=64)

DEFAULTS: dict[str, Any] = {
    "cta_group": 2,
    "cluster_m": 2,
    "AB_swapped": False,
    "block_swizzle_size": 0,
    "k_group_size": 1,
    "num_accum_pipeline_stages": 2,
    "num_clc_pipeline_stages": 2,
}
"""What upstream's configuration has where its caller gives nothing else."""


def choose(target: Target, a_dtype: str, extent: Extent) -> Choice:
    """The configuration for a problem (source: choose_block_scaled_config, max 26.7.0)."""
    row = extent.K // 2 if a_dtype == PACKED else extent.K
    found = choose_tile(target, extent, WIDTHS, 32, ceildiv(row, 128))
    accumulators = 2 if found.best.mma_n <= 128 else 1
    settings = with_more(found.settings, num_accum_pipeline_stages=accumulators)
    return found._replace(settings=settings)


def settled(given: Settings, a_dtype: str, extent: Extent, prefetch_tiles_n: int) -> Settings:
    """The settings given, defaults filled in, or where there is a problem those chosen for it."""
    if extent.M is not None:
        return choose(given.target, a_dtype, extent).settings
    left = {name: value for name, value in DEFAULTS.items() if getattr(given, name) is None}
    return with_more(given, prefetch_tiles_n=prefetch_tiles_n, **left)
