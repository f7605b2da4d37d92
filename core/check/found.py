"""The kernels of all logs that may be the one a spec is about, and which one it is."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from kcfg.core.check.build import Build
from kcfg.core.check.symbols import demangled, fit
from kcfg.core.hardware.arch import runs_on
from kcfg.core.hardware.target import Target

NAMES = 64
"""Kernels that are kept and listed; of more only the number is."""
SHOWN = 500
"""Characters from the beginning of a name that are shown, and from its end."""
REPORTS = 32
"""Reports of one kernel that are kept: the last ones."""


class Picked(NamedTuple):
    """The reports to judge; ``several`` are the kernels where it is not clear which one."""

    builds: tuple[Build, ...] = ()
    several: tuple[str, ...] = ()


class Found:
    """What logs hold, in bounded memory, whatever their size."""

    def __init__(self, wanted: str | None) -> None:
        self.wanted = wanted
        self.names: dict[str, Build] = {}
        """Every kernel seen, up to `NAMES`, with its first report."""
        self.more = 0
        """Reports of yet other kernels."""
        self.failed: list[Build] = []
        """Compilations that name no kernel, up to `NAMES`."""
        self._best = 0
        self._kept: dict[str, deque[Build]] = {}

    def add(self, build: Build) -> None:
        """Take in what a log says of a kernel."""
        if not build.name and not build.values.keys() - {"target"}:
            self.failed += [build] if len(self.failed) < NAMES else []
            return
        if build.name in self.names or len(self.names) < NAMES:
            self.names.setdefault(build.name, build)
        else:
            self.more += 1
        fits = 1 if self.wanted is None else fit(self.wanted, build.name)
        if fits > self._best:
            self._best, self._kept = fits, {}
        room = build.name in self._kept or len(self._kept) < NAMES
        if fits and fits == self._best and room:
            self._kept.setdefault(build.name, deque(maxlen=REPORTS)).append(build)

    def pick(self, target: Target) -> Picked:
        """What is about the wanted kernel; for the target where there is any that runs there."""
        meant = self._meant(target)
        fitting = {
            name: [build for build in builds if build.target in meant]
            for name, builds in self._kept.items()
        }
        names = [name for name, builds in fitting.items() if builds] or list(self._kept)
        if len(names) > 1:
            return Picked(several=tuple(names))
        kept = [build for name in names for build in self._kept[name]]
        if meant:
            kept = [build for build in kept if build.target in (*meant, None)]
        else:
            # An advisory alone is about some kernel, which is this one if no other is seen.
            kept += [each for each in self.failed if each.unit.errors or not self.names]
        return Picked(tuple(_distinct(kept)))

    def _meant(self, target: Target) -> set[str]:
        """The architecture of a target where any report is for it, else all that run there."""
        every = {build.target for builds in self._kept.values() for build in builds}
        named = {each for each in every if each is not None}
        return {target.arch} & named or {each for each in named if runs_on(each, target.cc)}

    def first(self, name: str) -> Build:
        """The first report of a kernel that is kept."""
        return self.names.get(name) or self._kept[name][0]

    def listing(self, names: Iterable[str] = ()) -> tuple[str, ...]:
        """A line for every kernel of these names, or for all seen, with where it is."""
        seen = [self.names[name] for name in names if name in self.names] or self.names.values()
        lines = tuple(f"{where(build)}: {title(build)}" for build in seen)
        return (*lines, f"and {self.more:,} more reports, of others") if self.more else lines


def where(build: Build) -> str:
    """The place in a log where a kernel begins; of an object its file."""
    return f"{build.file}:{build.line}" if build.line else build.file


def title(build: Build) -> str:
    """A kernel by its name and target."""
    name = _cut(demangled(build.name)) or "a kernel without a name"
    return f"{name} for {_cut(build.target)}" if build.target else name


def _cut(name: str) -> str:
    """A name, its middle left out where it is longer than anybody reads."""
    return f"{name[:SHOWN]}...{name[-SHOWN:]}" if len(name) > 2 * SHOWN else name


def _distinct(builds: Iterable[Build]) -> list[Build]:
    found: list[Build] = []
    for build in builds:
        if not any(build.same(other) for other in found):
            found.append(build)
    return found
