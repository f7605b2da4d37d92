"""The matrix instructions of a block, as constants."""

from __future__ import annotations

from kcfg.core.block.block import Block
from kcfg.core.emit.identifiers import Draft
from kcfg.core.emit.parts import Parts

SHAPE = {
    "cta_group": ("CTAs", "CTAs that issue it together."),
    "M": ("rows", "M of the instruction."),
    "N": ("columns", "N of the instruction."),
    "K": ("elements", "K of the tile that the instructions step through."),
}
"""The numbers of one, with their units."""


def instructions(block: Block, draft: Draft, parts: Parts) -> None:
    """The kind and shape of every instruction, as far as they are known."""
    for index, each in enumerate(block.mma):
        start = f"instruction{index}_" if len(block.mma) > 1 else ""
        if each.kind is not None:
            draft.add(f"{start}kind", each.kind, "text", "Its kind, as PTX has it.")
        for key, (unit, doc) in SHAPE.items():
            value = getattr(each, key)
            if value is not None:
                parts.plays(f"mma[{index}].{key}", draft.add(f"{start}{key}", value, unit, doc))
