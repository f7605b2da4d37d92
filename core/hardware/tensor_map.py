"""What a TMA tensor map can hold: sizes of its types, alignments, and its limits."""

from __future__ import annotations

from itertools import zip_longest
from math import gcd, prod
from typing import TYPE_CHECKING

from kcfg.core.engine.arith import ceildiv, down, up
from kcfg.core.hardware.dtypes import DTYPE_BYTES, SHORT_NAMES, SWIZZLE_BYTES
from kcfg.core.hardware.sources import H200_DRIVER

if TYPE_CHECKING:
    from kcfg.core.block.parts import TensorMap
    from kcfg.core.hardware.target import Target

ENCODE = "CUDA Driver API 13, cuTensorMapEncodeTiled"
"""The document that has these limits."""

ANSWERS = f"{H200_DRIVER}, cuTensorMapEncodeTiled"
"""The driver that was asked about them: 51,484 times, on compute capability 9.0 only."""

RANK = 5
"""Most dimensions of a tensor."""
BOX = 256
"""Most elements of a box in one dimension."""
BOX_BYTES = 233_472
"""Most bytes of a whole box."""
DIM = 1 << 32
"""Most elements of a tensor in one dimension."""
STRIDE = 1 << 40
"""Every stride is below this, in bytes."""
ADDRESS = 1 << 57
"""The global address is below this, in bytes."""
ELEMENT_STRIDE = 8
"""Most elements that a copy goes on by in one dimension."""

BITS = {
    "uint8": 8,
    "uint16": 16,
    "int32": 32,
    "uint32": 32,
    "int64": 64,
    "uint64": 64,
    "float64": 64,
    "float32_ftz": 32,
    "tfloat32": 32,
    "tfloat32_ftz": 32,
    "16U4_ALIGN8B": 4,
    "16U4_ALIGN16B": 4,
    "16U6_ALIGN16B": 6,
} | {name: 8 * size for name, size in DTYPE_BYTES.items()}
"""Bits of one element in global memory, by type."""

TYPES = (*BITS, *SHORT_NAMES)
"""Every type a tensor map may name."""

FLOATS = frozenset(
    ("bfloat16", "float16", "float32", "float32_ftz", "float64", "tfloat32", "tfloat32_ftz")
)
"""The types that are floats to the driver, which knows those of 8 bits as bytes."""

PACKED = frozenset(("16U4_ALIGN8B", "16U4_ALIGN16B", "16U6_ALIGN16B"))
"""Types of less than a byte."""

WHOLE_BOX = {"16U4_ALIGN16B": 128, "16U6_ALIGN16B": 128}
"""Elements of the inner box of packed types that have always the same."""

ATOMS = ("128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B")
"""Swizzles of 128 bytes that keep more than 16 of them together."""

SPANS = SWIZZLE_BYTES | dict.fromkeys(ATOMS, SWIZZLE_BYTES["128B"])
"""Bytes of one row of a swizzle."""

SWIZZLES = tuple(SPANS)
"""Every swizzle a tensor map may name."""

PACKED_SWIZZLES = {
    "16U4_ALIGN16B": ("NONE", "128B", "128B_ATOM_32B"),
    "16U6_ALIGN16B": ("NONE", "128B", "128B_ATOM_32B", "128B_ATOM_64B"),
}
"""The swizzles of types that do not go with every one."""

NO_INTERLEAVE = frozenset(("16U6_ALIGN16B",))
"""The types that go with no interleave."""

INTERLEAVES = ("NONE", "16B", "32B")

FILLS = ("zero", "nan")
"""What elements outside the tensor may be read as."""


def has_packed(target: Target) -> bool:
    """Whether a target has packed types and swizzles of larger atoms.

    A driver refused them all on compute capability 9.0; that the GPU is why is inferred. Of
    others the document holds, which excludes none.
    """
    return target.cc != "9.0"


def label(each: TensorMap, index: int) -> str:
    """What a message calls a tensor map."""
    return each.name or f"tensor map {index}"


def in_full(dtype: str | None) -> str | None:
    """A type by its full name; None for no type."""
    return None if dtype is None else SHORT_NAMES.get(dtype, dtype)


def type_bits(dtype: str | None) -> int | None:
    """Bits of an element of a type; None for no type."""
    name = in_full(dtype)
    return None if name is None else BITS[name]


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
