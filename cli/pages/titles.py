"""What each part of a block comes to, as the heading that every view has above it."""

from __future__ import annotations

from typing import Any

from kcfg.core.spec.problem import printable


def configuration(report: dict[str, Any]) -> str:
    """A report in a few words: its label, kernel, release and target."""
    return title(*(report[key] for key in ("name", "kernel", "release", "target")))


def title(name: str | None, kernel: str, release: str, target: str) -> str:
    """A configuration, or without a target a kernel; what is empty is left out."""
    label = f"{printable(name)}: " if name else ""
    on = f" on {target}" if target else ""
    return f"{label}{f'{kernel} {release}'.rstrip()}{on}"


def smem(smem: dict[str, Any]) -> str:
    """Shared memory of a report."""
    static = smem.get("static") or 0
    used, partly = smem["used"] + static, f" ({static:,} of them static)" if static else ""
    return f"Shared memory: {used:,} of {smem['limit']:,} bytes used{partly}, {smem['free']:,} free"


def tmem(tmem: dict[str, Any]) -> str:
    """Tensor memory of a report."""
    allocated = "" if tmem["allocated"] is None else f", {tmem['allocated']:,} allocated"
    return f"Tensor memory: {tmem['used']:,} of {tmem['columns']:,} columns used{allocated}"


def registers(registers: dict[str, Any]) -> str:
    """Registers of a report."""
    pool = registers["pool"]
    asked = "" if pool["asked"] is None else f"; roles ask for {pool['asked']:,}"
    return (
        f"Registers: {registers['threads']:,} threads enter with {registers['entry']:,}{asked} of"
        f" {pool['granted']:,}"
        if asked
        else f"Registers: {registers['threads']:,} threads enter with {registers['entry']:,},"
        f" {pool['granted']:,} in all"
    )


def barriers(barriers: dict[str, Any]) -> str:
    """mbarriers of a report."""
    return f"mbarriers: {barriers['count']:,} in {barriers['bytes']:,} bytes"


def unplaced(reason: str) -> str:
    """That a memory has no layout, and why."""
    return f"No layout: {reason}."
