"""Boxes of TMA tensor copies."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from kcfg.core.block.block import Block
from kcfg.core.block.parts import TensorMap
from kcfg.core.engine.arith import ceildiv, down, up
from kcfg.core.figures import joined, size
from kcfg.core.hardware.dtypes import SHORT_NAMES
from kcfg.core.hardware.tensor_map import (
    BITS,
    BOX,
    ENCODE,
    WHOLE_BOX,
    element_bits,
    in_bytes,
    label,
    swizzle_span,
)
from kcfg.core.rules import Breach, rule

Maps = tuple[TensorMap, ...]

HALVES = "16U4_ALIGN8B"
"""The packed type that fills whole bytes only in pairs."""


def type_bits(dtype: str | None) -> int | None:
    """Bits of an element of a type; None for no type."""
    return None if dtype is None else BITS.get(SHORT_NAMES.get(dtype, dtype))


def row_bits(each: TensorMap) -> int | None:
    """Bits of an element, or None where they are not said or no element has that many."""
    bits = element_bits(each)
    return bits if bits in (4, 6, 8, 16, 32, 64) else None


@rule("TMA001", "error", reads="tma", unit="elements", source=ENCODE)
def box_dims(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether each dimension of a box is one that TMA copies at once.

    The hardware counts a box's elements in 8 bits per dimension. The driver refuses to encode
    a map with a larger one.

    Fails: shape: {tma: [{box: [512, 64]}]}

    Passes: shape: {tma: [{box: [256, 64]}]}
    """
    for index, each in enumerate(tma):
        for axis, length in enumerate(each.box):
            if not 1 <= length <= BOX:
                yield Breach(
                    f"box dimension {axis} of {label(each, index)} is {length:,}"
                    + (
                        f", {length - BOX:,} over the most, {BOX}" if length else "; the least is 1"
                    ),
                    path=f"tma[{index}].box[{axis}]",
                    value=length,
                    limit=BOX if length else 1,
                    over=max(length - BOX, 0),
                    fix=_split(each, axis, length) if length else "use 1",
                )


def _unit(each: TensorMap) -> int:
    """The elements that make whole units of 16 bytes; 1 where their size is not known."""
    bits = row_bits(each)
    return 128 // gcd(128, bits) if bits else 1


