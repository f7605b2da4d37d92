"""What a matmul's configuration is derived from, given by hand or chosen for a problem."""

from __future__ import annotations

from typing import Any

from kcfg.core.engine.quantity import Input, flag, integer
from kcfg.core.engine.struct import Struct
from kcfg.core.hardware.target import Target


class Settings(Struct):
    """What the caller of a matmul decides, in the order a spec gives it."""

    target: Target

    cta_group: int = integer("CTAs", "CTAs that issue one MMA together.", most=2, tunable=True)
    mma_m: int = integer("rows", "M of one MMA, over the whole CTA group.", tunable=True)
    mma_n: int = integer("columns", "N of one MMA.", tunable=True)
    mma_k: int = integer("elements", "K of one MMA instruction.", tunable=True)
    cluster_m: int = integer("CTAs", "CTAs of the cluster, all along M.", tunable=True)
    AB_swapped: bool = flag("Whether the kernel computes the transposed product.", tunable=True)
    block_swizzle_size: int = integer(
        "count",
        "Tiles along N that are visited before the next along M; 0: none.",
        least=0,
        tunable=True,
    )
    k_group_size: int = integer("stages", "K tiles that share one pair of barriers.", tunable=True)
    num_accum_pipeline_stages: int = integer(
        "stages", "Accumulators in tensor memory.", tunable=True
    )
    num_clc_pipeline_stages: int = integer(
        "stages", "Tiles asked for ahead from the hardware's scheduler.", least=0, tunable=True
    )

    # What not every matmul has

    prefetch_tiles_n: int = integer(
        "count", "Tiles fetched ahead into L2.", default=0, least=0, tunable=True
    )
    use_tma_epilogue_load: bool = flag(
        "Whether TMA loads a tensor for the epilogue.", default=False, tunable=True
    )

    # What no spec gives: the choice and the dispatcher alone decide it

    prefetches_ring: bool = flag(
        "Whether to fetch ahead what the ring holds, in place of the number given.", default=False
    )
    cluster_n: int = integer("CTAs", "CTAs of the cluster along N.", default=1)
    cluster_k: int = integer("CTAs", "CTAs of the cluster along K.", default=1)
    raster_along_n: bool = flag("Whether tiles are visited along N first.", default=False)
    keeps_vector: bool = flag(
        "Whether an epilogue that reads a vector is built for one.", default=True
    )
    hit: int = integer("count", "1 where a kernel was found, 0 where none was.", default=1, least=0)


def with_more(settings: Settings, **more: Any) -> Settings:
    """The same settings, and others beside or in place of them."""
    known = {name: getattr(settings, name) for name in Settings.inputs}
    return Settings(target=settings.target, **{**known, **more})


def optional(member: Input) -> Any:
    """The same input where a spec may leave it out, because a problem settles it."""
    return Input(
        member.kind,
        member.unit,
        member.doc,
        None,
        key=member.key,
        least=member.least,
        most=member.most,
        choices=member.choices,
        tunable=member.tunable,
    )
