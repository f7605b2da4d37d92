"""What there is to see of a derived configuration, found in its report.

What a report has is taken from it. Where it has no layout, the launch that the rules
judge may still know a total.
"""

from __future__ import annotations

from typing import Any

from kcfg.cli.pages import titles
from kcfg.cli.pages.units import measured
from kcfg.cli.pages.verdicts import verdict
from kcfg.cli.pictures.bars import Bar, Mark, Part, Scene, Span
from kcfg.cli.pictures.pool import pool_part
from kcfg.cli.pictures.residency import residency_part
from kcfg.core.launch.derived import launch_of
from kcfg.core.launch.launch import Launch
from kcfg.core.report import Derived
from kcfg.core.spec.head import LAUNCH


def scene(derived: Derived) -> Scene:
    """Everything that can be drawn of one configuration."""
    kernel, report = derived
    launch = launch_of(kernel)
    words, tone = verdict(report["supported"], report["findings"])
    parts = (
        _smem_part(report, launch),
        _tmem_part(report, launch),
        pool_part(report, launch) or Part("registers", unmodelled("Registers", report)),
        residency_part(report, launch),
    )
    good = False if tone == "bad" else True if tone == "good" else None
    return Scene(report, titles.configuration(report), words, good, parts)


def unmodelled(what: str, report: dict[str, Any]) -> str:
    """That a report says nothing of a part."""
    if report["kernel"] == LAUNCH:
        return f"{what}: the spec does not say"
    return f"{what}: not modelled for {report['kernel']} {report['release']}"


# Shared memory


def _smem_part(report: dict[str, Any], launch: Launch) -> Part:
    smem = report["smem"]
    if smem is None:
        return _smem_of_launch(report, launch)
    limit, used = smem["limit"], smem["used"]
    if smem["unplaced"]:
        bar = _memory((), limit, 0, launch)
        return Part(
            "smem", titles.smem(smem), (bar,), (titles.unplaced(smem["unplaced"]),), bad=True
        )
    regions = tuple(_region(region) for region in smem["regions"])
    return Part(
        "smem", titles.smem(smem), (_memory(regions, limit, used, launch),), bad=used > limit
    )


def _region(region: dict[str, Any]) -> Span:
    size, stages = region["bytes"], region["stages"]
    even = stages > 1 and size % stages == 0
    text = f"{stages:,} x {size // stages:,} B" if even else f"{size:,} B"
    shared = f"; shares the bytes of {region['alias_of']}" if region["alias_of"] else ""
    each = f" in {stages:,} stages" if stages > 1 else ""
    align = f", aligned to {region['align']:,}" if region["align"] > 1 else ""
    return Span(
        region["name"].strip("()") if region["padding"] else region["name"],
        region["offset"],
        size,
        "padding" if region["padding"] else "region",
        text,
        f"{measured(size, 'bytes')}{each} at {region['offset']:,}{align}{shared}",
        max(stages, 1),
        region["alias_of"] or "",
    )


def _memory(spans: tuple[Span, ...], limit: int, used: int, launch: Launch) -> Bar:
    """A block's shared memory: what is used, the free rest, and what the system keeps."""
    rest: list[Span] = []
    reserve = launch.target.smem_reserved_per_block
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


def _smem_of_launch(report: dict[str, Any], launch: Launch) -> Part:
    used, limit = launch.shared_bytes, launch.target.smem_optin_per_block
    if used is None:
        return Part("smem", unmodelled("Shared memory", report))
    static = (launch.shared.static if launch.shared else None) or 0
    spans = [_bytes("static", 0, static, "whole")] if static else []
    regions = [
        _bytes(region.name or "region", static + start, region.bytes or 0)._replace(
            alias_of=region.alias_of or ""
        )
        for start, region in launch.placed
        if region.bytes
    ]
    dynamic = used - static
    if not regions and dynamic:
        regions = [_bytes("dynamic", static, dynamic, "whole")]
    title = f"Shared memory: {used:,} of {limit:,} bytes used, {limit - used:,} free"
    note = f"Only the total is known of {report['kernel']}: its regions are not modelled."
    known = report["kernel"] == LAUNCH
    bar = _memory((*spans, *regions), limit, used, launch)
    return Part("smem", title, (bar,), () if known else (note,), bad=used > limit)


# Tensor memory


def _tmem_part(report: dict[str, Any], launch: Launch) -> Part:
    tmem = report["tmem"]
    if tmem is None:
        return _tmem_of_launch(report, launch)
    notes = (titles.unplaced(tmem["unplaced"]),) if tmem["unplaced"] else ()
    spans = tuple(_columns(region, launch.target.tmem_lanes) for region in tmem["regions"])
    bar = _tensor(spans, tmem["columns"], tmem["allocated"])
    if tmem["allocated"] is None and not notes:
        notes = ("No allocation is large enough.",)
    return Part("tmem", titles.tmem(tmem), (bar,), notes, bad=bool(notes))


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


def _tmem_of_launch(report: dict[str, Any], launch: Launch) -> Part:
    tmem, columns = launch.tmem, launch.target.tmem_columns
    if not columns:
        return Part("tmem", f"Tensor memory: {launch.target.name} has none")
    sizes = [each.columns for each in tmem.allocations if each.columns] if tmem else []
    if not sizes:
        return Part("tmem", unmodelled("Tensor memory", report))
    spans: list[Span] = []
    for number, size in enumerate(sizes):
        start = spans[-1].end if spans else 0
        words = f"{measured(size, 'columns')} at {start:,}, in the order allocated"
        spans.append(Span(f"allocation {number}", start, size, "whole", f"{size:,}", words))
    title = f"Tensor memory: {spans[-1].end:,} of {columns:,} columns allocated"
    return Part("tmem", title, (_tensor(tuple(spans), columns, None),), bad=spans[-1].end > columns)
