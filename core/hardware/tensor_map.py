"""What a TMA tensor map can hold: sizes of its types, alignments, and its limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kcfg.core.hardware.dtypes import DTYPE_BYTES, SHORT_NAMES, SWIZZLE_BYTES

if TYPE_CHECKING:
    from kcfg.core.block.parts import TensorMap

ENCODE = "CUDA Driver API 13, cuTensorMapEncodeTiled"
"""The document that has these limits."""

RANK = 5
"""Most dimensions of a tensor."""
BOX = 256
"""Most elements of a box in one dimension."""
DIM = 1 << 32
"""Most elements of a tensor in one dimension."""
STRIDE = 1 << 40
"""Every stride is below this, in bytes."""

WHOLE_BOX = frozenset(("16U4_ALIGN16B", "16U6_ALIGN16B"))
"""Packed types whose inner box is always 128 elements."""

BITS = {
    "uint8": 8,
    "uint16": 16,
    "int32": 32,
    "uint32": 32,
    "int64": 64,
    "uint64": 64,
    "float64": 64,
    "tfloat32": 32,
    "16U4_ALIGN8B": 4,
    "16U4_ALIGN16B": 4,
    "16U6_ALIGN16B": 6,
} | {name: 8 * size for name, size in DTYPE_BYTES.items()}
"""Bits of one element in global memory, by type."""

TYPES = (*BITS, *SHORT_NAMES)
"""Every type a tensor map may name."""


def label(each: TensorMap, index: int) -> str:
    """What a message calls a tensor map."""
    return each.name or f"tensor map {index}"


def element_bits(each: TensorMap) -> int | None:
    """Bits of an element in global memory, or None where the map does not say."""
    if each.element_bytes is not None:
        return 8 * each.element_bytes
    return BITS.get(SHORT_NAMES.get(each.dtype, each.dtype)) if each.dtype is not None else None


def in_bytes(each: TensorMap) -> int | None:
    """Bytes of a row of the box, or None where the map does not say."""
    bits = element_bits(each)
    return each.box[0] * bits // 8 if each.box and bits else None


def swizzle_span(each: TensorMap) -> int:
    """Bytes a row of the box may have by its swizzle; 0 where the swizzle sets no limit."""
    interleaved = each.interleave not in (None, "NONE")
    if interleaved or each.swizzle in (None, "NONE"):
        return 0
    return SWIZZLE_BYTES[each.swizzle]


def granule(each: TensorMap) -> int:
    """What the global address and the strides are multiples of, in bytes."""
    return 32 if each.interleave == "32B" or each.dtype in WHOLE_BOX else 16


def strides(each: TensorMap) -> tuple[int, ...]:
    """Strides in bytes of all dimensions but the innermost: as given, or of a packed tensor."""
    bits = element_bits(each)
    if each.strides or not each.dims or not bits:
        return each.strides
    found = []
    stride = each.dims[0] * bits // 8
    for length in each.dims[1:]:
        found.append(stride)
        stride *= length
    return tuple(found)
