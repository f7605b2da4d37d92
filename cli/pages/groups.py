"""What values are grouped under, wherever there are many of them: headings by unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

GROUPS: dict[str, tuple[str, ...]] = {
    "Tile": ("rows", "elements", "heads", "tokens", "factor", "dtype", "swizzle", "text"),
    "Stages": ("stages",),
    "Shared memory, bytes": ("bytes",),
    "Tensor memory": ("columns", "address"),
    "Registers and threads": ("registers", "threads", "warps", "CTAs"),
    "mbarriers": ("barriers", "index"),
    "Switches": ("bool",),
}
"""Headings, and the units of the values below them; other units come last."""

REST = "Further values"

HEADING_OF = {unit: heading for heading, units in GROUPS.items() for unit in units}


def grouped(values: Iterable[T], unit: Callable[[T], str]) -> dict[str, list[T]]:
    """Values under the heading of their unit, in the headings' order; none without values."""
    groups: dict[str, list[T]] = {heading: [] for heading in (*GROUPS, REST)}
    for value in values:
        groups[HEADING_OF.get(unit(value), REST)].append(value)
    return {heading: found for heading, found in groups.items() if found}
