"""Explanations as pieces: formula, numbers, parts, limits, and what rests on what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcfg.cli.pages import words
from kcfg.cli.pages.pieces import Code, Column, Heading, Line, Piece, Row, Table
from kcfg.cli.pages.titles import title, whence
from kcfg.cli.pages.told import Told
from kcfg.cli.pages.units import measured, number
from kcfg.core.docs import one_line
from kcfg.core.explain.explanation import Explanation
from kcfg.core.figures import joined

HEADINGS = {
    "total": "Made of",
    "least": "The smallest of",
    "most": "The largest of",
    "all_of": "All of",
    "any_of": "Any of",
}


def pages(told: Iterable[Told], tree: bool) -> Iterator[Piece]:
    """Everything told, one below the other."""
    for count, each in enumerate(told):
        if count:
            yield Line("")
        yield from _page(each, tree)


def _page(told: Told, tree: bool) -> Iterator[Piece]:
    if told.words:
        yield Heading("The words of formulas", 1)
        yield from (Line(f"{each.call}: {each.meaning}", indent=2) for each in told.words)
        return
    yield Heading(title(told.name, told.kernel, told.release, told.target), 1)
    if told.source:
        yield Line(whence(told.source, told.release, told.release_given), "dim")
    if told.asked is not None or told.figures:
        from kcfg.cli.pages import launch

        yield from launch.pieces(told) if told.asked is not None else launch.worked(told)
    if told.story:
        from kcfg.cli.pages import registers, story

        yield from story.pieces(told.story, told.findings)
        yield from registers.brief(told.registers)
    for explanation in told.explanations:
        yield from _tree(explanation) if tree else whole(explanation)
    if told.occupancy:
        from kcfg.cli.pages import occupancy

        yield from occupancy.pieces(told.occupancy)
    if told.sought:
        from kcfg.cli.pages import goals

        yield from goals.pieces(told.sought)
    if told.references:
        from kcfg.cli.pages import reference

        for entry in told.references:
            yield from reference.pieces(entry)


def whole(explanation: Explanation) -> Iterator[Piece]:
    """An explanation, and below it those of what it reads."""
    yield Heading(f"{explanation.key} = {measured(explanation.value, explanation.unit)}")
    yield from reasons(explanation)
    for inner in explanation.because:
        yield from whole(inner)


def reasons(told: Explanation) -> Iterator[Piece]:
    """What stands below the value: what it is, its formula with numbers, what rests on what."""
    if told.doc:
        yield Line(one_line(told.doc), indent=2)
    if told.source:
        yield Line(f"As in {told.source}.", "dim", 2)
    for said in told.remarks:
        yield Line(f"{said[0].upper()}{said[1:]}.", "strong", 2)
    if told.formula:
        yield Code("\n".join(_lines(told)))
    elif told.kind == "input":
        yield Line("An input: the spec gives it, or it is at its default.", indent=2)
    for choice in told.choices:
        yield Line(words.choice(choice), indent=2)
    for fit, binds in words.fits(told):
        yield Line(fit, "strong" if binds else "", 2)
    for ledger in told.ledgers:
        within = f" {ledger.within}" if ledger.within else ""
        yield Heading(f"{HEADINGS[ledger.word]}{within}", 3)
        yield words.ledger(ledger)
    if told.depends_on:
        yield Heading("Depends on", 3)
        yield words.dependencies(told.depends_on)
    yield from names("Used by", told.used_by)
    if told.kind != "input":
        yield from names("Rests on the inputs", told.inputs)


def _lines(told: Explanation) -> Iterator[str]:
    """The formula, then with numbers, worked out to the value."""
    lines = dict.fromkeys((told.formula, *told.steps))
    for count, line in enumerate(lines):
        yield f"{told.name} = {line}" if not count else f"= {line}"


def names(title: str, found: tuple[str, ...]) -> Iterator[Piece]:
    """Names after a title; nothing where there are none."""
    if found:
        yield Line(f"{title} {joined(found)}.", indent=2)


# The tree


def _tree(explanation: Explanation) -> Iterator[Piece]:
    yield Table([Column(""), Column("", True), Column("")], list(_branches(explanation, 0)))


def _branches(told: Explanation, depth: int) -> Iterator[Row]:
    how = told.formula or ("input" if told.kind == "input" else "")
    yield Row(
        ["  " * depth + told.key, number(told.value), how],
        "" if told.because or told.formula else "dim",
    )
    for inner in told.because:
        yield from _branches(inner, depth + 1)
