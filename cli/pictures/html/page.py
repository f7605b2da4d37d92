"""The whole document: verdict, pictures, inputs, layout, values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from kcfg.cli.pages import launched, titles
from kcfg.cli.pages.report import judged
from kcfg.cli.pictures.bars import letters
from kcfg.cli.pictures.html import values
from kcfg.cli.pictures.html.layouts import layouts
from kcfg.cli.pictures.html.occupancy import occupancies
from kcfg.cli.pictures.html.style import STYLE, VARIABLES
from kcfg.cli.pictures.scene import scene
from kcfg.cli.pictures.svg import picture, style
from kcfg.cli.render import html
from kcfg.core.figures import some
from kcfg.core.printing import printable
from kcfg.core.report import Derived
from kcfg.core.version import VERSION


def document(derived: Sequence[Derived]) -> str:
    """One or more configurations as an HTML file."""
    names = [titles.configuration(each.report) for each in derived]
    title = names[0] if len(names) == 1 else some(len(names), "configuration")
    tab = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"
    head = (
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="kcfg {VERSION}">\n'
        f"<title>{escape(tab)}</title>\n"
        f"<style>\n{VARIABLES}{style.rules()}{STYLE}</style>"
    )
    body = "\n".join(_body(title, derived))
    text = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n<main>\n'
        f"{body}\n</main>\n</body>\n</html>\n"
    )
    # A lone surrogate, from a file name, is no text; and no HTML holds a null character.
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def _body(title: str, derived: Sequence[Derived]) -> Iterator[str]:
    sections: dict[str, Iterable[str]] = {
        "Verdict": _verdicts(derived),
        "Pictures": _pictures(derived),
        **({"Occupancy": told} if (told := list(occupancies(derived))) else {}),
        "Inputs": [_differing(derived, "inputs"), values.inputs(derived)],
    }
    if any(each.kernel.decisions for each in derived):
        sections["Launch"] = _launches(derived)
    if layout := list(layouts(derived)):
        sections["Layout"] = layout
    if any(each.report["values"] for each in derived):
        sections["Values"] = _values(derived)
    yield f"<header>\n<h1>{escape(title)}</h1>"
    yield f'<p class="dim">Configuration report by kcfg {VERSION}</p>'
    links = (f'<li><a href="#{each.lower()}">{each}</a></li>' for each in sections)
    yield f'<nav aria-label="Contents"><ul>{"".join(links)}</ul></nav>'
    if len(derived) > 1:
        yield '<p class="only"><input type="checkbox" id="only">'
        yield '<label for="only">Only inputs and values that differ</label></p>'
    yield "</header>"
    for heading, inner in sections.items():
        yield from _section(heading, inner)


def _section(heading: str, inner: Iterable[str]) -> Iterator[str]:
    yield f'<section id="{heading.lower()}">\n<h2>{heading}</h2>'
    yield from filter(None, inner)
    yield "</section>"


def _verdicts(derived: Sequence[Derived]) -> Iterator[str]:
    yield '<div class="beside">'
    for letter, each in zip(letters(len(derived)), derived, strict=True):
        yield f"<article>{_whose(letter, each)}"
        yield f'<p class="dim source">{escape(printable(titles.reported(each.report)))}</p>'
        yield f'<div class="judged">{html.text(judged(each))}</div>\n</article>'
    yield "</div>"


def _launches(derived: Sequence[Derived]) -> Iterator[str]:
    yield '<div class="beside">'
    for letter, each in zip(letters(len(derived)), derived, strict=True):
        if each.kernel.decisions:
            level = 3 if letter else 2
            told = html.text(launched.whole(each.kernel, each.report), top=level)
            yield f"<article>{_whose(letter, each)}\n{told}</article>"
    yield "</div>"


def _whose(letter: str, derived: Derived) -> str:
    """Which of several configurations it is; nothing for a single one."""
    name = escape(titles.configuration(derived.report))
    return f'<h3><span class="whose">{letter}</span> {name}</h3>' if letter else ""


def _pictures(derived: Sequence[Derived]) -> Iterator[str]:
    yield "<p>To scale. What is too small for its name is enlarged beside its place; pointing at"
    yield "anything shows its size and place.</p>"
    for drawn in picture.elements([scene(each) for each in derived]):
        yield html.scrolling(f"<figure>\n{drawn}</figure>", "picture")


def _values(derived: Sequence[Derived]) -> Iterator[str]:
    yield "<p>Open a value to see why it is what it is.</p>"
    yield _differing(derived, "values")
    for heading, names, folded in values.groups(derived):
        rows = values.rows(derived, names, "values")
        if folded:
            count = some(len(names), "value")
            about = (
                f'<summary><h3>{escape(heading)}</h3> <span class="dim">{count}</span></summary>'
            )
            yield f'<details class="group">{about}\n{rows}</details>'
        else:
            yield f"<h3>{escape(heading)}</h3>\n{rows}"


def _differing(derived: Sequence[Derived], where: values.Where) -> str:
    """How many are not the same everywhere; nothing for a single configuration."""
    if len(derived) == 1:
        return ""
    count, names = values.differing(derived, where)
    return f"<p>{html.DIFFERS} {count:,} of {some(names, 'one', where)} differ.</p>"
