"""Clusters against what a kernel was compiled for."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from kcfg.core.block.block import Block
from kcfg.core.hardware.sources import H200_DRIVER
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.block import alike, dims


@rule(
    "CLU005",
    "error",
    reads="cluster registers.launch_bounds",
    unit="blocks",
    source=H200_DRIVER,
)
def within_bounds(
    block: Block, cluster: tuple[int, ...], bounds: tuple[int, ...]
) -> Iterator[Breach]:
    """Whether a cluster is within the launch bounds.

    Their third argument is the most blocks of a cluster; a launch with more is refused. It
    does not stand for the attribute that a cluster over the portable size needs.

    Fails: shape: {cluster: [8], registers: {launch_bounds: [256, 1, 4]}}

    Passes: shape: {cluster: [4], registers: {launch_bounds: [256, 1, 4]}}
    """
    size, most = prod(cluster), bounds[2] if len(bounds) > 2 else 0
    if 0 < most < size:
        arguments = ", ".join(str(each) for each in (*bounds[:2], size))
        yield Breach(
            f"a cluster of {size:,} blocks is {size - most:,} over the {most:,} of its launch"
            " bounds: the launch is refused",
            value=size,
            limit=most,
            over=size - most,
            fix=f"write __launch_bounds__({arguments}), or use at most {most:,}",
        )


@rule(
    "CLU006",
    "error",
    reads="cluster cluster_attribute",
    blames="cluster_attribute",
    unit="blocks",
    source=H200_DRIVER,
)
def attribute(block: Block, cluster: tuple[int, ...], asked: tuple[int, ...]) -> Iterator[Breach]:
    """Whether a launch asks for the cluster that its kernel is compiled for.

    With `__cluster_dims__` the launch may leave its own attribute out; one that differs, in
    any dimension, is refused.

    Fails: shape: {cluster: [4], cluster_attribute: [2]}

    Passes: shape: {cluster: [4], cluster_attribute: [4, 1, 1]}
    """
    if not alike(cluster, asked):
        yield Breach(
            f"the launch asks for a cluster of {dims(asked)}, the kernel is compiled for"
            f" {dims(cluster)}: the launch is refused",
            value=prod(asked),
            limit=prod(cluster),
            fix=f"ask for {dims(cluster)}, or leave the attribute out",
        )
