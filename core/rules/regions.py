"""Where things sit in shared memory."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from kcfg.core.block import aliases
from kcfg.core.block.block import Block
from kcfg.core.block.parts import Region, Shared
from kcfg.core.block.shared_memory import kept_align
from kcfg.core.engine.arith import down, next_pow2, up
from kcfg.core.figures import joined, size, some
from kcfg.core.finding import Severity
from kcfg.core.hardware.dtypes import SWIZZLE_BYTES
from kcfg.core.hardware.sources import H200_DRIVER, PTX
from kcfg.core.rules import Breach, rule

TMA = (
    "CUDA Programming Guide 13, Asynchronous Data Copies using TMA, tables on alignment and swizzle"
)

REPEATS = 8
"""Rows after which a swizzle pattern repeats."""


def pattern(region: Region) -> int:
    """Bytes after which a region's swizzle repeats; 0 without one."""
    if region.swizzle in (None, "NONE"):
        return 0
    return REPEATS * SWIZZLE_BYTES[region.swizzle]


def named(region: Region, index: int) -> str:
    """What a message calls a region."""
    return region.name or f"region {index}"


@rule(
    "SMEM006",
    "error",
    also=("warning",),
    reads="shared.regions",
    unit="bytes",
    source="follows from the layout: two buffers in the same bytes overwrite each other",
)
def no_overlap(block: Block, regions: tuple[Region, ...]) -> Iterator[Breach]:
    """Whether regions are apart, and within the dynamic shared memory asked for.

    A write past the end is a fault at best; two regions in the same bytes overwrite each
    other unless one is meant to alias the other.

    Fails: shape: {shared: {regions: [{name: a, offset: 0, bytes: 32768},
    {name: b, offset: 32000, bytes: 1024}]}}

    Passes: shape: {shared: {regions: [{name: a, offset: 0, bytes: 32768},
    {name: b, offset: 32768, bytes: 1024}]}}
    """
    for index, what, fix in aliases.wrong(regions, "region"):
        yield Breach(
            f"{named(regions[index], index)} shares the bytes of {what}",
            path=f"shared.regions[{index}].alias_of",
            fix=fix,
        )
    yield from _same_names(regions)
    yield from _overlaps(block)
    dynamic = block.shared.dynamic if block.shared is not None else None
    # What a derived kernel lays out past its end as a whole is CFG003 or CFG005.
    if dynamic is None or block.derived:
        return
    ends = {at: start + (region.bytes or 0) for at, (start, region) in enumerate(block.placed)}
    past = sorted((at for at in ends if ends[at] > dynamic), key=ends.__getitem__)
    if past:
        last, end = past[-1], ends[past[-1]]
        others = len(past) - 1
        so_do = f", and {some(others, 'region')} before it {'does' if others == 1 else 'do'} too"
        yield Breach(
            f"{named(block.placed[last][1], last)} ends at {size(end)}, {size(end - dynamic)} past"
            f" the {size(dynamic)} of dynamic shared memory{so_do if others else ''}",
            path=f"shared.regions[{last}]",
            value=end,
            limit=dynamic,
            over=end - dynamic,
            fix=f"ask for {size(end)}",
        )


def _same_names(regions: tuple[Region, ...]) -> Iterator[Breach]:
    seen: dict[str, int] = {}
    for index, region in enumerate(regions):
        if region.name is not None and seen.setdefault(region.name, index) != index:
            yield Breach(
                f"regions {seen[region.name]} and {index} have one name, {region.name}",
                path=f"shared.regions[{index}].name",
                fix="give each its own",
                severity="warning",
            )


def _overlaps(block: Block) -> Iterator[Breach]:
    reach, before = 0, -1
    for start, index in block.owners:
        region = block.placed[index][1]
        if region.bytes and start < reach:
            outer = block.placed[before][1]
            yield Breach(
                f"{named(region, index)} starts at {size(start)}, {size(reach - start)} inside"
                f" {named(outer, before)}",
                path=f"shared.regions[{index}].offset",
                value=start,
                limit=reach,
                over=reach - start,
                fix=f"start it at {_free(block, index)}"
                + (f", or mark it alias_of: {outer.name}" if outer.name else ""),
            )
        if start + (region.bytes or 0) > reach:
            reach, before = start + (region.bytes or 0), index


def _free(block: Block, index: int) -> str:
    """The aligned offsets next to a region where it would lie in no other, as words.

    Past all others where neither is free; with what must be asked for where it ends past that.
    """
    start, region = block.placed[index]
    align = lcm(pattern(region) or 1, *(align for align, _ in uses(block, region)))
    length = region.bytes or 0
    near = dict.fromkeys((down(start, align), up(start, align)))
    alone = region.alias_of is not None or not block.extents.before(None, index)
    free = [at for at in near if alone or block.extents.before(at + length, index) <= at]
    free = free or [up(block.extents.before(None, index), align)]
    words = joined([size(at) for at in free], "or")
    asked = block.shared.dynamic if block.shared is not None else None
    end = min(free) + length
    return words if asked is None or end <= asked else f"{words}, and ask for {size(end)}"


