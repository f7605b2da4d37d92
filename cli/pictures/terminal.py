"""Pictures for terminals and pipes: bars of letters, to scale, with a table of what they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase, ascii_uppercase, digits

from kcfg.cli.pages import moves as moved
from kcfg.cli.pages.pieces import Column, Heading, Line, Piece, Row, Table, Tone
from kcfg.cli.pictures.bars import KEYS, Bar, Part, Scene, Span, letters, moves, names, said
from kcfg.cli.render import plain

WIDTH = 80
LEAST = 40
TABLED = 64
"""The width from which on moves are a table."""
MARGIN = 2
SIGNS = {"free": ".", "padding": "-", "reserved": "#", "over": "!"}
"""What is no region, in a bar and in the table below it."""
MANY = f"{ascii_uppercase}{ascii_lowercase}{digits}$%&*+=?@"
"""What regions are called where there are more than capital letters; what is past these
begins anew."""


def pages(scenes: Sequence[Scene], width: int = WIDTH) -> Iterator[Piece]:
    """Every scene, one below the other, at the same scales."""
    extents = _extents(scenes)
    named = {key: names(scene.part(key) for scene in scenes) for key in KEYS}
    for count, (letter, scene) in enumerate(zip(letters(len(scenes)), scenes, strict=True)):
        if count:
            yield Line("")
        yield Heading(plain.wrap(f"{letter}  {scene.title}".strip(), width), 1)
        yield Line(scene.verdict, _tone(scene.good))
        for key in KEYS:
            yield from _part(scene.part(key), named[key], extents, width)
    yield from _moved(scenes, width)


def _moved(scenes: Sequence[Scene], width: int) -> Iterator[Piece]:
    """What moved from the first of two to the second: a table, or a sentence where it is narrow."""
    for key in KEYS:
        found = moves(scenes, key)
        if found and width >= TABLED:
            yield from moved.pieces(found)
        elif found:
            title = scenes[0].part(key).title.partition(":")[0]
            yield Line(f"{title}, from A to B {said(found)}.")


def columns() -> int:
    """The width of the terminal that results are shown on."""
    import shutil

    return max(shutil.get_terminal_size().columns, LEAST)


def _extents(scenes: Iterable[Scene]) -> dict[tuple[str, str], int]:
    """The most of every scale, by part and unit."""
    found: dict[tuple[str, str], int] = {}
    for scene in scenes:
        for part in scene.parts:
            for bar in part.bars:
                key = part.key, bar.unit
                found[key] = max(found.get(key, 1), bar.extent)
    return found


def _tone(good: bool | None) -> Tone:
    return "dim" if good is None else "good" if good else "bad"


def _part(
    part: Part, numbers: dict[str, int], extents: dict[tuple[str, str], int], width: int
) -> Iterator[Piece]:
    yield Heading(plain.wrap(part.title, width))
    for note in part.notes:
        yield Line(note, "bad" if part.bad else "dim")
    signs = _signs(numbers)
    for bar in part.bars:
        if bar.label:
            yield Line(bar.label if part.together else _listed(bar), "dim", MARGIN)
        cells = Cells(bar, extents[part.key, bar.unit], width - 2 * MARGIN - 2)
        for line in cells.lines(signs):
            yield Line(line, indent=MARGIN)
    if part.together and any(bar.spans for bar in part.bars):
        yield _table(part, signs, width)


def _signs(numbers: dict[str, int]) -> dict[str, str]:
    """A letter for each name, large and small for slots that follow each other.

    Where there are more names than that, small letters stand for regions as well.
    """
    if len(numbers) <= len(ascii_uppercase):
        letters = [f"{letter}{letter.lower()}" for letter in ascii_uppercase]
    else:
        letters = list(MANY)
    return {name: letters[number % len(letters)] for name, number in numbers.items()}


def _listed(bar: Bar) -> str:
    """A bar's label, and what is on it."""
    return "; ".join((bar.label, *(f"{span.name} {span.text}" for span in bar.spans)))


def _table(part: Part, signs: dict[str, str], width: int) -> Table:
    """What each sign stands for; with its place, where that means something and has room."""
    rows = [_row(signs, span) for bar in part.bars for span in bar.spans]
    columns = [Column(""), Column("", True), Column("", True), Column("")]
    table = Table(columns, rows)
    if part.key != "registers" and max(map(len, plain.table(table, width))) <= width:
        return table
    # Sub-partitions repeat what several of them have.
    rows = [row._replace(cells=(*row.cells[:2], row.cells[3])) for row in rows]
    rows = list(dict.fromkeys(rows)) if part.key == "registers" else rows
    return Table([*columns[:2], columns[3]], rows)


def _row(signs: dict[str, str], span: Span) -> Row:
    shared = f", shares {span.alias_of}" if span.alias_of else ""
    tone: Tone = "" if span.kind in ("region", "whole") else "bad" if span.kind == "over" else "dim"
    cells = (_sign(signs, span)[0], span.text, f"at {span.start:,}", span.name + shared)
    return Row(cells, tone)


def _sign(signs: dict[str, str], span: Span) -> str:
    return SIGNS.get(span.kind) or signs[span.name]


class Cells:
    """A bar as characters: ``width`` of them stand for ``extent``."""

    def __init__(self, bar: Bar, extent: int, width: int) -> None:
        self.bar, self.extent, self.width = bar, extent, max(width, 8)

    def lines(self, signs: dict[str, str]) -> Iterator[str]:
        """The bar between its ends, what shares its places below it, then its marks."""
        for row in self.bar.inside() or [[]]:
            yield f"|{self._filled(row, signs)}|"
        for row in self.bar.beside():
            if filled := self._filled(row, signs).rstrip():  # else too small for a character
                yield f" {filled}"
        yield from self._marks()

    def at(self, place: int) -> int:
        """The character a place falls on, from 0 to the width."""
        return place * self.width // self.extent

    def _filled(self, spans: Iterable[Span], signs: dict[str, str]) -> str:
        """The spans to scale; every second slot of one with its second sign, if it has two."""
        cells = [" "] * self.at(self.bar.extent)
        for span in spans:
            sign = _sign(signs, span)
            for cell in range(self.at(span.start), self.at(span.end)):
                slot = ((cell + 1) * self.extent // self.width - span.start) * span.slots
                odd = span.slots > 1 and min(slot // span.size, span.slots - 1) % 2
                cells[cell] = sign[-1] if odd else sign[0]
        return "".join(cells)

    def _marks(self) -> Iterator[str]:
        """Every mark on a line of its own: an arrow at its place, its text where there is room."""
        for mark in self.bar.marks:
            if not mark.text:
                continue
            at = max(self.at(mark.at), 1)  # below the last cell before it
            before = at - len(mark.text) - 1
            if before >= 0:
                yield " " * before + f"{mark.text} ^"
            else:
                yield " " * at + f"^ {mark.text}"
