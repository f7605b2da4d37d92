"""Boxes of TMA tensor copies: their lengths and their rows."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import TensorMap
from kcfg.core.block.tensor_boxes import (
    element_bits,
    fitting,
    label,
    longest,
    part,
    swizzle_span,
    unit,
    whole_box,
)
from kcfg.core.engine.arith import ceildiv, down
from kcfg.core.figures import joined, size
from kcfg.core.hardware.target import Target
from kcfg.core.hardware.tensor_map import ANSWERS, BOX, ENCODE, type_bits
from kcfg.core.rules import Breach, rule

Maps = tuple[TensorMap, ...]


@rule("TMA001", "error", reads="tma", unit="elements", source=f"{ENCODE}; {ANSWERS}")
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
                least = 1 if axis else unit(each, block.target)
                yield Breach(
                    f"box dimension {axis} of {label(each, index)} is {length:,}"
                    + (
                        f", {length - BOX:,} over the most, {BOX}"
                        if length
                        else f"; the least is {least}"
                    ),
                    path=f"tma[{index}].box[{axis}]",
                    value=length,
                    limit=BOX if length else least,
                    over=max(length - BOX, 0),
                    fix=_split(each, axis, block.target) if length else f"use {least}",
                )


def _split(each: TensorMap, axis: int, target: Target) -> str:
    """Copies that make up a dimension together, none of them too long."""
    length, shorter = each.box[axis], part(each, axis, target)
    copies = ceildiv(length, shorter)
    past = copies * shorter - length
    beyond = f", the last of them {past:,} past the end" if past else ""
    return f"make it {copies:,} copies of {shorter:,}{beyond}"


@rule("TMA002", "error", reads="tma", unit="bytes", source=f"{ENCODE}; {ANSWERS}")
def inner_bytes(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether the rows of a box are whole units of 16 bytes.

    TMA moves nothing smaller. The document makes an exception of interleaved tensors, the
    driver does not. Packed types with a width of their own have a rule for that. An element has
    the size of its type: 1, 2, 4 or 8 bytes.

    Fails: shape: {tma: [{box: [12, 64], dtype: f16}]}

    Passes: shape: {tma: [{box: [16, 64], dtype: f16}]}
    """
    for index, each in enumerate(tma):
        yield from _element(each, index)
        bits = element_bits(each)
        row = each.box[0] * bits if each.box and bits else 0
        if row % 128 and not whole_box(each, block.target):
            yield Breach(
                f"inner box of {label(each, index)} is {size(_bytes(row))},"
                f" {size(_bytes(row % 128))} past a multiple of 16 B",
                path=f"tma[{index}].box[0]",
                value=_bytes(row),
                limit=16,
                over=ceildiv(row % 128, 8),
                fix=f"use {_near(each, block.target)} elements",
            )


def _bytes(bits: int) -> float:
    """Bits in bytes: packed types may have parts of one."""
    return bits / 8 if bits % 8 else bits // 8


def _near(each: TensorMap, target: Target) -> str:
    """The lengths of the inner box next to its own that are whole units of 16 bytes."""
    whole, most = unit(each, target), longest(each, target)
    below = min(down(each.box[0], whole), most)
    return joined([length for length in (below, below + whole) if 0 < length <= most], "or")


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


@rule("TMA003", "error", reads="tma", unit="bytes", source=f"{ENCODE}; {ANSWERS}")
def within_swizzle(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether the rows of a box fit its swizzle.

    A swizzle permutes units of 16 bytes or more within a row of its own width, which a box may
    not exceed; the driver refuses to encode the map. Interleaved tensors have no such limit,
    and any swizzle goes with 32B interleave there, although the document asks for 32B.

    Fails: shape: {tma: [{box: [128, 64], dtype: bf16, swizzle: 128B}]}

    Passes: shape: {tma: [{box: [64, 64], dtype: bf16, swizzle: 128B}]}
    """
    for index, each in enumerate(tma):
        span, bits = swizzle_span(each), element_bits(each)
        row = each.box[0] * bits if each.box and bits else 0
        if span and row > 8 * span:
            yield Breach(
                f"inner box of {label(each, index)} is {size(_bytes(row))},"
                f" {size(_bytes(row - 8 * span))} over its {size(span)} swizzle",
                path=f"tma[{index}].box[0]",
                value=_bytes(row),
                limit=span,
                over=ceildiv(row, 8) - span,
                fix=_fit(each, block.target),
            )


def _fit(each: TensorMap, target: Target) -> str:
    """Copies whose rows fit the swizzle, or the swizzle that such rows fit."""
    most = fitting(each, target)
    if most:
        return f"make it {ceildiv(each.box[0], most):,} copies with a box of {most} elements"
    wider = fitting(each.replaced(swizzle="128B"), target)
    return "use the 128B swizzle" + (f" and {wider} elements" if each.box[0] > wider else "")
