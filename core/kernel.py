"""What a kernel family is: a `Struct` that can also say where everything sits.

One release of one kernel is one class, ``KERNEL`` of its module below
``kcfg.core.kernels``. It states its inputs and quantities, and overrides the
methods here that apply to it; whatever it does not override is not modelled,
and reports say ``null`` there. Where upstream has a verdict of its own, it is
the quantity ``supported``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from kcfg.core.engine.quantity import Input
from kcfg.core.engine.struct import Struct
from kcfg.core.hardware.target import Target
from kcfg.core.layout import Barriers, Registers, Smem, Tmem
from kcfg.core.once import once

VERDICT = "supported"
"""The quantity that is upstream's own verdict, where it has one."""


class Spelling(NamedTuple):
    """Another way to give an input: ``word`` in place of the input ``means``.

    ``read`` declares what may be written; ``convert`` gets that value and the other
    inputs by key, and returns the value of ``means``.
    """

    word: str
    means: str
    read: Input
    convert: Callable[[Any, dict[str, Any]], Any]


class Conflict(NamedTuple):
    """Inputs that do not go together: a sentence, and the key of the input it is about."""

    key: str
    message: str


class Layout(NamedTuple):
    """Where everything of a block sits; None for what a kernel does not model."""

    smem: Smem | None
    tmem: Tmem | None
    registers: Registers | None
    barriers: tuple[Barriers, ...] | None


class Candidate(NamedTuple):
    """A configuration that a kernel's dispatcher weighs.

    ``said`` is what it was weighed by; where it was out because it is not supported,
    ``refused`` is the configuration that is not.
    """

    name: str
    chosen: bool
    said: str
    refused: Kernel | None = None


class Kernel(Struct):
    """One release of one kernel."""

    target: Target

    kernel: ClassVar[str]
    """The name a spec's ``kernel:`` gives."""
    release: ClassVar[str]
    """The upstream release whose derivation this is, as ``26.6``."""
    title: ClassVar[str]
    """What the kernel does, in a few words."""
    struct: ClassVar[str]
    """The upstream struct (and package) these numbers are those of."""
    changes: ClassVar[str]
    """What this release changed, in a sentence."""
    needs: ClassVar[str] = "tcgen05"
    """The tensor-core unit without which this derivation makes no sense."""
    spellings: ClassVar[tuple[Spelling, ...]] = ()
    """Other ways to give an input."""

    @classmethod
    def conflicts(cls, inputs: dict[str, Any], given: Collection[str]) -> list[Conflict]:
        """What is wrong with inputs that are each right by themselves.

        ``inputs`` are all of them by key, defaults filled in; ``given`` are the keys a spec
        itself gave.
        """
        return []

    @property
    def verdict(self) -> bool | None:
        """Whether upstream takes the configuration; None where it has no verdict."""
        return bool(getattr(self, VERDICT)) if VERDICT in self.quantities else None

    def asked(self) -> dict[str, Any]:
        """Every input this was derived from, defaults filled in, by its key in a spec."""
        known = self.__dict__
        return {key: known[name] for name, key in _asked(type(self))}

    def candidates(self) -> tuple[Candidate, ...]:
        """What the dispatcher chose this configuration among, where it was chosen."""
        return ()

    @cached_property
    def layout(self) -> Layout:
        """Where everything sits, worked out once."""
        self.hasten()
        return Layout(self.smem(), self.tmem(), self.registers(), self.barriers())

    def smem(self) -> Smem | None:
        """Where every buffer of the block's shared memory sits."""
        return None

    def tmem(self) -> Tmem | None:
        """Which tensor-memory columns hold what."""
        return None

    def registers(self) -> Registers | None:
        """Who does what, with how many registers."""
        return None

    def barriers(self) -> tuple[Barriers, ...] | None:
        """The mbarriers, in memory order."""
        return None

    @classmethod
    def refuses(cls, target: Target) -> str | None:
        """Why this kernel cannot be derived for a target, or None where it can."""
        if target.mma == cls.needs:
            return None
        return (
            f"{cls.kernel} needs {cls.needs} tensor cores; {target.name} "
            f"({target.arch}) has {target.mma}"
        )


@once
def _asked(kernel: type[Kernel]) -> tuple[tuple[str, str], ...]:
    """The inputs of a kernel by attribute, with their keys."""
    return tuple((name, member.key) for name, member in kernel.inputs.items())
