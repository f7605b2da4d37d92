"""One kernel of one compilation, as a log or an object reports it."""

from __future__ import annotations

from typing import Any, NamedTuple

from kcfg.core.block.parts import Compiled
from kcfg.core.numbers import bounded
from kcfg.core.rules.compiled.figures import OF_SOME

MOST = 8
"""Advisories and errors of one compilation that are kept."""
OF_FLAGS = ("C7504", "C7505")
"""Advisories that follow from flags: they are about every kernel that has setmaxnreg."""


class Long(NamedTuple):
    """A figure of so many digits that it is none."""

    digits: int


def figure(text: str | None) -> int | Long | None:
    """What a report states in decimal digits; None for no text."""
    value = bounded(text)
    return Long(len(text)) if text is not None and value is None else value


class Unit:
    """A compilation: what the compiler says of all of it, before its kernels.

    ``memory`` are the bytes of its global memory, ``ignored`` are the lines and codes of
    advisories that setmaxnreg was ignored, ``errors`` the lines and texts of errors; either may
    be about any of its ``kernels``.
    """

    def __init__(self) -> None:
        self.ignored: list[tuple[int, str]] = []
        self.errors: list[tuple[int, str]] = []
        self.kernels = 0
        self.memory: int | None = None

    @property
    def empty(self) -> bool:
        return not (self.ignored or self.errors or self.kernels)


class Build:
    """What a log or an object says of one kernel for one target.

    ``values`` are those of `Compiled`, ``lines`` where each stands, 0 in an object; ``tool`` is
    what printed them and ``by`` where that is, ``others`` what else it counts, for which no
    configuration has a word. A failed compilation that names no kernel has no ``name``. The
    figures of one that is ``mixed`` may be another kernel's, and those in ``long`` have too many
    digits to be any: how many, by their key. What is ``unclear`` is said in words.
    """

    def __init__(self, tool: str, name: str, line: int, target: str | None, unit: Unit) -> None:
        self.tool, self.name, self.line, self.unit = tool, name, line, unit
        self.file = self.by = ""
        self.values: dict[str, Any] = {}
        self.lines: dict[str, int] = {}
        self.others: dict[str, int] = {}
        self.long: dict[str, int] = {}
        self.unclear = ""
        self.mixed = False
        if target:
            self.put(line, target=target)

    @property
    def target(self) -> str | None:
        """The compilation target, where the log names it."""
        target = self.values.get("target")
        return target if isinstance(target, str) else None

    def put(self, line: int, **values: Any) -> None:
        """Add what a line says; None is not said."""
        for key, value in values.items():
            if isinstance(value, Long):
                self.long[key], self.lines[key] = value.digits, line
            elif value is not None:
                self.values[key], self.lines[key] = value, line

    def beside(self, **counts: int | Long | None) -> None:
        """Add what is counted and not judged; none of it is nothing to tell."""
        for key, count in counts.items():
            what = key.replace("_", " ")
            if isinstance(count, Long):
                self.long[what] = count.digits
            elif count:
                self.others[what] = count

    @property
    def uncertain(self) -> bool:
        """Whether the advisories may be about other kernels of the same compilation."""
        fewer = len(self.unit.ignored) < min(self.unit.kernels, MOST)
        return bool(self.unit.ignored) and (fewer or not self.name)

    def told(self, *, advised: bool) -> tuple[Compiled, dict[str, int]]:
        """The keys that the rules judge, and the line of each.

        ``advised`` takes the compilation's advisories in; its errors are about all its kernels.
        """
        values, lines, unit = dict(self.values), dict(self.lines), self.unit
        if self.mixed:
            return Compiled(target=self.target), lines
        if advised and unit.ignored:
            lines["setmaxnreg_ignored"], code = unit.ignored[0]
            of = f"{len(unit.ignored)} of {unit.kernels}"
            some = f", in {of} kernels here, {OF_SOME}"
            doubt = self.uncertain and self.name and code not in OF_FLAGS
            values["setmaxnreg_ignored"] = code + (some if doubt else "")
        if unit.errors:
            lines["refused"], values["refused"] = unit.errors[0]
            if len(unit.errors) > 1:
                values["refused"] += f" (and {len(unit.errors) - 1} more)"
        return Compiled(**values), lines

    def same(self, other: Build) -> bool:
        """Whether two reports say the same of the same kernel."""
        mine = (self.file, self.tool, self.values, self.mixed, self._said())
        return mine == (other.file, other.tool, other.values, other.mixed, other._said())

    def _said(self) -> tuple[list[str], list[str]]:
        unit = self.unit
        return [code for _, code in unit.ignored], [text for _, text in unit.errors]
