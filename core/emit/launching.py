"""What a kernel is launched with, as constants."""

from __future__ import annotations

from kcfg.core.block.block import Block
from kcfg.core.emit.conditions import above, at_most, equal, product, total
from kcfg.core.emit.identifiers import Draft, Limits
from kcfg.core.emit.parts import Parts

AXES = ("x", "y", "z")


def launching(block: Block, draft: Draft, limits: Limits, parts: Parts) -> None:
    """Threads, shared memory, cluster and launch bounds; what is not modelled is left out."""
    if block.block_threads is not None:
        _bounds(block, block.block_threads, draft, limits, parts)
    if block.dynamic_bytes is not None:
        _dynamic(block.dynamic_bytes, block.static_bytes or 0, draft, limits, parts)
    if block.cluster:
        _cluster(block, draft, limits, parts)


def _bounds(block: Block, many: int, draft: Draft, limits: Limits, parts: Parts) -> None:
    doc = "Threads of the block; the first argument of __launch_bounds__."
    threads = draft.add("threads", many, "threads", doc)
    doc = "Blocks that share an SM; the second argument of __launch_bounds__."
    blocks = draft.add("min_blocks", block.wanted or 1, "blocks", doc)
    parts.plays("threads", threads)
    parts.plays("blocks_per_sm", blocks)
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


def _dynamic(size: int, static: int, draft: Draft, limits: Limits, parts: Parts) -> None:
    dynamic = draft.add("dynamic_smem", size, "bytes", "Dynamic shared memory to launch with.")
    every = [parts.plays("shared.dynamic", dynamic)]
    if static:
        doc = "Static shared memory, padded as the compiler does it."
        every.append(draft.add("static_smem", static, "bytes", doc))
    free, taken = limits["smem_default_per_block"], total(every)
    doc = "Whether MaxDynamicSharedMemorySize must be raised to it first."
    needs = draft.add("needs_opt_in", taken.value > free.value, "bool", doc)
    most = limits["smem_optin_per_block"]
    draft.checks += [
        at_most(taken, most, "a block may have this shared memory"),
        equal(needs, above(taken, free), "more than the default needs the attribute"),
    ]
    if parts.smem is not None:
        why = "the launch brings all the shared memory that is laid out"
        draft.checks.append(at_most(parts.smem, dynamic, why))


def _cluster(block: Block, draft: Draft, limits: Limits, parts: Parts) -> None:
    doc = "Blocks of a cluster along {}."
    sizes = [
        draft.add(f"cluster_{axis}", size, "CTAs", doc.format(axis))
        for axis, size in zip(AXES, block.cluster, strict=False)
    ]
    for index, axis in enumerate(sizes):
        parts.plays(f"cluster[{index}]", axis)
    blocks, free = product(*sizes), limits["cluster_portable"]
    doc = "Whether NonPortableClusterSizeAllowed must be set first."
    needs = draft.add("needs_non_portable", blocks.value > free.value, "bool", doc)
    why = "more than a portable cluster needs the attribute"
    draft.checks.append(equal(needs, above(blocks, free), why))
    if block.target.cluster_nonportable is not None:
        most = limits["cluster_nonportable"]
        draft.checks.append(at_most(blocks, most, "a cluster may have these blocks"))
