"""How many warps share an SM as one thing that a block takes goes up: a small graph."""

from __future__ import annotations

from kcfg.cli.pages.units import number
from kcfg.cli.pictures.svg import axis
from kcfg.cli.pictures.svg.paper import Box, Lines, Paper, Text
from kcfg.core.explain.residency import Course, near
from kcfg.core.figures import some

OF = {"shared memory": "block", "registers": "thread", "threads": "block"}
"""Whose amount each of the limits is."""

WIDTH, HIGH = 320.0, 92.0
LEFT = 26.0
LINE = 15.0


def curve(course: Course, most_warps: int) -> tuple[Paper, str]:
    """The graph, with a mark at what the block has; and the same in words."""
    paper = Paper(WIDTH)
    limit = course.limit
    paper.paragraph(f"Warps per SM by {limit.name} of a {OF[limit.name]}", "title")
    top = paper.height + 8
    across, up = (WIDTH - LEFT) / max(course.most, limit.given or 0), HIGH / most_warps
    base = top + HIGH
    paper.add(Box(LEFT, top, WIDTH - LEFT, HIGH, "frame"))
    starts = [start for start, _, _ in course.points]
    for (start, blocks, warps), end in zip(course.points, [*starts[1:], course.most], strict=True):
        if warps:
            x, high = LEFT + start * across, warps * up
            says = f"from {number(start)}: {some(blocks, 'block')}, {some(warps, 'warp')}"
            width = max((end - start) * across, 0.5)
            paper.add(Box(x, base - high, width, high, "step", says=says))
    for warps in (0, most_warps):
        y = base - warps * up + 4
        paper.add(Text(LEFT - 5, y, str(warps), "quiet", "end"))
    here = LEFT + (limit.given or 0) * across
    paper.add(Lines(((here, top - 3), (here, base + 3)), "mark"))
    row = axis.Row(WIDTH, ())
    text = row.place(here, number(limit.given))
    places = [(here, text._replace(style="title"))] if text else []
    for at, figure in axis.ticks(course.most, limit.unit):
        placed = row.place(LEFT + at * across, figure)
        if placed:
            places.append((LEFT + at * across, placed._replace(style="quiet")))
    for x, each in places:
        paper.add(each._replace(y=base + LINE))
        paper.add(Lines(((x, base), (x, base + 4)), "tick"))
    paper.height = base + LINE + 6
    changes = near([limit]) or "as many with any other amount of it alone"
    paper.paragraph(f"Blocks: {changes}.", "quiet")
    steps = "; ".join(
        f"from {number(start)} {some(blocks, 'block')}, {some(warps, 'warp')}"
        for start, blocks, warps in course.points
    )
    return paper, f"Here {number(limit.given)}. {steps}."
