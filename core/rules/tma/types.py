"""Types of TMA tensor maps, and what goes with them."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import TensorMap
from kcfg.core.block.tensor_boxes import interleaved, label, whole_box
from kcfg.core.engine.arith import up
from kcfg.core.figures import joined
from kcfg.core.hardware.tensor_map import (
    ANSWERS,
    ATOMS,
    ENCODE,
    FLOATS,
    NO_INTERLEAVE,
    PACKED,
    PACKED_SWIZZLES,
    has_packed,
    in_full,
)
from kcfg.core.rules import Breach, rule

Maps = tuple[TensorMap, ...]

HALVES = "16U4_ALIGN8B"
"""The packed type that fills whole bytes only in pairs."""


@rule("TMA007", "error", reads="tma", unit="elements", source=ENCODE)
def packed_types(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether boxes of packed 4-bit and 6-bit types have the one width they may have.

    With 16-byte alignment, TMA unpacks 128 elements at a time. With 8-byte alignment two of
    4 bits make a byte, so that the inner dimension of a tensor is even. Where a GPU has none
    of them, TMA011 says so instead.

    Fails: shape: {tma: [{box: [64, 8], dtype: 16U6_ALIGN16B}]}

    Passes: shape: {tma: [{box: [128, 8], dims: [256, 8], dtype: 16U6_ALIGN16B}]}
    """
    for index, each in enumerate(tma):
        if each.dtype == HALVES and has_packed(block.target) and each.dims and each.dims[0] % 2:
            yield Breach(
                f"inner dimension of {label(each, index)} is {each.dims[0]:,}; {HALVES} has an even"
                " one",
                path=f"tma[{index}].dims[0]",
                value=each.dims[0],
                limit=2,
                over=1,
                fix=f"pad it to {each.dims[0] + 1:,}",
            )
        width = whole_box(each, block.target)
        if not width:
            continue
        if each.box and each.box[0] != width:
            yield Breach(
                f"inner box of {label(each, index)} is {each.box[0]:,} elements; {each.dtype} has"
                f" {width}",
                path=f"tma[{index}].box[0]",
                value=each.box[0],
                limit=width,
                over=max(each.box[0] - width, 0),
                fix=f"use {width}",
            )
        if each.dims and each.dims[0] % width:
            yield Breach(
                f"inner dimension of {label(each, index)} is {each.dims[0]:,},"
                f" {each.dims[0] % width} past a multiple of {width}",
                path=f"tma[{index}].dims[0]",
                value=each.dims[0],
                limit=width,
                over=each.dims[0] % width,
                fix=f"pad it to {up(each.dims[0], width):,}",
            )


@rule("TMA010", "error", reads="tma", source=f"{ENCODE}; {ANSWERS}")
def fill_of_floats(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether what is read beyond a tensor goes with its type.

    Only floats can be NaN there. To the driver those of 8 bits are bytes, which it has no other
    types for, and bytes are filled with zero.

    Fails: shape: {tma: [{dtype: fp8, oob_fill: nan}]}

    Passes: shape: {tma: [{dtype: bf16, oob_fill: nan}]}
    """
    for index, each in enumerate(tma):
        if each.oob_fill == "nan" and each.dtype is not None and in_full(each.dtype) not in FLOATS:
            yield Breach(
                f"{label(each, index)} is filled with NaN; to the driver {each.dtype} is no float",
                path=f"tma[{index}].oob_fill",
                value=each.oob_fill,
                fix="use zero",
            )


@rule("TMA011", "error", reads="tma", source=f"{ENCODE}; {ANSWERS}")
def types_and_swizzles(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether the GPU has a map's type and swizzle, and one goes with the other.

    On compute capability 9.0 the driver refuses every packed type of 4 or 6 bits, and every
    swizzle that keeps more than 16 bytes together. Where they are to be had, packed types with
    16-byte alignment go with some swizzles only, and 6 bits are not interleaved. No GPU that
    has them was asked.

    Fails: {target: h200, shape: {tma: [{box: [64, 8], dtype: bf16, swizzle: 128B_ATOM_32B}]}}

    Passes: {target: b200, shape: {tma: [{box: [64, 8], dtype: bf16, swizzle: 128B_ATOM_32B}]}}
    """
    target = block.target
    for index, each in enumerate(tma):
        if not has_packed(target):
            yield from _absent(each, index, target.cc)
            continue
        swizzles = PACKED_SWIZZLES.get(each.dtype or "")
        if swizzles and each.swizzle is not None and each.swizzle not in swizzles:
            yield Breach(
                f"{label(each, index)} is {each.dtype} with {each.swizzle} swizzle; it goes with"
                f" {joined(swizzles)} only",
                path=f"tma[{index}].swizzle",
                value=each.swizzle,
                fix="use 128B",
            )
        if each.dtype in NO_INTERLEAVE and interleaved(each):
            yield Breach(
                f"{label(each, index)} is {each.dtype} with {each.interleave} interleave",
                path=f"tma[{index}].interleave",
                value=each.interleave,
                fix="use NONE",
            )


def _absent(each: TensorMap, index: int, cc: str) -> Iterator[Breach]:
    """The types and swizzles that are refused altogether."""
    if each.dtype in PACKED:
        yield Breach(
            f"{label(each, index)} is {each.dtype}, a packed type, which compute capability {cc}"
            " does not have",
            path=f"tma[{index}].dtype",
            value=each.dtype,
            fix="use uint8, and unpack what is copied",
        )
    if each.swizzle in ATOMS:
        yield Breach(
            f"{label(each, index)} has the {each.swizzle} swizzle, which compute capability {cc}"
            " does not have",
            path=f"tma[{index}].swizzle",
            value=each.swizzle,
            fix="use 128B",
        )
