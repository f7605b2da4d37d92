"""How many blocks share an SM: what each takes of its shared memory, registers and warps."""

from __future__ import annotations

from typing import Any

from kcfg.cli.pictures.bars import Bar, Mark, Part, Span
from kcfg.core.block.block import Block
from kcfg.core.figures import some
from kcfg.core.hardware.occupancy import Occupancy, warps_of
from kcfg.core.rules.occupancy import resident

RULE = "OCC001"
"""The finding that says how many blocks share an SM."""


def residency_part(report: dict[str, Any], block: Block) -> Part:
    """One bar for each thing an SM shares out, filled with the blocks that fit."""
    said = [found["message"] for found in report["findings"] if found["rule"] == RULE]
    threads = block.block_threads
    if threads is None:
        return Part("sm", "Blocks per SM: the threads of a block are not known")
    if not said or threads < 1:
        return Part("sm", f"Blocks per SM: not told for a block of {some(threads, 'thread')}")
    target, found = block.target, resident(block, threads)
    rows = [
        ("shared memory", "bytes", target.smem_per_sm, found.smem_per_block, block.shared_bytes),
        (
            "registers",
            "registers",
            target.registers_per_sm,
            found.registers_per_block,
            block.entry,
        ),
        ("warps", "warps", target.max_warps_per_sm, warps_of(target, threads), threads),
    ]
    bars = tuple(
        _bar(found, name, unit, most, each)
        for name, unit, most, each, given in rows
        if given is not None
    )
    return Part("sm", said[0], bars, together=False, bad=not found.blocks)


def _bar(found: Occupancy, name: str, unit: str, most: int, each: int) -> Bar:
    blocks = max(found.blocks, 1)
    taken = blocks * each

    def said(count: int) -> str:
        return f"{count:,} B" if unit == "bytes" else some(count, unit.removesuffix("s"))

    which = "block" if blocks == 1 else f"{blocks:,} blocks"
    detail = f"{said(each)} for each block, as the SM sets them aside"
    text = said(each) + (" each" if blocks > 1 else "")
    spans = [Span(which, 0, taken, "region", text, detail, blocks)]
    if taken < most:
        left = said(most - taken)
        spans.append(Span("rest", taken, most - taken, "free", left, f"{left} left over"))
    elif taken > most:
        over = said(taken - most)
        spans.append(Span("over", most, taken - most, "over", over, f"{over} too many"))
    marks = (Mark(most, said(most)),) if taken > most else ()
    label = f"{name} of the SM: {most:,}" + (" B" if unit == "bytes" else "")
    return Bar(label, unit, max(most, taken), tuple(spans), marks)
