"""The head of a spec: which kernel, in which release, on which target."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from kcfg.core import kernels, targets
from kcfg.core.errors import UnfoundError, UnknownError
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Kernel
from kcfg.core.spec.known import LAUNCH, Known
from kcfg.core.spec.nodes import Node
from kcfg.core.spec.problem import LONGEST, listed, shown
from kcfg.core.spec.scalars import RefusedError, is_null, remembered, text
from kcfg.core.spec.section import MERGE, Entry, Notes, Setting

T = TypeVar("T")

LONGEST_PATH = 1000
"""Characters of a path in place of a name, or of a kernel's name in a build."""

OF_BUILD = ("kernel",)
"""What ``build`` of a spec may hold."""


def names() -> tuple[str, ...]:
    """What ``kernel:`` may say."""
    return (*kernels.names(), LAUNCH)


class Head:
    """The top level of a document and its notes; every method notes what it refuses."""

    def __init__(self, top: dict[str, Entry], root: Node, notes: Notes, known: Known) -> None:
        self.top, self.root, self.notes, self.known = top, root, notes, known

    def kernel(self) -> type[Kernel] | None:
        """The class of the kernel and release."""
        if not self.has("kernel"):
            if MERGE not in self.top:
                entry = self.top.get("kernel")
                message = f"missing key `kernel`; known: {listed(names())}"
                self.notes.add(entry.value if entry else self.root, "kernel", message)
            return None
        name = self._value("kernel", _kernel)
        if name == LAUNCH:
            return self._launch()
        if name is not None and not kernels.exists(name):
            return self._other(name)
        if name is None or not self.has("release"):
            return _class(name, None) if name else None
        return self._value("release", _release, name)

    def _other(self, name: str) -> type[Kernel] | None:
        """The class of a kernel that is not shipped."""
        node = self.top["kernel"].value
        try:
            cls = self.known.kernel(name, isinstance(node, Setting))
        except UnknownError as error:
            self.notes.add(node, "kernel", str(error))
            return None
        except UnfoundError as error:
            self.notes.add(node, "kernel", str(error), error.kind)
            return None
        if self.has("release"):
            return self._value("release", _version, cls)
        return cls

    def _launch(self) -> type[Kernel]:
        """What stands for the kernel of a launch written by hand, which has no release.

        An option that gives one is about the other specs of the command.
        """
        from kcfg.core.launch.reading import LaunchSpec

        if self.has("release") and not isinstance(self.top["release"].value, Setting):
            self.notes.add(self.top["release"].value, "release", "a launch has no release")
        return LaunchSpec

    def target(self, cls: type[Kernel] | None) -> Target | None:
        """The target, by default kcfg's; refused where the kernel cannot run on it."""
        own = cls.default_target if cls else ""
        given = self.has("target") and not (own and _by_default(self.top["target"].value))
        target = self._value("target", _target) if given else targets.find(own or targets.DEFAULT)
        reason = cls.refuses(target) if cls and target else None
        if reason:
            entry = self.top["target" if given else "kernel"]
            self.notes.add(entry.value, "target", reason, "wrong")
        return target

    def name(self) -> str | None:
        """The label; None where there is none."""
        return self._value("name", text) if self.has("name") else None

    def build(self, entries: dict[str, Entry]) -> str | None:
        """The kernel's name in a build, from the entries of ``build``; None where none is said."""
        name = None
        for key, entry in entries.items():
            path = f"build.{key}"
            if key not in OF_BUILD:
                self.notes.unknown(entry.key, path, OF_BUILD)
            elif not is_null(entry.value):
                try:
                    name = _short(entry.value, "a kernel in a build", LONGEST_PATH)
                except RefusedError as error:
                    self.notes.add(entry.value, path, str(error))
        return name

    def has(self, key: str) -> bool:
        """Whether a key has a value."""
        return key in self.top and not is_null(self.top[key].value)

    def _value(self, key: str, convert: Callable[..., T], *about: Any) -> T | None:
        node = self.top[key].value
        try:
            return remembered(convert, node, *about)
        except (RefusedError, UnknownError) as error:
            self.notes.add(node, key, str(error))
            return None


@cache
def _class(kernel: str, release: str | None) -> type[Kernel]:
    return kernels.find(kernel, release)


def _kernel(node: Node) -> str:
    return _short(node, "a kernel", LONGEST_PATH)


def _by_default(node: Node) -> bool:
    """Whether a target is that of a project's settings, and not what somebody asked for."""
    return isinstance(node, Setting) and not node.option.startswith("--")


def _version(node: Node, cls: type[Kernel]) -> type[Kernel]:
    """The release as written, of a kernel that has only one at a time."""
    if cls.digest is None:
        return kernels.find(cls.kernel, _short(node, "a release"))
    release = _short(node, "a release")
    if release != cls.release:
        raise RefusedError(
            f"expected the version of {cls.kernel}, {cls.release}, not {shown(release)}"
        )
    return cls


def _release(node: Node, kernel: str) -> type[Kernel]:
    """A release as written: its text counts, so that 26.60 is not 26.6."""
    release = _short(node, "a release")
    parts, known = release.split("."), kernels.releases(kernel)
    if release in known or (len(parts) in (2, 3) and all(map(_is_number, parts))):
        return _class(kernel, release)
    raise RefusedError(
        f"expected a release of {kernel}, one of {listed(known)}, not {shown(release)}"
    )


def _is_number(text: str) -> bool:
    return len(text) <= 4 and text.isdecimal() and text.isascii()


def _target(node: Node) -> Target:
    return targets.find(_short(node, "a target"))


def _short(node: Node, of: str, longest: int = LONGEST) -> str:
    name = text(node, f"the name of {of}")
    if len(name) > longest:
        raise RefusedError(f"expected the name of {of}, not {shown(name)}")
    return name
