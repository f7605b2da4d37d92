"""Python: a module of constants, a class for each section, conditions asserted at import."""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from kcfg.core.emit.languages._text import comment, fitting, head, unit
from kcfg.core.emit.model import Check, Configuration, Constant, Section

RESERVED = frozenset((*keyword.kwlist, *keyword.softkwlist, "warnings", "Final"))


def write(found: Configuration) -> str:
    """A module."""
    written = [*head(found, "python", "#"), ""]
    if found.refused:
        written += ["import warnings", ""]
        written += [line for why in found.refused for line in comment(why, "#")]
        written += [f'warnings.warn("kcfg: {found.name} is not to be launched", stacklevel=2)', ""]
    written += ["from typing import Final", ""]
    for section in found.sections:
        written += [*_section(section), ""]
    written += [line for check in found.checks for line in _check(check)]
    return "\n".join([*written, ""])


def _section(section: Section) -> Iterator[str]:
    indent = "    " if section.name else ""
    yield from comment(section.doc, "#")
    if section.name:
        yield f"class {section.name}:"
    for constant in section.constants:
        yield from comment(constant.doc, "#", indent)
        yield f"{indent}{_constant(constant)}"


def _constant(constant: Constant) -> str:
    behind = "" if constant.value is None else unit(constant, "#")
    return f"{constant.name}: Final = {constant.value!r}{behind}"


def _check(check: Check) -> Iterator[str]:
    if check.holds:
        line = f'assert {check.text}, "{check.why}"'
        yield from fitting(line, "assert (", f"    {check.text}", f'), "{check.why}"')
    else:
        yield f"# does not hold: {check.text}, {check.why}"
