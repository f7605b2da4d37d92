"""Matrix instructions and the accumulators that they add to."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Accumulator, Mma
from kcfg.core.block.tensor_memory import width
from kcfg.core.figures import joined, offered
from kcfg.core.hardware.sources import PTX
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.tmem.ranges import called


@rule(
    "TMEM009",
    "error",
    also=("warning",),
    reads="mma tmem.accumulators",
    blames="tmem.accumulators",
    unit="columns",
    source=f"{PTX}, Data Path Layout; tcgen05.mma",
)
def written_by_mma(
    block: Block, mma: tuple[Mma, ...], accumulators: tuple[Accumulator, ...]
) -> Iterator[Breach]:
    """Whether accumulators are what the matrix instructions write.

    The rows of an instruction, and the CTAs that share it, decide which lanes and columns it
    writes; one that is kept as another lies elsewhere. Its columns are those of an instruction,
    or several times as many. An instruction names its accumulators; where none is named, one
    that no instruction could write is a warning, since not every instruction may be given.

    Fails: shape: {mma: [{M: 64, N: 128, accumulators: [S]}],
    tmem: {accumulators: [{name: S, M: 128, N: 128}]}}

    Passes: shape: {mma: [{M: 128, N: 128, accumulators: [S]}],
    tmem: {accumulators: [{name: S, M: 128, N: 256}]}}
    """
    names = {each.name: index for index, each in enumerate(accumulators) if each.name}
    named = set()
    for number, instruction in enumerate(mma):
        for at, name in enumerate(instruction.accumulators):
            if name not in names:
                yield Breach(
                    f"an MMA adds to {name}, which is no accumulator",
                    path=f"mma[{number}].accumulators[{at}]",
                    value=name,
                    fix=f"name {offered(list(names))}" if names else "give the accumulators names",
                )
                continue
            index = names[name]
            named.add(index)
            yield from _unlike(accumulators[index], index, (instruction,))
    others = tuple(each for each in mma if not each.accumulators)
    for index, each in enumerate(accumulators):
        if others and index not in named:
            for breach in _unlike(each, index, others):
                yield breach._replace(severity="warning")


def _unlike(each: Accumulator, index: int, mma: tuple[Mma, ...]) -> Iterator[Breach]:
    """What of an accumulator none of some instructions has."""
    path = f"tmem.accumulators[{index}]"
    rows = [m.M for m in mma if m.M is not None]
    if each.M is not None and len(rows) == len(mma) and each.M not in rows:
        known = joined(sorted(set(rows)), "or")
        yield Breach(
            f"{called(each, index)} has {each.M:,} rows, the MMA {known}",
            path=f"{path}.M",
            value=each.M,
            limit=rows[0],
            over=abs(each.M - rows[0]),
            fix=f"use M {known}",
        )
    steps = [m.N for m in mma if m.N]
    whole = any(each.N is None or each.N % n == 0 for n in steps)
    if steps and len(steps) == len(mma) and not whole:
        known = joined(sorted(set(steps)), "or")
        yield Breach(
            f"{called(each, index)} has {each.N:,} columns, which are no multiple of {known},"
            " those of the MMA",
            path=f"{path}.N",
            value=each.N,
            limit=steps[0],
            over=(each.N or 0) % steps[0],
            fix=f"use N {known}",
        )
    groups = {m.cta_group for m in mma} - {None}
    if each.cta_group is None and groups == {2}:
        paired = each.replaced(cta_group=2)
        if width(paired) != width(each):
            yield Breach(
                f"{called(each, index)} counts as that of one CTA, {width(each):,} columns; the"
                f" MMA has cta_group 2, and writes {width(paired):,}",
                path=path,
                value=width(each),
                limit=width(paired),
                over=abs(width(each) - width(paired)),
                fix="say cta_group: 2",
                severity="warning",
            )
