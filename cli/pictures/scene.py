"""What there is to see of a derived configuration, found in its report.

What a report has is taken from it; what each of several allocations of tensor memory takes
only its block knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kcfg.cli.pages import titles
from kcfg.cli.pages.units import measured
from kcfg.cli.pages.verdicts import verdict
from kcfg.cli.pictures.bars import Bar, Mark, Part, Scene, Span
from kcfg.cli.pictures.pool import pool_part
from kcfg.cli.pictures.residency import residency_part
from kcfg.core.block.block import Block
from kcfg.core.block.parts import Pipeline
from kcfg.core.block.rings import label, taken
from kcfg.core.block.tensor_memory import taken_by
from kcfg.core.figures import joined, some
from kcfg.core.report import Derived
from kcfg.core.spec.known import LAUNCH


def scene(derived: Derived) -> Scene:
    """Everything that can be drawn of one configuration."""
    kernel, report = derived
    block = kernel.block
    words, tone = verdict(report["supported"], report["findings"])
    parts = (
        _smem_part(report, block),
        _tmem_part(report, block),
        pool_part(report, block) or Part("registers", unmodelled("Registers", report)),
        residency_part(report, block),
    )
    good = False if tone == "bad" else True if tone == "good" else None
    return Scene(report, titles.configuration(report), words, good, parts)


def _by_hand(report: dict[str, Any]) -> bool:
    """Whether a report is that of a launch, of which nothing is known but what is written."""
    return bool(report["kernel"] == LAUNCH)


def unmodelled(what: str, report: dict[str, Any]) -> str:
    """That a report says nothing of a part."""
    if _by_hand(report):
        return f"{what}: the spec does not say"
    return f"{what}: not modelled for {report['kernel']} {report['release']}"


def _only_total(report: dict[str, Any], what: str) -> str:
    whose = f"{report['kernel']} {report['release']}"
    return f"Only the total is known of {whose}: its {what} are not modelled."


# Shared memory


def _smem_part(report: dict[str, Any], block: Block) -> Part:
    smem = report["smem"]
    if smem is None:
        return Part("smem", unmodelled("Shared memory", report))
    static, used, limit = smem["static"] or 0, smem["used"], smem["limit"]
    bad, title = used + static > limit, titles.smem(smem)
    before = (_bytes("static", 0, static, "whole"),) if static else ()
    if smem["unplaced"]:
        said = (titles.unplaced(smem["unplaced"]),)
        return Part("smem", title, (_memory(before, limit, static, block),), said, bad=True)
    gap = "unnamed" if _by_hand(report) else "padding"
    regions = tuple(
        _region(region, gap)._replace(start=static + region["offset"]) for region in smem["regions"]
    )
    notes = tuple(_homeless(block)) if regions and _by_hand(report) else ()
    if not regions and block.ring_groups:
        regions, notes = tuple(_pipelines(block, static)), (UNPLACED,)
    end = max((span.end for span in regions), default=static)
    if not regions and used:
        regions, end = (_bytes("dynamic", static, used, "whole"),), static + used
    bar = _memory((*before, *regions), limit, end, block)
    known = smem["regions"] or _by_hand(report)
    notes = notes if known else (_only_total(report, "regions"),)
    return Part("smem", title, (bar,), notes, bad=bad)


UNPLACED = "Where the pipelines lie is not said: they are drawn in their order."


def _homeless(block: Block) -> Iterator[str]:
    """What is said of pipelines that lie in none of the regions."""
    lines = [
        f"{label(line, index)} ({measured(taken(line), 'bytes')})"
        for index, (line, home) in enumerate(zip(block.pipelines, block.homes, strict=True))
        if not home and taken(line)
    ]
    if lines:
        yield f"No region is said to hold {joined(lines)}."


def _pipelines(block: Block, start: int) -> Iterator[Span]:
    """The pipelines of a block in their order, where no region says where they lie."""
    lines: dict[object, dict[object, list[int]]] = {}
    for index, (group, side) in enumerate(block.sides):
        lines.setdefault(group, {}).setdefault(side, []).append(index)
    for group, sizes in block.ring_groups.items():
        ordered = sorted(lines[group], key=lambda side: -sizes[side])
        first = lines[group][ordered[0]][0]
        for side in ordered:
            end, shares = start, "" if side == ordered[0] else label(block.pipelines[first], first)
            for index in lines[group][side]:
                if taken(block.pipelines[index]):
                    yield _pipeline(block.pipelines[index], index, end, shares)
                end += taken(block.pipelines[index])
        start += max(sizes.values())


def _pipeline(line: Pipeline, index: int, start: int, shares: str) -> Span:
    size, stages, once = taken(line), line.stages or 0, line.fixed_bytes or 0
    text = f"{size:,} B" if once or stages < 2 else f"{stages:,} x {line.stage_bytes or 0:,} B"
    words = f"{measured(size, 'bytes')} in {some(stages, 'stage')}"
    words += f", {once:,} B of them there once" if once else ""
    words += f"; shares the bytes of {shares}" if shares else ""
    slots = 1 if once else max(stages, 1)
    return Span(label(line, index), start, size, "region", text, words, slots, shares)


def _region(region: dict[str, Any], gap: str) -> Span:
    size, stages, stride = region["bytes"], region["stages"], region["stride"]
    even = stride is not None and stages * stride == size
    text = f"{stages:,} x {stride:,} B" if even else f"{size:,} B"
    shared = f"; shares the bytes of {region['alias_of']}" if region["alias_of"] else ""
    each = f" in {stages:,} stages" if stages > 1 else ""
    each += f" {stride:,} B apart" if stride is not None and not even else ""
    align = f", aligned to {region['align']:,}" if region["align"] > 1 else ""
    return Span(
        gap if region["padding"] else region["name"],
        region["offset"],
        size,
        "padding" if region["padding"] else "region",
        text,
        f"{measured(size, 'bytes')}{each} at {region['offset']:,}{align}{shared}",
        max(stages, 1) if even or stride is None else 1,
        region["alias_of"] or "",
    )


def _memory(spans: tuple[Span, ...], limit: int, used: int, block: Block) -> Bar:
    """A block's shared memory: what is used, the free rest, and what the system keeps."""
    rest: list[Span] = []
    launch = (block.static_bytes or 0) + (block.dynamic_bytes or 0)
    if spans and used < launch <= limit:
        why = "the launch asks for it, and the layout has no name for it"
        rest.append(_bytes("asked for, not laid out", used, launch - used, "padding", why))
        used = launch
    reserve = block.target.smem_reserved_per_block
    if spans and used < limit:
        rest.append(_bytes("free", used, limit - used, "free"))
    if used <= limit:
        rest.append(_bytes("reserved", limit, reserve, "reserved", "kept by the system"))
    else:
        rest.append(_bytes("over the limit", limit, used - limit, "over"))
    extent = max(limit + reserve, used)
    return Bar("", "bytes", extent, (*spans, *rest), (Mark(limit, f"limit {limit:,} B"),))


