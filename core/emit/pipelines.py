"""The pipelines of a block, as constants: their stages, and what each brings and waits for."""

from __future__ import annotations

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Pipeline
from kcfg.core.block.rings import copies
from kcfg.core.emit.conditions import Number, equal, literal, product, total, up_to
from kcfg.core.emit.identifiers import Draft
from kcfg.core.emit.parts import Parts

KEYS = {
    "stage_bytes": ("bytes", "Size of one stage."),
    "barriers_per_stage": ("barriers", "mbarriers of one stage."),
    "expect_tx": ("bytes", "What the full barrier of a stage waits for."),
    "full_arrivals": ("count", "Arrivals that a full barrier waits for."),
    "empty_arrivals": ("count", "Arrivals that an empty barrier waits for."),
}
"""What else is known of a pipeline, with its unit."""


def pipelines(block: Block, draft: Draft, parts: Parts) -> None:
    """The pipelines, of which those that have names are stated."""
    for index, line in enumerate(block.pipelines):
        if line.name is None:
            _unnamed(block, index, line, parts)
        elif line.stages is not None:
            _pipeline(block, index, line, draft, parts)


def _unnamed(block: Block, index: int, line: Pipeline, parts: Parts) -> None:
    """What is known of the stages of a pipeline without a name: those of the rings it lies in."""
    regions = [block.placed[where][1] for where in block.homes[index]]
    for home in (parts.slots.get(region.name or "") for region in regions):
        if home is not None and home.stages.value == line.stages:
            parts.plays(f"pipelines[{index}].stages", home.stages)


def _pipeline(block: Block, index: int, line: Pipeline, draft: Draft, parts: Parts) -> None:
    name, found = draft.part(line.name or ""), dict[str, Number]()
    stages = draft.add(f"{name}_stages", line.stages, "stages", f"{name}: how many stages.")
    parts.plays(f"pipelines[{index}].stages", stages)
    for key, (unit, doc) in KEYS.items():
        value = getattr(line, key)
        if value is not None:
            found[key] = draft.add(f"{name}_{key}", value, unit, doc)
    regions = [block.placed[where][1] for where in block.homes[index]]
    homes = [parts.slots.get(region.name or "") for region in regions]
    for region, home in zip(regions, homes, strict=True):
        if home is not None and region.ring is not None:
            draft.checks.append(equal(stages, home.stages, f"{region.name} has a slot a stage"))
    sizes = [home.size for home in homes if home is not None]
    if sizes and len(sizes) == len(homes) and "stage_bytes" in found:
        need = product(stages, found["stage_bytes"])
        draft.checks.append(up_to(need, total(sizes), f"the stages of {name} have their place"))
    _copies(block, line, name, found.get("expect_tx"), draft)


def _copies(block: Block, line: Pipeline, name: str, expected: Number | None, draft: Draft) -> None:
    """What each copy into a stage brings, and that a full barrier waits for all of it."""
    sizes = [
        draft.add(f"{name}_copy_{number}", size, "bytes", f"{name}: what copy {number} brings.")
        for number, size in enumerate(copies(block, line))
    ]
    if not sizes:
        return
    doc = f"{name}: what all copies of a CTA into a stage bring."
    every = draft.add(f"{name}_tx_bytes", sum(each.value for each in sizes), "bytes", doc)
    draft.checks.append(equal(every, total(sizes), f"{name} brings what its copies do"))
    if expected is not None and every.value and expected.value % every.value == 0:
        times = expected.value // every.value  # a barrier may count both CTAs of a pair
        why = f"the full barrier of {name} waits for its copies"
        draft.checks.append(equal(expected, product(literal(times), every), why))
