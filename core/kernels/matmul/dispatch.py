"""The configuration that is launched for a problem: tuned, chosen, or the default.

As in select_and_launch_sm100_config of MAX 26.7. What MAX tries before that is in ``before``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from kcfg.core.engine.arith import up
from kcfg.core.hardware.dtypes import dtype_bytes
from kcfg.core.hardware.target import Target
from kcfg.core.kernels.matmul.choose import FLOAT8, Problem, choose
from kcfg.core.kernels.matmul.search import Choice
from kcfg.core.kernels.matmul.settings import Settings, with_more
from kcfg.core.kernels.matmul.tuning import Entry, entries

BUILT_FOR: tuple[int, ...] = (*range(8, 256, 8), *range(256, 8192 + 1, 64))
"""The numbers of rows whose choices are the kernels that exist, for any N and K."""


class Selection(NamedTuple):
    """What is launched, and what decided it."""

    settings: Settings
    entry: Entry | None
    """The entry of the tuning table, where one was taken; then nothing else was looked at."""
    rows: int
    """M as the choice gets it."""
    choice: Choice
    built_for: int | None
    """Rows for which the kernel that was chosen is built; None where none like it exists."""


def settled(given: Settings, select: bool, problem: Problem, **more: Any) -> Settings:
    """The settings given, or where there is a problem those chosen, or selected, for it."""
    if problem.M is None:
        return with_more(given, **more)
    target = given.target
    return selection(target, problem).settings if select else choose(target, problem).settings


@lru_cache(maxsize=1 << 10)
def selection(target: Target, problem: Problem) -> Selection:
    """What the dispatcher launches: the tuning table first, then a choice for which code exists."""
    rows = up(problem.M, 64) if problem.M >= 256 else problem.M
    choice = choose(target, problem._replace(M=rows))
    entry = tuned(problem)
    if entry is not None:
        return Selection(_of_entry(target, problem, entry), entry, rows, choice, None)
    built = _built_for(target, problem._replace(M=rows), choice.settings)
    settings = choice.settings if built is not None else default(target, problem)
    return Selection(settings, None, rows, choice, built)


def tuned(problem: Problem) -> Entry | None:
    """The first entry of the tuning table for a problem that does not split K.

    A float8_e4m3fn result has no table.
    """
    if problem.c_dtype == FLOAT8:
        return None
    table = entries(problem.ab_dtype, problem.N, problem.K)
    return next((e for e in table if e.holds(problem.M) and e.num_split_k == 1), None)


def default(target: Target, problem: Problem) -> Settings:
    """What is launched where no kernel is the one that was chosen.

    With a float8_e4m3fn result at once; with any other upstream first says that it found none.
    """
    return Settings(
        target=target,
        cta_group=2,
        mma_m=256,
        mma_n=256,
        mma_k=32 // dtype_bytes(problem.ab_dtype),
        cluster_m=2,
        AB_swapped=False,
        block_swizzle_size=0,
        k_group_size=1,
        prefetch_tiles_n=0,
        num_accum_pipeline_stages=2,
        num_clc_pipeline_stages=2,
        use_tma_epilogue_load=problem.has_epilogue_tensor,
        keeps_vector=False,
        hit=1 if problem.c_dtype == FLOAT8 else 0,
    )


def _of_entry(target: Target, problem: Problem, entry: Entry) -> Settings:
    known = {name: value for name, value in entry._asdict().items() if name in Settings.inputs}
    return Settings(
        target=target,
        prefetch_tiles_n=0,
        use_tma_epilogue_load=problem.has_epilogue_tensor,
        **known,
    )


def _built_for(target: Target, problem: Problem, wanted: Settings) -> int | None:
    """Rows for which a kernel with these settings is built: the problem's own, or the first."""
    for rows in (problem.M,) if problem.M in BUILT_FOR else BUILT_FOR:
        if _same(choose(target, problem._replace(M=rows)).settings, wanted):
            return rows
    return None


def _same(one: Settings, other: Settings) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in Settings.inputs)
