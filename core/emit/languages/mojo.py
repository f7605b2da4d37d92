"""Mojo: a module of ``comptime`` constants, a struct for each section, conditions in ``check``."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.emit.languages._text import comment, fitting, head, unit
from kcfg.core.emit.model import Check, Configuration, Constant, Section

WORDS = """
Bool DType False Float64 Int None Self StaticString True alias and as assert async await borrowed
break check class comptime continue def deinit del elif else except extension finally fn for from
global if import in inout is lambda let main match mut nonlocal not or out owned pass raise raises
read ref return self struct trait try var where while with yield
"""
"""Keywords, types used here, and words that were or may become keywords."""

RESERVED = frozenset(WORDS.split())


def write(found: Configuration) -> str:
    """A module."""
    written = [*head(found, "mojo", "#"), ""]
    for why in found.refused:
        written += comment(f"Not to be launched: {why}", "#")
    for section in found.sections:
        written += [*_section(section), ""]
    written += [
        "",
        "def check():",
        '    """Hold the numbers to what they must meet; call it once where they are used."""',
    ]
    written += [f"    {line}" for check in found.checks for line in _check(check)]
    if not found.checks:
        written.append("    pass")
    return "\n".join([*written, ""])


def _section(section: Section) -> Iterator[str]:
    indent = "    " if section.name else ""
    yield from comment(section.doc, "#")
    if section.name:
        yield f"struct {section.name}:"
    for constant in section.constants:
        yield from comment(constant.doc, "#", indent)
        yield f"{indent}{_constant(constant)}"


def _constant(constant: Constant) -> str:
    name, value = constant.name, constant.value
    if value is None:
        return f"# {name}: absent"
    if constant.unit == "dtype":
        return f"comptime {name}: DType = DType.{value}"
    if isinstance(value, str):
        return f'comptime {name}: StaticString = "{value}"'
    if isinstance(value, bool):
        return f"comptime {name}: Bool = {value}"
    type_ = "Float64" if isinstance(value, float) else "Int"
    return f"comptime {name}: {type_} = {value}{unit(constant, '#')}"


def _check(check: Check) -> Iterator[str]:
    if check.holds:
        line = f'comptime assert {check.text}, "{check.why}"'
        yield from fitting(line, "comptime assert (", f"    {check.text}", f'), "{check.why}"')
    else:
        yield f"# does not hold: {check.text}, {check.why}"
