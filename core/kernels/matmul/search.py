"""The search for a matmul's tile: fewest waves first, then the smallest tile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kcfg.core.engine.arith import ceildiv, up
from kcfg.core.hardware.target import Target
from kcfg.core.kernels.matmul.settings import Settings

FEW = 32
"""Rows from which on pairs of CTAs multiply."""


class Extent(NamedTuple):
    """B products of an M x K matrix and a transposed N x K one."""

    M: int
    N: int
    K: int
    B: int = 1


class Widths(NamedTuple):
    """Which tiles are tried."""

    few: int
    """Columns of the narrowest tile of one CTA, and between it and each that follows."""
    pairs: tuple[tuple[int, int], ...]
    """The rows of each CTA of a pair, and the columns between two tiles of that height."""
    narrowest: int
    """Columns of the narrowest tile of a pair, where there are as many."""


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


def choose_tile(target: Target, extent: Extent, widths: Widths, mma_k: int, k_tiles: int) -> Choice:
    """The configuration for a problem: of the tiles tried the best, and what follows from it.

    ``mma_k`` is what one instruction sums over, ``k_tiles`` the tiles along K.
    """
    cta_group = 1 if extent.M < FEW else 2
    best, tried = search(target.sm_count, extent, widths)
    waves = int(best.waves)
    block_m = best.mma_m // cta_group
    settings = Settings(
        target=target,
        cta_group=cta_group,
        mma_m=best.mma_m,
        mma_n=best.mma_n,
        mma_k=mma_k,
        cluster_m=cta_group,
        AB_swapped=best.swapped,
        block_swizzle_size=swizzle_size(target.sm_count, waves, extent.M, block_m, best.mma_n),
        k_group_size=group_size(block_m * best.mma_n, k_tiles),
        num_accum_pipeline_stages=min(2, waves),
        num_clc_pipeline_stages=0 if waves == 1 else 2,
    )
    return Choice(settings, best, tuple(one for one in tried if one is not best))


def search(sm_count: int, extent: Extent, widths: Widths) -> tuple[Candidate, list[Candidate]]:
    """The best tile for a problem, and every tile that was tried."""
    best = Candidate(256, 256, False, float("inf"))
    tried = []
    rows = _few_rows if extent.M < FEW else _pairs
    for row in rows(sm_count, extent, widths):
        for candidate in row:
            tried.append(candidate)
            if candidate.waves > best.waves and extent.M >= FEW:
                break  # narrower tiles of this height only take more waves
            if candidate.beats(best):
                best = candidate
    return best, tried


Row = Iterator[Candidate]
"""Tiles of one height, in the order they are tried."""


def _few_rows(sm_count: int, extent: Extent, widths: Widths) -> Iterator[Row]:
    """Tiles of one CTA for few rows: swapped, so that N takes the MMA's M."""

    def row(height: int) -> Row:
        for width in range(widths.few, up(extent.M, widths.few) + 1, widths.few):
            tiles = ceildiv(extent.M, width) * ceildiv(extent.N, height) * extent.B
            yield Candidate(height, width, True, ceildiv(tiles, sm_count))

    yield from (row(height) for height, _ in widths.pairs)


def _pairs(sm_count: int, extent: Extent, widths: Widths) -> Iterator[Row]:
    """Tiles of a pair of CTAs, as they are and swapped, the widest first."""

    def row(half: int, step: int, m: int, n: int, swapped: bool) -> Row:
        widest = up(n, step)
        for width in range(min(widest, 256), min(widest, widths.narrowest) - 1, -step):
            tiles = ceildiv(m, 2 * half) * ceildiv(n, width) * extent.B
            yield Candidate(2 * half, width, swapped, ceildiv(tiles, sm_count // 2))

    for m, n, swapped in ((extent.M, extent.N, False), (extent.N, extent.M, True)):
        yield from (row(half, step, m, n, swapped) for half, step in widths.pairs)


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