def _bytes(name: str, start: int, size: int, kind: Any = "region", why: str = "") -> Span:
    words = f"{measured(size, 'bytes')} at {start:,}" + (f", {why}" if why else "")
    return Span(name, start, size, kind, f"{size:,} B", words)


# Tensor memory


def _tmem_part(report: dict[str, Any], block: Block) -> Part:
    tmem = report["tmem"]
    if not block.target.tmem_columns:
        return Part("tmem", f"Tensor memory: {block.target.name} has none")
    if tmem is None:
        return Part("tmem", unmodelled("Tensor memory", report))
    notes = (titles.unplaced(tmem["unplaced"]),) if tmem["unplaced"] else ()
    spans = tuple(_columns(region, block.target.tmem_lanes) for region in tmem["regions"])
    spans = spans or tuple(_allocations(block))
    bar = _tensor(spans, tmem["columns"], tmem["allocated"])
    if tmem["allocated"] is None and not notes and block.tmem and block.tmem.allocations:
        notes = ("No allocation is large enough.",)
    bad = bool(notes) or (tmem["allocated"] or 0) > tmem["columns"]
    if not spans and not notes and tmem["used"]:
        notes = (_only_total(report, "columns"),)
    return Part("tmem", titles.tmem(tmem), (bar,), notes, bad=bad)


def _allocations(block: Block) -> Iterator[Span]:
    """What a block allocates, in that order, where it does not say what it keeps there."""
    end = 0
    sizes = taken_by(block.target, block.tmem) if block.tmem is not None else []
    for number, size in enumerate(sizes):
        words = f"{measured(size, 'columns')} at {end:,}, in the order allocated"
        yield Span(f"allocation {number}", end, size, "whole", f"{size:,}", words)
        end += size


def _columns(region: dict[str, Any], lanes: int) -> Span:
    column, columns = region["column"], region["columns"]
    shared = f"; shares the columns of {region['alias_of']}" if region["alias_of"] else ""
    last = region["lane"] + region["lanes"] - 1
    whole = region["lanes"] == lanes
    within = "" if whole else f", lanes {region['lane']} to {last}"
    return Span(
        region["name"],
        column,
        columns,
        "region",
        f"{columns:,}" if whole else f"{columns:,} x {region['lanes']} lanes",
        f"{measured(columns, 'columns')} at {column:,}{within}{shared}",
        1,
        region["alias_of"] or "",
    )


def _tensor(spans: tuple[Span, ...], columns: int, allocated: int | None) -> Bar:
    """Tensor memory: who owns which columns, and what is allocated but owned by nobody."""
    end = max((span.end for span in spans), default=0)
    rest, marks = [], []
    if allocated is not None:
        marks.append(Mark(allocated, f"allocated {allocated:,}"))
        if end < allocated:
            rest.append(
                _cells("unused", end, allocated - end, "padding", "allocated, held by none")
            )
    taken = max(end, allocated or 0)
    if spans and taken < columns:
        rest.append(_cells("free", taken, columns - taken, "free", "not allocated"))
    if end > columns:
        marks.append(Mark(columns, f"the SM has {columns:,}"))
        rest.append(_cells("over", columns, end - columns, "over", "more than there are"))
    return Bar("", "columns", max(columns, end), (*spans, *rest), tuple(marks))


def _cells(name: str, start: int, size: int, kind: Any, why: str) -> Span:
    return Span(name, start, size, kind, f"{size:,}", f"{measured(size, 'columns')}, {why}")
