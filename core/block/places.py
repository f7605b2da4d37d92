"""The places of a block by the names that pins, conditions and formulas have for them.

``kv.offset``, ``kv.bytes`` and ``kv.end`` are a region's, ``S0.column`` and ``S0.columns`` those
of a range of tensor memory; the whole of the block has the names in `WHOLE`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from kcfg.core.block.block import Block
from kcfg.core.engine.quantity import Unit

OF_REGION = ("offset", "bytes", "end")
OF_RANGE = ("column", "columns")


DOCS = {
    "offset": "Where {} starts in shared memory, as the layout has it.",
    "bytes": "The bytes of {} in shared memory, as the layout has it.",
    "end": "Where {} ends in shared memory, as the layout has it.",
    "column": "The first column of {} in tensor memory, as the layout has it.",
    "columns": "The columns of {} in tensor memory, as the layout has it.",
}
"""What the places of regions and ranges are."""
WHOLE_DOCS = {
    "end": "The end of the last region of shared memory, as the layout has it.",
    "shared_bytes": "Dynamic shared memory of a block, as it is launched.",
    "shared_limit": "The dynamic shared memory that a block may have.",
    "tensor_memory_allocated": "The columns of tensor memory that are allocated.",
    "threads": "The threads of a block.",
    "mbarriers": "All mbarriers of a block.",
}
"""What a block has as a whole."""


def unit_of(key: str) -> Unit | None:
    """The unit of a place by its name; None for what can be none."""
    return next((unit for name, unit in PATTERNS.items() if re.fullmatch(name, key)), None)


def place(block: Block, key: str) -> int:
    """A place of a block, in bytes, columns or a count; KeyError where it has no such place."""
    found = WHOLE[key](block) if key in WHOLE else _part(block, key)
    if type(found) is not int:
        raise KeyError(key)
    return found


def meant(block: Block, key: str) -> str | None:
    """The name of a place that the block has, and that ``key`` is a slip of or ends in."""
    from kcfg.core.errors import nearest

    known = names(block)
    inner = [each for each in known if key.endswith(f".{each}")]
    return max(inner, key=len) if inner else nearest(key, known)


def names(block: Block) -> list[str]:
    """The names of every region's and every range's places, and of what is known as a whole."""
    whole = [key for key, read in WHOLE.items() if type(read(block)) is int]
    return [*(f"{each.name}.{last}" for last in DOCS for each in _of(block, last)), *whole]


def doc(key: str) -> str:
    """What a place is, in a sentence."""
    if key in WHOLE_DOCS:
        return WHOLE_DOCS[key]
    name, _, last = key.rpartition(".")
    return DOCS[last].format(name)


def _of(block: Block, last: str) -> Sequence[Any]:
    """The parts of a block that have such a place."""
    if last in OF_REGION and block.smem is not None:
        return [each for each in block.smem.regions if not each.padding]
    return block.tensor.regions if last in OF_RANGE and block.tensor is not None else ()


def _part(block: Block, key: str) -> Any:
    name, _, last = key.rpartition(".")
    return next((getattr(each, last) or 0 for each in _of(block, last) if each.name == name), None)


def _end(block: Block) -> int | None:
    ends = [each.end for each in block.smem.regions if not each.padding] if block.smem else []
    return max(ends, default=None)


WHOLE: dict[str, Callable[[Block], int | None]] = {
    "end": _end,
    "shared_bytes": lambda block: block.dynamic_bytes,
    "shared_limit": lambda block: block.smem.limit if block.smem else None,
    "tensor_memory_allocated": lambda block: block.tensor.allocated if block.tensor else None,
    "threads": lambda block: block.block_threads,
    "mbarriers": lambda block: (
        (sum(each.count or 0 for each in block.mbarriers) or None)
        if block.mbarriers_counted
        else None
    ),
}
"""What a block has as a whole, and how it is read; None where it is not known."""

PATTERNS: dict[str, Unit] = {
    rf".+\.({'|'.join(OF_REGION)})": "bytes",
    rf".+\.({'|'.join(OF_RANGE)})": "columns",
    "end": "bytes",
    "shared_bytes": "bytes",
    "shared_limit": "bytes",
    "tensor_memory_allocated": "columns",
    "threads": "threads",
    "mbarriers": "barriers",
}
"""The units of places, by patterns of their names."""
