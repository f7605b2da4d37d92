"""What the command line puts in the place of what a spec says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from kcfg.core.errors import UsageError
from kcfg.core.kernel import Kernel
from kcfg.core.printing import shortened
from kcfg.core.spec.scalars import RefusedError, is_null
from kcfg.core.spec.section import Entry, Notes, ProjectSetting, Setting
from kcfg.core.spec.shape import grammar

NAME = "name"
"""The one key of the top level that ``--set`` takes; all others are those of ``shape``."""

ELSEWHERE = {
    "kernel": "the spec itself names the kernel",
    "release": "use --release",
    "target": "use --target",
}
"""Keys of the top level that ``--set`` does not take, and what to do instead."""
SHAPE = "shape."

INPUTS = "--set takes the inputs in `shape`"
TWICE = "this key is set twice: keep one"
"""What is said of an option in the wrong place, and of one that is there twice."""

AS_IT_IS = "a saved report is taken as it is: no --set, --release or --target"
"""What is said where options would go before what a saved report says."""


class Overrides(NamedTuple):
    """Options that go before what a spec says; their texts are read as strictly as YAML.

    ``set`` are keys of ``shape`` (or ``name``) with their texts, in order.
    """

    set: tuple[tuple[str, str], ...] = ()
    release: str | None = None
    target: str | None = None
    kernel: str | None = None
    default_target: tuple[str, str] | None = None
    """For specs that name no target: its name, and what says so."""

    @classmethod
    def of(
        cls, settings: Iterable[str] | None, release: str | None, target: str | None
    ) -> Overrides:
        """What ``--set``, ``--release`` and ``--target`` say; raises `UsageError`."""
        return cls(set=tuple(map(pair, settings or ())), release=release, target=target)

    @property
    def given(self) -> bool:
        """Whether the command line says anything that goes before what a spec says."""
        return self._replace(default_target=None) != NOTHING

    def default(self, found: dict[str, Entry]) -> dict[str, Entry]:
        """The entries of a spec's top level, with those for keys that it does not give."""
        if self.default_target and not ("target" in found and not is_null(found["target"].value)):
            value, said_by = self.default_target
            key = ProjectSetting(said_by, "target")
            found["target"] = Entry(key, ProjectSetting(said_by, value))
        return found

    def top(self) -> dict[str, Entry]:
        """The entries of the top level that the options give."""
        options = {"kernel": self.kernel, "release": self.release, "target": self.target}
        found = {
            key: _entry(f"--{key} {value}", key, value)
            for key, value in options.items()
            if value is not None
        }
        for key, value in self.set:
            if key == NAME:
                found[key] = _entry(f"--set {key}={value}", key, value)
        return found

    def shape(self) -> tuple[tuple[str, Entry], ...]:
        """The entries of ``shape`` that the options give, in order."""
        return tuple(
            (key, _entry(f"--set {key}={value}", key, value))
            for key, value in self.set
            if key != NAME
        )

    def over(self, found: dict[str, Entry], cls: type[Kernel] | None, notes: Notes) -> None:
        """Put the options into the shape ``found``.

        An option replaces what the spec gives for the same input, under whatever word.
        """
        if cls is not None and hasattr(cls, "read_shape"):
            self._inside(found, notes)
            return
        for key, entry in self.shape():
            if advice := _misplaced(key, cls):
                notes.add(entry.key, key, f"{INPUTS}: {advice}")
                continue
            if key in found and isinstance(found[key].key, Setting):
                notes.add(entry.key, f"{SHAPE}{key}", TWICE)
            for word in grammar(cls).same(key) if cls else ():
                if word in found and not isinstance(found[word].key, Setting):
                    del found[word]
            found[key] = entry

    def _inside(self, found: dict[str, Entry], notes: Notes) -> None:
        """The same for a shape whose keys hold others: an option may lead into those."""
        from kcfg.core.spec.nested import put

        before: dict[str, Entry] = {}
        for key, entry in self.shape():
            if advice := _misplaced(key, None):
                notes.add(entry.key, key, f"{INPUTS}: {advice}")
                continue
            if key in before:
                notes.add(entry.key, f"{SHAPE}{key}", TWICE)
            before[key] = entry
            try:
                put(found, key, entry)
            except RefusedError as error:
                notes.add(entry.key, f"{SHAPE}{key}", str(error))


SPLIT = r",(?=\s*[A-Za-z_]\w*\s*=)"
SEVERAL = r"(?s)[^\[\]{}'\"]*,\s*[A-Za-z_]\w*\s*=[^=].*"
"""A value with another key and value behind a comma. Neither is compiled where nothing is set."""

NOTHING = Overrides()
"""No options at all."""


def pair(setting: str) -> tuple[str, str]:
    """Key and text of one ``--set``; raises `UsageError`."""
    key, equals, text = setting.partition("=")
    if not equals or not key:
        raise UsageError(f"--set takes key=value, not {setting!r}")
    if re.fullmatch(SEVERAL, text):
        each = " ".join(f"--set {one.strip()}" for one in re.split(SPLIT, setting))
        raise UsageError(f"--set takes one key: give each its own, as {shortened(each)}")
    return key.strip(), text


def _misplaced(key: str, cls: type[Kernel] | None) -> str:
    """What to do about a key that says more or less than the name of an input; else empty."""
    if cls is not None and key in grammar(cls).inputs:
        return ""
    if key.startswith(SHAPE):
        return f"leave out `{SHAPE}`, as in --set {shortened(key.removeprefix(SHAPE))}=..."
    return ELSEWHERE.get(key, "")


def _entry(option: str, key: str, value: str) -> Entry:
    option = shortened(option)
    return Entry(Setting(option, key), Setting(option, value))
