"""A seal on every section: what no other condition holds, the sum of its numbers does.

Most numbers are a struct's own results, of which a file does not say how they came about: one
that is changed by hand there breaks the seal, wherever it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcfg.core.emit.conditions import Number, equal, literal, total
from kcfg.core.emit.model import Check, Section

MOST = 1 << 30
"""What the numbers under one seal come to, so that no language's integers overflow."""
EACH = 32
"""Numbers under one seal, which says roughly where the changed one is."""


def seals(sections: Iterable[Section]) -> Iterator[Check]:
    """The seals of some sections; truth values, texts and fractions have none."""
    for section in sections:
        start = f"{section.name}." if section.name else ""
        whole = (
            Number(f"{start}{each.name}", each.value)
            for each in section.constants
            if type(each.value) is int
        )
        for part in _parts(whole):
            last = f" to {part[-1].text}" if len(part) > 1 else ""
            sum_ = literal(total(part).value)
            yield equal(total(part), sum_, f"changed by hand: one of {part[0].text}{last}")


def _parts(numbers: Iterable[Number]) -> Iterator[list[Number]]:
    """Numbers as they come, as many as go under one seal; one that is too large by itself."""
    part: list[Number] = []
    for number in numbers:
        full = sum(abs(each.value) for each in (*part, number)) > MOST
        if part and (full or len(part) == EACH):
            yield part
            part = []
        part.append(number)
    if part:
        yield part
