"""What each part of a block comes to, as the heading that every view has above it."""

from __future__ import annotations

import re
from typing import Any

from kcfg.core.figures import some
from kcfg.core.spec.problem import printable


def configuration(report: dict[str, Any]) -> str:
    """A report in a few words: its label, kernel, release and target."""
    return title(*(report[key] for key in ("name", "kernel", "release", "target")))


def whence(source: str, release: str, given: bool = True) -> str:
    """Where a spec stood, what the numbers after the file are, and a release it did not name."""
    place = re.search(r"#(\d+):(\d+)$", source)
    means = f" (spec {place[1]}, line {place[2]})" if place else ""
    taken = "" if given else f"; no release given: {release}, the newest"
    return printable(f"{source}{means}{taken}")


def reported(report: dict[str, Any]) -> str:
    """The same of a report; a saved one may be older than some of its keys."""
    return whence(report.get("source", ""), report["release"], report.get("release_given", True))


def title(name: str | None, kernel: str, release: str, target: str) -> str:
    """A configuration, or without a target a kernel; what is empty is left out."""
    label = f"{printable(name)}: " if name else ""
    on = f" on {target}" if target else ""
    return f"{label}{f'{kernel} {release}'.rstrip()}{on}"


def smem(smem: dict[str, Any]) -> str:
    """Shared memory of a report: the layout, and the launch where that asks for other bytes."""
    static, limit, laid = smem.get("static") or 0, smem["limit"], smem["used"]
    partly = f" ({static:,} of them static)" if static else ""
    launch = smem.get("launch")
    if launch is None or launch == laid:
        used = laid + static
        return f"Shared memory: {used:,} of {limit:,} bytes used{partly}, {left(limit - used)}"
    used = launch + static
    return (
        f"Shared memory: the launch asks for {used:,} of {limit:,} bytes{partly},"
        f" {left(limit - used)}; {smem['struct']} lays out {laid:,} of them"
    )


def left(free: int) -> str:
    """What is free of something, or over it."""
    return f"{-free:,} over" if free < 0 else f"{free:,} free"


def tmem(tmem: dict[str, Any]) -> str:
    """Tensor memory of a report."""
    allocated = "" if tmem["allocated"] is None else f", {tmem['allocated']:,} allocated"
    return f"Tensor memory: {tmem['used']:,} of {tmem['columns']:,} columns used{allocated}"


def registers(registers: dict[str, Any]) -> str:
    """Registers of a report."""
    pool = registers["pool"]
    enter = "enters" if registers["threads"] == 1 else "enter"
    threads = f"{some(registers['threads'], 'thread')} {enter} with {registers['entry']:,}"
    if pool["asked"] is None:
        return f"Registers: {threads}, {pool['granted']:,} in all"
    return f"Registers: {threads}; roles ask for {share(pool)}"


def share(pool: dict[str, Any]) -> str:
    """What is asked for of what the launch gave."""
    return f"{pool['asked']:,} of {pool['granted']:,}"


def barriers(barriers: dict[str, Any]) -> str:
    """mbarriers of a report."""
    return f"mbarriers: {barriers['count']:,} in {barriers['bytes']:,} bytes"


def unplaced(reason: str) -> str:
    """That a memory has no layout, and why."""
    return f"No layout: {reason}."
