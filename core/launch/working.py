"""What follows from what a launch says: bytes from elements, counts from stages.

A figure that is said stays as it is, whatever follows from the rest: rules hold the two against
each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kcfg.core.block import aliases
from kcfg.core.block.parts import Mbarriers, Pipeline, Region, Shared, has_most
from kcfg.core.block.slots import aligned, content, counted, counts, held, span
from kcfg.core.figures import size, some
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Figure
from kcfg.core.launch.arriving import arrivals, open_waits

Given = dict[str, Any]
"""The values of a launch's keys."""


class Worked(NamedTuple):
    """A launch with the figures that follow put in, and these by themselves."""

    given: Given
    figures: tuple[Figure, ...] = ()


def follows(given: Given) -> bool:
    """Whether anything follows in a launch: it says what is in its memory, or `MAX`."""
    shared: Shared | None = given.get("shared")
    regions = shared.regions if shared is not None else ()
    lines: tuple[Pipeline, ...] = given.get("pipelines", ())
    if any(has_most(line) for line in lines):
        return True
    return bool(open_waits(given, given.get("mbarriers", ()), lines)) or any(
        r.ring is not None or r.of is not None or r.shape or counted(r) is not None for r in regions
    )


def worked_out(
    target: Target, given: Given, most: int | None = None, why: str = "the most that fit"
) -> Worked:
    """A launch with all that follows; ``most`` are the stages of the pipeline that says max.

    Where nobody says them, what rests on them stays open.
    """
    return _Working(target, given, most, why).worked() if follows(given) else Worked(given)


