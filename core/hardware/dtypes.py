"""Element types and shared-memory swizzles, by the names specs and reports use."""

from __future__ import annotations

DTYPE_BYTES = {
    "bfloat16": 2,
    "float16": 2,
    "float32": 4,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "float8_e8m0fnu": 1,
}
"""Bytes of one element, by the type's upstream name."""

SHORT_NAMES = {
    "bf16": "bfloat16",
    "f16": "float16",
    "fp16": "float16",
    "half": "float16",
    "f32": "float32",
    "fp32": "float32",
    "e4m3": "float8_e4m3fn",
    "f8e4m3": "float8_e4m3fn",
    "float8_e4m3": "float8_e4m3fn",
    "fp8": "float8_e4m3fn",
    "fp8_e4m3": "float8_e4m3fn",
    "fp8_e4m3fn": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
    "f8e5m2": "float8_e5m2",
    "fp8_e5m2": "float8_e5m2",
    "e8m0": "float8_e8m0fnu",
    "fp8_e8m0": "float8_e8m0fnu",
    "fp8_e8m0fnu": "float8_e8m0fnu",
    "ue8m0": "float8_e8m0fnu",
}
"""What else people write for a type."""

DTYPES = tuple(DTYPE_BYTES)

ELEMENT_BITS = {
    **{name: 8 * size for name, size in DTYPE_BYTES.items()},
    "int8": 8,
    "uint8": 8,
    "uint16": 16,
    "int32": 32,
    "uint32": 32,
    "int64": 64,
    "uint64": 64,
    "float64": 64,
    "tfloat32": 32,
    "float6_e2m3fn": 6,
    "float6_e3m2fn": 6,
    "float4_e2m1fn": 4,
    "16U4_ALIGN8B": 4,
    "16U4_ALIGN16B": 4,
    "16U6_ALIGN16B": 6,
}
"""Bits of one element, of every type that a kernel's author may name."""

ELEMENTS = tuple(ELEMENT_BITS)

SPREAD = frozenset(("16U4_ALIGN16B", "16U6_ALIGN16B"))
"""Packed types of which 16 elements take 16 bytes of shared memory, whatever their bits."""

SWIZZLE_BYTES = {"NONE": 16, "32B": 32, "64B": 64, "128B": 128}
"""Bytes of one swizzle row; no swizzle counts as the 16 bytes of one TMA unit."""

SWIZZLES = tuple(SWIZZLE_BYTES)


def dtype_bytes(dtype: str | None) -> int:
    """Bytes of one element of a type; 0 for an absent one."""
    return DTYPE_BYTES[dtype] if dtype is not None else 0


def bits_of(dtype: str) -> int:
    """Bits of one element of a type."""
    return ELEMENT_BITS[dtype]


def bytes_of(dtype: str) -> int:
    """Bytes of one element of a type; of a packed one, the byte that it begins in."""
    return -(-ELEMENT_BITS[dtype] // 8)


def stored_bits(dtype: str) -> int:
    """Bits that one element of a type takes in shared memory."""
    return 8 if dtype in SPREAD else ELEMENT_BITS[dtype]


def swizzle_bytes(swizzle: str) -> int:
    """Bytes of one row of a swizzle mode."""
    return SWIZZLE_BYTES[swizzle]


def swizzle_of_width(width: int) -> str:
    """The swizzle mode whose row is exactly ``width`` bytes; NONE where there is none."""
    return next((mode for mode, row in SWIZZLE_BYTES.items() if row == width), "NONE")


def widest_swizzle(width: int) -> str:
    """The swizzle mode with the longest row that divides ``width`` bytes; NONE if none does."""
    return next(
        (mode for mode in ("128B", "64B", "32B") if width % SWIZZLE_BYTES[mode] == 0), "NONE"
    )


def is_half(dtype: str) -> bool:
    """Whether a type is one of the 16-bit floats."""
    return dtype in ("bfloat16", "float16")


def is_fp8(dtype: str) -> bool:
    """Whether a type is one of the 8-bit floats."""
    return dtype.startswith("float8_")
