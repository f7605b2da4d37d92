"""What has to change so that results come out as wanted, and how far was looked for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcfg.cli.pages.nearest import SHOWN
from kcfg.cli.pages.pieces import Heading, Line, Piece
from kcfg.cli.pages.units import number
from kcfg.core.explain.goals import Sought
from kcfg.core.explain.nearest import UNREACHED, changed, tried
from kcfg.core.explain.refusal import Side
from kcfg.core.figures import joined


def pieces(sought: Sought) -> Iterator[Piece]:
    """The results as they are, what reaches the goals, and what was tried."""
    yield Heading(joined(sought.goals))
    yield Line(f"{_results(sought.now)}{': reached' if sought.reached else ''}", indent=2)
    if sought.search is None:
        return
    for changes, results in list(zip(sought.search.found, sought.gives, strict=True))[:SHOWN]:
        yield Line(f"with {changed(changes)}: {_results(results)}", "good", 2)
    if not sought.search.found:
        yield Line(UNREACHED, "bad", 2)
    yield Line(f"Tried of the tunable inputs: {tried(sought.search)}.", "dim", 2)


def _results(sides: Iterable[Side]) -> str:
    return joined(f"{side.text} is {number(side.value)}" for side in sides)
