"""What would make a refused configuration pass, and how far was looked for it."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.cli.pages.pieces import Line, Piece
from kcfg.core.explain.nearest import Nearest, changed, tried

SHOWN = 3
"""How many ways to choose are shown; of the model's facts only the nearest change."""


def pieces(nearest: Nearest) -> Iterator[Piece]:
    """The author's choices, the model's facts, both; then what was tried."""
    author, model, mixed = nearest
    for changes in author.found[:SHOWN]:
        yield Line(f"passes with {changed(changes)}", "good", 2)
    if not author.found:
        yield Line("no other setting of the tunable inputs was found that passes", indent=2)
    if model.found:
        yield Line(f"passes for a model with {changed(model.found[0])}", "good", 2)
    if mixed and mixed.found:
        yield Line(f"passes with both changed: {changed(mixed.found[0])}", "good", 2)
    elif mixed:
        yield Line("no change of the model was found that passes, nor of both", indent=2)
    yield Line(f"Tried of the tunable inputs: {tried(author)}.", "dim", 2)
    yield Line(f"Tried of the model: {tried(model)}.", "dim", 2)
    if mixed:
        yield Line(f"Tried of both: {tried(mixed)}.", "dim", 2)
