"""Clusters of blocks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from math import prod

from kcfg.core.block.block import Block
from kcfg.core.engine.arith import down, up
from kcfg.core.hardware.sources import BTG, H200_DEVICE, H200_DRIVER, HTG, PG, PTX
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.block import AXES


@rule("CLU001", "error", reads="cluster", unit="blocks", source=f"{BTG}; {HTG}; {H200_DRIVER}")
def cluster_size(block: Block, cluster: tuple[int, ...]) -> Iterator[Breach]:
    """How many blocks a cluster has.

    A cluster lives in one GPC. The compiler takes any size; a launch above the most, or above
    the portable size without the opt-in, is refused.

    Fails: shape: {cluster: [4, 4, 2]}

    Passes: shape: {cluster: [4, 4, 1], non_portable: true}
    """
    size = prod(cluster)
    portable = block.target.cluster_portable
    most = block.target.cluster_nonportable or portable
    if size < 1:
        yield Breach(f"a cluster of {size:,} blocks", value=size, limit=1, fix="use at least 1")
    elif size > most:
        yield Breach(
            f"a cluster of {size:,} blocks is {size - most:,} over the {most} of"
            f" {block.target.name}: it compiles, and the launch is refused",
            value=size,
            limit=most,
            over=size - most,
            fix=f"use at most {most}",
        )
    elif size > portable and block.non_portable is False:
        yield Breach(
            f"a cluster of {size:,} blocks without the opt-in is {size - portable:,} over the"
            f" portable {portable}: the launch is refused",
            value=size,
            limit=portable,
            over=size - portable,
            fix=f"set NonPortableClusterSizeAllowed, or use at most {portable}",
        )


@rule("CLU002", "warning", reads="cluster", unit="blocks", source=f"{BTG}; {H200_DEVICE}")
def non_portable(block: Block, cluster: tuple[int, ...]) -> Iterator[Breach]:
    """Whether a cluster over the portable size has the attribute it needs.

    Sizes over 8 need NonPortableClusterSizeAllowed on the kernel, and leave SMs without
    a block, since whole clusters must fit into a GPC.

    Fails: shape: {cluster: [16, 1, 1], non_portable: false}

    Passes: shape: {cluster: [16, 1, 1], non_portable: true}
    """
    size, portable = prod(cluster), block.target.cluster_portable
    most = block.target.cluster_nonportable or portable
    if portable < size <= most and not block.non_portable:
        yield Breach(
            f"a cluster of {size} blocks is {size - portable} over the portable {portable}: it"
            " needs NonPortableClusterSizeAllowed; expect fewer resident blocks",
            value=size,
            limit=portable,
            over=size - portable,
            fix=f"set the attribute, or use at most {portable}",
        )


@rule("CLU003", "error", reads="grid cluster", unit="blocks", source=f"{PG}; {H200_DRIVER}")
def grid_divides(block: Block, grid: tuple[int, ...], cluster: tuple[int, ...]) -> Iterator[Breach]:
    """Whether the grid is made of whole clusters.

    A launch whose grid is no multiple of its cluster, in each dimension, is refused.

    Fails: shape: {grid: [150], cluster: [4]}

    Passes: shape: {grid: [152], cluster: [4]}
    """
    # A dimension that is left out is 1.
    for index, (blocks, size) in enumerate(zip_longest(grid, cluster, fillvalue=1)):
        if size and blocks % size:
            axis = AXES[index]
            below = down(blocks, size)
            near = f"{below:,} or {below + size:,}" if below else f"{size:,}"
            yield Breach(
                f"grid {axis} of {blocks:,} is no multiple of cluster {axis}, {size:,}",
                path=f"grid[{index}]" if index < len(grid) else "grid",
                value=blocks,
                limit=size,
                over=blocks % size,
                fix=f"use {near}",
            )


@rule("CLU004", "error", reads="cluster cta_groups", unit="blocks", source=f"{PTX}, tcgen05")
def pair_mma(block: Block, cluster: tuple[int, ...], groups: dict[str, int]) -> Iterator[Breach]:
    """Whether two CTAs that share an MMA have a cluster to pair up in.

    cta_group::2 pairs neighbours of a cluster, so its size must be even.

    Fails: shape: {cluster: [1], mma: [{kind: f16, cta_group: 2, M: 256, N: 128}]}

    Passes: shape: {cluster: [2], mma: [{kind: f16, cta_group: 2, M: 256, N: 128}]}
    """
    size = prod(cluster)
    if 2 in groups.values() and size % 2:
        yield Breach(
            f"cta_group 2 needs an even number of blocks in a cluster, here {size:,}",
            value=size,
            limit=2,
            fix=_paired(block, size),
        )


def _paired(block: Block, size: int) -> str:
    """The nearest even cluster that may be launched, along x, with the grid that takes it."""
    target = block.target
    most = (block.non_portable and target.cluster_nonportable) or target.cluster_portable
    even = sorted(range(2, most + 1, 2), key=lambda each: (abs(each - size), -each))
    blocks = block.grid[0] if block.grid else 0
    near = next((each for each in even if blocks % each == 0), 0)
    if near:
        return f"use a cluster of {near:,}"
    return f"use a cluster of {even[0]:,}, and a grid x of {up(blocks, even[0]):,}"
