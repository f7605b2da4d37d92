"""A configuration with some of its changes set back: how a cause is proved, not supposed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kcfg.core.diff.changes import Change
from kcfg.core.engine.quantity import REQUIRED
from kcfg.core.engine.struct import Struct
from kcfg.core.kernel import Kernel

INCOMPATIBLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What formulas raise that are not made for each other, or for such inputs."""


class Absent:
    """What stands for a value that there is not; equal to nothing else."""


ABSENT = Absent()


class Mixture:
    """The new configuration with any set of changes set back.

    A formula that is set back is the old struct's, over everything else of the new one.
    """

    def __init__(self, old: Kernel, new: Kernel) -> None:
        self.old, self.new = old, new
        self._kernels: dict[frozenset[str], Kernel | None] = {}
        self._classes: dict[frozenset[str], type[Struct]] = {frozenset(): type(new)}

    @property
    def derivations(self) -> int:
        """How many configurations were derived so far."""
        return len(self._kernels)

    def read(self, key: str, back: Iterable[Change]) -> Any:
        """The value under a key with these changes set back.

        `ABSENT` where they do not go together.
        """
        changes = tuple(back)
        names = frozenset(change.attribute for change in changes)
        if names not in self._kernels:
            self._kernels[names] = self._derived(changes)
        kernel = self._kernels[names]
        try:
            return ABSENT if kernel is None else kernel.read(key)
        except INCOMPATIBLE:
            return ABSENT

    def _derived(self, back: tuple[Change, ...]) -> Kernel | None:
        given = {name: getattr(self.new, name) for name in self.new.inputs}
        limits = {}
        formulas = set()
        for change in back:
            if change.kind == "limit":
                limits[change.attribute.removeprefix("target.")] = change.old
            elif change.kind == "formula":
                formulas.add(change.attribute)
            elif change.attribute in given:
                given[change.attribute] = self._before(change)
        target = self.new.target.replace(**limits) if limits else self.new.target
        cls: Any = self._class(frozenset(formulas))
        try:
            kernel: Kernel = cls(target=target, **given)
            faulty = bool(cls.faults(target, given))
        except INCOMPATIBLE:
            return None
        return None if faulty else kernel

    def _before(self, change: Change) -> Any:
        """What an input was; its default where the old struct did not have it."""
        if change.only != "new":
            return change.old
        default = self.new.inputs[change.attribute].default
        return change.new if default is REQUIRED else default

    def _class(self, formulas: frozenset[str]) -> type[Struct]:
        if formulas not in self._classes:
            self._classes[formulas] = mixed(self.old, type(self.new), formulas)
        return self._classes[formulas]


def mixed(old: Struct, new: type[Struct], formulas: frozenset[str]) -> type[Struct]:
    """The new struct with the named formulas of an old one, and with all that these may read.

    Inputs that only the old one has keep the values they had.
    """
    known = {*new.inputs, *new.quantities, *new.parts}
    members: dict[str, Any] = {name: getattr(old, name) for name in old.inputs if name not in known}
    for name, member in {**old.quantities, **old.parts}.items():
        if name in formulas or name not in known:
            members[name] = member
    for name, part in new.parts.items():
        inner = frozenset(
            each.removeprefix(f"{name}.") for each in formulas if each.startswith(f"{name}.")
        )
        if inner:
            members[part.holder] = mixed(getattr(old, name), getattr(new, part.holder), inner)
    return type(new.__name__, (new,), members)
