"""The configuration upstream chooses for a problem: fewest waves first, then the smallest tile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kcfg.core.engine.arith import ceildiv, up
from kcfg.core.hardware.dtypes import dtype_bytes
from kcfg.core.hardware.target import Target
from kcfg.core.kernels.matmul.settings import Settings


class Problem(NamedTuple):
    """B products of an M x K matrix and a transposed N x K one; M, N, K are None for none."""

    ab_dtype: str
    c_dtype: str
    M: int
    N: int
    K: int
    B: int
    has_epilogue_tensor: bool


class Candidate(NamedTuple):
    """A tile that was tried: M and N of its MMA, and the waves the problem takes with it."""

    mma_m: int
    mma_n: int
    swapped: bool
    waves: float
    """Infinite for the start of the search, the one candidate that is not tried."""

    @property
    def area(self) -> int:
        """Elements of the MMA's tile."""
        return self.mma_m * self.mma_n

    def beats(self, other: Candidate) -> bool:
        """Whether it takes fewer waves, or as many with a smaller tile."""
        return (self.waves, self.area) < (other.waves, other.area)


class Choice(NamedTuple):
    """What was chosen, the tile that won, and the tiles it beat in the order they were tried."""

    settings: Settings
    best: Candidate
    beaten: tuple[Candidate, ...]


def choose(target: Target, problem: Problem) -> Choice:
    """The configuration for a problem (source: choose_config, max 26.5.0 to 26.7.0)."""
    cta_group = 1 if problem.M < 32 else 2
    best, tried = search(target.sm_count, problem)
    waves = int(best.waves)
    k_tile = 128 // dtype_bytes(problem.ab_dtype)
    block_m = best.mma_m // cta_group
    settings = Settings(
        target=target,
        cta_group=cta_group,
        mma_m=best.mma_m,
        mma_n=best.mma_n,
        mma_k=32 // dtype_bytes(problem.ab_dtype),
        cluster_m=cta_group,
        AB_swapped=best.swapped,
        block_swizzle_size=swizzle_size(target.sm_count, waves, problem.M, block_m, best.mma_n),
        k_group_size=group_size(block_m * best.mma_n, ceildiv(problem.K, k_tile)),
        prefetch_tiles_n=0,
        num_accum_pipeline_stages=min(2, waves),
        num_clc_pipeline_stages=0 if waves == 1 else 2,
        use_tma_epilogue_load=problem.has_epilogue_tensor,
        prefetches_ring=problem.M < 128,
    )
    return Choice(settings, best, tuple(one for one in tried if one is not best))


def search(sm_count: int, problem: Problem) -> tuple[Candidate, list[Candidate]]:
    """The best tile for a problem, and every tile that was tried."""
    best = Candidate(256, 256, False, float("inf"))
    tried = []
    for row in _few_rows(sm_count, problem) if problem.M < 32 else _pairs(sm_count, problem):
        for candidate in row:
            tried.append(candidate)
            if candidate.waves > best.waves and problem.M >= 32:
                break  # narrower tiles of this height only take more waves
            if candidate.beats(best):
                best = candidate
    return best, tried


Row = Iterator[Candidate]
"""Tiles of one height, in the order they are tried."""


def _few_rows(sm_count: int, problem: Problem) -> Iterator[Row]:
    """Tiles of one CTA for fewer than 32 rows: swapped, so that N takes the MMA's M."""
    step = 16 if problem.c_dtype == "float8_e4m3fn" else 8

    def row(height: int) -> Row:
        for width in range(step, up(problem.M, step) + 1, step):
            tiles = ceildiv(problem.M, width) * ceildiv(problem.N, height) * problem.B
            yield Candidate(height, width, True, ceildiv(tiles, sm_count))

    yield from (row(height) for height in (64, 128))


def _pairs(sm_count: int, problem: Problem) -> Iterator[Row]:
    """Tiles of a pair of CTAs, as they are and swapped, the widest first."""

    def row(half: int, m: int, n: int, swapped: bool) -> Row:
        step = 32 if problem.c_dtype == "float8_e4m3fn" and half == 64 else 16
        widest = up(n, step)
        for width in range(min(widest, 256), min(widest, 32) - 1, -step):
            tiles = ceildiv(m, 2 * half) * ceildiv(n, width) * problem.B
            yield Candidate(2 * half, width, swapped, ceildiv(tiles, sm_count // 2))

    for m, n, swapped in ((problem.M, problem.N, False), (problem.N, problem.M, True)):
        yield from (row(half, m, n, swapped) for half in (64, 128))


def group_size(area: int, k_tiles: int) -> int:
    """K tiles that share barriers: more for a small tile, where they divide K's evenly."""
    if area <= 1024 and k_tiles % 4 == 0:
        return 4
    if area <= 6144 and k_tiles % 2 == 0:
        return 2
    return 1


def swizzle_size(sm_count: int, waves: int, rows: int, block_m: int, mma_n: int) -> int:
    """The block swizzle that loads least of A and B in one wave; 0 below four waves."""
    if waves < 4:
        return 0
    column = ceildiv(rows, block_m)

    def load(size: int) -> int:
        strips = ceildiv(sm_count, size)
        return min(strips, column) * block_m + size * ceildiv(strips, column) * mma_n

    return min((1, 2, 4, 8), key=load)
