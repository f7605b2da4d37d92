"""The stages of a pipeline that says ``max``: the most that fit, as everything is laid out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kcfg.core.block import aliases, stages
from kcfg.core.block.block import Block
from kcfg.core.block.parts import MAX, Pipeline, Region, Shared, has_most
from kcfg.core.block.rings import label
from kcfg.core.engine.reasons import Fit
from kcfg.core.figures import joined, size
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Conflict
from kcfg.core.launch.working import Given, worked_out


class Most(NamedTuple):
    """How many stages fit, and how that came about; or why no number can be given.

    ``fit`` says it where bytes run out, and ``why`` says it in a few words.
    """

    stages: int | None = None
    why: str = ""
    fit: Fit | None = None
    faults: tuple[Conflict, ...] = ()


def most_stages(target: Target, given: Given) -> Most:
    """The most stages of the pipeline that says ``max``; nothing where none does."""
    lines: tuple[Pipeline, ...] = given.get("pipelines", ())
    asking = [index for index, line in enumerate(lines) if has_most(line)]
    if not asking:
        return Most()
    index, *others = asking
    if others:
        message = (
            f"`{MAX}` is said of {label(lines[index], index)} as well, and one pipeline alone can"
            " have all that is left: give one of them a number"
        )
        return Most(faults=tuple(Conflict(_path(each), message) for each in others))
    return _Search(target, given, index).found()


def _path(index: int) -> str:
    return f"pipelines[{index}].stages"


class _Search:
    """The stages of pipeline ``index``: the launch is laid out with one number after the other."""

    def __init__(self, target: Target, given: Given, index: int) -> None:
        self.target, self.given, self.index = target, given, index
        self.line: Pipeline = given["pipelines"][index]
        shared: Shared | None = given.get("shared")
        self.regions: tuple[Region, ...] = shared.regions if shared is not None else ()
        self.one = self._laid(1)
        self.budget = stages.budget(self.one)
        self.each = stages.each_takes(self.one, index)
        self.arenas = [w for w in self.one.homes[index] if self.regions[w].ring is None]

    def found(self) -> Most:
        faults = tuple(self._faults())
        if faults:
            return Most(faults=faults)
        few, many = 0, 1  # so many fit, and so many do not
        while self._fits(many):
            few, many = many, 2 * many
        while many - few > 1:
            half = (few + many) // 2
            few, many = (half, many) if self._fits(half) else (few, half)
        if not few:
            return Most(faults=(self._none(),))
        in_the_way = self._clash(self._laid(few + 1))
        if in_the_way and not self._outgrown(few + 1):
            return Most(few, f"the most that fit: with one more {in_the_way}")
        return Most(few, "the most that fit", self._fit(few))

    def _laid(self, number: int) -> Block:
        return Block(self.target, **worked_out(self.target, self.given, number).given)

    # Whether so many stages fit

    def _fits(self, number: int) -> bool:
        if self._outgrown(number):
            return False
        block = self._laid(number)
        return taken(block) <= self.budget and not self._clash(block)

    def _outgrown(self, number: int) -> bool:
        """Whether a region of a size of its own has no room for so many stages."""
        return bool(self.arenas) and number * self.each > self._room()

    def _room(self) -> int:
        """Bytes for stages in regions of a size of their own."""
        whole = sum(self.regions[where].bytes or 0 for where in self.arenas)
        return whole - (self.line.fixed_bytes or 0)

    def _clash(self, block: Block) -> str:
        """What region that does not move up the stages run into; empty for none."""
        over = self._over(block)
        if over is not None and self._over(self.one) is None:
            return over
        before, now = self.one.smem, block.smem
        if not now or not now.unplaced or not before or before.unplaced:
            return ""
        return str(now.unplaced) if now.unplaced.inside else ""

    def _over(self, block: Block) -> str | None:
        """What lies behind the region whose place a part of the ring takes, and that part is over.

        Nothing is moved up by what only shares bytes.
        """
        owner = aliases.roots(self.regions)
        for where in self.one.homes[self.index]:
            start, region = block.placed[where]
            if owner[where] == where:
                continue
            for at, (other, each) in enumerate(block.placed):
                if owner[at] != owner[where] and start <= other < start + (region.bytes or 0):
                    names = _name(self.regions[where], where), _name(each, at)
                    return f"{names[0]} ends behind the start of {names[1]}"
        return None

    # Why there is no number

    def _faults(self) -> Iterator[Conflict]:
        path, name = _path(self.index), label(self.line, self.index)
        for where, region in enumerate(self.regions):
            mine = where in self.one.homes[self.index] or (
                region.ring is not None and region.ring == self.line.name
            )
            said = [key for key in self._counted(region) if getattr(region, key) is not None]
            if mine and said:
                sized = region.ring is None or region.mbarriers or (region.of and region.shape)
                way = "leave one of them out" if len(said) == 1 else "leave both out"
                if not sized:
                    way = "say `of` and `shape` of one stage instead, or give the stages a number"
                message = (
                    f"`{MAX}`, and region {_name(region, where)} says its"
                    f" {joined(f'`{key}`' for key in said)}, which follow from that: {way}"
                )
                yield Conflict(path, message)
                return
            if mine and region.ring and self.one.placed[where][1].bytes is None:
                message = (
                    f"how many stages of {name} fit is not known: region {_name(region, where)} of"
                    " its ring says no size; say `of` and `shape`"
                )
                yield Conflict(path, message)
                return
        if not self.each:
            message = (
                f"nothing bounds the stages of {name}: say what one takes, by `stage_bytes` or by"
                f" regions with `ring: {self.line.name or 'NAME'}` that say `of` and `shape`"
            )
            yield Conflict(path, message)

    @staticmethod
    def _counted(region: Region) -> tuple[str, ...]:
        """The keys of a region of the ring that follow from its stages."""
        return ("stages", "bytes") if region.ring else ("stages",)

    def _none(self) -> Conflict:
        """That not even one stage fits, and what is in the way."""
        name, start = label(self.line, self.index), "not even one stage of"
        if self._outgrown(1):
            names = joined(_name(self.regions[where], where) for where in self.arenas)
            have = "have" if len(self.arenas) > 1 else "has"
            left = f"and {names} {have} {size(self._room())}"
            over = self.each - self._room()
        else:
            over = taken(self.one) - self.budget
            left = f"and {size(max(self.each - over, 0))} are left of the {self._capacity()}"
        message = (
            f"{start} {name} fits: it takes {size(self.each)} {left}; make it or the rest smaller"
            f" by {size(over)}"
        )
        return Conflict(_path(self.index), message)

    # How the number came about

    def _fit(self, number: int) -> Fit:
        block = self._laid(number)
        more = self._laid(number + 1)
        if self._outgrown(number + 1):
            room, used, need = self._room(), number * self.each, (number + 1) * self.each
            of = joined(_name(self.regions[where], where) for where in self.arenas)
        else:
            fixed = taken(block) - number * self.each
            room, used, need = self.budget - fixed, number * self.each, taken(more) - fixed
            rest = f"- {fixed:,} beside the stages"
            if fixed < 0:  # the last slot is as long as what it holds
                rest = f"+ {-fixed:,} that the last slot does not take"
            of = f"{self._capacity()} {rest}"
        return Fit(
            path=(_path(self.index),),
            term="",
            room=room,
            room_formula=of,
            each=self.each,
            each_formula=self._parts(block),
            fits=number,
            left=room - used,
            missing=need - room,
            unit="bytes",
            rounded=None,
            binds=True,
        )

    def _capacity(self) -> str:
        """What shared memory there is for dynamic memory, in words."""
        shared = self.one.shared
        if shared is not None and shared.dynamic == self.budget:
            return f"{self.budget:,} of shared.dynamic"
        static, wanted = self.one.static_bytes or 0, self.one.wanted or 1
        whose = "a block" if wanted == 1 else f"each of {wanted:,} blocks of an SM"
        less = f" - {static:,} static" if static else ""
        return f"{self.budget + static:,} of {whose} on {self.target.name}{less}"

    def _parts(self, block: Block) -> str:
        """What a stage is made of, in words."""
        growing = stages.parts_of_stage(block, self.index)
        parts = [
            f"{_name(self.regions[where], where)} {each:,}"
            for where, each in sorted(growing.items())
        ]
        return " + ".join(parts) if len(parts) > 1 else "one stage"


def taken(block: Block) -> int:
    """Dynamic bytes of what is laid out, whatever is asked for."""
    return max(block.regions_end or 0, block.pipeline_bytes or 0)


def _name(region: Region, where: int) -> str:
    return region.name or f"region {where}"