@rule("SMEM007", "error", reads="shared.regions", unit="bytes", source=f"{TMA}; {PTX}")
def region_alignment(block: Block, regions: tuple[Region, ...]) -> Iterator[Breach]:
    """Whether regions, and all their slots, are where the copies and instructions need them.

    A tensor copy by TMA needs 128 bytes, a 1-D bulk copy and a matrix descriptor 16 (its
    address has no lower bits), an mbarrier 8; besides what the kernel itself asks for of the
    region's start. A ring whose first slot is aligned has others that are not where a slot is
    no multiple of that: a tensor copy to one of them stops the kernel.

    Fails: shape: {shared: {regions: [{name: b, offset: 32784, bytes: 1024, tma: true}]}}

    Passes: shape: {shared: {regions: [{name: b, offset: 32768, bytes: 1024, tma: true}]}}
    """
    for index, (start, region) in enumerate(block.placed):
        asked, sure = uses(block, region), index not in block.unsure
        needs = [(align, what) for align, what in asked if start % align and sure]
        if needs:
            align, what = max(needs)
            yield Breach(
                f"{named(region, index)}, {what}, is at {size(start)}, {size(start % align)} past"
                f" the last multiple of {size(align)}",
                path=f"shared.regions[{index}].offset",
                value=start,
                limit=align,
                over=start % align,
                fix=f"put it at {_free(block, index)}",
            )
            continue
        pitch = region.pitch
        if pitch is None:
            continue
        # Of what is asked for the start alone, the slots need nothing.
        slots = [
            (align, what, at, each.name)
            for at, each in _in_slot(block, start, region)
            for align, what in uses(block, each)
            if pitch % align and what != _own(each)
        ]
        if slots:
            align, what, at, name = max(slots, key=lambda each: each[0])
            at += pitch
            whole, second = f"{named(region, index)}, {what},", "the second"
            if name != region.name:
                whole, second = named(region, index), f"the second {name}, {what},"
            yield Breach(
                f"the slots of {whole} are {size(pitch)} apart: {second} is at {size(at)},"
                f" {size(at % align)} past the last multiple of {size(align)}",
                path=f"shared.regions[{index}].{_apart(region)}",
                value=pitch,
                limit=align,
                over=pitch % align,
                fix=_wider(region, pitch, align),
            )


def _in_slot(block: Block, start: int, region: Region) -> Iterator[tuple[int, Region]]:
    """A region and, where it is a struct or union, its members, each with where it starts."""
    yield start, region
    if region.name is not None:
        inner = f"{region.name}."
        yield from (each for each in block.placed if (each[1].name or "").startswith(inner))


def _apart(region: Region) -> str:
    """The key that says how far slots lie apart."""
    return "bytes" if region.stride is None else "stride"


def _wider(region: Region, pitch: int, align: int) -> str:
    """Slots at aligned places, and the size that makes."""
    wide = up(pitch, align)
    whole = (region.stages or 1) * wide
    return f"put them {size(wide)} apart, {size(whole)} in all"


def uses(block: Block, region: Region) -> list[tuple[int, str]]:
    """The alignments a region's uses ask for, in bytes, with what asks."""
    found = [
        (128, "a TMA destination", region.tma),
        (16, "of a bulk copy", region.bulk),
        (16, "behind a descriptor", region.descriptor),
        (block.target.mbarrier_align, "with mbarriers", region.mbarriers),
        (region.align or 1, _own(region), region.align is not None),
    ]
    return [(align, what) for align, what, asked in found if asked]


def _own(region: Region) -> str:
    return f"aligned to {region.align}"


@rule(
    "SMEM008",
    "error",
    also=("warning",),
    reads="shared.regions",
    unit="bytes",
    source=f"{TMA}; {PTX}, matrix descriptor",
)
def swizzle_alignment(block: Block, regions: tuple[Region, ...]) -> Iterator[Breach]:
    """Whether swizzled regions, and all their slots, start where their pattern does.

    The pattern repeats every 1,024 bytes for 128B, 512 for 64B, 256 for 32B, counted from
    address 0. A tile that starts elsewhere is read with its rows shifted, unless its
    descriptor has the base offset that says so: a warning then.

    Fails: shape: {shared: {regions: [{name: k, offset: 512, bytes: 1024, swizzle: 128B}]}}

    Passes: shape: {shared: {regions: [{name: k, offset: 1024, bytes: 1024, swizzle: 128B}]}}
    """
    for index, (start, region) in enumerate(block.placed):
        repeat, pitch = pattern(region), region.pitch
        severity: Severity | None = "warning" if region.base_offset else None
        if repeat and start % repeat and index not in block.unsure:
            yield Breach(
                f"{named(region, index)} is at {size(start)}; its {region.swizzle} swizzle repeats"
                f" every {size(repeat)}, and {size(start % repeat)} shifts the pattern",
                path=f"shared.regions[{index}].offset",
                value=start,
                limit=repeat,
                over=start % repeat,
                fix=f"put it at {_free(block, index)}",
                severity=severity,
            )
        elif pitch is not None and (shifted := _shifted(block, start, region, pitch)):
            repeat, whose = shifted
            yield Breach(
                f"the slots of {named(region, index)} are {size(pitch)} apart; {whose} repeats"
                f" every {size(repeat)}, and {size(pitch % repeat)} shifts the pattern of the"
                " second",
                path=f"shared.regions[{index}].{_apart(region)}",
                value=pitch,
                limit=repeat,
                over=pitch % repeat,
                fix=_wider(region, pitch, repeat),
                severity=severity,
            )


