"""Matrix instructions: their shapes, and the targets that have them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Mma
from kcfg.core.engine.arith import down
from kcfg.core.figures import joined
from kcfg.core.hardware import isa
from kcfg.core.hardware.isa import Shape
from kcfg.core.hardware.sources import CUTLASS, PTX
from kcfg.core.rules import Breach, rule

SHAPES = f"{PTX}, tcgen05.mma, Matrix Shape; wgmma.mma_async"


def forms(block: Block, mma: Mma) -> tuple[Shape, ...]:
    """The shapes an instruction may have; none where its kind is not given or has no such form."""
    if mma.kind is None:
        return ()
    if block.unit_used == "wgmma":
        return (isa.wgmma(mma.kind, bool(mma.sparse)),) if mma.kind in isa.WGMMA_KINDS else ()
    if block.unit_used == "mma.sync":
        return ()
    return isa.shapes(mma.kind, mma.cta_group or 1, bool(mma.ws), bool(mma.sparse))


def form(block: Block, mma: Mma) -> str:
    """The form of an instruction, in words."""
    words = [str(mma.kind)]
    if block.unit_used != "wgmma":
        words.append(f"cta_group {mma.cta_group or 1}")
    return " ".join(words + [".ws"] * bool(mma.ws) + ["sparse"] * bool(mma.sparse))


def near(value: int, known: tuple[int, ...]) -> str:
    """The known values on either side of one, in words."""
    at = bisect_left(known, value)
    return joined(known[max(at - 1, 0) : at + 1], "or")


def _nothing(index: int, key: str) -> Breach:
    """What is said of an extent of 0 in an instruction whose shapes are not known."""
    return Breach(
        f"{key} is 0: there is nothing to multiply",
        path=f"mma[{index}].{key}",
        value=0,
        limit=1,
        fix=f"give the instruction's {key}, or leave it out",
    )


@rule("MMA001", "error", reads="mma", unit="rows", source=SHAPES)
def rows(block: Block, mma: tuple[Mma, ...]) -> Iterator[Breach]:
    """Whether an instruction has that many rows.

    M follows from how accumulators fill the lanes of tensor memory: one CTA has 128 of
    them, and only a pair makes 256.

    Fails: shape: {mma: [{kind: f16, cta_group: 1, M: 256, N: 128}]}

    Passes: shape: {mma: [{kind: f16, cta_group: 2, M: 256, N: 128}]}
    """
    for index, each in enumerate(mma):
        known = tuple(sorted({m for shape in forms(block, each) for m in shape.M}))
        if each.M == 0 and not known:
            yield _nothing(index, "M")
        if each.M is None or not known or each.M in known:
            continue
        other = each.replaced(cta_group=3 - (each.cta_group or 1))
        paired = any(each.M in shape.M for shape in forms(block, other))
        yield Breach(
            f"M {each.M:,} is no M of {form(block, each)}, which has {joined(known)}",
            path=f"mma[{index}].M",
            value=each.M,
            limit=known[-1],
            over=max(each.M - known[-1], 0),
            fix=f"use cta_group {other.cta_group}"
            if paired
            else f"use {near(each.M, tuple(known))}",
        )


@rule("MMA002", "error", reads="mma", unit="columns", source=SHAPES)
def column_step(block: Block, mma: tuple[Mma, ...]) -> Iterator[Breach]:
    """Whether an instruction has that many columns.

    N ends at 256 and goes in steps that depend on the kind and on cta_group.

    Fails: shape: {mma: [{kind: f16, cta_group: 2, M: 256, N: 72}]}

    Passes: shape: {mma: [{kind: f16, cta_group: 2, M: 256, N: 80}]}
    """
    for index, each in enumerate(mma):
        known = tuple(sorted({n for shape in forms(block, each) for n in shape.N}))
        if each.N == 0 and not known:
            yield _nothing(index, "N")
        if each.N is None or each.ws or not known or each.N in known:
            continue
        most, step = known[-1], known[-1] - known[-2]
        odd = [n for n in known if n % step]
        has = joined([*odd, f"multiples of {step}"])
        high = most < each.N
        yield Breach(
            f"N {each.N:,} is no N of {form(block, each)}, which has {has} from"
            f" {known[0]} to {most}",
            path=f"mma[{index}].N",
            value=each.N,
            limit=most if high else step,
            over=each.N - most if high else each.N % step,
            fix=f"use {near(each.N, known)}",
        )


@rule("MMA003", "error", reads="mma", unit="elements", source=SHAPES)
def tile_depth(block: Block, mma: tuple[Mma, ...]) -> Iterator[Breach]:
    """Whether a tile's K is a whole number of instructions.

    Each instruction goes through a fixed K, 32 bytes of a row for most kinds, twice that
    where A is sparse. What is left over is not multiplied.

    Fails: shape: {mma: [{kind: f8f6f4, M: 128, N: 128, K: 48}]}

    Passes: shape: {mma: [{kind: f8f6f4, M: 128, N: 128, K: 64}]}
    """
    for index, each in enumerate(mma):
        steps = [s.K for s in forms(block, each) if each.M is None or each.M in s.M]
        if each.K == 0 and not steps:
            yield _nothing(index, "K")
        if each.K is None or not steps or (each.K and any(each.K % step == 0 for step in steps)):
            continue
        step = steps[0]
        below = down(each.K, step)
        yield Breach(
            f"K {each.K:,} is no multiple of {joined(steps, 'or')}, the K of one"
            f" {form(block, each)} instruction",
            path=f"mma[{index}].K",
            value=each.K,
            limit=step,
            over=each.K % step,
            fix=f"use {f'{below:,} or ' if below else ''}{below + step:,}",
        )


@rule("MMA004", "warning", reads="mma", unit="columns", source=CUTLASS)
def stricter_library(block: Block, mma: tuple[Mma, ...]) -> Iterator[Breach]:
    """Whether CUTLASS would take an instruction too.

    Its atoms want coarser steps of N than the instruction set in some forms, and M 256 for
    mxf8f6f4 on a pair of CTAs. Hand-written code may go by the instruction set.

    Fails: shape: {mma: [{kind: f16, M: 128, N: 24, a_in_tmem: true}]}

    Passes: shape: {mma: [{kind: f16, M: 128, N: 32, a_in_tmem: true}]}
    """
    if block.unit_used != "tcgen05" or block.derived:  # whose source has its own conditions
        return
    for index, each in enumerate(mma):
        step = _library_step(each)
        fine = any(each.N in shape.N for shape in forms(block, each))
        if each.N is not None and fine and each.N % step:
            yield Breach(
                f"N {each.N} compiles, but CUTLASS wants a multiple of {step} for"
                f" {form(block, each)}{' with A in tensor memory' if each.a_in_tmem else ''}",
                path=f"mma[{index}].N",
                value=each.N,
                limit=step,
                over=each.N % step,
                fix=f"use {down(each.N, step) + step}",
            )
        if each.kind == "mxf8f6f4" and each.cta_group == 2 and each.M == 128:
            yield Breach(
                "M 128 compiles, but CUTLASS has mxf8f6f4 with cta_group 2 for M 256 only",
                path=f"mma[{index}].M",
                value=128,
                limit=256,
                fix="use M 256",
            )


def _library_step(mma: Mma) -> int:
    """The step of N that CUTLASS wants; 1 where it adds nothing."""
    if mma.ws:
        return 1
    if mma.cta_group == 2:
        return 32 if mma.a_in_tmem or mma.kind == "f8f6f4" else 1
    if mma.M == 128 and (mma.a_in_tmem or (mma.kind == "f8f6f4" and mma.sparse)):
        return 16
    return 16 if mma.kind == "i8" and (mma.N or 0) > 8 else 1


@rule("MMA007", "error", reads="mma", unit="columns", source=f"{PTX}, tcgen05.mma.ws")
def ws_form(block: Block, mma: tuple[Mma, ...]) -> Iterator[Breach]:
    """Whether an instruction has a .ws form.

    The weight-stationary form is for one CTA, for the kinds without block scales, and for
    N of 64, 128 and 256 (sparse: up to 128).

    Fails: shape: {mma: [{kind: mxf4, ws: true, M: 128, N: 128}]}

    Passes: shape: {mma: [{kind: f16, ws: true, M: 32, N: 128}]}
    """
    for index, each in enumerate(mma):
        if not each.ws or block.unit_used != "tcgen05":
            continue
        if each.kind in isa.BLOCK_SCALED:
            yield Breach(
                f"{each.kind} has block scales, and no .ws form",
                path=f"mma[{index}].ws",
                value=True,
                fix="use it without .ws",
            )
        elif each.cta_group == 2:
            yield Breach(
                ".ws is for one CTA, here with cta_group 2",
                path=f"mma[{index}].cta_group",
                value=2,
                limit=1,
                over=1,
                fix="use cta_group 1",
            )
        elif each.N is not None:
            known = isa.shapes(each.kind or "f16", 1, True, bool(each.sparse))[0].N
            if each.N not in known:
                yield Breach(
                    f"N {each.N:,} with .ws; it has {joined(known)}",
                    path=f"mma[{index}].N",
                    value=each.N,
                    limit=known[-1],
                    over=max(each.N - known[-1], 0),
                    fix=f"use {near(each.N, known)}",
                )
