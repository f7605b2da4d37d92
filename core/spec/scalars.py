"""Strict scalars: a value means what it says, on every YAML loader alike.

YAML 1.1 reads ``010`` as 8, ``12:30`` as 750 and ``on`` as true, YAML 1.2 does not.
Here the written text decides: an integer is plain decimal digits, a truth value is
``true`` or ``false``, both without quotes; everything else is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache, reduce
from typing import Any, TypeVar

from kcfg.core.engine.quantity import Input
from kcfg.core.hardware.dtypes import SHORT_NAMES
from kcfg.core.numbers import LONGEST as LONGEST_INTEGER, bounded
from kcfg.core.spec.nodes import MappingNode, Node, ScalarNode, SequenceNode
from kcfg.core.spec.problem import LONGEST, listed, shown

T = TypeVar("T")

NULLS = frozenset(("", "~", "null", "Null", "NULL"))
TRUTHS = {
    word: truth
    for words, truth in (("true yes on y", True), ("false no off n", False))
    for word in words.split()
}
"""What YAML 1.1 loaders take for a truth value, in lower case."""


SIZE_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
"""Bytes of the units in which a size may be written."""
SIZED = {"bytes": "B", "KiB": "KiB"}
"""The unit in which a key counts what may be written as a size, by what it is counted in."""
SIZE = rf"(0|[1-9][0-9]*) ({'|'.join(SIZE_UNITS)})"
"""A size with its unit."""
SPELLINGS = {
    word: unit
    for unit, words in {
        "B": "b byte bytes",
        "KiB": "k kb kib ki kbyte",
        "MiB": "m mb mib mi mbyte",
    }.items()
    for word in words.split()
}
"""How else people write these units, in lower case."""


class RefusedError(ValueError):
    """A value that does not do; its text says why, and what would."""


def is_null(node: Node) -> bool:
    """Whether a value is left out: empty, ``~`` or ``null``, without quotes."""
    return isinstance(node, ScalarNode) and not node.style and node.value in NULLS


def read(node: Node, declared: Input) -> Any:
    """The value of an input, as declared; None where it is left out. Raises `RefusedError`."""
    return remembered(_read, node, declared)


def remembered(convert: Callable[..., T], node: Node, *about: Any) -> T:
    """``convert(node, *about)``, which rests on what is written there, not on where it stands.

    Specs have much in common: for the same short text, quoted in the same way, it is known.
    """
    if isinstance(node, ScalarNode) and len(node.value) <= LONGEST:
        known: T = _written(convert, node.value, node.style, *about)
        return known
    return convert(node, *about)


@lru_cache(maxsize=1 << 12)
def _written(convert: Callable[..., Any], text: str, style: str | None, *about: Any) -> Any:
    return convert(ScalarNode("", text, style=style), *about)


def _read(node: Node, declared: Input) -> Any:
    if is_null(node):
        return None
    if declared.kind is int:
        expected = _range(declared.least, declared.most)
        if declared.choices:
            expected = f"one of {listed(map(str, declared.choices))}"
        return in_range(integer(node, expected), declared)
    if declared.kind is bool:
        return boolean(node)
    return choice(node, declared.choices, short=declared.unit == "dtype")


def in_range(value: int, declared: Input) -> int:
    """The integer itself; raises `RefusedError` where the input may not have it."""
    if declared.choices and value not in declared.choices:
        raise RefusedError(f"expected one of {listed(map(str, declared.choices))}, not {value}")
    if value < declared.least:
        raise RefusedError(f"must be at least {declared.least}, not {value}")
    if value > declared.most:
        raise RefusedError(f"must be at most {declared.most}, not {value}")
    return value


def is_integer(text: str) -> bool:
    """Whether a text is a plain decimal integer, without leading zeros."""
    digits = text.removeprefix("-")
    return digits.isdecimal() and digits.isascii() and (digits[0] != "0" or digits == "0")


@cache
def _range(least: int, most: int) -> str:
    return f"an integer from {least} to {most}"


def integer(node: Node, expected: str = "an integer") -> int:
    """A plain decimal integer; raises `RefusedError` naming what was ``expected``."""
    if isinstance(node, ScalarNode):
        written = node.value
        if not node.style and is_integer(written):
            value = bounded(written)
            if value is not None:
                return value
            raise RefusedError(f"expected {expected}; {_digits(written)} is out of range")
    raise refused(node, expected, _integer_advice)


def size(node: Node, expected: str, unit: str = "B") -> int:
    """A size in a unit of `SIZE_UNITS`: ``16384`` of it, or ``16 KiB``; raises `RefusedError`.

    With its unit it is a text to every loader, in quotes or not.
    """
    if not isinstance(node, ScalarNode) or is_integer(node.value):
        return integer(node, expected)
    written = re.fullmatch(SIZE, node.value)
    if written is None:
        raise refused(node, f"{expected}, or a size such as 16 KiB", _size_advice)
    count = bounded(written[1])
    if count is None:
        raise RefusedError(f"expected {expected}; {_digits(written[1])} {written[2]} is too many")
    whole, rest = divmod(count * SIZE_UNITS[written[2]], SIZE_UNITS[unit])
    if rest:
        raise RefusedError(f"expected whole {unit}, not {shown(node.value)}")
    return whole


def boolean(node: Node) -> bool:
    """``true`` or ``false``; raises `RefusedError`."""
    if isinstance(node, ScalarNode) and not node.style:
        if node.value == "true":
            return True
        if node.value == "false":
            return False
    raise refused(node, "true or false", _truth_advice)


def text(node: Node, expected: str = "text") -> str:
    """Any single line of text, quoted or not: what looks like a number or a date stays text."""
    if isinstance(node, ScalarNode):
        written: str = node.value
        if written.isprintable():
            return written
        raise RefusedError(f"expected {expected} on one line, without control characters")
    raise refused(node, expected)


def choice(node: Node, choices: tuple[str, ...], short: bool = False) -> str:
    """One of ``choices``, or with ``short`` a type's short name; raises `RefusedError`."""
    if isinstance(node, ScalarNode):
        written: str = node.value
        if written in choices:
            return written
        if short and SHORT_NAMES.get(written) in choices:
            return SHORT_NAMES[written]
        from kcfg.core.hardware.words import meant_word

        known = [*choices, *(s for s, name in SHORT_NAMES.items() if short and name in choices)]
        close = meant_word(written, known) if len(written) <= LONGEST else None
        hint = f"; did you mean `{close}`?" if close else ""
        raise RefusedError(f"expected one of {listed(choices)}, not {shown(written)}{hint}")
    raise refused(node, f"one of {listed(choices)}")


