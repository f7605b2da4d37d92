"""C++17: constants in a namespace, conditions as ``static_assert``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from json import dumps

from kcfg.core.emit.identifiers import identifier
from kcfg.core.emit.languages._text import comment, fitting, head, unit
from kcfg.core.emit.model import Check, Configuration, Constant, Section
from kcfg.core.hardware.dtypes import DTYPES, SWIZZLES

WORDS = """
alignas alignof and and_eq asm assert auto bitand bitor bool break case catch char char16_t
char32_t char8_t class co_await co_return co_yield compl concept const const_cast consteval
constexpr constinit continue decltype default delete do double dynamic_cast else enum errno
explicit export extern false float for friend goto if inline int linux long mutable namespace new
noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
requires return short signed sizeof static static_assert static_cast std struct switch template
this thread_local throw true try typedef typeid typename typeof union unix unsigned using virtual
void volatile wchar_t while xor xor_eq EOF NULL DType Swizzle
"""
"""Keywords, common macros, and the types declared here."""

RESERVED = frozenset(WORDS.split())

TYPES = {"dtype": ("DType", DTYPES), "swizzle": ("Swizzle", SWIZZLES)}
"""The enumeration of a unit whose values are words, and those that every file has."""
ABSENT = "absent"
"""The enumerator for none of them."""

INT = range(-(1 << 31), 1 << 31)
"""What an int holds; beyond it, a constant is a long long, and all are where they come to more."""


def write(found: Configuration) -> str:
    """A header."""
    return lines(found, "cpp")


def lines(
    found: Configuration, language: str, includes: Iterable[str] = (), more: Iterable[str] = ()
) -> str:
    """A header with lines of ``more`` at the end of its namespace."""
    written = [*head(found, language, "//"), "#pragma once", "", *includes]
    if found.refused:
        written += [f'#warning "kcfg: {found.name} is not to be launched"']
        written += [line for why in found.refused for line in comment(why, "//")]
        written.append("")
    namespace = found.namespace or f"kcfg::{found.name}"
    written += [f"namespace {namespace} {{", ""]
    written += [_enumeration(unit_, found) for unit_ in TYPES]
    wide = any(check.largest not in INT for check in found.checks)
    for section in found.sections:
        written += ["", *_section(section, wide)]
    written += ["", *(line for check in found.checks for line in _check(check))]
    written += [*more, "", f"}}  // namespace {namespace}", ""]
    return "\n".join(written)


def _enumeration(unit_: str, found: Configuration) -> str:
    """The words of a unit: those kcfg knows, and what else this configuration has."""
    type_, known = TYPES[unit_]
    constants = (each for section in found.sections for each in section.constants)
    used = [each.value for each in constants if each.unit == unit_ and each.value is not None]
    words = dict.fromkeys((*known, *used, ABSENT))
    return f"enum class {type_} {{ {', '.join(identifier(word, RESERVED) for word in words)} }};"


def _section(section: Section, wide: bool) -> Iterator[str]:
    yield from comment(section.doc, "//")
    if section.name:
        yield f"namespace {section.name} {{"
    for constant in section.constants:
        yield from comment(constant.doc, "///")
        yield _constant(constant, wide)
    if section.name:
        yield f"}}  // namespace {section.name}"


def _constant(constant: Constant, wide: bool) -> str:
    name, value = constant.name, constant.value
    declared = "inline constexpr"
    if constant.unit in TYPES:
        type_, _ = TYPES[constant.unit]
        word = ABSENT if value is None else identifier(value, RESERVED)
        return f"{declared} {type_} {name} = {type_}::{word};"
    if value is None:
        return f"// {name}: absent"
    if isinstance(value, str):
        return f"{declared} const char* {name} = {dumps(value)};"
    if isinstance(value, bool):
        return f"{declared} bool {name} = {str(value).lower()};"
    type_ = (
        "double"
        if isinstance(value, float)
        else "int"
        if value in INT and not wide
        else "long long"
    )
    return f"{declared} {type_} {name} = {value};{unit(constant, '//')}"


def _check(check: Check) -> Iterator[str]:
    text = check.text.replace(".", "::").replace(" // ", " / ")
    if check.holds:
        line = f'static_assert({text}, "{check.why}");'
        yield from fitting(line, "static_assert(", f"    {text},", f'    "{check.why}");')
    else:
        yield f"// does not hold: {text}, {check.why}"
