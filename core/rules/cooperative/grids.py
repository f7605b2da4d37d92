"""Grids whose blocks wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from kcfg.core.block.block import Block
from kcfg.core.figures import some
from kcfg.core.hardware.sources import H200_DRIVER
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.occupancy import resident


@rule(
    "GRD002",
    "error",
    also=("info",),
    reads="cooperative grid block_threads",
    blames="grid",
    unit="blocks",
    source=H200_DRIVER,
)
def resident_at_once(
    block: Block, cooperative: bool, grid: tuple[int, ...], threads: int
) -> Iterator[Breach]:
    """Whether all blocks of a cooperative grid are resident at once.

    They may wait for each other, so that a launch with more of them than all SMs hold is
    refused. Clusters leave SMs without a block, since a whole one must fit into a GPC, and how
    many fit only the driver knows: without its answer (`active_clusters`) a grid that is
    within what all SMs hold may still be refused.

    Fails: {target: h200, shape: {cooperative: true, grid: [265], block: [1024]}}

    Passes: {target: h200, shape: {cooperative: true, grid: [264], block: [1024]}}
    """
    blocks, size = prod(grid), prod(block.cluster)
    each = resident(block, threads).blocks if threads > 0 else 0
    # Where not even one block is resident another rule says why; a cluster of 0 is CLU001.
    if not cooperative or not each or not size:
        return
    sms, active = block.target.sm_count, block.active_clusters
    most = sms * each
    held = f"{some(sms, 'SM')} hold {some(most, 'block')}, {each} each"
    if block.cluster and active is not None:
        most = active * size
        held = f"{some(active, 'cluster')} of {size} are {some(most, 'block')}"
    if blocks > most:
        fitting = most // size * size
        yield Breach(
            f"a cooperative grid of {some(blocks, 'block')} is {blocks - most:,} over what is"
            f" resident at once: {held}",
            value=blocks,
            limit=most,
            over=blocks - most,
            fix=f"use at most {fitting:,}" if fitting else "use a smaller block or cluster",
        )
    elif block.cluster and active is None and blocks > size:
        yield Breach(
            f"whether {some(blocks // size, 'cluster')} of {size} are resident at once is not"
            f" known: {held}, clusters perhaps fewer",
            value=blocks,
            fix="say what cudaOccupancyMaxActiveClusters answers",
            severity="info",
        )