class _Working:
    """One launch on its way; ``figures`` collects what follows."""

    def __init__(self, target: Target, given: Given, most: int | None, why: str) -> None:
        self.target, self.given = target, given
        self.shared: Shared | None = given.get("shared")
        self.regions: tuple[Region, ...] = self.shared.regions if self.shared is not None else ()
        lines: tuple[Pipeline, ...] = given.get("pipelines", ())
        self.lines = [line.replaced(stages=most) if has_most(line) else line for line in lines]
        self.figures: list[Figure] = [
            Figure(f"pipelines[{index}].stages", most, "stages", why)
            for index, line in enumerate(lines)
            if has_most(line) and most is not None
        ]

    def worked(self) -> Worked:
        named = {line.name: i for i, line in reversed(list(enumerate(self.lines))) if line.name}
        rings: dict[int, list[int]] = {}
        for where, region in enumerate(self.regions):
            if region.ring in named:
                rings.setdefault(named[region.ring], []).append(where)
        for index, ring in rings.items():
            self._stages(index, ring)
        slots: dict[int, int] = {}
        regions = []
        for where, region in enumerate(self.regions):
            line = named.get(region.ring)
            members = [] if line is None else rings[line]
            regions.append(self._region(where, region, line, members, slots))
        for index, ring in rings.items():
            self._line(index, regions, ring, slots)
        given, groups = dict(self.given), list(self._groups(regions))
        self._arrivals(groups)
        self._sides(groups, regions)
        if self.lines:
            given["pipelines"] = tuple(self.lines)
        if self.shared is not None:
            given["shared"] = self.shared.replaced(regions=tuple(regions))
        if groups:
            given["mbarriers"] = tuple(groups)
        return Worked(given, tuple(self.figures))

    def _arrivals(self, groups: list[Mbarriers]) -> None:
        """What groups and pipelines wait for, by who arrives."""
        found = arrivals(self.target, self.given, tuple(groups), tuple(self.lines))
        for wait, count, how in list(found):
            count = self._follows(wait.path, count, "count", how)
            if wait.side:
                key = f"{wait.side}_arrivals"
                self.lines[wait.at] = self.lines[wait.at].replaced(**{key: count})
            else:
                groups[wait.at] = groups[wait.at].replaced(arrivals=count)

    def _sides(self, groups: list[Mbarriers], regions: list[Region]) -> None:
        """What groups wait for whose regions are the full or empty barriers of their rings."""
        sides = {(each.ring, end): each for each in regions if (end := _side(each))}
        for index, group in enumerate(groups):
            for (ring, end), region in sides.items():
                line = next((each for each in self.lines if each.name == ring), None)
                count: int | None = vars(line)[f"{end}_arrivals"] if line else None
                if group.name == region.name and group.arrivals is None and count is not None:
                    path, how = f"mbarriers[{index}].arrivals", f"those at the {end} ones of {ring}"
                    self._follows(path, count, "count", how)
                    groups[index] = group = group.replaced(arrivals=count)

    def _follows(self, path: str, value: int, unit: str, how: str) -> int:
        self.figures.append(Figure(path, value, unit, how))
        return value

    def _stages(self, index: int, ring: list[int]) -> None:
        """The stages of a pipeline that says none: the slots of its ring."""
        line = self.lines[index]
        said = [where for where in ring if self.regions[where].stages is not None]
        if line.stages is None and said and self.given["pipelines"][index].stages is None:
            region = self.regions[said[0]]
            how = f"the slots of {_name(region, said[0])}"
            path = f"pipelines[{index}].stages"
            stages = self._follows(path, region.stages or 0, "stages", how)
            self.lines[index] = line.replaced(stages=stages)

    def _region(
        self,
        where: int,
        region: Region,
        index: int | None,
        ring: list[int],
        slots: dict[int, int],
    ) -> Region:
        """A region with its slots, bytes and alignment; ``slots`` gets the bytes of one."""
        path, changes = f"shared.regions[{where}]", dict[str, int]()
        line = None if index is None else self.lines[index]
        number = region.stages
        if number is None and line is not None and line.stages is not None:
            how = f"the stages of {line.name}"
            number = self._follows(f"{path}.stages", line.stages, "stages", how)
            changes["stages"] = number
        slot, what = self._slot(region, line, ring)
        if slot is None and region.bytes is not None and number and line is not None:
            slot = region.bytes // number if region.bytes % number == 0 else None
        if slot is not None:
            slots[where] = slot
            known = number if number is not None or line is not None else 1
            if region.bytes is None and known is not None:
                how = what if known == 1 else f"{some(known, 'slot')} of {size(slot)}, {what}"
                whole = span(region, slot, known)
                changes["bytes"] = self._follows(f"{path}.bytes", whole, "bytes", how)
        align = aligned(region, self.target)
        if region.align is None and align is not None:
            how = f"that of {region.of or 'mbarriers'}"
            changes["align"] = self._follows(f"{path}.align", align, "bytes", how)
        return region.replaced(**changes) if changes else region

    def _slot(
        self, region: Region, line: Pipeline | None, ring: list[int]
    ) -> tuple[int | None, str]:
        """Bytes of what is in one slot, and that in words."""
        own = content(region, self.target)
        if own is not None or line is None or region.bytes is not None:
            return own, held(region) if own is not None else ""
        if region.mbarriers:
            return self.target.mbarrier_bytes, "1 mbarrier"
        parts = [each for each in ring if not self.regions[each].mbarriers]
        if len(parts) == 1 and line.stage_bytes is not None:
            return line.stage_bytes, f"a stage of {line.name}"
        return None, ""

    def _line(
        self, index: int, regions: list[Region], ring: list[int], slots: dict[int, int]
    ) -> None:
        """A pipeline with the bytes and mbarriers of a stage, where all of its ring are known."""
        line, changes, path = self.lines[index], dict[str, int](), f"pipelines[{index}]"
        parts = [where for where in ring if not regions[where].mbarriers]
        if line.stage_bytes is None and parts and all(where in slots for where in parts):
            apart = aliases.apart(regions, {where: slots[where] for where in parts})
            how = " + ".join(
                f"{_name(regions[where], where)} {each:,}" for where, each in apart.items()
            )
            bytes_ = sum(apart.values())
            changes["stage_bytes"] = self._follows(f"{path}.stage_bytes", bytes_, "bytes", how)
        each = self.target.mbarrier_bytes
        barriers = [where for where in ring if regions[where].mbarriers]
        if line.barriers_per_stage is None and barriers and all(b in slots for b in barriers):
            numbers = {where: slots[where] // each for where in barriers}
            how = " + ".join(f"{_name(regions[w], w)} {count:,}" for w, count in numbers.items())
            changes["barriers_per_stage"] = self._follows(
                f"{path}.barriers_per_stage", sum(numbers.values()), "barriers", how
            )
        if changes:
            self.lines[index] = line.replaced(**changes)

    def _groups(self, regions: list[Region]) -> tuple[Mbarriers, ...]:
        """The groups of mbarriers: those said, else one for each region that counts its own."""
        held_by = [
            (region.name, region.bytes // self.target.mbarrier_bytes)
            for region in regions
            if region.bytes is not None and counts(region)
        ]
        known = {name: count for name, count in reversed(held_by) if name is not None}
        said: tuple[Mbarriers, ...] = self.given.get("mbarriers", ())
        if said:
            return tuple(self._counted(index, each, known) for index, each in enumerate(said))
        for index, (name, count) in enumerate(held_by):
            how = f"what {f'region {name}' if name else 'its region'} holds"
            self._follows(f"mbarriers[{index}].count", count, "barriers", how)
        return tuple(Mbarriers(name=name, count=count) for name, count in held_by)

    def _counted(self, index: int, group: Mbarriers, known: dict[str, int]) -> Mbarriers:
        if group.count is not None or group.name not in known:
            return group
        path, how = f"mbarriers[{index}].count", f"what region {group.name} holds"
        count = self._follows(path, known[group.name], "barriers", how)
        found: Mbarriers = group.replaced(count=count)
        return found


def _side(region: Region) -> str:
    """Which barriers of its ring a region holds, by the end of its name: `full` or `ab_full`."""
    end = (region.name or "").rpartition("_")[2]
    return end if region.ring and region.mbarriers and end in ("full", "empty") else ""


def _name(region: Region, where: int) -> str:
    return region.name or f"region {where}"
