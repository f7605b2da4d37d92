"""Kernels of installed packages, found by their entry points.

A package offers classes below `Kernel` under the group ``kcfg.kernels``. All of them are loaded
together, as what an entry point is called need not be what its kernel is; one that is not to be
had is left out, and takes nothing else with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial, partialmethod
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any, NamedTuple

from kcfg.core import targets
from kcfg.core.errors import BrokenModuleError, UnknownError
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Conflict, Kernel
from kcfg.core.modules import declared, place, said

GROUP = "kcfg.kernels"
NAMING = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
"""What a kernel may be called, so that it is taken for no path and no text of a spec."""
LABELS = ("kernel", "release", "title", "struct", "changes")
"""What a class must say of itself."""
MORE = ("library", "needs", "family", "default_target")
"""What it may leave out."""


class Offered(NamedTuple):
    """What packages offer: classes by name and release, and what is ``unfit``.

    That is by every name that may mean it, the entry point's and the kernel's, with why.
    """

    kernels: dict[str, dict[str, type[Kernel]]]
    unfit: dict[str, tuple[str, ...]]

    def why_not(self, name: str) -> str:
        """Why there is no kernel of a name, or not every release; empty where none was offered."""
        return "; ".join(self.unfit.get(name, ()))


class UnfitError(Exception):
    """Why a class cannot be offered; ``name`` is what its kernel is called, where it says so."""

    def __init__(self, why: str, name: str = "") -> None:
        self.name = name
        super().__init__(why)


def offered(taken: Callable[[str], bool], order: Callable[[str], Any]) -> Offered:
    """The kernels of all installed packages; ``taken`` are names that no package can have.

    Releases are in the ``order`` of what that says of each. Whatever is left out is told of.
    """
    known: dict[tuple[str, str], list[tuple[str, type[Kernel]]]] = {}
    unfit: dict[str, tuple[str, ...]] = {}

    def leave_out(why: str, *names: str) -> None:
        from kcfg.core.printing import tell

        tell(f"kernels of packages: {why}")
        for name in dict.fromkeys(names):
            unfit[name] = (*unfit.get(name, ()), why)

    for package, point in _points():
        where = f"`{point.name}` of {package}"
        try:
            cls = _class(point, taken)
        except UnfitError as wrong:
            leave_out(f"{where}: {wrong}", point.name, *filter(None, [wrong.name]))
            continue
        known.setdefault((cls.kernel, cls.release), []).append((where, cls))
    found: dict[str, dict[str, type[Kernel]]] = {}
    for (name, release), offers in known.items():
        if len({cls for _, cls in offers}) == 1:
            found.setdefault(name, {})[release] = offers[0][1]
            continue
        several = " and ".join(where for where, _ in offers)
        leave_out(f"{name} {release} is both {several}: uninstall one", name)
    for name in found:
        found[name] = {each: found[name][each] for each in sorted(found[name], key=order)}
    return Offered({name: found[name] for name in sorted(found)}, unfit)


def _points() -> Iterator[tuple[str, EntryPoint]]:
    """Every entry point of the group with its package, the first that is found of each package."""
    seen = set()
    for package in distributions():
        text = ""
        with suppress(Exception):  # whatever a broken installation raises
            text = package.read_text("entry_points.txt") or ""
        if GROUP not in text:
            continue
        name = _name(package)
        if name not in seen:
            seen.add(name)
            yield from ((name, point) for point in _of_group(text))


def _name(package: Distribution) -> str:
    """What a package is called, with its version."""
    with suppress(Exception):
        return f"{package.name} {package.version}"
    return "a package without a name"


def _of_group(text: str) -> list[EntryPoint]:
    """The entry points of the group in a file of them, by name; lines that are none are too."""
    lines = text.partition(f"[{GROUP}]")[2].partition("\n[")[0].splitlines()
    stripped = (line.strip() for line in lines if line.strip() and line.strip()[0] not in "#;")
    pairs = (line.partition("=") for line in stripped)
    return [EntryPoint(name.strip(), value.strip(), GROUP) for name, _, value in sorted(pairs)]


def _class(point: EntryPoint, taken: Callable[[str], bool]) -> type[Kernel]:
    """The class that an entry point names; raises `UnfitError`."""
    match = re.fullmatch(r"([\w.]+)\s*:\s*([\w.]+)\s*(?:\[.*\])?", point.value)
    if match is None:
        raise UnfitError(f"expected module:Class, not `{point.value}`")
    try:
        cls = declared(*match.groups())
    except BrokenModuleError as broken:
        raise UnfitError(str(broken)) from None
    if not (isinstance(cls, type) and issubclass(cls, Kernel)) or cls is Kernel:
        raise UnfitError(f"{point.value} is no class below kcfg.core.kernel.Kernel")
    name = getattr(cls, "kernel", "")
    name = name if isinstance(name, str) else ""
    for label in LABELS:
        says = getattr(cls, label, None)
        if not (isinstance(says, str) and says):
            raise UnfitError(f"{point.value} must say `{label}`, a text, not {says!r}", name)
    for label in MORE:
        if not isinstance(says := getattr(cls, label), str):
            raise UnfitError(f"{point.value} must say `{label}` as a text, not {says!r}", name)
    try:
        targets.find(cls.default_target or targets.DEFAULT)
    except UnknownError as unknown:
        raise UnfitError(f"the default target of {point.value}: {unknown}", name) from None
    if not NAMING.fullmatch(name):
        rule = "letters, digits and _, a letter first"
        raise UnfitError(f"{point.value} must be called by {rule}, not {name!r}", name)
    if taken(name):
        raise UnfitError(f"{name} is the name of a kernel of kcfg itself: take another", name)
    known: Any = cls  # mypy takes methods for what is never set
    known.faults = classmethod(partial(_faults, known.faults.__func__))
    known.sound = partialmethod(_sound, known.sound)
    return cls


def _sound(kernel: Kernel, own: Callable[[Kernel], Any]) -> Any:
    """What a class says of arrays of inputs, if its formulas run over them as over numbers."""
    import numpy

    found = own(kernel)
    try:
        with numpy.errstate(divide="raise", invalid="raise"):
            kernel.values()
    except Exception:  # each point says it for itself
        return None
    return found


def _faults(
    own: Callable[..., list[Conflict]], cls: type[Kernel], target: Target, inputs: dict[str, Any]
) -> list[Conflict]:
    """What a class finds wrong with inputs, or else that it fails over them itself."""
    if found := own(cls, target, inputs):
        return found
    try:
        kernel = cls(target=target, **inputs)
        kernel.values()
        _ = kernel.block
    except Exception as error:  # whatever a formula may raise
        file, line = place(cls.__module__, error)
        why = f"{cls.kernel} {cls.release} cannot be derived: {file}:{line}: {said(error)}"
        return [Conflict("", why)]
    return []
