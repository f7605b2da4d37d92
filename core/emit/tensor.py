"""Which columns of tensor memory hold what, as constants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kcfg.core.block.parts import Columns
from kcfg.core.block.placing import TensorLayout
from kcfg.core.emit.conditions import Number, at_most, total, up_to
from kcfg.core.emit.identifiers import Draft, Limits
from kcfg.core.emit.memory import sharing
from kcfg.core.emit.model import Check
from kcfg.core.emit.parts import Parts

NEAR = 8
"""Ranges behind one that it is held apart from: the others lie behind those."""


def tmem(found: TensorLayout, draft: Draft, limits: Limits, parts: Parts) -> None:
    """Columns of tensor memory, where any allocation is large enough for them."""
    used = draft.add("used", found.used, "columns", "What is needed.")
    parts.plays("tmem.columns", used)
    if found.allocated is None:
        return
    doc = "What tcgen05.alloc is asked for."
    allocated = draft.add("allocated", found.allocated, "columns", doc)
    parts.tmem = parts.plays("tmem.allocations[0].columns", allocated)
    draft.checks += [
        at_most(used, allocated, "the allocation holds what is needed"),
        at_most(allocated, limits["tmem_columns"], "tensor memory fits"),
    ]
    ranges = [_columns(region, draft, limits, parts) for region in found.regions]
    places = {region.name: each for region, each in zip(found.regions, ranges, strict=True)}
    for region, each in zip(found.regions, ranges, strict=True):
        end, last = total(each.columns), used
        if end.value > used.value:
            last = allocated  # what is needed is a struct's own figure, and may be another one
        draft.checks.append(up_to(end, last, f"{region.name} ends within the allocation"))
        if region.alias_of and region.alias_of in places:
            host = places[region.alias_of].columns
            draft.checks += sharing(region.name or "", each.columns, host)
    own = zip(found.regions, ranges, strict=True)
    draft.checks += _apart([each for region, each in own if not region.alias_of])


class Range(NamedTuple):
    """A range of tensor memory: first column and their number, first lane and their number."""

    name: str
    columns: list[Number]
    lanes: list[Number]

    def before(self, other: Range) -> Check | None:
        """That this one ends before another begins, in columns or else in lanes."""
        why = f"{other.name} lies apart from {self.name}"
        for mine, its in ((self.columns, other.columns), (self.lanes, other.lanes)):
            check = up_to(total(mine), its[0], why)
            if check.holds:
                return check
        return None


def _apart(ranges: list[Range]) -> Iterator[Check]:
    """That none of these ranges lies in another, the next ones of each checked."""
    for index, each in enumerate(ranges):
        for other in ranges[index + 1 : index + 1 + NEAR]:
            check = each.before(other) or other.before(each)
            if check is not None:
                yield check


def _columns(region: Columns, draft: Draft, limits: Limits, parts: Parts) -> Range:
    """Add a range of columns."""
    name, key = draft.part(region.name or ""), f"tmem.regions[{region.name}]"
    shared = f", in the columns of {region.alias_of}" if region.alias_of else ""
    doc = f"{name}{shared}: first column."
    column = parts.plays(f"{key}.column", draft.add(f"{name}_column", region.column, "index", doc))
    width = draft.add(f"{name}_columns", region.columns, "columns")
    lane = parts.plays(f"{key}.lane", draft.add(f"{name}_lane", region.lane or 0, "index"))
    high = draft.add(f"{name}_lanes", region.lanes or limits["tmem_lanes"].value, "lanes")
    found = Range(
        name,
        [column, parts.plays(f"{key}.columns", width)],
        [lane, parts.plays(f"{key}.lanes", high)],
    )
    why = f"{name} ends within the lanes"
    draft.checks.append(at_most(total(found.lanes), limits["tmem_lanes"], why))
    return found
