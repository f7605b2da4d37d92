"""The kernels there are, and what one of them takes and gives."""

from __future__ import annotations

import os
from typing import NamedTuple

from kcfg.core import kernels as known
from kcfg.core.engine.quantity import REQUIRED
from kcfg.core.errors import UnfoundError, UnknownError
from kcfg.core.kernel import Kernel
from kcfg.errors import Error, error


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
        return tuple(
            Entry(each.key, each.unit, each.doc, each.default is REQUIRED, each.choices)
            for each in self.cls.inputs.values()
        )

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

    def __repr__(self) -> str:
        return f"<kcfg kernel {self.kernel} {self.release}: {self.title}>"


def kernels() -> dict[str, tuple[str, ...]]:
    """Every kernel with its releases, the oldest first; those of installed packages too."""
    names = (*known.names(), *known.packaged().kernels)
    return {name: known.releases(name) for name in names}


def kernel(name: str, release: str | None = None) -> Manual:
    """What a kernel takes and gives, in a release, by default the newest.

    Raises `Error` for a name or release that is not known.
    """
    from kcfg.core.spec.known import release_of

    try:
        return Manual(release_of(name, release))
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

    if not isinstance(path, str | os.PathLike):
        raise error(f"a definition is named by the path of its file, not by {path!r}")
    said = os.fspath(path)
    file = said.partition("#")[0]
    try:
        return Manual(Known("-").kernel(said if is_path(said) else f"./{said}", outside=True))
    except (UnfoundError, UnknownError) as wrong:
        problems = [each for item in read_file(file) if isinstance(item, list) for each in item]
        kind = wrong.kind if isinstance(wrong, UnfoundError) else "wrong"
        raise Error(problems or [Problem(file, 0, 0, "", str(wrong), kind)]) from None


def opened(kernel: str | os.PathLike[str] | Manual) -> str | Manual:
    """The kernel that a path means, read; a name or what was loaded as it is."""
    from kcfg.core.definitions.paths import is_path

    if isinstance(kernel, os.PathLike) or (isinstance(kernel, str) and is_path(kernel)):
        return load(kernel)
    return kernel
