"""The kernels kcfg knows, found by the names of the files here.

A kernel is a folder, a release of it a module ``r<major>_<minor>.py`` in that
folder whose ``KERNEL`` is the class. Nothing else lists them: a new file is a
new release. A module is imported when its kernel is asked for, not before.
"""

from __future__ import annotations

import os
from functools import cache

from kcfg.core.errors import UnknownError
from kcfg.core.kernel import Kernel
from kcfg.core.modules import declared


@cache
def names() -> tuple[str, ...]:
    """Every kernel's name, in alphabetical order."""
    return tuple(sorted(name for name in _files() if _releases(name)))


def exists(kernel: str) -> bool:
    """Whether there is a kernel of this name, without a look at all the others."""
    return kernel in _files() and bool(_releases(kernel))


def releases(kernel: str) -> tuple[str, ...]:
    """A kernel's releases, oldest first; raises `UnknownError` for a name that is none."""
    if not exists(kernel):
        raise UnknownError("kernel", kernel, names())
    return tuple(f"{major}.{minor}" for major, minor in _releases(kernel))


def find(kernel: str, release: str | None = None) -> type[Kernel]:
    """The class of one release of a kernel, by default its newest; raises `UnknownError`, and
    `BrokenModuleError` where its module cannot be imported.

    A patch release is its minor release: ``26.6.0`` is ``26.6``.
    """
    known = releases(kernel)
    wanted = known[-1] if release is None else ".".join(release.split(".")[:2])
    if wanted not in known:
        raise UnknownError(f"release of {kernel}", str(release), known)
    module = f"{__name__}.{kernel}.r{wanted.replace('.', '_')}"
    found: type[Kernel] = declared(module, "KERNEL")
    return found


@cache
def _files() -> frozenset[str]:
    return frozenset(os.listdir(__path__[0]))


@cache
def _releases(kernel: str) -> tuple[tuple[int, int], ...]:
    folder = os.path.join(__path__[0], kernel)
    if not os.path.isdir(folder):
        return ()
    found = []
    for file in os.listdir(folder):
        stem, ending = os.path.splitext(file)
        major, _, minor = stem[1:].partition("_")
        if stem[:1] == "r" and ending == ".py" and major.isdecimal() and minor.isdecimal():
            found.append((int(major), int(minor)))
    return tuple(sorted(found))
