"""Because of what values changed: each cause with what follows from it, and value by value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcfg.cli.pages.pieces import Line, Piece
from kcfg.cli.pages.units import number
from kcfg.core.diff import Because, Change, Diff, Lead, Result
from kcfg.core.figures import joined, some

ARROW = " -> "

NAMED = 2
"""Results that are named where they follow from a cause; more are counted."""

MOST = 8
"""Causes that lead a comparison; what follows from more stands in the tables alone."""


def leads(diff: Diff) -> Iterator[Piece]:
    """The causes and what follows from them: single ones first, those of most values first."""
    results = {result.name: result for result in diff.changed}
    found = sorted(diff.leads, key=lambda lead: (len(lead.because[0]), -len(lead.results)))
    for lead in found[:MOST]:
        yield Line(_lead(lead, results), indent=2)
    if found[MOST:]:
        left = sum(len(lead.results) for lead in found[MOST:])
        yield Line(
            f"and {some(len(found) - MOST, 'more cause')}, of {some(left, 'value')}", "dim", 2
        )


def because(result: Result) -> str:
    """The changes a result follows from: sets of them, each of which does it alone."""

    def said(change: Change) -> str:
        if change.kind == "kcfg":
            return _kcfg(change)
        own = change.kind == "formula" and change.name == result.name
        return "its formula" if own else change.name

    return _sets([map(said, one) for one in result.because])


def _lead(lead: Lead, results: dict[str, Result]) -> str:
    """One cause: values that changed by a formula of their own, then what else follows."""

    def said(change: Change) -> str:
        if change.kind == "kcfg":
            return _kcfg(change)
        if change.kind != "formula":
            return f"{change.name} {_values(change.old, change.new)}"
        result = results.get(change.name)
        if result is None:  # the formula differs, and what it gives does not
            return f"the formula of {change.name}"
        return f"{result.name} {_values(result.old, result.new)}"

    cause = _sets([map(said, one) for one in lead.because])
    names = _formulas(lead.because)
    follow = [result.name for result in lead.results if result.name not in names]
    if not follow:
        return f"{cause}, by its formula"
    if len(follow) > NAMED:
        return f"{cause}, and {some(len(follow), 'value')} follow"
    return f"{cause}, and {joined(follow)} {'follows' if len(follow) == 1 else 'follow'}"


def _formulas(sets: Because) -> set[str]:
    return {change.name for one in sets for change in one if change.kind == "formula"}


def _sets(sets: Iterable[Iterable[str]]) -> str:
    return ", or ".join(map(joined, sets))


def _values(old: object, new: object) -> str:
    return ARROW.join("none" if value is None else number(value) for value in (old, new))


def _kcfg(change: Change) -> str:
    return f"another kcfg ({change.old}{ARROW}{change.new})"
