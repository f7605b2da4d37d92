"""Colours and patterns, for light and dark; in grey each region still has a pattern of its own."""

from __future__ import annotations

from typing import NamedTuple


class Ink(NamedTuple):
    """The ground of a region and the pattern on it, for light and for dark."""

    ground: str
    pattern: str
    dark_ground: str
    dark_pattern: str


INKS = (
    Ink("#d3e5f8", "#aecdec", "#1f4468", "#315f8a"),
    Ink("#f0c383", "#dba758", "#6f4714", "#855a1f"),
    Ink("#d9eecf", "#b7dba5", "#2c5524", "#407338"),
    Ink("#c3b2e0", "#a793d0", "#54417f", "#695696"),
    Ink("#fbe9b0", "#ebcf76", "#5a4a0c", "#736319"),
    Ink("#9dcfce", "#7ab7b6", "#1b5758", "#2b7475"),
    Ink("#f8d8e3", "#eab3c8", "#73334d", "#8f4866"),
    Ink("#cac3b9", "#aea698", "#4e4a44", "#68625a"),
)

# Strokes on a tile of 8 by 8; no two neighbours have the same.
PATTERNS = (
    "",
    "M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4",
    "M0,4 h8",
    "M4,0 v8",
    "M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4",
    "M2,2 h2 M6,6 h2",
    "M0,4 h8 M4,0 v8",
    "M0,0 l8,8 M0,8 l8,-8",
)

LIGHT = {
    "paper": "#ffffff",
    "text": "#1b1f24",
    "quiet": "#57606a",
    "line": "#6e7781",
    "faint": "#d0d7de",
    "good": "#1a7f37",
    "bad": "#b31d28",
    "over": "#f6b8b8",
    "over-line": "#c43d3d",
    "warn": "#8a5a00",
    "differs": "#fff4d6",
    "code": "#f3f5f7",
    "kept": "#c4cbd3",
    "kept-line": "#a2acb6",
}
DARK = {
    "paper": "#0f1319",
    "text": "#e8ecf1",
    "quiet": "#a4afba",
    "line": "#8b95a0",
    "faint": "#333b45",
    "good": "#4ec56a",
    "bad": "#ff8a80",
    "over": "#6b2226",
    "over-line": "#d0575a",
    "warn": "#e0b04a",
    "differs": "#2d2713",
    "code": "#191f27",
    "kept": "#4a525c",
    "kept-line": "#77818c",
}

FACE = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

Look = dict[str, str]

LOOKS: dict[str, Look] = {
    "quiet": {"fill": "quiet"},
    "title": {"font-weight": "700"},
    "good": {"fill": "good", "font-weight": "700"},
    "bad": {"fill": "bad", "font-weight": "700"},
    "paper": {"fill": "paper"},
    "region": {"stroke": "line", "stroke-width": ".75"},
    "free": {"fill": "none", "stroke": "line", "stroke-width": ".75", "stroke-dasharray": "3 3"},
    "slot": {"stroke": "line", "stroke-width": ".75", "fill": "none", "opacity": ".7"},
    "tick": {"stroke": "line", "stroke-width": ".75", "fill": "none"},
    "frame": {"fill": "none", "stroke": "line", "stroke-width": ".75", "stroke-dasharray": "3 3"},
    "mark": {"stroke": "text", "stroke-width": "2", "fill": "none"},
    "step": {"fill": "p0"},
    "fan": {"fill": "faint", "opacity": ".55"},
    "moved": {"fill": "quiet", "stroke": "quiet", "fill-opacity": ".22", "stroke-width": "1"},
    "stayed": {
        "fill": "none",
        "stroke": "faint",
        "stroke-width": "1",
        "stroke-dasharray": "2 3",
    },
    "plate": {"opacity": ".8"},
    "on-paper": {"fill": "paper"},
    "on-reserved": {"fill": "kept"},
    "on-over": {"fill": "over"},
} | {f"on-{number}": {"fill": f"g{number}"} for number in range(len(INKS))}
"""What the classes of a picture look like; colours by their names."""

TEXT: Look = {"fill": "text"}
"""What any text looks like, unless its class says otherwise."""

TILES = {"ground": "fill", "strokes": "stroke"}
"""The parts of a pattern, and what of them has a colour."""

COLOURS = LIGHT | {
    f"{kind}{number}": colour
    for number, ink in enumerate(INKS)
    for kind, colour in (("g", ink.ground), ("p", ink.pattern))
}
"""Every colour in light surroundings."""
DARKS = DARK | {
    f"{kind}{number}": colour
    for number, ink in enumerate(INKS)
    for kind, colour in (("g", ink.dark_ground), ("p", ink.dark_pattern))
}
"""The same in dark ones."""


MOST = len(INKS) * len(PATTERNS)
"""Regions that look different."""


def ink(number: int) -> int:
    """The ink of a region's number."""
    return number % len(INKS)


def strokes(number: int) -> int:
    """The pattern of a region's number: another one each time that its ink comes again."""
    return (number + number // len(INKS)) % len(PATTERNS)


def rules() -> str:
    """What a picture looks like in dark surroundings; in light ones as its attributes say.

    Renderers other than browsers know no variables, and take what rules say before what
    attributes do: none of them is to find a rule outside of what asks for the dark.
    """
    looks = {"text": TEXT} | {f".{name}": look for name, look in LOOKS.items()} | _TILED
    dark = "".join(
        f".kc {name} {{ {key}: {DARKS[value]}; }}\n"
        for name, look in looks.items()
        for key, value in look.items()
        if value in DARKS
    )
    return f"@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


_TILED: dict[str, Look] = {
    f".{kind}-{name}": {key: name} for name in COLOURS for kind, key in TILES.items()
}
"""What the parts of patterns look like, which any colour may be of."""


def attributes(classes: str, base: Look | None = None) -> str:
    """What classes look like, as attributes, in light."""
    look = dict(base or {})
    for name in classes.split():
        look |= LOOKS.get(name, {})
    return "".join(f' {key}="{COLOURS.get(value, value)}"' for key, value in look.items())


def patterns(prefix: str, regions: int) -> str:
    """The fills of so many regions, of padding, of what is kept and over, as definitions."""
    tiles = [
        _tile(f"{prefix}{n}", f"g{ink(n)}", f"p{ink(n)}", PATTERNS[strokes(n)], 2)
        for n in range(min(regions, MOST))
    ]
    cross, slant = PATTERNS[7], PATTERNS[1]
    tiles.append(_tile(f"{prefix}padding", "paper", "line", cross, 0.7))
    tiles.append(_tile(f"{prefix}reserved", "kept", "kept-line", slant, 3))
    tiles.append(_tile(f"{prefix}over", "over", "over-line", PATTERNS[4], 2))
    return "\n".join(tiles)


def _tile(id: str, ground: str, colour: str, strokes: str, width: float) -> str:
    size = 'width="8" height="8"'
    under = f"<rect {size} {_coloured('ground', ground)}/>"
    stroke = f'{_coloured("strokes", colour)} stroke-width="{width}"'
    lines = f'<path d="{strokes}" {stroke}/>' if strokes else ""
    return f'<pattern id="{id}" {size} patternUnits="userSpaceOnUse">{under}{lines}</pattern>'


def _coloured(part: str, colour: str) -> str:
    """A colour of a part of a pattern."""
    return f'class="{part}-{colour}" {TILES[part]}="{COLOURS[colour]}"'
