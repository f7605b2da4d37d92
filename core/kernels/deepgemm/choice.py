"""The layouts that DeepGEMM's heuristics enumerate for a problem, and the one they take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from math import lcm
from typing import NamedTuple

from kcfg.core.engine.arith import ceildiv
from kcfg.core.engine.quantity import integer
from kcfg.core.engine.struct import Struct
from kcfg.core.figures import some
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Candidate
from kcfg.core.kernels.deepgemm.words import (
    columns_of,
    last_of,
    scale_rows,
    swizzle_of_bytes,
    tiles_of,
)

GROUPED = ("m_grouped_contiguous", "m_grouped_contiguous_psum", "m_grouped_masked")
"""Kinds of a GEMM whose groups lie along M: they have one layout."""
WIDEST = 256
"""The most rows or columns of a block."""
MOST_BEATEN = 6
"""Layouts that are told of beside the one that is taken: those that came closest."""


class Tiles(Struct):
    """A layout: what its author decides; nothing of it is there where a problem does."""

    target: Target

    swap_ab: int = integer("count", "1 where A and B change places.", least=0, most=1, tunable=True)
    block_m: int = integer("rows", "Rows of a tile.", most=WIDEST, tunable=True)
    block_n: int = integer("columns", "Columns of a tile.", most=WIDEST, tunable=True)
    cluster_m: int = integer("CTAs", "CTAs of a cluster along M.", most=2, tunable=True)
    cluster_n: int = integer("CTAs", "CTAs of a cluster along N.", most=2, tunable=True)
    num_candidates: int = integer("count", "Layouts that were weighed.", default=None)


class Problem(NamedTuple):
    """What the heuristics are asked with; ``expected_*`` are 0 for the real value."""

    gemm_type: str
    a: str
    b: str
    m: int
    n: int
    k: int
    num_groups: int
    major_a: str
    major_b: str
    num_sms: int
    expected_m: int
    expected_n: int
    expected_num_groups: int
    mk_alignment: int
    block_m_multiple_of: int
    block_n_multiple_of: int


class Layout(NamedTuple):
    """One layout, and what it is weighed by."""

    swap_ab: int
    block_m: int
    block_n: int
    cluster_m: int
    cluster_n: int
    waves: int
    last: int

    @property
    def cluster(self) -> int:
        """CTAs of a cluster."""
        return self.cluster_m * self.cluster_n


NOTHING = Layout(0, 0, 0, 0, 0, 0, 0)
"""What is derived from where no layout can be weighed; specs of such problems are refused."""

WEIGHED: tuple[tuple[str, Callable[[Layout], int]], ...] = (
    ("CTAs of a cluster", lambda layout: -layout.cluster),
    ("waves", lambda layout: layout.waves),
    ("tiles of the last wave", lambda layout: -layout.last),
    ("rows and columns", lambda layout: layout.block_m + layout.block_n),
    ("elements", lambda layout: layout.block_m * layout.block_n),
)
"""What decides between two layouts, in this order: the smaller number wins."""


def settled(given: Tiles, select: bool, problem: Problem) -> Tiles:
    """The layout given, or the one that is chosen for a problem."""
    if not select:
        return given
    weighed = layouts(given.target.tmem_columns, problem)
    best = taken(weighed) if weighed else NOTHING
    return Tiles(
        target=given.target,
        swap_ab=best.swap_ab,
        block_m=best.block_m,
        block_n=best.block_n,
        cluster_m=best.cluster_m,
        cluster_n=best.cluster_n,
        num_candidates=len(weighed),
    )


def taken(weighed: tuple[Layout, ...]) -> Layout:
    """The layout that no later one beats."""
    best = weighed[0]
    for each in weighed[1:]:
        if beats(each, best):
            best = each
    return best


def beats(one: Layout, other: Layout) -> str:
    """What one layout is better by than another; empty where it is not better."""
    if one.waves != other.waves and 1 in (one.waves, other.waves):
        return "waves" if one.waves < other.waves else ""
    for name, figure in WEIGHED:
        mine, its = figure(one), figure(other)
        if mine != its:
            return name if mine < its else ""
    return ""


@lru_cache(1 << 10)
def layouts(columns: int, problem: Problem) -> tuple[Layout, ...]:
    """Every layout that is weighed, in order, where so many columns of tensor memory are there.

    Source: csrc/jit_kernels/heuristics/sm100.hpp.
    """
    if problem.gemm_type in GROUPED:
        pairs = ceildiv(problem.n, 128) % 2 == 0 and problem.num_sms % 2 == 0
        return (_weighed(problem, 1, problem.mk_alignment, 128, 1, 2 if pairs else 1),)
    return tuple(
        _weighed(problem, swap_ab, block_m, block_n, cluster_m, cluster_n)
        for swap_ab in (0, 1)
        for cluster_m in (1, 2)
        for cluster_n in (1, 2)
        for block_m in _rows(problem, swap_ab)
        for block_n in _columns(problem, swap_ab)
        if _fits(columns, problem, swap_ab, block_m, block_n, cluster_m, cluster_n)
    )


def _weighed(
    problem: Problem, swap_ab: int, block_m: int, block_n: int, cluster_m: int, cluster_n: int
) -> Layout:
    tiles = tiles_of(
        problem.expected_m or problem.m,
        problem.expected_n or problem.n,
        problem.expected_num_groups or problem.num_groups,
        block_m,
        block_n,
    )
    waves = ceildiv(tiles, problem.num_sms)
    last = last_of(tiles, problem.num_sms)
    return Layout(swap_ab, block_m, block_n, cluster_m, cluster_n, waves, last)


def _rows(problem: Problem, swap_ab: int) -> range:
    if swap_ab:
        step = lcm(16, problem.block_m_multiple_of)
        return range(step, WIDEST + 1, step)
    rows = 32 if problem.m <= 32 else 64 if problem.m <= 64 else 128
    return range(rows, rows + 1)


def _columns(problem: Problem, swap_ab: int) -> Iterator[int]:
    if swap_ab:
        yield 128
        return
    if 16 % problem.block_n_multiple_of == 0:
        yield 16
    step = lcm(32, problem.block_n_multiple_of)
    yield from range(step, (128 if problem.k <= 256 else WIDEST) + 1, step)


def _fits(
    columns: int,
    problem: Problem,
    swap_ab: int,
    block_m: int,
    block_n: int,
    cluster_m: int,
    cluster_n: int,
) -> bool:
    """Whether a layout is weighed at all."""
    scaled, inner_a, inner_b = problem.a != "bf16", problem.major_a == "k", problem.major_b == "k"
    load_m, load_n = block_m // cluster_n, block_n // cluster_m
    one_way = not (cluster_m > 1 if swap_ab else cluster_n > 1)
    if not one_way or cluster_m * cluster_n > 2 or problem.num_sms % (cluster_m * cluster_n):
        return False
    if load_m % _step(problem.a, inner_a) or load_n % _step(problem.b, inner_b):
        return False
    if ceildiv(problem.m, block_m) % cluster_m or ceildiv(problem.n, block_n) % cluster_n:
        return False
    umma_n = block_m if swap_ab else block_n
    if columns_of(umma_n, scale_rows(scaled, block_m), scale_rows(scaled, block_n)) > columns:
        return False
    if not (inner_a or inner_b):
        return True
    size, depth = (1, 128) if scaled else (2, 64)
    wide_a = swizzle_of_bytes(size * (depth if inner_a else load_m)) == 128
    return wide_a and swizzle_of_bytes(size * (depth if inner_b else load_n)) == 128


def _step(dtype: str, inner: bool) -> int:
    """What rows of an operand come in, of one load."""
    return 8 if inner else 128 if dtype == "fp4" else 64


def told(columns: int, problem: Problem) -> Iterator[Candidate]:
    """The layout that is taken, and those that came closest, each with what it lost by."""
    weighed = layouts(columns, problem)
    best = taken(weighed)
    beaten = [each for each in weighed if each is not best]
    beaten.sort(key=lambda each: [figure(each) for _, figure in WEIGHED])
    for each in (best, *beaten[:MOST_BEATEN]):
        turned = "A and B swapped, " if each.swap_ab else ""
        name = f"{turned}{each.block_m} x {each.block_n}, cluster {each.cluster_m} x"
        waves = f"{some(each.waves, 'wave')}, the last of {some(each.last, 'tile')}"
        by = beats(best, each) or "coming first"
        lost = "" if each is best else f"; loses by {by}"
        yield Candidate(f"{name} {each.cluster_n}", each is best, f"{waves}{lost}")
