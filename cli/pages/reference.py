"""The manual entry of a quantity or input: what holds for every configuration."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.cli.pages import words
from kcfg.cli.pages.pieces import Code, Column, Heading, Line, Piece, Row, Table
from kcfg.cli.pages.units import number
from kcfg.core.docs import one_line
from kcfg.core.explain.explanation import Reference
from kcfg.core.figures import joined

TERMS = {
    "total": "The sum of",
    "least": "The smallest of",
    "most": "The largest of",
    "all_of": "True where all hold",
    "any_of": "True where any holds",
}


def pieces(told: Reference) -> Iterator[Piece]:
    """One entry."""
    yield Heading(f"{told.key} [{told.unit}]")
    if told.doc:
        yield Line(one_line(told.doc), indent=2)
    if told.source:
        yield Line(f"As in {told.source}.", "dim", 2)
    if told.kind == "input":
        yield Line(_range(told), indent=2)
    if told.formula:
        yield Code(f"{told.name} = {told.formula}")
    for word in told.words:
        yield Heading(TERMS[word.word], 3)
        yield Table([Column("term"), Column("formula")], [Row(term) for term in word.terms])
    if told.depends_on:
        rows = [
            Row([read.key, one_line(read.member.doc) if read.member else "", words.mark(read)])
            for read in told.depends_on
        ]
        yield Heading("Depends on", 3)
        yield Table([Column(""), Column(""), Column("")], rows)
    for title, found in (("Used by", told.used_by), ("Rests on the inputs", told.inputs)):
        if found and not (told.kind == "input" and title != "Used by"):
            yield Line(f"{title} {joined(found)}.", indent=2)


def _range(told: Reference) -> str:
    """What an input may be, and what it is where a spec does not say."""
    if told.choices:
        allowed = f"One of {joined(told.choices, 'or')}"
    elif told.least is not None and told.most is not None:
        allowed = f"An integer from {told.least:,} to {told.most:,}"
    else:
        allowed = "true or false"
    default = "required" if told.required else f"{number(told.default)} by default"
    return f"{allowed}; {default}."
