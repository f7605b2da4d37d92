"""What a kernel is launched with, as constants."""

from __future__ import annotations

from typing import Any

from kcfg.core.emit.conditions import Number, above, at_most, equal, product
from kcfg.core.emit.identifiers import Draft, Limits
from kcfg.core.kernel import Kernel
from kcfg.core.launch.derived import launch_of
from kcfg.core.launch.launch import Launch

DYNAMIC = "launch_smem_used"
"""The value that upstream launches with, where that is not what the configuration uses."""

CLUSTER = {
    "cluster_shape[0]": "cluster_x",
    "cluster_shape[1]": "cluster_y",
    "cluster_shape[2]": "cluster_z",
    "cluster_size": "cluster_size",
    "fa4_config.cluster_size": "cluster_size",
}
"""The values that say how many blocks a cluster has, and what they are here."""


class Parts:
    """What a launch is held against: parts of the block that other sections state."""

    smem: Number | None = None
    tmem: Number | None = None
    entry: Number | None = None


def launching(kernel: Kernel, draft: Draft, limits: Limits, parts: Parts) -> None:
    """Threads, shared memory, cluster and launch bounds; what is not modelled is left out."""
    launch, values = launch_of(kernel), kernel.values()
    if launch.block_threads is not None:
        _bounds(launch, draft, limits, parts)
    dynamic = values.get(DYNAMIC, launch.dynamic_bytes)
    if dynamic is not None:
        _dynamic(dynamic, draft, limits, parts)
    _cluster(kernel, values, draft, limits)


def _bounds(launch: Launch, draft: Draft, limits: Limits, parts: Parts) -> None:
    doc = "Threads of the block; the first argument of __launch_bounds__."
    threads = draft.add("threads", launch.block_threads, "threads", doc)
    doc = "Blocks that share an SM; the second argument of __launch_bounds__."
    blocks = draft.add("min_blocks", launch.min_blocks, "blocks", doc)
    draft.checks += [
        at_most(threads, limits["max_threads_per_block"], "a block may have these threads"),
        at_most(product(blocks, threads), limits["max_threads_per_sm"], "the blocks share an SM"),
    ]
    if parts.entry is not None:
        taken = product(blocks, threads, parts.entry)
        draft.checks.append(at_most(taken, limits["registers_per_sm"], "their registers fit"))
    if parts.tmem is not None:
        taken = product(blocks, parts.tmem)
        draft.checks.append(at_most(taken, limits["tmem_columns"], "their tensor memory fits"))


def _dynamic(size: int, draft: Draft, limits: Limits, parts: Parts) -> None:
    dynamic = draft.add("dynamic_smem", size, "bytes", "Dynamic shared memory to launch with.")
    free = limits["smem_default_per_block"]
    doc = "Whether MaxDynamicSharedMemorySize must be raised to it first."
    needs = draft.add("needs_opt_in", size > free.value, "bool", doc)
    most = limits["smem_optin_per_block"]
    draft.checks += [
        at_most(dynamic, most, "a block may have this shared memory"),
        equal(needs, above(dynamic, free), "more than the default needs the attribute"),
    ]
    if parts.smem is not None:
        why = "the launch brings all the shared memory that is laid out"
        draft.checks.append(at_most(parts.smem, dynamic, why))


def _cluster(kernel: Kernel, values: dict[str, Any], draft: Draft, limits: Limits) -> None:
    docs = {key: member.doc for key, member in type(kernel).declared() if key in CLUSTER}
    sizes = [draft.add(CLUSTER[key], values[key], "CTAs", docs[key]) for key in docs]
    if not sizes:
        return
    blocks, free = product(*sizes), limits["cluster_portable"]
    doc = "Whether NonPortableClusterSizeAllowed must be set first."
    needs = draft.add("needs_non_portable", blocks.value > free.value, "bool", doc)
    why = "more than a portable cluster needs the attribute"
    draft.checks.append(equal(needs, above(blocks, free), why))
    if kernel.target.cluster_nonportable is not None:
        most = limits["cluster_nonportable"]
        draft.checks.append(at_most(blocks, most, "a cluster may have these blocks"))
