"""Boxes of TMA tensor copies."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.engine.arith import down, up
from kcfg.core.figures import joined, size
from kcfg.core.hardware.tensor_map import (
    BOX,
    ENCODE,
    WHOLE_BOX,
    element_bits,
    in_bytes,
    label,
    swizzle_span,
)
from kcfg.core.launch.groups import TensorMap
from kcfg.core.launch.launch import Launch
from kcfg.core.rules import Breach, rule

Maps = tuple[TensorMap, ...]


@rule("TMA001", "error", reads="tma", unit="elements", source=ENCODE)
def box_dims(launch: Launch, tma: Maps) -> Iterator[Breach]:
    """Whether each dimension of a box is one that TMA copies at once.

    The hardware counts a box's elements in 8 bits per dimension. The driver refuses to encode
    a map with a larger one.

    Fails: shape: {tma: [{box: [512, 64]}]}

    Passes: shape: {tma: [{box: [256, 64]}]}
    """
    for index, each in enumerate(tma):
        for axis, length in enumerate(each.box):
            if not 1 <= length <= BOX:
                parts = -(-length // BOX)
                yield Breach(
                    f"box dimension {axis} of {label(each, index)} is {length:,}"
                    + (
                        f", {length - BOX:,} over the most, {BOX}" if length else "; the least is 1"
                    ),
                    path=f"tma[{index}].box[{axis}]",
                    value=length,
                    limit=BOX if length else 1,
                    over=max(length - BOX, 0),
                    fix=f"make it {parts:,} copies of {up(length, parts) // parts:,}"
                    if length
                    else "use 1",
                )


@rule("TMA002", "error", reads="tma", unit="bytes", source=ENCODE)
def inner_bytes(launch: Launch, tma: Maps) -> Iterator[Breach]:
    """Whether the rows of a box are whole units of 16 bytes.

    TMA moves nothing smaller; packed types have a rule of their own.

    Fails: shape: {tma: [{box: [12, 64], dtype: f16}]}

    Passes: shape: {tma: [{box: [16, 64], dtype: f16}]}
    """
    for index, each in enumerate(tma):
        bits = element_bits(each)
        row = in_bytes(each)
        if bits and row is not None and each.dtype not in WHOLE_BOX and row % 16:
            elements = 128 // bits
            below = down(each.box[0], elements)
            near = joined([*([below] if below else []), below + elements], "or")
            yield Breach(
                f"inner box of {label(each, index)} is {size(row)}, {size(row % 16)} past a"
                " multiple of 16 B",
                path=f"tma[{index}].box[0]",
                value=row,
                limit=16,
                over=row % 16,
                fix=f"use {near} elements",
            )


@rule("TMA003", "error", reads="tma", unit="bytes", source=ENCODE)
def within_swizzle(launch: Launch, tma: Maps) -> Iterator[Breach]:
    """Whether the rows of a box fit its swizzle.

    A swizzle permutes 16-byte units within a row of its own width, which a box may not
    exceed; the driver refuses to encode the map.

    Fails: shape: {tma: [{box: [128, 64], dtype: bf16, swizzle: 128B}]}

    Passes: shape: {tma: [{box: [64, 64], dtype: bf16, swizzle: 128B}]}
    """
    for index, each in enumerate(tma):
        span, row, bits = swizzle_span(each), in_bytes(each), element_bits(each)
        if span and bits and row is not None and row > span:
            fitting = span * 8 // bits
            yield Breach(
                f"inner box of {label(each, index)} is {size(row)}, {size(row - span)} over its"
                f" {size(span)} swizzle",
                path=f"tma[{index}].box[0]",
                value=row,
                limit=span,
                over=row - span,
                fix=f"make it {-(-row // span):,} copies with a box of {fitting} elements",
            )


@rule("TMA007", "error", reads="tma", unit="elements", source=ENCODE)
def packed_types(launch: Launch, tma: Maps) -> Iterator[Breach]:
    """Whether boxes of packed 4-bit and 6-bit types have the one width they may have.

    With 16-byte alignment, TMA unpacks 128 elements at a time.

    Fails: shape: {tma: [{box: [64, 8], dtype: 16U6_ALIGN16B}]}

    Passes: shape: {tma: [{box: [128, 8], dims: [256, 8], dtype: 16U6_ALIGN16B}]}
    """
    for index, each in enumerate(tma):
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
