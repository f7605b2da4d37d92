"""The kernels kcfg knows, found by the names of the files here.

A kernel is a folder, a release of it a file in that folder: a module ``r<release>.py`` whose
``KERNEL`` is the class, or a definition ``r<release>.yaml``, with ``_`` for the dots of the
release, as ``r26_6.py`` for 26.6. Nothing else lists them: a new file is a new release. A file
is imported or read when its kernel is asked for, not before.

An installed package may offer more, as classes below `Kernel` under the entry-point group
``kcfg.kernels``. They are looked for only when a name is not known otherwise.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from kcfg.core.errors import UnfoundError, UnknownError
from kcfg.core.kernel import Kernel
from kcfg.core.modules import declared

if TYPE_CHECKING:
    from kcfg.core.packages import Offered


@cache
def names() -> tuple[str, ...]:
    """Every kernel's name, in alphabetical order."""
    return tuple(sorted(name for name in _files() if _releases(name)))


def exists(kernel: str) -> bool:
    """Whether there is a kernel of this name, without a look at all the others."""
    return kernel in _files() and bool(_releases(kernel))


def releases(kernel: str) -> tuple[str, ...]:
    """A kernel's releases, oldest first; raises `UnknownError` for a name that is none."""
    if exists(kernel):
        return tuple(_releases(kernel))
    others = packaged().kernels
    if kernel not in others:
        raise UnknownError("kernel", kernel, (*names(), *others))
    return tuple(others[kernel])


def find(kernel: str, release: str | None = None) -> type[Kernel]:
    """The class of one release of a kernel, by default its newest; raises `UnknownError`, and
    `BrokenModuleError` where its module cannot be imported.

    A patch release is its minor release: ``26.6.0`` is ``26.6``.
    """
    known = releases(kernel)
    wanted = known[-1] if release is None else release
    if wanted not in known:
        wanted = ".".join(wanted.split(".")[:2])
    if wanted not in known:
        more = "" if exists(kernel) else packaged().why_not(kernel)
        raise UnknownError(f"release of {kernel}", str(release), known, more=more)
    if not exists(kernel):
        return packaged().kernels[kernel][wanted]
    stem, ending = os.path.splitext(_releases(kernel)[wanted])
    if ending == DEFINITION:
        return _defined(kernel, wanted)
    found: type[Kernel] = declared(f"{__name__}.{kernel}.{stem}", "KERNEL")
    return found


@cache
def library(kernel: str) -> str:
    """The library that a kernel is of; a definition is not read for it, but for this one line."""
    file = _releases(kernel).get(releases(kernel)[-1], "")
    if not file.endswith(DEFINITION):
        return find(kernel).library
    with open(os.path.join(__path__[0], kernel, file), encoding="utf-8") as lines:
        said = (line.partition(":")[2].strip() for line in lines if line.startswith("library:"))
        return next(said, "")


@cache
def job(kernel: str) -> dict[str, Any] | None:
    """What a kernel is for, in words that kernels of other libraries share; None where unsaid."""
    import json

    path = os.path.join(__path__[0], kernel, JOB)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def with_calls() -> list[tuple[str, str]]:
    """The kernels and releases of which it is known what is launched for a call."""
    every = ((name, release) for name in names() for release in releases(name))
    return [each for each in every if find(*each).of_call() is not None]


@cache
def _defined(kernel: str, release: str) -> type[Kernel]:
    from kcfg.core.definitions.shipped import shipped

    path = os.path.join(__path__[0], kernel, _releases(kernel)[release])
    return shipped(path, kernel, release, find)


@cache
def packaged() -> Offered:
    """The kernels of installed packages, and what of them is not to be had."""
    from kcfg.core.packages import offered

    return offered(lambda name: name == LAUNCH or exists(name), age)


def of_package(kernel: str, release: str | None = None) -> type[Kernel] | None:
    """The class that an installed package offers; None where none offers one of this name.

    Raises `UnfoundError` where it is not to be had, and `UnknownError` for the release.
    """
    if kernel in packaged().kernels:
        return find(kernel, release)
    if why := packaged().why_not(kernel):
        raise UnfoundError(why)
    return None


LAUNCH = "launch"
"""What a spec names in place of a kernel when nothing is derived, only judged."""
JOB = "job.json"
"""The file in a kernel's folder that says what other libraries' kernels do the same."""
DEFINITION = ".yaml"
"""What the name of a shipped definition ends in."""


def age(release: str) -> list[tuple[int, str]]:
    """A release as what it is ordered by: 26.10 is after 26.9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in release.split(".")]


@cache
def _files() -> frozenset[str]:
    return frozenset(os.listdir(__path__[0]))


@cache
def _releases(kernel: str) -> dict[str, str]:
    """The file of each release, oldest first."""
    folder = os.path.join(__path__[0], kernel)
    if not os.path.isdir(folder):
        return {}
    found = {}
    for file in os.listdir(folder):
        stem, ending = os.path.splitext(file)
        if stem[:1] == "r" and stem[1:2].isdecimal() and ending in (".py", DEFINITION):
            found[stem[1:].replace("_", ".")] = file
    return {release: found[release] for release in sorted(found, key=age)}
