"""The GPUs kcfg knows, found by the names of the files here.

A target is a module whose ``TARGET`` is the `Target`, under the module's name. Nothing
else lists them: a new file is a new target. A module is imported when asked for.

`find` alone decides what a spelling means. Letter case does not matter, nor do spaces,
dashes and underscores, nor words such as NVIDIA, GeForce or Edition. After that these are
names of a target:

* its file's name: ``b200``, ``RTX 5090``, ``rtx-pro-6000``;
* its product and its aliases: ``DGX Spark``, ``H100 SXM5``;
* its architecture with and without a variant, which is then its ``arch``: ``sm_100``,
  ``sm_100a``, ``sm_100f``;
* its compute capability: ``10.0``.

The last two are names of the one target of an architecture that says so (``names_arch``), so
that another one beside it changes nothing: ``sm_103a`` is b300 and never gb300. All targets of
an architecture have the same limits; what differs is how many SMs there are, and published
figures. A product without figures that anybody read, such as ``GH200``, is refused with the
target that has its architecture.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache

from kcfg.core.errors import AmbiguousError, UnknownError
from kcfg.core.hardware.arch import parsed, variants
from kcfg.core.hardware.target import Row, Target
from kcfg.core.modules import declared

__all__ = ["DEFAULT", "Row", "Target", "UnstatedError", "find", "names", "spellings"]

DEFAULT = "b200"
"""The target of a spec that names none."""

DROPPED = ("nvidia", "geforce", "jetson", "blackwell", "edition")
"""Words of product names that tell no two products apart."""


class UnstatedError(UnknownError):
    """A product whose figures nobody read: ``nearest`` is the target that has its architecture."""

    def __init__(self, name: str, beside: Target) -> None:
        self.beside = beside
        super().__init__("target", name, names())
        self.nearest = beside.name

    def message(self) -> str:
        return (
            f"target {self.name!r}: none of its figures was read; its architecture"
            f" ({self.beside.arch}) and limits are those of {self.beside.name!r};"
            f" known: {', '.join(self.known)}"
        )


@cache
def names() -> tuple[str, ...]:
    """Every target's name: the default first, the others in alphabetical order."""
    files = (os.path.splitext(file) for folder in __path__ for file in os.listdir(folder))
    found = (stem for stem, ending in files if ending == ".py" and stem != "__init__")
    return tuple(sorted(found, key=lambda name: (name != DEFAULT, name)))


@cache
def find(name: str = DEFAULT) -> Target:
    """The target of any spelling of its name.

    Raises `UnknownError` for a name that is none, `AmbiguousError` for one of several and
    `UnstatedError` for a product without figures.
    """
    wanted = _folded(name)
    for known in names():
        if _folded(known) == wanted:
            return _load(known)
    every = [_load(known) for known in names()]
    fitting = [each for each in every if wanted in map(_folded, _of_product(each))]
    if not fitting:
        fitting = [each for each in every if _is_arch(wanted, each)]
        fitting = [each for each in fitting if each.names_arch] or fitting
    if len(fitting) > 1:
        raise AmbiguousError("target", name, [each.name for each in fitting])
    if fitting:
        return _spelled(fitting[0], wanted)
    for each in every:
        if wanted in map(_folded, each.unstated):
            raise UnstatedError(name, each)
    others = (other for each in every for other in _of_product(each))
    raise UnknownError("target", name, names(), others)


def spellings(target: Target) -> tuple[str, ...]:
    """The names of a target beside its own, as people write them."""
    plain = target.arch.rstrip("af")
    of_arch = (plain, *variants(plain), target.cc) if target.names_arch else ()
    return *_of_product(target), *of_arch


def pattern(names: Iterable[str]) -> str:
    """A regular expression that fits the ways to write some names, as `find` folds them."""
    between = f"([-_ ]|{'|'.join(map(_loose, DROPPED))})*"
    found = set()
    for name in names:
        words = [word for word in re.split("[-_ ]+", name.casefold()) if word not in DROPPED]
        found.add(between.join(map(_loose, words)))
    return f"^{between}({'|'.join(sorted(found))}){between}$"


def _loose(word: str) -> str:
    """A word in any letter case, with marks between its letters."""
    letters = (f"[{each}{each.upper()}]" if each.isalpha() else re.escape(each) for each in word)
    return "[-_ ]*".join(letters)


def _load(name: str) -> Target:
    found: Target = declared(f"{__name__}.{name}", "TARGET")
    return found


def _folded(name: str) -> str:
    plain = name.casefold().translate({ord(mark): None for mark in " -_"})
    for word in DROPPED:
        plain = plain.replace(word, "")
    return plain


def _of_product(target: Target) -> tuple[str, ...]:
    every = (target.product, *target.aliases)
    return tuple(name for name in every if name.casefold() != target.name)


def _is_arch(wanted: str, target: Target) -> bool:
    """Whether a folded name is one of a target's architecture or compute capability."""
    code, own = parsed(wanted), parsed(target.arch)
    if code is None or own is None:
        return wanted == target.cc
    return not code.ptx and code.cc == own.cc


def _spelled(target: Target, wanted: str) -> Target:
    """The target for the variant that is spelled: sm_100 lacks what sm_100a has."""
    if parsed(wanted) is None:
        return target
    arch = f"sm_{wanted.removeprefix('sm')}"
    return target if arch == target.arch else target.replace(arch=arch)
