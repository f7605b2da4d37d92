"""What tests draw: every preset, refused shapes, and pictures read back from their SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

import shapes
from typer.testing import CliRunner, Result

from kcfg.cli.main import application
from kcfg.cli.pictures.bars import Scene
from kcfg.cli.pictures.scene import scene
from kcfg.core import presets
from kcfg.core.report import Derived, report
from kcfg.core.spec import Spec, read, read_file

SVG = "{http://www.w3.org/2000/svg}"
LETTER = 0.61
"""Width of a letter of a monospaced face, of its height; the widest common ones have 0.602."""

REFUSED = """
kernel: fa4
release: 26.6
shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4, qk_depth: 256, ov_depth: 256, page_size: 128}
"""


class Written(NamedTuple):
    """A line of text in a picture, and the box it takes at most."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def over(self, other: Written) -> bool:
        """Whether the two boxes share any area."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


@cache
def of_presets() -> dict[str, Derived]:
    """The first spec of every preset, by the preset's name."""
    found: dict[str, Derived] = {}
    for name in presets.names():
        spec = next(read_file(presets.path(name)))
        assert isinstance(spec, Spec)
        found[name] = of(spec)
    return found


def of(spec: Spec) -> Derived:
    """A spec derived."""
    kernel = spec.derive()
    return Derived(kernel, report(kernel, name=spec.name, source=spec.source))


def of_text(text: str) -> list[Derived]:
    """The specs of a YAML text, derived."""
    return [of(spec) for spec in read(text, "spec.yaml") if isinstance(spec, Spec)]


@cache
def refused() -> dict[str, Derived]:
    """Every shape of the test shapes that upstream refuses."""
    found: dict[str, Derived] = {}
    for shape in shapes.SHAPES:
        if shape.supported is False:
            kernel = shapes.derive(shape.kernel, shape.release, shape.inputs)
            found[shape.id] = Derived(kernel, report(kernel))
    return found


def scenes(derived: Iterable[Derived]) -> list[Scene]:
    """What is to be seen of each."""
    return [scene(each) for each in derived]


def written(svg: str) -> list[Written]:
    """Every text of a picture with its box, estimated from its letters."""
    root = ET.fromstring(svg)
    return list(_written(root, 12))


def overlapping(texts: list[Written]) -> list[tuple[str, str]]:
    """The pairs of texts that lie over each other."""
    ordered = sorted(texts, key=lambda each: each.top)
    return [(a.text, b.text) for a, b in combinations(ordered, 2) if a.over(b)]


def _written(root: ET.Element, size: float) -> Iterator[Written]:
    for element in root.iter(f"{SVG}text"):
        text = element.text or ""
        height = float(element.get("font-size", size))
        width = len(text) * height * LETTER
        x, y = float(element.get("x", 0)), float(element.get("y", 0))
        left = (
            x - {"start": 0, "middle": width / 2, "end": width}[element.get("text-anchor", "start")]
        )
        # A monospaced letter reaches 0.76 above its baseline and 0.24 below it.
        yield Written(text, left, y - 0.76 * height, left + width, y + 0.24 * height)


def scene_of(name: str) -> Scene:
    """What is to be seen of one of all."""
    return scene(ALL[name])


def run(*arguments: str) -> Result:
    """``kcfg draw`` with arguments."""
    return CliRunner().invoke(application(["draw"]), ["draw", *arguments])


ALL = {**of_presets(), **refused()}
