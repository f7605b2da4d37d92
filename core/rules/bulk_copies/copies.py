"""1-D bulk copies."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.parts import BulkCopy
from kcfg.core.engine.arith import up
from kcfg.core.figures import size
from kcfg.core.hardware.sources import PTX
from kcfg.core.rules import Breach, rule


@rule(
    "BULK001",
    "error",
    also=("warning",),
    reads="bulk_copies",
    unit="bytes",
    source=f"{PTX}, cp.async.bulk",
)
def bulk_copy(block: Block, copies: tuple[BulkCopy, ...]) -> Iterator[Breach]:
    """Whether a 1-D bulk copy moves whole units of 16 bytes.

    Its size and both addresses are multiples of 16; anything else is undefined.

    Fails: shape: {bulk_copies: [1000]}

    Passes: shape: {bulk_copies: [{bytes: 1008, source: 0, destination: 16}]}
    """
    for index, copy in enumerate(copies):
        if copy.bytes == 0:
            yield Breach(
                f"bulk copy {index} copies 0 B",
                path=f"bulk_copies[{index}].bytes",
                value=0,
                limit=16,
                fix="leave it out",
                severity="warning",
            )
        for key in ("bytes", "source", "destination"):
            value = getattr(copy, key)
            if value is not None and value % 16:
                what = "copies" if key == "bytes" else f"has its {key} at"
                yield Breach(
                    f"bulk copy {index} {what} {size(value)}, {size(value % 16)} past a multiple"
                    " of 16 B",
                    path=f"bulk_copies[{index}].{key}",
                    value=value,
                    limit=16,
                    over=value % 16,
                    fix=f"use {size(up(value, 16))}",
                )
