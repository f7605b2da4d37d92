"""What a TMA tensor map can hold: sizes of its types, alignments, and its limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kcfg.core.hardware.dtypes import DTYPE_BYTES, SHORT_NAMES, SWIZZLE_BYTES
from kcfg.core.hardware.sources import H200_DRIVER

if TYPE_CHECKING:
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


def in_full(dtype: str | None) -> str | None:
    """A type by its full name; None for no type."""
    return None if dtype is None else SHORT_NAMES.get(dtype, dtype)


def type_bits(dtype: str | None) -> int | None:
    """Bits of an element of a type; None for no type."""
    name = in_full(dtype)
    return None if name is None else BITS[name]
