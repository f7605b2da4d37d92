"""Values and inputs of one or more configurations, each with its explanation folded under it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import chain
from typing import Any, Literal, NamedTuple

from kcfg.cli.pages.explanation import reasons
from kcfg.cli.pages.groups import grouped
from kcfg.cli.pages.inputs import flat
from kcfg.cli.pages.report import members
from kcfg.cli.pages.units import measured
from kcfg.cli.pictures.bars import letters
from kcfg.cli.render import html
from kcfg.core.engine.trees import NoSourceError
from kcfg.core.errors import UnknownError
from kcfg.core.explain.explanation import explain
from kcfg.core.report import Derived
from kcfg.core.same import same

MISSING = object()
"""Stands for a value that one of several configurations does not have."""


Where = Literal["inputs", "values"]
"""What a report has under names."""
TOP: dict[Where, int] = {"inputs": 1, "values": 2}
"""The level that headings of explanations begin at: groups of values have headings of their own."""


class Group(NamedTuple):
    """Values under a heading; ``folded`` ones are shown when asked for."""

    heading: str
    names: tuple[str, ...]
    folded: bool = False


def inputs(derived: Sequence[Derived]) -> str:
    """Every input as given or at its default; those of a launch by their paths."""
    return rows(derived, dict.fromkeys(chain(*_told(derived, "inputs"))), "inputs")


def groups(derived: Sequence[Derived]) -> Iterator[Group]:
    """All values: the struct's own by unit, then intermediate results and nested structs."""
    units: dict[str, str] = {}
    own: dict[str, None] = {}
    for kernel, report in derived:
        units |= report["units"]
        own |= dict.fromkeys(members(type(kernel)))
    given = {name for each in derived for name in each.report["inputs"]}
    for heading, names in grouped(own, units.__getitem__).items():
        yield Group(heading, tuple(names))
    every = dict.fromkeys(name for each in derived for name in each.report["values"])
    rest = [name for name in every if name not in own and name not in given]
    steps = tuple(name for name in rest if "." not in name)
    if steps:
        yield Group("Intermediate results", steps, folded=True)
    for part in dict.fromkeys(name.partition(".")[0] for name in rest if "." in name):
        inner = tuple(name for name in rest if name.startswith(f"{part}."))
        yield Group(f"In {part}", inner, folded=True)


def rows(derived: Sequence[Derived], names: Iterable[str], where: Where) -> str:
    """A line for each name, with its value in every configuration; opened, it says why."""
    told = _told(derived, where)
    lines = [
        _row(derived, name, [each.get(name, MISSING) for each in told], where) for name in names
    ]
    if len(derived) > 1:
        heads = "".join(f"<span>{letter}</span>" for letter in letters(len(derived)))
        lines.insert(0, f'<div class="head"><span></span>{heads}</div>')
    inner = "\n".join(lines)
    return html.scrolling(f'<div class="rows" style="--n:{len(derived)}">{inner}</div>', "values")


def differing(derived: Sequence[Derived], where: Where) -> tuple[int, int]:
    """How many names do not have the same value everywhere, and of how many."""
    told = _told(derived, where)
    names = dict.fromkeys(chain(*told))
    values = ([each.get(name, MISSING) for each in told] for name in names)
    return sum(_differs(derived, each) for each in values), len(names)


def _told(derived: Sequence[Derived], where: Where) -> list[dict[str, Any]]:
    """What each has under names."""
    return [flat(each.report[where]) for each in derived]


def _differs(derived: Sequence[Derived], values: Sequence[Any]) -> bool:
    """Whether two values differ, or one release of a kernel has a value that another has not.

    What only other kernels have is no difference.
    """
    there = [value for value in values if value is not MISSING]
    kernels = [each.report["kernel"] for each in derived]
    has = {kernel for kernel, value in zip(kernels, values, strict=True) if value is not MISSING}
    lacks = {kernel for kernel, value in zip(kernels, values, strict=True) if value is MISSING}
    return bool(has & lacks) or any(not same(there[0], value) for value in there[1:])


def _row(derived: Sequence[Derived], name: str, values: Sequence[Any], where: Where) -> str:
    differs = _differs(derived, values)
    cells = "".join(
        _cell(value, each.report["units"].get(name, "") if where == "values" else "")
        for each, value in zip(derived, values, strict=True)
    )
    mark = f"{html.DIFFERS} " if differs else ""
    style = ' class="differs"' if differs else ""
    summary = f'<span class="name">{mark}{escape(name)}</span>{cells}'
    why = "\n".join(_why(derived, name, values, TOP[where]))
    return f'<details{style}><summary>{summary}</summary>\n<div class="why">{why}</div></details>'


def _cell(value: Any, unit: str) -> str:
    if value is MISSING:
        return '<span class="dim">no such value</span>'
    return f"<span>{escape(measured(value, unit))}</span>"


def _why(derived: Sequence[Derived], name: str, values: Sequence[Any], top: int) -> Iterator[str]:
    """The explanations, those that are alike once; with the letters of whose they are."""
    found: dict[str, list[str]] = {}
    for letter, each, value in zip(letters(len(derived)), derived, values, strict=True):
        if value is not MISSING:
            found.setdefault(_explained(each, name, top), []).append(letter)
    for text, whose in found.items():
        if len(found) > 1:
            yield f'<p class="whose">{", ".join(whose)}</p>'
        yield text


def _explained(each: Derived, name: str, top: int) -> str:
    try:
        return html.text(reasons(explain(each.kernel, name)), top=top)
    except NoSourceError as error:
        return f"<p>{escape(str(error))}</p>"
    except UnknownError:
        hows = (figure.how for figure in each.kernel.figures() if figure.path == name)
        return f"<p>{escape(next(hows, 'As the spec gives it.'))}</p>"
