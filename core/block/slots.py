"""What the slots of a region of shared memory hold: elements of a type, or mbarriers."""

from __future__ import annotations

from math import prod

from kcfg.core.block.parts import Region
from kcfg.core.engine.arith import ceildiv
from kcfg.core.hardware.dtypes import stored_bits
from kcfg.core.hardware.target import Target


def elements(region: Region) -> int | None:
    """Bytes of the elements of one slot; None where it does not say which, or how many."""
    if region.of is None or not region.shape:
        return None
    return ceildiv(prod(region.shape) * stored_bits(region.of), 8)


def counted(region: Region) -> int | None:
    """The mbarriers of one slot; None where their number is not said."""
    holds = region.mbarriers
    return None if holds is None or isinstance(holds, bool) else holds


def counts(region: Region) -> bool:
    """Whether a region says how many mbarriers it holds, itself or by its ring."""
    return counted(region) is not None or bool(region.mbarriers and region.ring)


def content(region: Region, target: Target) -> int | None:
    """Bytes of what one slot holds, as far as that is said."""
    own, count = elements(region), counted(region)
    return own if own is not None or count is None else count * target.mbarrier_bytes


def held(region: Region) -> str:
    """What one slot holds in words, such as ``128 x 64 of bfloat16``."""
    count = counted(region)
    if elements(region) is None and count is not None:
        return f"{count:,} mbarrier{'' if count == 1 else 's'}"
    return f"{' x '.join(f'{length:,}' for length in region.shape)} of {region.of}"


def span(region: Region, slot: int, slots: int) -> int:
    """Bytes of so many slots, of ``slot`` bytes each and as far apart as the region says."""
    if not slots:
        return 0
    return (slots - 1) * (slot if region.stride is None else region.stride) + slot


def aligned(region: Region, target: Target) -> int | None:
    """The alignment of what is in a region, where that is said and more than a byte."""
    if region.of is not None:
        whole = ceildiv(stored_bits(region.of), 8)
        return whole if whole > 1 else None
    return target.mbarrier_align if counts(region) else None
