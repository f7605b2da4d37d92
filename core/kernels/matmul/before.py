"""What MAX 26.7 launches in place of the matmul that it would select.

Read in its source and not run, so it is said and not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.hardware.dtypes import dtype_bytes
from kcfg.core.kernels.matmul.choose import FLOAT8, Problem
from kcfg.core.kernels.matmul.tuning import entries, few_rows

COPIED_BYTES = 16
"""What rows of A, B and the result must be a multiple of for TMA to copy them."""

NOT_GEMV = ((12288, 1536), (7168, 8192), (7168, 21504), (7168, 18432))
"""(N, K) that stay with the matmul though they have one row or column."""


def instead(problem: Problem, hit: int) -> Iterator[tuple[str, str]]:
    """What is launched in its place: the input it is about, and a sentence.

    ``hit`` is 0 where the selection found no kernel.
    """
    M, N, K, ab, c = problem.M, problem.N, problem.K, problem.ab_dtype, problem.c_dtype
    c_row, k_row = N * dtype_bytes(c), K * dtype_bytes(ab)
    if c_row % COPIED_BYTES or k_row % COPIED_BYTES:
        key, row = ("N", c_row) if c_row % COPIED_BYTES else ("K", k_row)
        yield key, f"rows of {row:,} B are no multiple of {COPIED_BYTES} B, so cuBLAS multiplies"
    elif ab in ("bfloat16", FLOAT8) and 1 in (M, N) and (N, K) not in NOT_GEMV:
        yield ("M" if M == 1 else "N"), "one row or column goes to a GEMV"
    elif ab == "float32" and N <= 256 and K >= 2048 and M <= 64:
        yield "M", "so few rows and columns of float32 go to a GEMV that splits K"
    elif ab == "bfloat16" and (few := few_rows(M, N, K)):
        yield "M", f"M {few.M} to {few.M_end - 1} of this N and K go to {few.kernel}"
    elif ab == FLOAT8 and M > 128 and (above := _first_at_least(problem)):
        yield "M", f"its table is looked up otherwise first, and gives the entry of M {above}"
    elif not hit and not (ab == c == "bfloat16" or (ab == FLOAT8 and M <= 128)):
        yield "M", "no kernel that exists was found, so cuBLAS multiplies"


def _first_at_least(problem: Problem) -> int | None:
    """The first M of the float8 table's entries for N and K that is no less than the rows."""
    table = entries(problem.ab_dtype, problem.N, problem.K)
    return next((entry.M for entry in table if entry.M >= problem.M), None)
