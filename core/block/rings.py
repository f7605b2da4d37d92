"""Pipelines as rings in shared memory: the regions they lie in, and what they take together.

A pipeline lies in the regions it names and in those that name it as their ring, else in the one of
its own name. The only pipeline of a block also lies in its only ring, a region of as many slots.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from kcfg.core.block import aliases
from kcfg.core.block.parts import Pipeline, Region

if TYPE_CHECKING:
    from kcfg.core.block.block import Block
    from kcfg.core.block.memory import SharedMemory

Side = tuple[object, object]
"""A group of pipelines that share bytes, and which of its sides: those of one lie beside each
other, those of several in the same bytes.
"""

Groups = dict[object, dict[object, int]]
"""Bytes of sides, by their groups."""


def label(line: Pipeline, index: int) -> str:
    """What a message calls a pipeline."""
    return line.name or f"pipeline {index}"


def copied(line: Pipeline) -> bool:
    """Whether copies fill its stages, that count their bytes at the full barrier."""
    return bool(line.tma or line.expect_tx is not None or line.boxes or line.maps)


def taken(line: Pipeline) -> int:
    """Bytes of a pipeline: its stages, and what is there once."""
    return (line.stages or 0) * (line.stage_bytes or 0) + (line.fixed_bytes or 0)


def homes(block: SharedMemory) -> list[tuple[int, ...]]:
    """For every pipeline the indices of the regions it lies in; none where that is not known."""
    regions: dict[str | None, tuple[int, ...]] = {}
    parts: dict[str | None, tuple[int, ...]] = {}
    slots: list[int] = []
    for index, (_, region) in enumerate(block.placed):
        if not region.mbarriers:
            regions[region.name] = (*regions.get(region.name, ()), index)
            parts[region.ring] = (*parts.get(region.ring, ()), index)
            slots += [index] if (region.stages or 1) > 1 else []
    regions.pop(None, None)
    parts.pop(None, None)
    found = []
    for line in block.pipelines:
        own = parts.get(line.name, ())
        names = line.region or (() if own else (line.name,))
        named = [index for name in names for index in regions.get(name, ())]
        found.append(tuple(dict.fromkeys((*named, *own))))
    if len(found) == len(slots) == 1 and not found[0]:
        (line,), (_, ring) = block.pipelines, block.placed[slots[0]]
        if not line.region and line.stages == ring.stages:
            return [(slots[0],)]
    return found


def sides(block: SharedMemory) -> list[Side]:
    """For every pipeline the bytes it lies in.

    Those of regions that share bytes do so too, and those that say it of each other. Where
    regions share bytes, and a pipeline does not say in which it lies, it may lie in any.
    """
    owner = aliases.roots([region for _, region in block.placed])
    shared = any(root != index for index, root in enumerate(owner))
    joined: dict[int, int] = {}
    for home in block.homes:
        for index in home[1:]:
            joined[owner[index]] = joined.get(owner[home[0]], owner[home[0]])
    found: list[Side] = []
    for index, home in enumerate(block.homes):
        if home:
            found.append((joined.get(owner[home[0]], owner[home[0]]), home))
        else:
            found.append(("anywhere" if shared else f"pipeline {index}", index))
    for index, root in enumerate(aliases.roots(block.pipelines)):
        if root != index:
            found[index] = (found[root][0], f"pipeline {index}")
    return found


def groups(block: SharedMemory) -> Groups:
    """Bytes of every side of every group of pipelines."""
    found: Groups = {}
    for (group, side), line in zip(block.sides, block.pipelines, strict=True):
        lengths = found.setdefault(group, {})
        lengths[side] = lengths.get(side, 0) + taken(line)
    return found


def total(found: Groups) -> int:
    """Bytes of all pipelines; of those that share bytes the longest side counts."""
    return sum(max(group.values()) for group in found.values())


def beside(block: SharedMemory, found: Groups, index: int) -> int:
    """Bytes of what lies beside a pipeline: all other groups, and its own side without it."""
    group, side = block.sides[index]
    others = total(found) - max(found[group].values())
    return others + found[group][side] - taken(block.pipelines[index])


def slot(regions: list[Region]) -> int | None:
    """Bytes of one stage in the regions it lies in; None where they do not say."""
    pitches = [region.pitch for region in regions]
    known = [each for each in pitches if each is not None]
    return sum(known) if known and len(known) == len(pitches) else None


def copies(block: Block, line: Pipeline) -> tuple[int, ...]:
    """Bytes of each copy into a stage: as given, else those of the tensor maps it names.

    None at all where one of those does not say.
    """
    if line.boxes or not line.maps:
        return line.boxes
    from kcfg.core.block.tensor_boxes import brought

    maps = {each.name: each for each in block.tma}
    found = [brought(maps[name]) for name in line.maps if name in maps]
    known = [each for each in found if each is not None]
    return tuple(known) if len(known) == len(line.maps) else ()


def ctas(block: Block) -> int:
    """CTAs whose copies and arrivals one barrier may count: those of a cluster, or of a pair."""
    return max(prod(block.cluster), 2 if 2 in block.cta_groups.values() else 1)


def paired(block: Block) -> bool:
    """Whether a barrier may wait for what both CTAs of a pair bring: they share an MMA.

    Where no instruction says its cta_group, two CTAs of an even cluster may.
    """
    groups = block.cta_groups.values()
    return 2 in groups if groups else bool(block.cluster) and prod(block.cluster) % 2 == 0
