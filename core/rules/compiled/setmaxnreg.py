"""The register counts that a build sets by setmaxnreg, against those that are configured."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.figures import joined
from kcfg.core.hardware.sources import PTX
from kcfg.core.rules import Breach, rule


@rule(
    "CHK019",
    "error",
    also=("warning",),
    reads="compiled.setmaxnreg counts_set",
    unit="registers",
    source=f"{PTX}, setmaxnreg",
)
def counts(
    block: Block, compiled: tuple[int, ...], configured: tuple[int, ...]
) -> Iterator[Breach]:
    """Whether a build sets the register counts that its configuration does.

    The counts are immediates of instructions, so that PTX shows them all, though not which warps
    come by. A configured one that it lacks is an error: whether the pool is enough was judged of
    other counts. Whoever has the count at entry need not set it. One that it has beside them all
    may be in a branch that is not taken, and is a warning.

    Fails: shape: {registers: {warpgroups: [64, 232]}, compiled: {setmaxnreg: [64, 240]}}

    Passes: shape: {registers: {warpgroups: [64, 232]}, compiled: {setmaxnreg: [64, 232]}}
    """
    sets = sorted({*compiled} - {0})
    lacking = sorted({*configured} - {*sets, block.entry_cap})
    beside = sorted({*sets} - {*configured})
    if lacking or beside:
        odd, where = lacking or beside, "the build" if lacking else "the latter"
        yield Breach(
            f"the build sets {joined(sets) if sets else 'no'} registers by setmaxnreg, the"
            f" configuration {joined(configured)}: {joined(odd)}"
            f" {'is' if len(odd) == 1 else 'are'} not in {where}",
            value=(beside or sets or [0])[-1],
            limit=odd[-1] if lacking else configured[-1],
            fix="set the same in both",
            severity=None if lacking else "warning",
        )
