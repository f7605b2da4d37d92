"""Upstream's tuning tables: configurations it measured for some N, K and ranges of M."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

TABLES = Path(__file__).with_name("tuning.json")
"""The tables, and where they come from; read when the first problem is looked up."""


class Entry(NamedTuple):
    """A configuration for M <= rows < M_end, in the order of the file's ``columns``."""

    M: int
    M_end: int
    N: int
    K: int
    mma_m: int
    mma_n: int
    mma_k: int
    cluster_m: int
    cluster_n: int
    cluster_k: int
    block_swizzle_size: int
    raster_along_n: bool
    cta_group: int
    AB_swapped: bool
    k_group_size: int
    num_accum_pipeline_stages: int
    num_clc_pipeline_stages: int
    num_split_k: int

    def holds(self, rows: int) -> bool:
        """Whether it is for so many rows."""
        return self.M <= rows < self.M_end


class FewRows(NamedTuple):
    """A kernel of another kind for M <= rows < M_end, by its name upstream."""

    M: int
    M_end: int
    N: int
    K: int
    kernel: str


def entries(ab_dtype: str, N: int, K: int) -> Iterator[Entry]:
    """The entries of a type's table for N and K, in its order; none where there is no table."""
    for row in _tables().get(ab_dtype, ()):
        entry = Entry(*row)
        if (entry.N, entry.K) == (N, K):
            yield entry


def few_rows(M: int, N: int, K: int) -> FewRows | None:
    """The entry of the bfloat16 table of kernels for few rows that a problem falls in."""
    found = (FewRows(*row) for row in _tables()["few_rows"])
    return next((e for e in found if (e.N, e.K) == (N, K) and e.M <= M < e.M_end), None)


@cache
def _tables() -> dict[str, Any]:
    import json  # a moment that only the tables are worth

    tables: dict[str, Any] = json.loads(TABLES.read_text(encoding="utf-8"))
    return tables
