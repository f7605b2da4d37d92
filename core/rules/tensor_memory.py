"""Tensor memory: what a block allocates, and what it keeps there."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block import aliases
from kcfg.core.block.block import Block
from kcfg.core.block.parts import Allocation, Tmem
from kcfg.core.block.placing import allocation
from kcfg.core.block.tensor_memory import asked, needed, needed_key, sized, taken_by
from kcfg.core.engine.arith import prev_pow2
from kcfg.core.figures import joined, some
from kcfg.core.hardware.sources import CUTLASS, PTX, PTXAS
from kcfg.core.rules import Breach, rule

ALLOC = f"{PTX}, tcgen05.alloc"


@rule("TMEM001", "error", reads="tmem.allocations", unit="columns", source=f"{ALLOC}; {PTXAS}")
def allocation_size(block: Block, allocations: tuple[Allocation, ...]) -> Iterator[Breach]:
    """Whether tcgen05.alloc takes the columns.

    It takes powers of two from 32 to 512. Another immediate does not assemble; another
    value in a register is not checked by anyone.

    Fails: shape: {tmem: {allocations: [48]}}

    Passes: shape: {tmem: {allocations: [64]}}
    """
    least, most = block.target.tmem_alloc_min, block.target.tmem_columns
    for index, each in enumerate(allocations):
        columns = each.columns
        if not most or columns is None or columns == allocation(block.target, columns) <= most:
            continue
        better = allocation(block.target, columns)
        fix = f"allocate {better}" if better <= most else f"no allocation has more than {most}"
        yield Breach(
            f"an allocation of {some(columns, 'column')}; alloc takes powers of two from {least} to"
            f" {most}" + (f", {columns - most:,} fewer" if columns > most else ""),
            path=f"tmem.allocations[{index}]",
            value=columns,
            limit=min(better, most),
            over=max(columns - most, 0),
            fix=fix,
        )


@rule("TMEM002", "error", reads="tmem", unit="columns", source=f"{ALLOC}; {CUTLASS}")
def need_fits(block: Block, tmem: Tmem) -> Iterator[Breach]:
    """Whether what a block keeps in tensor memory fits its allocations, and they the SM.

    An SM has 512 columns. An accumulator takes N of them, half or a quarter where its rows
    leave lanes free that the layout then uses; two that fill only half the lanes each may lie
    side by side. Each allocation is rounded up by itself.

    Fails: shape: {tmem: {accumulators: [{M: 128, N: 256}, {M: 128, N: 256}, {M: 128, N: 256}]}}

    Passes: shape: {tmem: {allocations: [512], accumulators: [{M: 128, N: 256}, {M: 128, N: 256}]}}
    """
    for index, what, fix in aliases.wrong(tmem.accumulators, "accumulator"):
        yield Breach(
            f"{tmem.accumulators[index].name or f'accumulator {index}'} shares the columns of"
            f" {what}",
            path=f"tmem.accumulators[{index}].alias_of",
            fix=fix,
        )
    for index, each in enumerate(tmem.allocations):
        columns, wanted = each.columns, each.needs
        if columns is not None and wanted is not None and wanted > columns:
            yield Breach(
                f"an allocation of {some(columns, 'column')} for the {wanted:,} that it needs,"
                f" {wanted - columns:,} more",
                path=f"tmem.allocations[{index}].columns",
                value=wanted,
                limit=columns,
                over=wanted - columns,
                fix=_room(block, wanted),
            )
    most = block.target.tmem_columns
    need, taken = needed(tmem), taken_by(block.target, tmem)
    total = sum(taken)
    if not most:
        return
    # One that is too large by itself is TMEM001.
    if total > most and not any((each.columns or 0) > most for each in tmem.allocations):
        rounding = taken != [each.columns for each in tmem.allocations]
        one = allocation(
            block.target, sum(each.needs or asked(block.target, each) for each in tmem.allocations)
        )
        parts = f" ({' + '.join(str(n) for n in taken)}{', rounded up' if rounding else ''})"
        yield Breach(
            f"the allocations take {total:,} columns{parts if len(taken) > 1 else ''},"
            f" {total - most:,} over the {most} of an SM",
            path="tmem.allocations",
            value=total,
            limit=most,
            over=total - most,
            fix=f"one allocation of {one} holds all" if one <= most else "keep less there",
        )
    whole = bool(taken) and total <= most and all(map(sized, tmem.allocations))
    limit = total if whole else most
    if need > limit:
        what = "allocated" if whole else "of an SM"
        yield Breach(
            f"{need:,} columns are needed, {need - limit:,} over the {limit} {what}",
            path=needed_key(tmem),
            value=need,
            limit=limit,
            over=need - limit,
            fix=_room(block, need),
        )


def _room(block: Block, need: int) -> str:
    most = block.target.tmem_columns
    if allocation(block.target, need) <= most:
        return f"allocate {allocation(block.target, need)}"
    smaller = "use a smaller N, or fewer accumulators"
    if block.tmem is None or not block.tmem.accumulators:
        smaller = "keep less there"
    return f"{smaller}: {some(need - most, 'column')} must go"


@rule("TMEM003", "info", reads="tmem", unit="columns", source=ALLOC)
def rounding(block: Block, tmem: Tmem) -> Iterator[Breach]:
    """What the rounding of an allocation leaves unused.

    Allocations are powers of two, so just over one costs twice as much.

    Fails: shape: {tmem: {columns: 288}}

    Passes: shape: {tmem: {columns: 256}}
    """
    most = block.target.tmem_columns
    needs = [
        (f"tmem.allocations[{i}]", each.needs)
        for i, each in enumerate(tmem.allocations)
        if each.needs
    ]
    if not needs and block.derived and not tmem.allocations:
        return  # what this kernel allocates for its columns is not known
    if not needs:
        needs = [(needed_key(tmem), needed(tmem))]
    for path, need in needs:
        taken = allocation(block.target, need or 0)
        if need and need < taken <= most:
            step = prev_pow2(need)
            halved = step >= block.target.tmem_alloc_min
            yield Breach(
                f"{some(need, 'column')} in an allocation of {taken}: {taken - need} unused",
                path=path,
                value=need,
                limit=taken,
                fix=f"{need - step} fewer would do with {step}" if halved else "",
            )


@rule(
    "TMEM004",
    "warning",
    reads="wanted tmem",
    blames="tmem.allocations",
    unit="columns",
    source=ALLOC,
)
def resident_blocks(block: Block, blocks: int, tmem: Tmem) -> Iterator[Breach]:
    """Whether the wanted blocks can hold their tensor memory at the same time.

    No occupancy calculator counts tensor memory. alloc waits until columns are free, so a
    block too many is resident and does nothing until another one frees its own. Without
    allocations one that holds the need is counted.

    Fails: shape: {blocks_per_sm: 2, tmem: {allocations: [512]}}

    Passes: shape: {blocks_per_sm: 2, tmem: {allocations: [256]}}
    """
    most = block.target.tmem_columns
    need = needed(tmem)
    each = sum(taken_by(block.target, tmem)) or (allocation(block.target, need) if need else 0)
    if blocks > 1 and each <= most < blocks * each:
        share = prev_pow2(most // blocks)
        fits = share >= block.target.tmem_alloc_min
        yield Breach(
            f"{blocks:,} blocks of {each} columns need {blocks * each - most:,} more than the"
            f" {most} of an SM: {most // each} can hold theirs, the next waits in alloc until one"
            " frees",
            path=_allocated_by(tmem),
            value=blocks * each,
            limit=most,
            over=blocks * each - most,
            fix=f"{share} columns each fit" if fits else f"want {some(most // each, 'block')}",
        )


def _allocated_by(tmem: Tmem) -> str:
    """The key that says what a block allocates."""
    return "tmem.allocations" if tmem.allocations else needed_key(tmem)


@rule("TMEM005", "error", reads="tmem.allocations", unit="columns", source=ALLOC)
def allocation_order(block: Block, allocations: tuple[Allocation, ...]) -> Iterator[Breach]:
    """Whether a block's allocations come in an order that works.

    A later one must not be larger than one before it, and none may come after
    relinquish_alloc_permit.

    Fails: shape: {tmem: {allocations: [64, 128]}}

    Passes: shape: {tmem: {allocations: [128, 64]}}
    """
    least: int | None = None
    for index, each in enumerate(allocations):
        columns, known = asked(block.target, each), sized(each)
        path = f"tmem.allocations[{index}]"
        if known and least is not None and columns > least:
            yield Breach(
                f"a later allocation of {columns} is {columns - least} larger than an earlier"
                f" one of {least}",
                path=path,
                value=columns,
                limit=least,
                over=columns - least,
                fix="allocate the largest first",
            )
        if each.after_relinquish:
            yield Breach(
                f"an allocation of {columns} after relinquish_alloc_permit",
                path=path,
                value=columns,
                fix="allocate before it",
            )
        if known:
            least = columns if least is None else min(least, columns)


@rule(
    "TMEM006",
    "error",
    reads="cta_groups",
    blames="mma",
    unit="CTAs",
    source=f"{PTX}, tcgen05; {PTXAS}",
)
def one_cta_group(block: Block, groups: dict[str, int]) -> Iterator[Breach]:
    """Whether all tcgen05 instructions of a kernel have one cta_group.

    The compiler refuses a kernel that mixes them.

    Fails: shape: {tmem: {allocations: [{columns: 256, cta_group: 1}]},
    mma: [{kind: f16, cta_group: 2, M: 256, N: 128}]}

    Passes: shape: {tmem: {allocations: [{columns: 256, cta_group: 2}]},
    mma: [{kind: f16, cta_group: 2, M: 256, N: 128}]}
    """
    if len(set(groups.values())) > 1:
        first, *others = groups.items()
        other, value = next(item for item in others if item[1] != first[1])
        yield Breach(
            f"{first[0]} is {first[1]}, {other} is {value}: one kernel has one cta_group",
            path=other,
            value=value,
            limit=first[1],
            fix=f"use {joined([1, 2], 'or')} everywhere",
        )