def _shifted(block: Block, start: int, region: Region, pitch: int) -> tuple[int, str] | None:
    """The longest pattern that slots so far apart shift: its bytes, and what repeats so."""
    shifted = []
    for _, each in _in_slot(block, start, region):
        repeat, swizzle = pattern(each), f"{each.swizzle} swizzle"
        whose = f"their {swizzle}" if each is region else f"the {swizzle} of {each.name}"
        if repeat and pitch % repeat:
            shifted.append((repeat, whose))
    return max(shifted, default=None)


@rule(
    "SMEM009",
    "warning",
    also=("error",),
    reads="shared",
    blames="shared.base_align",
    unit="bytes",
    source=f"{H200_DRIVER}; follows from the base, documented as 16-byte aligned",
)
def base_alignment(block: Block, shared: Shared) -> Iterator[Breach]:
    """Whether the base of dynamic shared memory is as aligned as the regions need.

    No alignment over 16 bytes is promised. A kernel that needs more declares it on the
    array, or moves its base up itself and asks for that many bytes more. Above 1,024 only the
    latter works: the base comes after the 1,024 bytes that the system keeps and padded static
    memory, and so is 1,024 past a multiple of any larger alignment. Alignments are
    powers of two: the compiler takes no other, an error.

    Fails: shape: {shared: {dynamic: 232448, regions: [{name: k, offset: 0, bytes: 232448,
    align: 1024}]}}

    Passes: shape: {shared: {dynamic: 232448, base_align: 1024, regions: [{name: k, offset: 0,
    bytes: 232448, align: 1024}]}}
    """
    align = block.array_align
    if align is None:
        return
    yield from _powers(shared)
    aligns = [pattern(each) for each in shared.regions]
    aligns += [align for each in shared.regions for align, _ in uses(block, each)]
    needed = next_pow2(max(aligns, default=1))
    kept = kept_align(block.target, align)
    slack = max(needed - kept, 0)
    end = max((start + (region.bytes or 0) for start, region in block.placed), default=0)
    room = max((block.dynamic_bytes or 0) - end, 0)
    if room < slack and all(region.bytes is not None for region in shared.regions):
        lost = f", and the array keeps {size(kept)} of what it declares" if kept < align else ""
        yield Breach(
            f"the regions need a base aligned to {size(needed)}{lost}; reaching it may take"
            f" {size(slack)}, and {size(room) if room > 0 else 'nothing'} is spare",
            value=room,
            limit=slack,
            over=slack - room,
            fix=_aligned(block, needed, end + slack),
        )
    elif kept < align and align & (align - 1) == 0:
        yield Breach(
            f"the dynamic array declares an alignment of {size(align)}, of which {size(kept)} is"
            " kept: its base follows on what the system keeps and on static memory",
            value=align,
            limit=kept,
            fix=f"declare {kept:,}, and move the base up where more is needed",
        )


def _aligned(block: Block, needed: int, moved: int) -> str:
    """How regions come to the base they need: by an alignment, or by asking for ``moved`` bytes."""
    most = block.target.smem_optin_per_block
    static = (block.shared.static or 0) if block.shared is not None else 0
    declare, move = "declare the alignment on the array", f"ask for {size(moved)}"
    # What is over with each of them: static memory is padded to what is declared.
    declaring = up(static, needed) + (block.dynamic_bytes or 0) - most
    moving = (block.static_bytes or 0) + moved - most
    if kept_align(block.target, needed) < needed:
        return move if moving <= 0 else f"take out {size(moving)} to move the base"
    if declaring > 0:
        return move if moving <= 0 else f"take out {size(declaring)} and {declare}"
    return (
        f"{declare}, or {move}" if moving <= 0 else f"{declare}; to move the base, no room is left"
    )


def _powers(shared: Shared) -> Iterator[Breach]:
    given = [
        (f"shared.regions[{index}].align", region.align)
        for index, region in enumerate(shared.regions)
    ]
    if shared.base_align not in dict(given).values():  # which is told of once
        given.insert(0, ("shared.base_align", shared.base_align))
    for path, align in given:
        if align and align & (align - 1):
            near = next_pow2(align)
            yield Breach(
                f"an alignment of {align:,} is no power of two",
                path=path,
                value=align,
                limit=near,
                fix=f"use {near // 2:,} or {near:,}",
                severity="error",
            )
