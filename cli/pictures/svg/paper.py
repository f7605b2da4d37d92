"""Paper to draw on: a few shapes, kept as plain data until they are written out.

Lengths are units of the picture, as many as pixels where it is shown in full size.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from kcfg.cli.pictures.svg.style import TEXT, attributes

Anchor = Literal["start", "middle", "end"]

SIZE = 12
"""Height of letters."""
WIDE = 0.61
"""Width of a letter in a monospaced face, of its height."""


class Text(NamedTuple):
    """A line of text on a baseline."""

    x: float
    y: float
    text: str
    style: str = ""
    anchor: Anchor = "start"
    size: int = SIZE

    def moved(self, dx: float, dy: float) -> Text:
        return self._replace(x=self.x + dx, y=self.y + dy)

    def written(self) -> str:
        style = f' class="{self.style}"' if self.style else ""
        style += attributes(self.style, TEXT)
        anchor = "" if self.anchor == "start" else f' text-anchor="{self.anchor}"'
        size = "" if self.size == SIZE else f' font-size="{self.size}"'
        place = f'x="{short(self.x)}" y="{short(self.y)}"'
        return f"<text {place}{anchor}{size}{style}>{escape(self.text)}</text>"


class Box(NamedTuple):
    """A rectangle; ``says`` is what it stands for, shown when pointed at."""

    x: float
    y: float
    width: float
    height: float
    style: str
    fill: str = ""
    says: str = ""

    def moved(self, dx: float, dy: float) -> Box:
        return self._replace(x=self.x + dx, y=self.y + dy)

    def written(self) -> str:
        place = " ".join(
            f'{name}="{short(value)}"'
            for name, value in zip(("x", "y", "width", "height"), self[:4], strict=True)
        )
        fill = f' fill="url(#{self.fill})"' if self.fill else ""
        fill = attributes(self.style) + fill
        if not self.says:
            return f'<rect {place} class="{self.style}"{fill}/>'
        says = f"<title>{escape(self.says)}</title>"
        return f'<rect {place} class="{self.style}"{fill}>{says}</rect>'


class Lines(NamedTuple):
    """Points joined by lines, and the area between them where its style fills it."""

    points: tuple[tuple[float, float], ...]
    style: str
    says: str = ""

    def moved(self, dx: float, dy: float) -> Lines:
        return self._replace(points=tuple((x + dx, y + dy) for x, y in self.points))

    def written(self) -> str:
        points = " ".join(f"{short(x)},{short(y)}" for x, y in self.points)
        kind = "polyline" if len(self.points) < 3 else "polygon"
        style = f'class="{self.style}"{attributes(self.style)}'
        if not self.says:
            return f'<{kind} points="{points}" {style}/>'
        says = f"<title>{escape(self.says)}</title>"
        return f'<{kind} points="{points}" {style}>{says}</{kind}>'


Shape = Text | Box | Lines


class Paper:
    """Shapes in the order drawn; ``height`` is how far down anything was put by `below`."""

    def __init__(self, width: float) -> None:
        self.width, self.height = width, 0.0
        self.shapes: list[Shape] = []

    def add(self, *shapes: Shape) -> None:
        """Draw shapes over what is there."""
        self.shapes += shapes

    def below(self, other: Paper, gap: float = 0) -> None:
        """Put another paper under all that is there."""
        self.shapes += [shape.moved(0, self.height + gap) for shape in other.shapes]
        self.height += other.height + gap

    def paragraph(self, text: str, style: str = "", size: int = SIZE) -> None:
        """Text over the whole width, in as many lines as it needs."""
        for line in wrapped(text, self.width, size):
            self.height += size * 1.4
            self.add(Text(0, self.height - size * 0.35, line, style, size=size))

    def written(self) -> Iterator[str]:
        """Every shape as SVG."""
        return (shape.written() for shape in self.shapes)


def measure(text: str, size: int = SIZE) -> float:
    """How wide a text is at most, as far as can be told without its font."""
    columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    return columns * size * WIDE


def wrapped(text: str, width: float, size: int = SIZE) -> list[str]:
    """A text in lines that fit a width; a word that does not fit is broken."""
    import textwrap

    most = max(1, int(width / (size * WIDE)))
    if measure(text, size) > len(text) * size * WIDE:
        most = max(1, most // 2)
    return textwrap.wrap(text, most) or [""]


def widest(texts: Iterable[str], size: int = SIZE) -> float:
    """The width of the widest of several texts."""
    return max((measure(text, size) for text in texts), default=0)


def short(value: float) -> str:
    """A length in as few digits as do."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def escape(text: str) -> str:
    """Text as XML takes it; characters it cannot hold become replacement characters."""
    from xml.sax.saxutils import escape as escaped

    return escaped("".join(c if _allowed(c) else "\ufffd" for c in text), {'"': "&quot;"})


def _allowed(char: str) -> bool:
    code = ord(char)
    return char in "\t\n\r" or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code > 0xFFFF
