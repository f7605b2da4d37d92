"""The whole picture: one or more configurations, part by part, at the same scales."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcfg.cli.pictures import bars
from kcfg.cli.pictures.bars import KEYS, Key, Part, Scene
from kcfg.cli.pictures.svg import links, style
from kcfg.cli.pictures.svg.paper import Paper, escape, short
from kcfg.cli.pictures.svg.track import Look, track
from kcfg.core.diff.moves import Move

WIDTH = 960.0
MARGIN, EDGE = 20.0, 4.0
"""Around a picture that is a file, and one within a page."""


def document(scenes: Sequence[Scene]) -> str:
    """A file of its own."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + element(scenes, alone=True)


def element(scenes: Sequence[Scene], *, alone: bool = False, prefix: str = "kc") -> str:
    """The picture as an element; ``alone`` gives it its title, its colours and a ground.

    ``prefix`` begins every id in it, so that a page may hold several.
    """
    paper = Paper(WIDTH)
    if alone:
        _titles(paper, scenes)
    for key in KEYS:
        _part(paper, key, scenes, prefix)
    margin = MARGIN if alone else EDGE
    width, height = WIDTH + 2 * margin, paper.height + 2 * margin
    size = f'width="{short(width)}" height="{short(height)}"'
    title = " and ".join(scene.title for scene in scenes)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="kc" viewBox="0 0 {short(width)} '
        f'{short(height)}" {size} role="img" aria-labelledby="{prefix}title {prefix}desc" '
        f'font-family="{style.FACE}" font-size="12">',
        f'<title id="{prefix}title">{escape(title)}</title>',
        f'<desc id="{prefix}desc">{escape(" ".join(described(scenes)))}</desc>',
    ]
    if alone:
        lines.append(f"<style>\n{style.variables('svg.kc')}{style.rules()}</style>")
    lines.append(f"<defs>\n{style.patterns(prefix)}\n</defs>")
    if alone:
        ground = f'class="paper"{style.attributes("paper")}'
        lines.append(f'<rect {ground} width="{short(width)}" height="{short(height)}"/>')
    moved = f'<g transform="translate({short(margin)} {short(margin)})">'
    return "\n".join([*lines, moved, *paper.written(), "</g>\n</svg>\n"])


def described(scenes: Sequence[Scene]) -> Iterator[str]:
    """The picture in words, for those who do not see it."""
    for scene in scenes:
        yield f"{scene.title}, {scene.verdict}."
        for part in scene.parts:
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


def _part(paper: Paper, key: Key, scenes: Sequence[Scene], prefix: str) -> None:
    parts = [scene.part(key) for scene in scenes]
    extents: dict[str, int] = {}
    for part in parts:
        for bar in part.bars:
            extents[bar.unit] = max(extents.get(bar.unit, 0), bar.extent)
    look = Look(bars.names(parts), prefix, 0)
    names = bars.letters(len(scenes))
    moves = bars.moves(scenes, key)
    if moves is not None and all(len(part.bars) == 1 for part in parts):
        _pair(paper, parts, moves, look._replace(extent=max(extents.values())))
        return
    for letter, part in zip(names, parts, strict=True):
        if part.bars:
            _single(paper, letter, part, extents, look)
    if moves:
        paper.paragraph(f"From A to B {bars.said(moves)}.", "quiet")
    silent: dict[str, list[str]] = {}
    for letter, part in zip(names, parts, strict=True):
        if not part.bars:
            silent.setdefault(part.title, []).append(letter)
    for title, whose in silent.items():
        paper.height += 14
        paper.paragraph(f"{', '.join(whose)}  {title}".strip(), "quiet", 13)


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
