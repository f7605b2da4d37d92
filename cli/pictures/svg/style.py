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

RULES = """
.kc text { fill: var(--text); }
.kc .quiet { fill: var(--quiet); }
.kc .title { font-weight: 700; }
.kc .good { fill: var(--good); font-weight: 700; }
.kc .bad { fill: var(--bad); font-weight: 700; }
.kc .paper { fill: var(--paper); }
.kc .region { stroke: var(--line); stroke-width: .75; }
.kc .free { fill: none; stroke: var(--line); stroke-width: .75; stroke-dasharray: 3 3; }
.kc .slot, .kc .tick { stroke: var(--line); stroke-width: .75; fill: none; }
.kc .slot { opacity: .7; }
.kc .frame { fill: none; stroke: var(--line); stroke-width: .75; stroke-dasharray: 3 3; }
.kc .mark { stroke: var(--text); stroke-width: 2; fill: none; }
.kc .fan { fill: var(--faint); opacity: .55; }
.kc .moved { fill: var(--quiet); stroke: var(--quiet); fill-opacity: .22; stroke-width: 1; }
.kc .stayed { fill: none; stroke: var(--faint); stroke-width: 1; stroke-dasharray: 2 3; }
.kc .paperline { stroke: var(--paper); }
.kc .reservedline { stroke: var(--kept); }
.kc .overline { stroke: var(--over); }
.kc .halo { paint-order: stroke; stroke-width: 3px; stroke-linejoin: round; }
"""


def ink(number: int) -> int:
    """The ink of a region's number."""
    return number % len(INKS)


def variables(prefix: str = "") -> str:
    """Every colour as a CSS variable, and those of dark surroundings."""
    light = _declared(LIGHT) + "".join(
        f"--g{n}:{ink.ground};--p{n}:{ink.pattern};" for n, ink in enumerate(INKS)
    )
    dark = _declared(DARK) + "".join(
        f"--g{n}:{ink.dark_ground};--p{n}:{ink.dark_pattern};" for n, ink in enumerate(INKS)
    )
    return (
        f"{prefix}{{{light}color-scheme:light dark}}\n"
        f"@media (prefers-color-scheme: dark) {{ {prefix}{{{dark}}} }}\n"
    )


def rules() -> str:
    """What the classes of a picture look like."""
    grounds = "".join(f".kc .t{n} {{ stroke: var(--g{n}); }}\n" for n in range(len(INKS)))
    return RULES.lstrip() + grounds


def _declared(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


def patterns(prefix: str) -> str:
    """The fills of regions, of padding, of what is kept and of what is over, as definitions."""
    tiles = [
        _tile(f"{prefix}{n}", f"var(--g{n})", f"var(--p{n})", PATTERNS[n], 2)
        for n in range(len(INKS))
    ]
    cross, slant = PATTERNS[7], PATTERNS[1]
    tiles.append(_tile(f"{prefix}padding", "var(--paper)", "var(--line)", cross, 0.7))
    tiles.append(_tile(f"{prefix}reserved", "var(--kept)", "var(--kept-line)", slant, 3))
    tiles.append(_tile(f"{prefix}over", "var(--over)", "var(--over-line)", PATTERNS[4], 2))
    return "\n".join(tiles)


def _tile(id: str, ground: str, colour: str, strokes: str, width: float) -> str:
    lines = f'<path d="{strokes}" style="stroke:{colour};stroke-width:{width}"/>' if strokes else ""
    size = 'width="8" height="8"'
    under = f'<rect {size} style="fill:{ground}"/>'
    return f'<pattern id="{id}" {size} patternUnits="userSpaceOnUse">{under}{lines}</pattern>'
