"""Where the regions of shared memory sit, as constants."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.parts import Region
from kcfg.core.block.placing import SharedLayout
from kcfg.core.emit.conditions import Number, at_most, equal, literal, multiple, product, total
from kcfg.core.emit.identifiers import Draft, Limits
from kcfg.core.emit.model import Check
from kcfg.core.emit.parts import Parts, Slots


def smem(found: SharedLayout, draft: Draft, limits: Limits, parts: Parts) -> None:
    """Regions of shared memory, which follow each other from 0 to the total."""
    limit = draft.add("limit", found.limit, "bytes", "What one block may have.")
    used = draft.add("used", found.used, "bytes", "What regions and padding take.")
    parts.smem = parts.plays("shared.dynamic", used)
    draft.checks += [
        at_most(limit, limits["smem_optin_per_block"], "no block gets more shared memory"),
        at_most(used, limit, "the block's shared memory fits"),
    ]
    if not found.regions:
        return
    place = [literal(0)]
    places: dict[str | None, list[Number]] = {}
    for region in found.regions:
        if region.padding:
            place.append(literal(region.bytes or 0))
            continue
        here = places[region.name] = _region(region, draft, parts)
        if region.alias_of:
            draft.checks.append(at_most(total(here), used, f"{region.name} ends within the block"))
            draft.checks += sharing(region.name or "", here, places.get(region.alias_of))
        else:
            why = f"{region.name} follows what is before it"
            draft.checks.append(equal(here[0], total(place), why))
            place = here
    draft.checks.append(equal(used, total(place), "regions and padding add up to the total"))


def sharing(name: str, here: list[Number], host: list[Number] | None) -> Iterator[Check]:
    """That what shares the place of another starts in it; where it does so anew, just there."""
    if host is None:
        return
    if here[0].value == host[0].value:
        yield equal(here[0], host[0], f"{name} starts where what it shares does")
    else:
        yield at_most(host[0], here[0], f"{name} starts in what it shares")
        yield at_most(here[0], total(host), f"{name} starts in what it shares")


def _region(region: Region, draft: Draft, parts: Parts) -> list[Number]:
    """Add a region; returns its offset and size."""
    name, sized = draft.part(region.name or ""), region.bytes or 0
    key = f"shared.regions[{region.name}]"
    shared = f", in the bytes of {region.alias_of}" if region.alias_of else ""
    doc = f"{name}{shared}: where it starts, from the base of dynamic shared memory."
    offset = parts.plays(f"{key}.offset", draft.add(f"{name}_offset", region.offset, "bytes", doc))
    size = parts.plays(f"{key}.bytes", draft.add(f"{name}_bytes", sized, "bytes"))
    align = parts.plays(f"{key}.align", draft.add(f"{name}_align", region.align or 1, "bytes"))
    slots = draft.add(f"{name}_stages", region.stages or 1, "stages")
    stages = parts.plays(f"{key}.stages", slots)
    if align.value > 1:
        draft.checks.append(multiple(offset, align, f"{name} is aligned"))
    if region.pitch is not None:
        doc = f"{name}: from slot to slot."
        stride = draft.add(f"{name}_stride", region.pitch, "bytes", doc)
        if region.stride is None:
            whole = product(stages, stride)
            draft.checks.append(equal(size, whole, f"{name} is made of its slots"))
        else:
            parts.plays(f"{key}.stride", stride)
            behind, last = product(stages, stride), total([size, stride])
            draft.checks.append(at_most(behind, last, f"{name} holds the start of its last slot"))
    parts.slots.setdefault(region.name or "", Slots(offset, size, stages))
    return [offset, size]
