"""What each part of a block comes to, as the heading that every view has above it."""

from __future__ import annotations

from typing import Any


def configuration(report: dict[str, Any]) -> str:
    """A report in a few words: its label, kernel, release and target."""
    label = f"{report['name']}: " if report["name"] else ""
    release = f" {report['release']}" if report["release"] else ""
    return f"{label}{report['kernel']}{release} on {report['target']}"


def smem(smem: dict[str, Any]) -> str:
    """Shared memory of a report."""
    return f"Shared memory: {smem['used']:,} of {smem['limit']:,} bytes used, {smem['free']:,} free"


def tmem(tmem: dict[str, Any]) -> str:
    """Tensor memory of a report."""
    allocated = "" if tmem["allocated"] is None else f", {tmem['allocated']:,} allocated"
    return f"Tensor memory: {tmem['used']:,} of {tmem['columns']:,} columns used{allocated}"


def registers(registers: dict[str, Any]) -> str:
    """Registers of a report."""
    pool = registers["pool"]
    return (
        f"Registers: {registers['threads']:,} threads enter with {registers['entry']:,}; "
        f"roles ask for {pool['asked']:,} of {pool['granted']:,}"
    )


def barriers(barriers: dict[str, Any]) -> str:
    """mbarriers of a report."""
    return f"mbarriers: {barriers['count']:,} in {barriers['bytes']:,} bytes"


def unplaced(reason: str) -> str:
    """That a memory has no layout, and why."""
    return f"No layout: {reason}."
