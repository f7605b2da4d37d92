"""The GPUs kcfg knows, found by the names of the files here.

A target is a module whose ``TARGET`` is the `Target`, under the module's name. Nothing
else lists them: a new file is a new target. A module is imported when asked for.

`find` alone decides what a spelling means. Letter case does not matter, nor do spaces,
dashes and underscores, nor a leading "NVIDIA". After that these are names of a target:

* its file's name: ``b200``, ``RTX 5090``, ``rtx-pro-6000``;
* its architecture with and without its variant, which is then its ``arch``: ``sm_100``,
  ``sm_100a``, ``sm_100f``;
* its compute capability: ``10.0``.

An architecture that two targets share names neither: ``sm_90a`` is refused with both
names. ``GB200`` is no spelling of ``b200``, whose number of SMs differs.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

from kcfg.core.errors import AmbiguousError, UnknownError
from kcfg.core.hardware.target import Row, Target

__all__ = ["DEFAULT", "Row", "Target", "find", "names"]

DEFAULT = "b200"
"""The target of a spec that names none."""


@cache
def names() -> tuple[str, ...]:
    """Every target's name: the default first, the others in alphabetical order."""
    files = (os.path.splitext(file) for file in os.listdir(__path__[0]))
    found = (stem for stem, ending in files if ending == ".py" and stem != "__init__")
    return tuple(sorted(found, key=lambda name: (name != DEFAULT, name)))


@cache
def find(name: str = DEFAULT) -> Target:
    """The target of any spelling of its name.

    Raises `UnknownError` for a name that is none, `AmbiguousError` for one of several.
    """
    wanted = _folded(name)
    for known in names():
        if _folded(known) == wanted:
            return _load(known)
    fitting = [known for known in names() if wanted in _spellings(_load(known))]
    if not fitting:
        raise UnknownError("target", name, names())
    if len(fitting) > 1:
        raise AmbiguousError("target", name, fitting)
    found = _load(fitting[0])
    # A spelled architecture is kept with its variant: sm_100 lacks what sm_100a has.
    arch = f"sm_{wanted[2:]}" if wanted.startswith("sm") else found.arch
    return found if arch == found.arch else found.replace(arch=arch)


def _load(name: str) -> Target:
    found: Target = import_module(f"{__name__}.{name}").TARGET
    return found


def _folded(name: str) -> str:
    plain = name.casefold().translate({ord(mark): None for mark in " -_"})
    return plain.removeprefix("nvidia")


def _spellings(target: Target) -> tuple[str, ...]:
    arch = _folded(target.arch)
    plain = arch.removesuffix("a")
    return target.cc, arch, plain, f"{plain}f"
