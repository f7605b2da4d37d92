"""The configuration upstream chooses for a matmul."""

from __future__ import annotations

from typing import NamedTuple

from kcfg.core.engine.arith import ceildiv
from kcfg.core.hardware.dtypes import dtype_bytes
from kcfg.core.hardware.target import Target
from kcfg.core.kernels.matmul.search import Choice, Extent, Widths, choose_tile
from kcfg.core.kernels.matmul.settings import with_more

FLOAT8 = "float8_e4m3fn"

WIDTHS = Widths(few=8, pairs=((64, 16), (128, 16)), narrowest=32)
FLOAT8_WIDTHS = Widths(few=16, pairs=((64, 32), (128, 16)), narrowest=32)
"""Those of a float8_e4m3fn result, which is stored in 16 columns at a time."""


class Problem(NamedTuple):
    """What is multiplied; M, N and K are None for none."""

    ab_dtype: str
    c_dtype: str
    M: int
    N: int
    K: int
    B: int
    has_epilogue_tensor: bool


def choose(target: Target, problem: Problem) -> Choice:
    """The configuration for a problem (source: choose_config, max 26.5.0 to 26.7.0)."""
    size = dtype_bytes(problem.ab_dtype)
    extent = Extent(problem.M, problem.N, problem.K, problem.B)
    widths = FLOAT8_WIDTHS if problem.c_dtype == FLOAT8 else WIDTHS
    found = choose_tile(target, extent, widths, 32 // size, ceildiv(problem.K, 128 // size))
    settings = with_more(
        found.settings,
        prefetches_ring=problem.M < 128,
        use_tma_epilogue_load=problem.has_epilogue_tensor,
    )
    return found._replace(settings=settings)