def refused(
    node: Node, expected: str, advise: Callable[[str], str] = lambda written: ""
) -> RefusedError:
    """The error for a value that is not what was ``expected``, with advice on its text."""
    if not isinstance(node, ScalarNode):
        return RefusedError(f"expected {expected}, not {kind_of(node)}")
    written = node.value
    if is_null(node):
        return RefusedError(f"expected {expected}, but the value is empty")
    if node.style:
        plain = is_integer(written) or written in ("true", "false")
        advice = f"write {written} without quotes" if plain and len(written) < 20 else ""
        given = f"the quoted text {shown(written)}" if written else "an empty text"
        return RefusedError(_joined(expected, given, advice))
    advice = advise(written) if len(written) <= 2 * LONGEST_INTEGER else ""
    return RefusedError(_joined(expected, shown(written), advice))


def kind_of(node: Node) -> str:
    """What sort of YAML value a node is, with its article."""
    if isinstance(node, MappingNode):
        return "a mapping"
    return "a list" if isinstance(node, SequenceNode) else "a single value"


def _joined(expected: str, given: str, advice: str) -> str:
    return f"expected {expected}, not {given}" + (f": {advice}" if advice else "")


def _digits(written: str) -> str:
    if len(written) <= 2 * LONGEST_INTEGER:
        return written
    return f"{written[:8]}...{written[-4:]} ({len(written.lstrip('-')):,} digits)"


def _based(written: str) -> str:
    return f"write it in decimal: {int(written.lower().replace('_', ''), 0)}"


def _sexagesimal(written: str) -> str:
    value = reduce(lambda high, low: 60 * high + int(low), written.split(":"), 0)
    return f"with a colon it is no integer (YAML 1.1 reads {value})"


def _float(written: str) -> str:
    value = float(written.replace("_", ""))
    return f"a float; write {int(value)}" if value.is_integer() else "a float"


def _octal(written: str) -> str:
    decimal = int(written)
    octal = "text" if set("89") & set(written) else int(written, 8)
    readings = f"{octal} on one loader, {decimal} on another"
    return f"the leading zero is ambiguous ({readings}); write {decimal}"


LOOKALIKES: tuple[tuple[str, Callable[[str], str]], ...] = (
    (r"[-+]?0[0-9]+", _octal),
    (r"[-+]?0[xX][0-9a-fA-F_]*[0-9a-fA-F]|[-+]?0o[0-7]+|[-+]?0[bB][01]+", _based),
    (r"\+[1-9][0-9]*", lambda written: f"write {written[1:]} without the sign"),
    (r"[-+]?[0-9]+([_,' ][0-9]+)+", lambda written: f"write {re.sub('[_, ]', '', written)}"),
    (r"[0-9]+(:[0-9]+)+", _sexagesimal),
    (r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,2})?", _float),
    (r"[-+]?\.(inf|Inf|INF)", lambda _: "infinity is no integer"),
    (r"\.(nan|NaN|NAN)", lambda _: "this is YAML's not-a-number"),
)
"""What looks like a number to some loader or person, and what to tell them."""


def _integer_advice(written: str) -> str:
    if written.lower() in TRUTHS:
        return "YAML 1.1 reads a truth value here"
    for pattern, advice in LOOKALIKES:
        if re.fullmatch(pattern, written, re.ASCII):
            return advice(written)
    return ""


def _size_advice(written: str) -> str:
    """What to write in place of a size that is spelled otherwise, such as ``16KB``."""
    spelled = re.fullmatch(r"([0-9]{1,19})(\.[0-9]{1,9})?\s*([A-Za-z]{1,5})", written)
    meant = SPELLINGS.get(spelled[3].lower()) if spelled else None
    if spelled is None or meant is None:
        return _integer_advice(written)
    number, unit = spelled[1].lstrip("0") or "0", SIZE_UNITS[meant]
    if not spelled[2]:
        return f"write {number} {meant}, which is {int(number) * unit}"
    count, rest = divmod(int(number + spelled[2][1:]) * unit, 10 ** (len(spelled[2]) - 1))
    return "" if rest else f"write {count}"


def _truth_advice(written: str) -> str:
    if written in ("0", "1"):
        return f"write {'true' if written == '1' else 'false'}"
    truth = TRUTHS.get(written.lower())
    return "" if truth is None else f"write {'true' if truth else 'false'}"
