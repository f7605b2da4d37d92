"""What a kernel is launched with, as constants."""

from __future__ import annotations

from kcfg.core.block.block import Block
from kcfg.core.emit.conditions import Number, above, at_most, equal, multiple, product, total
from kcfg.core.emit.identifiers import Draft, Limits
from kcfg.core.emit.parts import Parts

AXES = ("x", "y", "z")


def launching(block: Block, draft: Draft, limits: Limits, parts: Parts) -> None:
    """Threads, shared memory, cluster and launch bounds; what is not modelled is left out."""
    if block.block_threads is not None:
        _bounds(block, block.block_threads, draft, limits, parts)
    if block.dynamic_bytes is not None or block.static_bytes:
        _memory(block.dynamic_bytes, block.static_bytes or 0, draft, limits, parts)
    cluster = _cluster(block, draft, limits, parts) if block.cluster else []
    grid = _axes("grid", "blocks", "Blocks of the grid along {}.", block.grid, draft)
    for blocks, size, axis in zip(grid, cluster, AXES, strict=False):
        if size.value > 1:
            draft.checks.append(multiple(blocks, size, f"clusters fill the grid along {axis}"))


def _axes(name: str, unit: str, doc: str, sizes: tuple[int, ...], draft: Draft) -> list[Number]:
    """Add a number for every axis that is given."""
    return [
        draft.add(f"{name}_{axis}", size, unit, doc.format(axis))
        for axis, size in zip(AXES, sizes, strict=False)
    ]


def _bounds(block: Block, many: int, draft: Draft, limits: Limits, parts: Parts) -> None:
    doc = "Threads of the block; the first argument of __launch_bounds__."
    threads = draft.add("threads", many, "threads", doc)
    axes = _axes("block", "threads", "Threads of the block along {}.", block.block, draft)
    if axes:
        draft.checks.append(equal(threads, product(*axes), "the block has these threads"))
    doc = "Blocks that share an SM; the second argument of __launch_bounds__."
    blocks = draft.add("min_blocks", block.wanted or 1, "blocks", doc)
    parts.plays("threads", threads)
    parts.plays("blocks_per_sm", blocks)
    draft.checks += [
        at_most(threads, limits["max_threads_per_block"], "a block may have these threads"),
        at_most(product(blocks, threads), limits["max_threads_per_sm"], "the blocks share an SM"),
    ]
    entry = parts.entry
    if entry is None and block.registers is not None and block.entry_cap is not None:
        doc = "The most registers per thread that bounds and options leave at entry."
        entry = draft.add("max_registers", block.entry_cap, "registers", doc)
    if entry is not None:
        taken = product(blocks, threads, entry)
        draft.checks.append(at_most(taken, limits["registers_per_sm"], "their registers fit"))
    if parts.tmem is not None:
        taken = product(blocks, parts.tmem)
        draft.checks.append(at_most(taken, limits["tmem_columns"], "their tensor memory fits"))


def _memory(size: int | None, static: int, draft: Draft, limits: Limits, parts: Parts) -> None:
    """Dynamic shared memory and what it needs, static memory beside it, as far as each is known."""
    every = []
    if size is not None:
        doc = "Dynamic shared memory to launch with."
        every.append(draft.add("dynamic_smem", size, "bytes", doc))
    if static:
        doc = "Static shared memory, padded as the compiler does it."
        every.append(draft.add("static_smem", static, "bytes", doc))
    taken = total(every)
    why = "a block may have this shared memory"
    draft.checks.append(at_most(taken, limits["smem_optin_per_block"], why))
    if size is None:
        return
    dynamic = parts.plays("shared.dynamic", every[0])
    free, doc = (
        limits["smem_default_per_block"],
        "Whether MaxDynamicSharedMemorySize must be raised",
    )
    needs = draft.add("needs_opt_in", taken.value > free.value, "bool", f"{doc} to it first.")
    why = "more than the default needs the attribute"
    draft.checks.append(equal(needs, above(taken, free), why))
    if parts.smem is not None:
        why = "the launch brings all the shared memory that is laid out"
        draft.checks.append(at_most(parts.smem, dynamic, why))


def _cluster(block: Block, draft: Draft, limits: Limits, parts: Parts) -> list[Number]:
    sizes = _axes("cluster", "CTAs", "Blocks of a cluster along {}.", block.cluster, draft)
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
    return sizes
