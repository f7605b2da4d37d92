"""How many blocks share an SM, with a graph for each thing that may limit them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from kcfg.cli.pages.occupancy import limits, said
from kcfg.cli.pictures.bars import letters
from kcfg.cli.pictures.svg import picture
from kcfg.cli.pictures.svg.curve import curve
from kcfg.cli.render import html
from kcfg.core.explain.residency import courses, residency
from kcfg.core.report import Derived


def occupancies(derived: Sequence[Derived]) -> Iterator[str]:
    """Every configuration of which it can be told."""
    silent = []
    for letter, each in zip(letters(len(derived)), derived, strict=True):
        block = each.kernel.block
        found = residency(block)
        if found is None:
            silent.append(letter)
            continue
        whose = f'<span class="whose">{letter}</span> ' if letter else ""
        yield f"<h3>{whose}{escape(said(found))}</h3>"
        yield html.text(limits(found))
        yield '<div class="graphs">'
        for number, course in enumerate(courses(block)):
            paper, words = curve(course, found.most_warps)
            title = f"Warps per SM by {course.limit.name}"
            sheet = picture.Sheet(paper, title, words, 0)
            id = f"kcwarps{letter}{number}"
            yield f"<figure>\n{picture.written(sheet, id)}</figure>"
        yield "</div>"
    if silent and len(silent) < len(derived):
        yield f'<p class="dim">Not told: {", ".join(silent)}.</p>'
