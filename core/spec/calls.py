"""A spec's ``call``: what is asked of a kernel, beside the ``shape`` that it serves."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.core.kernel import Kernel
from kcfg.core.spec.problem import listed, meant, shown
from kcfg.core.spec.section import Entry, Notes, Setting
from kcfg.core.spec.shape import grammar

CALL = "call"


def of_call(cls: type[Kernel], keys: Iterable[str]) -> type[Kernel] | None:
    """The class that derives a call, where one of the keys is of a call and of no shape."""
    known = grammar(cls)
    strange = [key for key in keys if key not in known.inputs and key not in known.spellings]
    called = cls.of_call() if strange else None
    return called if called and not set(strange).isdisjoint(grammar(called).call) else None


def beside(
    shape: dict[str, Entry], call: dict[str, Entry], cls: type[Kernel], notes: Notes
) -> dict[str, Entry]:
    """The entries of both sections together; each key stands where it belongs, or is noted.

    A kernel that derives calls alone takes their keys under ``shape`` too.
    """
    known = grammar(cls)
    keys, inputs = known.call, known.inputs
    for key, entry in shape.items():
        if key in keys and not known.calls_alone and not isinstance(entry.key, Setting):
            notes.add(entry.key, f"shape.{key}", f"{shown(key)} stands under `call:`")
    for key, entry in call.items():
        path = f"{CALL}.{key}"
        if key not in keys and key in inputs:
            notes.add(entry.key, path, f"{shown(key)} stands under `shape:`")
        elif key not in keys:
            notes.add(entry.key, path, f"unknown key {shown(key)}; {meant(key, keys)}")
        elif key in shape and not isinstance(shape[key].key, Setting):
            notes.add(entry.key, path, f"{shown(key)} stands under `shape:` as well: keep one")
    return {**shape, **{key: entry for key, entry in call.items() if key not in shape}}


def without(cls: type[Kernel], known: Iterable[tuple[str, str]]) -> str:
    """What is said of a kernel that no call is known of; ``known`` are those with a call."""
    releases = [release for kernel, release in known if kernel == cls.kernel]
    if releases:
        return (
            f"what {cls.kernel} {cls.release} launches for a call is not known; it is of"
            f" release {listed(releases)}"
        )
    others = listed(f"{kernel} {release}" for kernel, release in known)
    return f"what MAX launches for a call of {cls.kernel} is not known; it is of {others}"
