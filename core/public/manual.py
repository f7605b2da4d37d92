"""The kernels there are, and what one of them takes and gives."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from kcfg.core import kernels as known
from kcfg.core.engine.quantity import REQUIRED, Input
from kcfg.core.errors import UnfoundError, UnknownError
from kcfg.core.kernel import Kernel
from kcfg.errors import Error, error
from kcfg.given import path_of, text
from kcfg.pickled import reduced


class Entry(NamedTuple):
    """An input or a value: its name, its unit and what it is.

    ``choices`` are the words it may be, ``required`` is whether it must be given; values have
    none of that.
    """

    name: str
    unit: str
    doc: str
    required: bool = False
    choices: tuple[str, ...] = ()


def _entry(declared: Input) -> Entry:
    required = declared.default is REQUIRED
    return Entry(declared.key, declared.unit, declared.doc, required, declared.choices)


class Manual:
    """One release of one kernel: what it takes and gives.

    It stands wherever a kernel's name does: `derive`, `sweep` and `prune` take it too.
    """

    def __init__(self, cls: type[Kernel]) -> None:
        self.cls = cls
        """The class behind it, of ``kcfg.core``, which is not part of this interface."""

    @property
    def kernel(self) -> str:
        """The kernel's name."""
        return self.cls.kernel

    @property
    def release(self) -> str:
        """The release; of a definition its version."""
        return self.cls.release

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return self.cls.title

    @property
    def struct(self) -> str:
        """Whose numbers these are."""
        return self.cls.struct

    @property
    def changes(self) -> str:
        """What this release changed; of a definition where it stands."""
        return self.cls.changes

    @property
    def inputs(self) -> tuple[Entry, ...]:
        """What it takes, in order."""
        return tuple(map(_entry, self.cls.inputs.values()))

    @property
    def call(self) -> tuple[Entry, ...]:
        """What it takes as ``call``, in order: of what is launched for one; else nothing."""
        called = self.cls.of_call()
        return tuple(_entry(each) for each in called.inputs.values() if each.call) if called else ()

    @property
    def values(self) -> tuple[Entry, ...]:
        """What it gives, in order."""
        return tuple(Entry(key, each.unit, each.doc) for key, each in self.cls.declared())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Manual) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, str, str | None]:
        return self.kernel, self.release, self.cls.digest

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(type(self), self.cls)

    def __repr__(self) -> str:
        return f"<kcfg kernel {self.kernel} {self.release}: {self.title}>"


def kernels() -> dict[str, tuple[str, ...]]:
    """Every kernel with its releases, the oldest first; those of installed packages too."""
    names = (*known.names(), *known.packaged().kernels)
    return {name: known.releases(name) for name in names}


def kernel(name: str | os.PathLike[str] | Manual, release: str | None = None) -> Manual:
    """What a kernel takes and gives, in a release, by default the newest.

    Raises `Error` for a name or release that is not known.
    """
    from kcfg.core.spec.known import release_of

    found = opened(name)
    said = None if release is None else text(release, RELEASE, "release")
    if found == known.LAUNCH:
        raise error("a launch written by hand is no kernel: it has no inputs to list", "kernel")
    try:
        if not isinstance(found, Manual):
            return Manual(release_of(found, said))
        if said not in (None, found.release):
            raise UnknownError(f"version of {found.kernel}", str(said), [found.release])
        return found
    except UnknownError as unknown:
        raise error(str(unknown), "kernel") from None


def load(path: str | os.PathLike[str]) -> Manual:
    """The kernel that a YAML file defines; ``path#NAME`` where it defines several.

    Raises `Error` where the file cannot be read, and with every mistake of its definitions,
    each with its file, line and column.
    """
    from kcfg.core.definitions.paths import is_path
    from kcfg.core.spec import read_file
    from kcfg.core.spec.known import Known
    from kcfg.core.spec.problem import Problem

    said = path_of(path, "the path of a definition's file")
    file = said.partition("#")[0]
    try:
        return Manual(Known("-").kernel(said if is_path(said) else f"./{said}", outside=True))
    except (UnfoundError, UnknownError) as wrong:
        problems = [each for item in read_file(file) if isinstance(item, list) for each in item]
        kind = wrong.kind if isinstance(wrong, UnfoundError) else "wrong"
        if not any(each.message in str(wrong) for each in problems):  # those are of its specs
            problems = [Problem(file, 0, 0, "", str(wrong), kind)]
        raise Error(problems) from None


def opened(kernel: str | os.PathLike[str] | Manual) -> str | Manual:
    """The kernel that a path means, read; a name or what was loaded as it is."""
    from kcfg.core.definitions.paths import is_path

    if isinstance(kernel, Manual):
        return kernel
    said = path_of(kernel, KERNEL, "kernel")
    return load(said) if isinstance(kernel, os.PathLike) or is_path(said) else said


KERNEL = "the name of a kernel, the path of its definition, or what load gave"
RELEASE = "a release as a text, as '26.7'"
