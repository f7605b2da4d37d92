"""Numbers that a file has twice, under different names: each is held against the other."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.emit.conditions import Number, equal
from kcfg.core.emit.model import Check
from kcfg.core.emit.parts import Parts
from kcfg.core.kernel import Kernel

Numbers = dict[tuple[str, str], Number]
"""Emitted numbers by what they are, `quantity` or `input`, and their key."""


def twins(kernel: Kernel, known: Numbers, given: Numbers, parts: Parts) -> Iterator[Check]:
    """Values beside the parts of the block that they play, and inputs beside themselves.

    ``given`` are the numbers of the section of inputs. A part that no value plays is itself
    what a place of that key is, and ``known`` as such from then on. Where a call or a launch
    sets something else than the struct, the two are no twins.
    """
    for asked, number in given.items():
        if asked in known:
            yield equal(known[asked], number, f"{known[asked].text} is as given")
        known.setdefault(asked, number)
    plays = type(kernel).plays
    for path, key in plays.items():
        for number in parts.playing.get(path, ()):
            twin = known.get(("quantity", key)) or known.get(("input", key))
            if twin is None:
                known["quantity", key] = number
            elif twin.value == number.value and twin.text != number.text:
                yield equal(number, twin, f"{number.text} is {twin.text}")
    for path, numbers in parts.playing.items():
        whole = path not in plays and "[" not in path  # of parts, several may have one name
        for number in numbers[1:] if whole else ():
            if number.value == numbers[0].value:
                yield equal(number, numbers[0], f"{number.text} is {numbers[0].text}")
