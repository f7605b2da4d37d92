"""How near a call is to another decision: what so many more or fewer of something change."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from kcfg.core.engine.struct import Struct
from kcfg.core.kernel import Kernel

NEAR = 1024
"""How far a threshold is looked for on either side, value by value."""


class Changed(NamedTuple):
    """A decision that goes another way: its key, and its value here and there."""

    key: str
    here: Any
    there: Any


class Threshold(NamedTuple):
    """The nearest value of one input of a call at which a decision goes another way.

    Between ``given`` and ``at`` all of them go as here; at ``at`` those in ``changed`` do not.
    """

    key: str
    unit: str
    given: int
    at: int
    changed: tuple[Changed, ...]


def decided(kernel: Kernel) -> dict[str, Any]:
    """What the dispatcher decides, by key, in the order it does; empty without a call."""
    return {key: kernel.read(key) for key in kernel.decisions}


@lru_cache(maxsize=8)
def thresholds(kernel: Kernel) -> tuple[Threshold, ...]:
    """The thresholds that are near, the nearest in proportion first."""
    if not kernel.decisions or not kernel.possible():
        return ()
    found = [each for name in _counts(kernel) for each in _around(kernel, name)]
    return tuple(sorted(found, key=lambda each: abs(each.at - each.given) / max(each.given, 1)))


def steady(kernel: Kernel) -> tuple[str, ...]:
    """What has no threshold within `NEAR` on either side, of what is looked at; by its key."""
    if not kernel.decisions or not kernel.possible():
        return ()
    found = {each.key for each in thresholds(kernel)}
    keys = [kernel.inputs[name].key for name in _counts(kernel)]
    return tuple(key for key in keys if key not in found)


def _counts(kernel: Kernel) -> list[str]:
    """The inputs of the call that are numbers, and that the choice itself takes as they are."""
    known = type(kernel.chooser()).inputs
    return [
        name
        for name, member in kernel.inputs.items()
        if member.call and member.kind is int and name in known and getattr(kernel, name)
    ]


def _around(kernel: Kernel, name: str) -> Iterator[Threshold]:
    member = kernel.inputs[name]
    chooser, given = kernel.chooser(), getattr(kernel, name)
    asked = {each: getattr(chooser, each) for each in type(chooser).inputs}
    here = _decisions(kernel, chooser)
    most = min(member.most, given + NEAR)
    for values in (range(given - 1, max(member.least, given - NEAR, 1) - 1, -1), _up(given, most)):
        for value in values:
            other = type(chooser)(target=kernel.target, **{**asked, name: value})
            other.hasten()
            there = _decisions(kernel, other)
            if there != here:
                if not _possible(kernel, name, value):
                    break
                pairs = zip(kernel.decisions, here, there, strict=True)
                changed = tuple(Changed(*each) for each in pairs if each[1] != each[2])
                yield Threshold(member.key, member.unit, given, value, changed)
                break


def _possible(kernel: Kernel, name: str, value: int) -> bool:
    """Whether a spec may give another value of an input, and there can be such a call."""
    given = {each: getattr(kernel, each) for each in kernel.inputs} | {name: value}
    inputs = {kernel.inputs[each].key: value for each, value in given.items()}
    if type(kernel).conflicts(inputs, tuple(inputs)):
        return False
    return type(kernel)(target=kernel.target, **given).possible()


def _up(given: int, most: int) -> range:
    return range(given + 1, most + 1)


def _decisions(kernel: Kernel, chooser: Struct) -> tuple[Any, ...]:
    cls, whole = type(chooser), isinstance(chooser, Kernel)
    keys = (key if whole else key.partition(".")[2] for key in kernel.decisions)
    return tuple(getattr(chooser, cls.attribute(key)) for key in keys)


def parted(old: Kernel, new: Kernel) -> Changed | None:
    """The first decision at which two calls of one kernel part; None where they do not."""
    if old.decisions != new.decisions:
        return None
    before, after = decided(old), decided(new)
    return next(
        (Changed(key, before[key], after[key]) for key in before if before[key] != after[key]), None
    )