def _longest(each: TensorMap) -> int:
    """The longest inner box: the hardware's, or the swizzle's, in whole units of 16 bytes."""
    bits, span = row_bits(each), swizzle_span(each)
    return down(min(BOX, span * 8 // bits) if bits and span else BOX, _unit(each))


def _split(each: TensorMap, axis: int, length: int) -> str:
    """Copies that make up a dimension together, none of them too long."""
    if not axis and each.dtype in WHOLE_BOX:
        return f"make it {ceildiv(length, 128):,} copies of 128"
    unit, most = (1, BOX) if axis else (_unit(each), _longest(each))
    parts = ceildiv(length, most)
    part = up(ceildiv(length, parts), unit)
    past = parts * part - length
    beyond = f", the last of them {past:,} past the end" if past else ""
    return f"make it {parts:,} copies of {part:,}{beyond}"


@rule("TMA002", "error", reads="tma", unit="bytes", source=ENCODE)
def inner_bytes(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether the rows of a box are whole units of 16 bytes.

    TMA moves nothing smaller; packed types have a rule of their own. An element has the size
    of its type: 1, 2, 4 or 8 bytes.

    Fails: shape: {tma: [{box: [12, 64], dtype: f16}]}

    Passes: shape: {tma: [{box: [16, 64], dtype: f16}]}
    """
    for index, each in enumerate(tma):
        yield from _element(each, index)
        bits = row_bits(each)
        row = in_bytes(each)
        if bits and row is not None and each.dtype not in WHOLE_BOX and row % 16:
            below = min(down(each.box[0], _unit(each)), _longest(each))
            above = below + _unit(each)
            near = joined([n for n in (below, above) if 0 < n <= _longest(each)], "or")
            yield Breach(
                f"inner box of {label(each, index)} is {size(row)}, {size(row % 16)} past a"
                " multiple of 16 B",
                path=f"tma[{index}].box[0]",
                value=row,
                limit=16,
                over=row % 16,
                fix=f"use {near} elements",
            )


def _element(each: TensorMap, index: int) -> Iterator[Breach]:
    given, bits = each.element_bytes, type_bits(each.dtype)
    wrong = given is not None and (8 * given != bits if bits else given not in (1, 2, 4, 8))
    if wrong:
        sizes = f"{bits} bits" if bits else "1, 2, 4 or 8 bytes"
        what = f"{each.dtype} has" if bits else "an element has"
        yield Breach(
            f"elements of {label(each, index)} are said to have {given:,} B; {what} {sizes}",
            path=f"tma[{index}].element_bytes",
            value=given,
            limit=bits // 8 if bits and bits % 8 == 0 else None,
            fix="leave it out" if bits else "give the type instead",
        )


@rule("TMA003", "error", reads="tma", unit="bytes", source=ENCODE)
def within_swizzle(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether the rows of a box fit its swizzle.

    A swizzle permutes 16-byte units within a row of its own width, which a box may not
    exceed; the driver refuses to encode the map.

    Fails: shape: {tma: [{box: [128, 64], dtype: bf16, swizzle: 128B}]}

    Passes: shape: {tma: [{box: [64, 64], dtype: bf16, swizzle: 128B}]}
    """
    for index, each in enumerate(tma):
        span, row, bits = swizzle_span(each), in_bytes(each), row_bits(each)
        if span and bits and row is not None and row > span:
            fitting = _longest(each)
            split = f"make it {ceildiv(each.box[0], fitting):,} copies with a box of {fitting}"
            yield Breach(
                f"inner box of {label(each, index)} is {size(row)}, {size(row - span)} over its"
                f" {size(span)} swizzle",
                path=f"tma[{index}].box[0]",
                value=row,
                limit=span,
                over=row - span,
                fix="use the 128B swizzle" if each.dtype in WHOLE_BOX else f"{split} elements",
            )


@rule("TMA007", "error", reads="tma", unit="elements", source=ENCODE)
def packed_types(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether boxes of packed 4-bit and 6-bit types have the one width they may have.

    With 16-byte alignment, TMA unpacks 128 elements at a time. With 8-byte alignment two of
    4 bits make a byte, so that the inner dimension of a tensor is even.

    Fails: shape: {tma: [{box: [64, 8], dtype: 16U6_ALIGN16B}]}

    Passes: shape: {tma: [{box: [128, 8], dims: [256, 8], dtype: 16U6_ALIGN16B}]}
    """
    for index, each in enumerate(tma):
        if each.dtype == HALVES and each.dims and each.dims[0] % 2:
            yield Breach(
                f"inner dimension of {label(each, index)} is {each.dims[0]:,}; {HALVES} has an even"
                " one",
                path=f"tma[{index}].dims[0]",
                value=each.dims[0],
                limit=2,
                over=1,
                fix=f"pad it to {each.dims[0] + 1:,}",
            )
        if each.dtype not in WHOLE_BOX:
            continue
        if each.box and each.box[0] != 128:
            yield Breach(
                f"inner box of {label(each, index)} is {each.box[0]:,} elements; {each.dtype} has"
                " 128",
                path=f"tma[{index}].box[0]",
                value=each.box[0],
                limit=128,
                over=max(each.box[0] - 128, 0),
                fix="use 128",
            )
        if each.dims and each.dims[0] % 128:
            yield Breach(
                f"inner dimension of {label(each, index)} is {each.dims[0]:,},"
                f" {each.dims[0] % 128} past a multiple of 128",
                path=f"tma[{index}].dims[0]",
                value=each.dims[0],
                limit=128,
                over=each.dims[0] % 128,
                fix=f"pad it to {up(each.dims[0], 128):,}",
            )
