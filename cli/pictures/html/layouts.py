"""The tables of what sits where, of one or more configurations side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from kcfg.cli.pages.pieces import Heading, Piece, Row, Table
from kcfg.cli.pages.report import layout
from kcfg.cli.pictures.bars import letters
from kcfg.cli.render import html
from kcfg.core.report import Derived

Sections = dict[str, list[Piece]]
"""The blocks of a configuration's layout, by the part of the block they are about."""


def layouts(derived: Sequence[Derived]) -> Iterator[str]:
    """Every part that any configuration has; what others of its kernel have not is marked."""
    every = [_sections(each) for each in derived]
    for part in dict.fromkeys(part for sections in every for part in sections):
        found = [sections.get(part, []) for sections in every]
        yield f"<h3>{escape(part)}</h3>"
        yield '<div class="beside">'
        for number, letter in enumerate(letters(len(derived))):
            others = [
                _cells(blocks)
                for blocks, each in zip(found, derived, strict=True)
                if each.report["kernel"] == derived[number].report["kernel"]
            ]
            if found[number]:
                yield _one(letter, found[number], [cells for cells in others if cells])
        yield "</div>"
        silent = [
            letter
            for letter, blocks in zip(letters(len(derived)), found, strict=True)
            if not blocks
        ]
        if silent:
            yield f'<p class="dim">Not modelled: {", ".join(silent)}.</p>'


def _sections(derived: Derived) -> Sections:
    found: Sections = {}
    part = ""
    for block in layout(derived.report):
        if isinstance(block, Heading):
            part = block.text.partition(":")[0]
        found.setdefault(part, []).append(block)
    return found


def _one(letter: str, blocks: list[Piece], others: list[set[tuple[str, ...]]]) -> str:
    def differs(row: Row) -> bool:
        return any(tuple(row.cells) not in cells for cells in others)

    whose = f'<span class="whose">{letter}</span> ' if letter else ""
    heading, *rest = blocks
    assert isinstance(heading, Heading)
    said = f"<p>{whose}{escape(heading.text.partition(': ')[2])}</p>"
    return f"<div>{said}\n{html.text(rest, differs=differs)}</div>"


def _cells(blocks: list[Piece]) -> set[tuple[str, ...]]:
    return {tuple(row.cells) for block in blocks if isinstance(block, Table) for row in block.rows}
