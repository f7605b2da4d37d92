"""The whole picture: one or more configurations, part by part, at the same scales."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kcfg.cli.pictures import bars
from kcfg.cli.pictures.bars import KEYS, Key, Part, Scene
from kcfg.cli.pictures.svg import links, style
from kcfg.cli.pictures.svg.paper import Paper, escape, short
from kcfg.cli.pictures.svg.track import Look, track
from kcfg.core.diff.moves import Move

WIDTH = 960.0
MARGIN, EDGE = 20.0, 4.0
"""Around a picture that is a file, and one within a page."""


class Sheet(NamedTuple):
    """What is drawn in one piece: a part of some scenes, with fills for so many regions."""

    paper: Paper
    title: str
    described: str
    regions: int


def document(scenes: Sequence[Scene]) -> str:
    """A file of its own."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + element(scenes)


def element(scenes: Sequence[Scene], prefix: str = "kc") -> str:
    """The picture as an element, with its title, its colours and a ground.

    ``prefix`` begins every id in it, so that a page may hold several.
    """
    paper = Paper(WIDTH)
    _titles(paper, scenes)
    regions = 0
    for key in KEYS:
        for sheet in _part(key, scenes, prefix):
            paper.below(sheet.paper)
            regions = max(regions, sheet.regions)
    title = " and ".join(scene.title for scene in scenes)
    whole = Sheet(paper, title, " ".join(described(scenes)), regions)
    return written(whole, prefix, alone=True)


def elements(scenes: Sequence[Scene], prefix: str = "kc") -> Iterator[str]:
    """The picture in pieces that a page can break between, and that take its colours."""
    for key in KEYS:
        for number, sheet in enumerate(_part(key, scenes, f"{prefix}{key}")):
            yield written(sheet, f"{prefix}{key}", id=f"{prefix}{key}{number}")


def written(sheet: Sheet, prefix: str, *, alone: bool = False, id: str = "") -> str:
    """A sheet as an element; the first of those with one prefix has the fills."""
    margin = MARGIN if alone else EDGE
    id = id or prefix
    width, height = sheet.paper.width + 2 * margin, sheet.paper.height + 2 * margin
    size = f'width="{short(width)}" height="{short(height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="kc" viewBox="0 0 {short(width)} '
        f'{short(height)}" {size} role="img" aria-labelledby="{id}title {id}desc" '
        f'font-family="{style.FACE}" font-size="12">',
        f'<title id="{id}title">{escape(sheet.title)}</title>',
        f'<desc id="{id}desc">{escape(sheet.described)}</desc>',
    ]
    if alone:
        lines.append(f"<style>\nsvg.kc {{ color-scheme: light dark; }}\n{style.rules()}</style>")
    if sheet.regions:
        lines.append(f"<defs>\n{style.patterns(prefix, sheet.regions)}\n</defs>")
    if alone:
        ground = f'class="paper"{style.attributes("paper")}'
        lines.append(f'<rect {ground} width="{short(width)}" height="{short(height)}"/>')
    moved = f'<g transform="translate({short(margin)} {short(margin)})">'
    return "\n".join([*lines, moved, *sheet.paper.written(), "</g>\n</svg>\n"])


def described(scenes: Sequence[Scene]) -> Iterator[str]:
    """The picture in words, for those who do not see it."""
    for scene in scenes:
        yield f"{scene.title}, {scene.verdict}."
        for part in scene.parts:
            yield from _described(part)


def _described(part: Part) -> Iterator[str]:
    yield f"{part.title.rstrip('.')}."
    yield from part.notes
    for bar in part.bars:
        found = "; ".join(f"{span.name} {span.detail}" for span in bar.spans)
        yield f"{bar.label}: {found}." if bar.label else f"{found}."


def _titles(paper: Paper, scenes: Sequence[Scene]) -> None:
    for letter, scene in zip(bars.letters(len(scenes)), scenes, strict=True):
        paper.paragraph(f"{letter}  {scene.title}".strip(), "title", 15)
        paper.paragraph(scene.verdict, _tone(scene.good))
    paper.height += 4


def _tone(good: bool | None) -> str:
    return "quiet" if good is None else "good" if good else "bad"


def _part(key: Key, scenes: Sequence[Scene], prefix: str) -> Iterator[Sheet]:
    """The sheets of a part: one for two that are linked, else one for each that has it."""
    parts = [scene.part(key) for scene in scenes]
    extents: dict[str, int] = {}
    for part in parts:
        for bar in part.bars:
            extents[bar.unit] = max(extents.get(bar.unit, 0), bar.extent)
    numbers = bars.names(parts)
    look = Look(numbers, prefix, 0)
    names = bars.letters(len(scenes))
    moves = bars.moves(scenes, key)
    regions = len(numbers) or 1  # what is over or kept has its fill as well
    if moves is not None and all(len(part.bars) == 1 for part in parts):
        paper = Paper(WIDTH)
        _pair(paper, parts, moves, look._replace(extent=max(extents.values())))
        yield _sheet(paper, names, parts, regions)
        return
    for letter, part in zip(names, parts, strict=True):
        if part.bars:
            paper = Paper(WIDTH)
            _single(paper, letter, part, extents, look)
            yield _sheet(paper, [letter], [part], regions)
            regions = 0
    rest = Paper(WIDTH)
    if moves:
        rest.paragraph(f"From A to B {bars.said(moves)}.", "quiet")
    silent: dict[str, list[str]] = {}
    for letter, part in zip(names, parts, strict=True):
        if not part.bars:
            silent.setdefault(part.title, []).append(letter)
    for title, whose in silent.items():
        rest.height += 14
        rest.paragraph(f"{', '.join(whose)}  {title}".strip(), "quiet", 13)
    if rest.height:
        said = [f"{', '.join(whose)} {title}".strip() for title, whose in silent.items()]
        yield Sheet(rest, said[0] if said else "What moved", " ".join(said), 0)


def _sheet(paper: Paper, names: Sequence[str], parts: Sequence[Part], regions: int) -> Sheet:
    titles = (f"{letter}  {part.title}".strip() for letter, part in zip(names, parts, strict=True))
    words = (words for part in parts for words in _described(part))
    return Sheet(paper, "; ".join(titles), " ".join(words), regions)


def _single(paper: Paper, letter: str, part: Part, extents: dict[str, int], look: Look) -> None:
    """One configuration's bars, one below the other."""
    _heading(paper, letter, part)
    for number, bar in enumerate(part.bars):
        last = number == len(part.bars) - 1
        each = look._replace(
            extent=extents[bar.unit], low=not part.together, ticks=part.together and last
        )
        if bar.label:
            paper.paragraph(bar.label, "quiet")
        paper.height += 5
        paper.below(track(bar, WIDTH, each))
        paper.height += 6


def _pair(paper: Paper, parts: Sequence[Part], moves: list[Move], look: Look) -> None:
    """Two configurations, the second below the first, with what moved linked."""
    old, new = parts
    _heading(paper, "A", old)
    paper.height += 6
    paper.below(links.pair(old.bars[0], new.bars[0], moves, WIDTH, look))
    _heading(paper, "B", new, gap=10)
    paper.paragraph(f"From A to B {bars.said(moves)}.", "quiet")
    paper.height += 6


def _heading(paper: Paper, letter: str, part: Part, gap: float = 18) -> None:
    paper.height += gap
    paper.paragraph(f"{letter}  {part.title}".strip(), "title bad" if part.bad else "title", 13)
    for note in part.notes:
        paper.paragraph(note, "bad" if part.bad else "quiet")
