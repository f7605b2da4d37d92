"""What would make a refused configuration pass, and how far was looked for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcfg.cli.pages.pieces import Line, Piece
from kcfg.cli.pages.units import number
from kcfg.core.explain.nearest import Nearest, merged, word
from kcfg.core.explain.searching import Change, Search, Varied
from kcfg.core.figures import joined, some

SHOWN = 3
"""How many ways to choose are shown; of the model's facts only the nearest change."""


def pieces(nearest: Nearest) -> Iterator[Piece]:
    """The author's choices, the model's facts, both; then what was tried."""
    author, model, mixed = nearest
    for changes in author.found[:SHOWN]:
        yield Line(f"passes with {_changes(changes)}", "good", 2)
    if not author.found:
        yield Line("no other choice of the kernel's author was found that passes", indent=2)
    if model.found:
        yield Line(f"passes for a model with {_changes(model.found[0])}", "good", 2)
    if mixed and mixed.found:
        yield Line(f"passes with both changed: {_changes(mixed.found[0])}", "good", 2)
    elif mixed:
        yield Line("no change of the model was found that passes, nor of both", indent=2)
    yield Line(f"Tried of the author's choices: {_tried(author)}.", "dim", 2)
    yield Line(f"Tried of the model: {_tried(model)}.", "dim", 2)
    if mixed:
        yield Line(f"Tried of both: {_tried(mixed)}.", "dim", 2)


def _changes(changes: Iterable[Change]) -> str:
    return joined(
        f"{joined(keys)} = {word(passes)} (not {word(given)})"
        for keys, given, passes in merged(changes)
    )


def _tried(search: Search) -> str:
    """How many configurations, of what, within which bounds, and whether these were all."""
    if not search.tried:
        return "none, as no such change bears on every condition that fails"
    at_a_time = "one change" if search.together == 1 else f"up to {search.together} changes"
    count = some(search.tried, "configuration")
    none = "" if search.found else ", none of which passes"
    rest = "" if search.complete else "; these are not all there are"
    return f"{count}{none}; {at_a_time} at a time of {joined(map(_bounds, search.varied))}{rest}"


def _bounds(varied: Varied) -> str:
    names = " with ".join(varied.keys)
    if varied.least is None or varied.most is None:
        return names
    alone = _span(varied.least, varied.most)
    beside = _span(min(varied.beside), max(varied.beside)) if varied.beside else alone
    return f"{names} {alone}" + ("" if beside == alone else f" ({beside} beside others)")


def _span(least: int, most: int) -> str:
    return number(least) if least == most else f"{number(least)} to {number(most)}"
