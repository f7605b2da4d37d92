"""The kernels there are, and what one of them takes and gives."""

from __future__ import annotations

from typing import NamedTuple

from kcfg.core import kernels as known
from kcfg.core.engine.quantity import REQUIRED
from kcfg.core.errors import UnknownError
from kcfg.errors import error


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


class Manual(NamedTuple):
    """One release of one kernel."""

    kernel: str
    release: str
    title: str
    struct: str
    changes: str
    inputs: tuple[Entry, ...]
    values: tuple[Entry, ...]


def kernels() -> dict[str, tuple[str, ...]]:
    """Every kernel with its releases, the oldest first."""
    return {name: tuple(known.releases(name)) for name in known.names()}


def kernel(name: str, release: str | None = None) -> Manual:
    """What a kernel takes and gives, in a release, by default the newest.

    Raises `Error` for a name or release that is not known.
    """
    try:
        found = known.find(name, release or known.releases(name)[-1])
    except UnknownError as unknown:
        raise error(str(unknown)) from None
    return Manual(
        found.kernel,
        found.release,
        found.title,
        found.struct,
        found.changes,
        tuple(
            Entry(each.key, each.unit, each.doc, each.default is REQUIRED, each.choices)
            for each in found.inputs.values()
        ),
        tuple(Entry(key, each.unit, each.doc) for key, each in found.declared()),
    )
