"""What follows from a TMA tensor map: how large its box is, what it brings, what would fit."""

from __future__ import annotations

from itertools import zip_longest
from math import gcd, prod

from kcfg.core.block.parts import TensorMap
from kcfg.core.engine.arith import ceildiv, down, up
from kcfg.core.hardware.target import Target
from kcfg.core.hardware.tensor_map import (
    BITS,
    BOX,
    ELEMENT_STRIDE,
    SPANS,
    WHOLE_BOX,
    has_packed,
    type_bits,
)


def label(each: TensorMap, index: int) -> str:
    """What a message calls a tensor map."""
    return each.name or f"tensor map {index}"


def element_bits(each: TensorMap) -> int | None:
    """Bits of an element in global memory, by its type, else by its size.

    None where neither is given, or no element has that size.
    """
    bits = type_bits(each.dtype) or 8 * (each.element_bytes or 0)
    return bits if bits in BITS.values() else None


def interleaved(each: TensorMap) -> bool:
    """Whether the tensor is interleaved."""
    return each.interleave not in (None, "NONE")


def swizzle_span(each: TensorMap) -> int:
    """Bytes a row of the box may have by its swizzle; 0 where the swizzle sets no limit."""
    if interleaved(each) or each.swizzle in (None, "NONE"):
        return 0
    return SPANS[each.swizzle]


def granule(each: TensorMap, target: Target) -> int:
    """What the global address and the strides are multiples of, in bytes."""
    return 32 if each.interleave == "32B" or whole_box(each, target) else 16


def whole_box(each: TensorMap, target: Target) -> int:
    """Elements the inner box must have by its type; 0 where the type sets none."""
    return WHOLE_BOX.get(each.dtype or "", 0) if has_packed(target) else 0


def unit(each: TensorMap, target: Target) -> int:
    """The elements that make whole units of 16 bytes; 1 where their size is not known."""
    bits = element_bits(each)
    return whole_box(each, target) or (128 // gcd(128, bits) if bits else 1)


def fitting(each: TensorMap, target: Target) -> int:
    """Most elements of the inner box, in whole units of 16 bytes, within its swizzle's span.

    0 where not even one unit is.
    """
    bits, span = element_bits(each), swizzle_span(each)
    most = whole_box(each, target) or BOX
    return down(min(most, 8 * span // bits) if bits and span else most, unit(each, target))


def longest(each: TensorMap, target: Target) -> int:
    """The same, never 0: by the type alone where the swizzle is too narrow for it."""
    return fitting(each, target) or fitting(each.replaced(swizzle=None), target)


def steps(each: TensorMap) -> list[tuple[int, int]]:
    """The box's length in every dimension, and the element stride there."""
    given = zip_longest(each.box, each.element_strides[: len(each.box)], fillvalue=1)
    return [(length, stride or 1) for length, stride in given]


def part(each: TensorMap, axis: int, target: Target, most: int = BOX) -> int:
    """What is left of the box in a dimension where it is made equal parts of at most ``most``.

    Parts are whole units of 16 bytes, or whole element strides, so that the next copy goes on
    in step; the last may end past the end.
    """
    length, stride = steps(each)[axis]
    if axis:
        whole = stride if stride <= ELEMENT_STRIDE else 1
    else:
        whole, most = unit(each, target), min(most, longest(each, target))
    if length <= most:
        return length
    return up(ceildiv(length, ceildiv(length, down(most, whole))), whole)


def box_bits(each: TensorMap) -> int | None:
    """Bits of the whole box as the driver counts them, or None where the map does not say."""
    bits = element_bits(each)
    return bits and prod(length // stride for length, stride in steps(each)) * bits


def brought(each: TensorMap) -> int | None:
    """Bytes that a copy brings, or None where the map does not say.

    Other than the driver counts, a length that is no multiple of its element stride is rounded
    up, and the innermost dimension has no stride (as an H200 copied).
    """
    bits = element_bits(each)
    if not bits or not each.box:
        return None
    rows = prod(ceildiv(length, stride) for length, stride in steps(each)[1:])
    return ceildiv(each.box[0] * rows * bits, 8)


def strides(each: TensorMap, target: Target) -> tuple[int, ...]:
    """Strides in bytes of all dimensions but the innermost: as given, or of a packed tensor.

    The latter go by rows that are as aligned as they must be.
    """
    bits = element_bits(each)
    if each.strides or not each.dims or not bits:
        return each.strides
    found = []
    stride = ceildiv(each.dims[0] * bits, 8)
    for length in each.dims[1:]:
        found.append(stride)
        stride = up(stride, granule(each, target)) * length
    return tuple(found)
