"""What a matmul's configuration was chosen among, told in the order in which it was tried."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.figures import some
from kcfg.core.kernel import Candidate
from kcfg.core.kernels.matmul import search
from kcfg.core.kernels.matmul.choose import FLOAT8, Problem
from kcfg.core.kernels.matmul.dispatch import Selection
from kcfg.core.kernels.matmul.search import Choice
from kcfg.core.kernels.matmul.tuning import Entry, entries

MOST_BEATEN = 6
"""Tiles that are told of beside the chosen one: those that came closest."""
MOST_ENTRIES = 4
"""Entries of the tuning table that are told of: those whose rows come closest."""


def of_choice(choice: Choice) -> Iterator[Candidate]:
    """The tile with the fewest waves, and those it beat."""
    beaten = sorted(choice.beaten, key=lambda tile: (tile.waves, tile.area))
    for tile in (choice.best, *beaten[:MOST_BEATEN]):
        yield Candidate(_tile(tile), tile is choice.best, _waves(tile))


def of_selection(problem: Problem, selection: Selection) -> Iterator[Candidate]:
    """The entries of the tuning table, then the choice and what it beat, then the default."""
    yield from _of_table(problem, selection)
    chosen, *beaten = of_choice(selection.choice)
    rounded = f", for M {selection.rows:,}" if selection.rows != problem.M else ""
    taken = selection.entry is None and selection.built_for is not None
    yield Candidate(chosen.name, taken, f"{chosen.said}{rounded}{_existence(selection)}")
    yield from beaten
    if selection.entry is None and not taken:
        told = "" if selection.settings.hit else ", and the caller is told so"
        said = f"no kernel is the one wanted{told}"
        yield Candidate("MMA 256 x 256, the default", True, said)


def _of_table(problem: Problem, selection: Selection) -> Iterator[Candidate]:
    if problem.c_dtype == FLOAT8:
        yield Candidate("tuning table", False, f"not looked up for a result of {FLOAT8}")
        return
    found = list(entries(problem.ab_dtype, problem.N, problem.K))
    near = sorted(found, key=lambda entry: _distance(entry, problem.M))[:MOST_ENTRIES]
    for entry in (each for each in found if each in near):
        name = f"tuned for M {_rows(entry)}: MMA {entry.mma_m} x {entry.mma_n}"
        yield Candidate(name, entry == selection.entry, _reason(entry, problem, selection))
    if not found:
        yield Candidate("tuning table", False, f"no entry for N {problem.N:,} and K {problem.K:,}")


def _rows(entry: Entry) -> str:
    last = entry.M_end - 1
    return f"{entry.M:,}" if last == entry.M else f"{entry.M:,} to {last:,}"


def _reason(entry: Entry, problem: Problem, selection: Selection) -> str:
    if not entry.holds(problem.M):
        return f"M is {problem.M:,}"
    if entry.num_split_k > 1:
        return f"splits K into {entry.num_split_k}, which is not launched here"
    return "the first that holds" if entry == selection.entry else "an earlier one holds too"


def _distance(entry: Entry, rows: int) -> int:
    """Rows from M to the nearest that an entry holds; 0 for one that holds it."""
    return max(entry.M - rows, rows - (entry.M_end - 1), 0)


def _existence(selection: Selection) -> str:
    """Whether there is a kernel for the choice, or why nobody asks."""
    if selection.entry is not None:
        return ", but the table comes first"
    if selection.built_for is None:
        return ", and no kernel like it exists"
    same = selection.built_for == selection.rows
    return "" if same else f", as the kernel for M {selection.built_for:,}"


def _tile(tile: search.Candidate) -> str:
    return f"MMA {tile.mma_m} x {tile.mma_n}{', swapped' if tile.swapped else ''}"


def _waves(tile: search.Candidate) -> str:
    return f"{some(int(tile.waves), 'wave')}, {some(tile.area, 'element')}"
