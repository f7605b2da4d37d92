"""Figures in sentences: bytes with their KiB, lists of names, ranges of rule ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def size(count: float) -> str:
    """Bytes as ``233,472 B (228.0 KiB)``; below 1 KiB without the second figure."""
    return f"{count:,} B ({kib(count)})" if kib(count) else f"{count:,} B"


def kib(count: float) -> str:
    """Bytes in KiB, to a tenth; empty below 1 KiB."""
    return f"{count / 1024:,.1f} KiB" if abs(count) >= 1024 else ""


def joined(names: Iterable[object], word: str = "and") -> str:
    """``a, b and c``."""
    every = [str(name) for name in names]
    return f" {word} ".join(filter(None, (", ".join(every[:-1]), *every[-1:])))


def offered(names: Sequence[object], most: int = 12) -> str:
    """``a, b or c``: names to choose from, of which not more than so many are written out."""
    left = len(names) - most
    return joined([*names[:most], f"{left:,} more"] if left > 0 else names, "or")


def some(count: int, one: str, several: str = "") -> str:
    """A count with its noun: ``1 stage``, ``2 stages``."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def spans(ids: Iterable[str]) -> list[str]:
    """Sorted ids with runs of the same letters as spans: ``TMA001 to TMA003``."""
    runs: list[list[str]] = []
    for id in ids:
        last = runs[-1][-1] if runs else ""
        if last and last[:-3] == id[:-3] and int(last[-3:]) + 1 == int(id[-3:]):
            runs[-1].append(id)
        else:
            runs.append([id])
    return [
        shown for run in runs for shown in (run if len(run) < 3 else [f"{run[0]} to {run[-1]}"])
    ]
