"""Boxes of TMA tensor copies as a whole, and how a copy goes through them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from kcfg.core.block.block import Block
from kcfg.core.block.parts import TensorMap
from kcfg.core.block.tensor_boxes import box_bits, label, part, steps
from kcfg.core.engine.arith import ceildiv
from kcfg.core.figures import size
from kcfg.core.hardware.target import Target
from kcfg.core.hardware.tensor_map import ANSWERS, BOX_BYTES, ELEMENT_STRIDE, ENCODE
from kcfg.core.rules import Breach, rule

Maps = tuple[TensorMap, ...]


@rule("TMA008", "error", reads="tma", unit="bytes", source=ANSWERS)
def box_bytes(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether a whole box is one that TMA copies at once.

    It may have as many bytes as an SM has shared memory on the GPU that was asked, more than a
    block may have. The driver counts every length divided by its element stride and rounded
    down, and packed types as they are in global memory. No document has this limit.

    Fails: shape: {tma: [{box: [256, 256, 4], dtype: uint8}]}

    Passes: shape: {tma: [{box: [256, 228, 4], dtype: uint8}]}
    """
    for index, each in enumerate(tma):
        taken = ceildiv(box_bits(each) or 0, 8)
        if taken > BOX_BYTES:
            yield Breach(
                f"the box of {label(each, index)} is {size(taken)}, {size(taken - BOX_BYTES)} over"
                f" the {size(BOX_BYTES)} of one copy",
                path=f"tma[{index}].box",
                value=taken,
                limit=BOX_BYTES,
                over=taken - BOX_BYTES,
                fix=_split(each, block.target),
            )


def _split(each: TensorMap, target: Target) -> str:
    """Copies that make up the box together, none too large: the outermost dimensions first.

    Rows are split only where they are too long themselves, since any single one is small.
    """
    axes = range(len(each.box))
    box = [part(each, axis, target) for axis in axes]
    for axis in reversed(axes[1:]):
        smaller = each.replaced(box=tuple(box))
        length, stride = steps(smaller)[axis]
        rest = (box_bits(smaller) or 0) // (length // stride or 1)
        if rest:
            most = max(8 * BOX_BYTES // rest, 1)
            box[axis] = part(smaller, axis, target, (most + 1) * stride - 1)
    copies = prod(map(ceildiv, each.box, box))
    return f"make it {copies:,} copies with a box of {box}"


@rule("TMA009", "error", reads="tma", unit="elements", source=f"{ENCODE}; {ANSWERS}")
def element_strides(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether a copy goes through its box in steps that TMA takes.

    A copy may take every second to every eighth element of a dimension, and brings as many as
    that makes, rounded up. In the innermost dimension it takes every one, but the driver
    refuses a wrong step there all the same.

    Fails: shape: {tma: [{box: [64, 64], dtype: f16, element_strides: [1, 9]}]}

    Passes: shape: {tma: [{box: [64, 64], dtype: f16, element_strides: [1, 8]}]}
    """
    for index, each in enumerate(tma):
        for axis, stride in enumerate(each.element_strides):
            if not 1 <= stride <= ELEMENT_STRIDE:
                limit = ELEMENT_STRIDE if stride else 1
                yield Breach(
                    f"element stride {axis} of {label(each, index)} is {stride:,}; it may be 1 to"
                    f" {ELEMENT_STRIDE}",
                    path=f"tma[{index}].element_strides[{axis}]",
                    value=stride,
                    limit=limit,
                    over=max(stride - limit, 0),
                    fix=f"use {limit}",
                )
