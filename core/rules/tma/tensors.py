"""Tensors that TMA copies from and to."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import TensorMap
from kcfg.core.engine.arith import up
from kcfg.core.figures import size, some
from kcfg.core.hardware.tensor_map import (
    DIM,
    ENCODE,
    RANK,
    STRIDE,
    granule,
    label,
    strides,
    swizzle_span,
)
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.regions import TMA as GUIDE

Maps = tuple[TensorMap, ...]


@rule("TMA004", "error", reads="tma", unit="bytes", source=ENCODE)
def stride_alignment(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether the strides of a tensor are ones that a map can hold.

    They are kept in units of 16 bytes, in 36 bits; packed types with 16-byte alignment and
    32B interleave need 32.

    Fails: shape: {tma: [{dims: [100, 1000], dtype: f16}]}

    Passes: shape: {tma: [{dims: [100, 1000], dtype: f16, strides: [208]}]}
    """
    for index, each in enumerate(tma):
        step = granule(each)
        for axis, stride in enumerate(strides(each)):
            path = f"tma[{index}].strides[{axis}]" if each.strides else f"tma[{index}].dims"
            what = f"stride of dimension {axis + 1} of {label(each, index)}"
            if stride % step:
                yield Breach(
                    f"{what} is {size(stride)}, {size(stride % step)} past a multiple of {step} B",
                    path=path,
                    value=stride,
                    limit=step,
                    over=stride % step,
                    fix=f"pad it to {size(up(stride, step))}",
                )
            elif stride >= STRIDE:
                yield Breach(
                    f"{what} is {size(stride)}; it must be below {size(STRIDE)}",
                    path=path,
                    value=stride,
                    limit=STRIDE - step,
                    over=stride - STRIDE + step,
                    fix="split the tensor",
                )


@rule("TMA005", "error", reads="tma", unit="bytes", source=f"{ENCODE}; {GUIDE}")
def global_address(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether a tensor starts where TMA can read it.

    The address must be a multiple of 16 (32 for packed types with 16-byte alignment and 32B
    interleave). The guide asks for 128 with a swizzle, which the driver does not check: a
    note there.

    Fails: shape: {tma: [{address: 8}]}

    Passes: shape: {tma: [{address: 16}]}
    """
    for index, each in enumerate(tma):
        step = granule(each)
        if each.address is None:
            continue
        what = f"global address {each.address:,} of {label(each, index)} is"
        if each.address % step:
            yield Breach(
                f"{what} {size(each.address % step)} past a multiple of {step} B",
                path=f"tma[{index}].address",
                value=each.address,
                limit=step,
                over=each.address % step,
                fix=f"move it up by {size(-each.address % step)}",
            )
        elif swizzle_span(each) and each.address % 128:
            yield Breach(
                f"{what} {size(each.address % 128)} past a multiple of 128 B, which the guide asks"
                " for with a swizzle",
                path=f"tma[{index}].address",
                value=each.address,
                limit=128,
                over=each.address % 128,
                fix=f"move it up by {size(-each.address % 128)}",
                severity="info",
            )


@rule("TMA006", "error", reads="tma", unit="count", source=ENCODE)
def rank_and_dims(block: Block, tma: Maps) -> Iterator[Breach]:
    """Whether a tensor has dimensions that a map can hold.

    There are one to five (three to five with interleave), each of up to 2^32.

    Fails: shape: {tma: [{dims: [64, 8, 8, 8, 8, 8]}]}

    Passes: shape: {tma: [{dims: [64, 8, 8, 8, 64]}]}
    """
    for index, each in enumerate(tma):
        rank = len(each.dims) or len(each.box)
        least = 3 if each.interleave not in (None, "NONE") else 1
        path = f"tma[{index}].{'dims' if each.dims else 'box'}"
        if rank and not least <= rank <= RANK:
            yield Breach(
                f"{label(each, index)} has rank {rank}; it may have {least} to {RANK}"
                + (" with interleave" if least > 1 else ""),
                path=path,
                value=rank,
                limit=RANK if rank > RANK else least,
                over=max(rank - RANK, 0),
                fix="fold dimensions that are contiguous" if rank > RANK else "add dimensions of 1",
            )
        if each.dims and each.box and len(each.dims) != len(each.box):
            yield Breach(
                f"{label(each, index)} has {len(each.dims)} dimensions and a box of"
                f" {len(each.box)}",
                path=f"tma[{index}].box",
                value=len(each.box),
                limit=len(each.dims),
                fix="give the box one length per dimension",
            )
        if rank and each.strides and len(each.strides) != rank - 1:
            yield Breach(
                f"{label(each, index)} has rank {rank} and {some(len(each.strides), 'stride')}",
                path=f"tma[{index}].strides",
                value=len(each.strides),
                limit=rank - 1,
                over=max(len(each.strides) - rank + 1, 0),
                fix="give one for every dimension but the innermost, or none",
            )
        for axis, length in enumerate(each.dims):
            if not 1 <= length <= DIM:
                yield Breach(
                    f"dimension {axis} of {label(each, index)} is {length:,}; it may be 1 to"
                    f" {DIM:,}",
                    path=f"tma[{index}].dims[{axis}]",
                    value=length,
                    limit=DIM if length else 1,
                    over=max(length - DIM, 0),
                    fix="split the tensor" if length else "use at least 1",
                )
