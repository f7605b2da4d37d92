"""What a kernel is, wherever it comes from: a `Struct` that can also say where everything sits.

One release of one kernel is one class. It states its inputs and quantities, each of which
carries its formula as a tree, or as the method whose source is that tree; it says what its
numbers play in a block, and what of a block is not modelled, where reports say ``null``; and
it has the methods here that apply to it. Such a class is ``KERNEL`` of a module below
``kcfg.core.kernels``, or comes from an installed package, or is made from a YAML document
(``kcfg.core.definitions``): nothing that uses it asks which. Where a kernel has a verdict of its
own, it is the quantity ``supported``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Mbarriers, Mma, Registers
from kcfg.core.block.placing import SharedLayout, TensorLayout, mma
from kcfg.core.engine.quantity import Input
from kcfg.core.engine.struct import Struct
from kcfg.core.hardware.target import Target
from kcfg.core.once import once

if TYPE_CHECKING:
    from kcfg.core.engine.reasons import Fit

VERDICT = "supported"
"""The quantity that is upstream's own verdict, where it has one."""


MUST = "must"
"""The quantity that says what holds for every configuration that runs at all, if there is one."""


class Spelling:
    """Another way to give an input: ``word`` in place of the input ``means``.

    ``read`` declares what may be written; ``convert`` gets that value and the other
    inputs by key, and returns the value of ``means``.
    """

    def __init__(
        self,
        word: str,
        means: str,
        read: Input,
        convert: Callable[[Any, dict[str, Any]], Any],
    ) -> None:
        self.word, self.means, self.read, self.convert = word, means, read, convert


class Conflict(NamedTuple):
    """Inputs that do not go together: a sentence, and the key of the input it is about."""

    key: str
    message: str


class Figure(NamedTuple):
    """A value that follows from what a spec says, under the path of the key that does not say it.

    ``how`` is where it comes from, in a few words.
    """

    path: str
    value: int
    unit: str
    how: str


class Candidate:
    """A configuration that a kernel's dispatcher weighs.

    ``said`` is what it was weighed by; where it was out because it is not supported,
    ``refused`` is the configuration that is not.
    """

    def __init__(self, name: str, chosen: bool, said: str, refused: Kernel | None = None) -> None:
        self.name, self.chosen, self.said, self.refused = name, chosen, said, refused


class Kernel(Struct):
    """One release of one kernel."""

    target: Target

    kernel: ClassVar[str]
    """The name a spec's ``kernel:`` gives."""
    release: ClassVar[str]
    """The upstream release whose derivation this is, as ``26.6``."""
    library: ClassVar[str] = ""
    """The library that the kernel is of; empty where nobody says."""
    title: ClassVar[str]
    """What the kernel does, in a few words."""
    struct: ClassVar[str]
    """The upstream struct (and package) these numbers are those of."""
    changes: ClassVar[str]
    """What this release changed, in a sentence."""
    derives: ClassVar[bool] = True
    """Whether anything is derived: of a launch written by hand nothing is, only judged."""
    needs: ClassVar[str] = "tcgen05"
    """The tensor-core unit without which this derivation makes no sense; empty for none."""
    family: ClassVar[str] = ""
    """What kernels have in common whose values can be compared one by one: the name of the one
    that the others are made from. A kernel that says nothing is of its own name's family."""
    default_target: ClassVar[str] = ""
    """The target of specs that name none, where it is not kcfg's own default."""
    digest: ClassVar[str | None] = None
    """What tells the text that this kernel is defined by from any other; None where kcfg's own
    version does that."""
    text: ClassVar[str] = ""
    """The YAML that a shipped kernel is defined by; empty for one that is written in Python."""
    origin: ClassVar[Any] = None
    """How another process finds this class: ``origin.load()`` gives it."""
    address: ClassVar[str] = ""
    """How a command line names it, where that is not by its name: by the path of its definition;
    `-` for one from standard input, which no other command can name."""
    places_in_text: ClassVar[dict[str, tuple[str, int, int]]] = {}
    """Where keys of the block are said: file, line and column, where a text says them."""
    doubts: ClassVar[tuple[tuple[str, str, int, int], ...]] = ()
    """What the text that defines it says in vain: path, message, line and column."""
    spellings: ClassVar[tuple[Spelling, ...]] = ()
    """Other ways to give an input."""
    plays: ClassVar[dict[str, str]] = {}
    """What the numbers play: the keys of a block that are quantities here, with their keys.

    The block has their values, and a finding about such a key is about that quantity.
    """
    called: ClassVar[str] = ""
    """Where the class that derives its calls is: a module below ``kcfg.core.kernels`` and a name,
    as ``fa4.call:FlashAttentionCall``. It is imported when a spec has a call, not before."""
    decisions: ClassVar[tuple[str, ...]] = ()
    """The keys of what a dispatcher decides for a call, in the order it does: values of
    `chooser`, under the name of its part where it is one."""
    limited: ClassVar[bool] = False
    """Whether no quantity may leave 64 bits, read or not: `faults` says where one does."""
    unmodelled: ClassVar[frozenset[str]] = frozenset(
        (
            "active_clusters",
            "block",
            "block_size",
            "bulk_copies",
            "cluster_attribute",
            "compiled",
            "cooperative",
            "grid",
            "named_barriers",
            "non_portable",
            "registers.launch_bounds",
            "registers.maxnreg",
            "shared.base_align",
            "shared.carveout",
            "shared.carveout_percent",
            "shared.opt_in",
            "shared.static",
            "tma",
        )
    )
    """The keys of a block that this derivation says nothing of: what is about them is not judged.

    Here those that no configuration struct has; a build's figures may come from its log.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "family" not in vars(cls) and "kernel" in vars(cls):
            cls.family = cls.kernel

    @classmethod
    def conflicts(cls, inputs: dict[str, Any], given: Collection[str]) -> list[Conflict]:
        """What is wrong with inputs that are each right by themselves.

        ``inputs`` are all of them by key, defaults filled in; ``given`` are the keys a spec
        itself gave.
        """
        return []

    @classmethod
    def faults(cls, target: Target, inputs: dict[str, Any]) -> list[Conflict]:
        """What is wrong with what inputs come to on a target; ``inputs`` are by attribute.

        Where there is something, nothing may be derived of them: numbers may have no end.
        """
        return []

    def sound(self) -> Any:
        """Whether `faults` finds nothing here but numbers without end; None where only it can say.

        Of a kernel over arrays, an array of truth values.
        """
        return True

    @classmethod
    def of_call(cls) -> type[Kernel] | None:
        """The class that derives what is launched for a call; None where that is not known.

        It has the same name and release, and the inputs of the call beside those of this one,
        of which it chooses some.
        """
        if not cls.called:
            return None
        module, _, name = cls.called.partition(":")
        found: type[Kernel] = getattr(import_module(f"kcfg.core.kernels.{module}"), name)
        return found if (found.kernel, found.release) == (cls.kernel, cls.release) else None

    def weighed(self) -> tuple[Fit, ...]:
        """How often things fit that were counted by no formula of this class."""
        return ()

    def figures(self) -> tuple[Figure, ...]:
        """The values that no class declares: they follow from what one spec says."""
        return ()

    @property
    def verdict(self) -> bool | None:
        """Whether upstream takes the configuration; None where it has no verdict."""
        return bool(getattr(self, VERDICT)) if VERDICT in self.quantities else None

    def read(self, key: str) -> Any:
        """The value under a key, or the place of that name; KeyError where there is neither."""
        try:
            return super().read(key)
        except KeyError:
            from kcfg.core.block.places import place, unit_of

            if unit_of(key) is None or any(True for _ in self.places()):
                raise
            return place(self.block, key)

    @classmethod
    def only_configured(cls) -> Mapping[str, str]:
        """The units of numbers that only a configuration can name, by patterns of their names."""
        from kcfg.core.block.places import PATTERNS

        return {} if any(True for _ in cls.places()) else PATTERNS

    def asked(self) -> dict[str, Any]:
        """Every input this was derived from, defaults filled in, by its key in a spec."""
        known = self.__dict__
        return {key: known[name] for name, key in _asked(type(self))}

    def candidates(self) -> tuple[Candidate, ...]:
        """What the dispatcher chose this configuration among, where it was chosen."""
        return ()

    def instead(self) -> tuple[tuple[str, str], ...]:
        """What upstream launches in its place: the key of the input it is about, and a sentence.

        It was read in upstream's source and not run, so it is said and not derived.
        """
        return ()

    def possible(self) -> bool:
        """Whether there can be such a call: no cache is shorter than what was just put into it."""
        return True

    def chooser(self) -> Struct:
        """What decides for the call, whose values the ``decisions`` are: a part, or this itself."""
        chooser: Struct = getattr(self, self.decisions[0].partition(".")[0])
        return chooser

    def remarks(self) -> tuple[tuple[str, str], ...]:
        """What is to be said of values: the key, and a sentence.

        That the spec gave one in place of what a dispatcher chooses.
        """
        return ()

    def unexecuted(self) -> tuple[tuple[str, str], ...]:
        """What of the derivation was read in upstream's source and never run: key and sentence.

        Everything else was compared with what upstream's own code gave.
        """
        return ()

    @cached_property
    def block(self) -> Block:
        """The block that is launched, worked out once: what rules judge and every view shows."""
        from kcfg.core.block.derived import block_of

        return block_of(self)

    def smem(self) -> SharedLayout | None:
        """Where every buffer of the block's shared memory sits."""
        return None

    def tmem(self) -> TensorLayout | None:
        """Which tensor-memory columns hold what."""
        return None

    def registers(self) -> Registers | None:
        """Who does what, with how many registers."""
        return None

    def barriers(self) -> tuple[Mbarriers, ...] | None:
        """The mbarriers, in memory order."""
        return None

    def mma(self) -> tuple[Mma, ...]:
        """The matrix instructions, as far as they are known: here their numbers alone."""
        from kcfg.core.block.derived import played

        start = "mma[0]."
        known = {
            path.removeprefix(start): played(self, path)
            for path in self.plays
            if path.startswith(start)
        }
        return (mma(**known),) if known else ()

    def launched(self) -> dict[str, Any]:
        """What else of the block is known, by its key: it goes before what is derived above."""
        return {}

    @classmethod
    def refuses(cls, target: Target) -> str | None:
        """Why this kernel cannot be derived for a target, or None where it can."""
        if cls.needs in ("", "mma.sync", target.mma):  # every target has mma.sync
            return None
        return (
            f"{cls.kernel} needs {cls.needs} tensor cores; {target.name} "
            f"({target.arch}) has {target.mma}"
        )


@once
def _asked(kernel: type[Kernel]) -> tuple[tuple[str, str], ...]:
    """The inputs of a kernel by attribute, with their keys."""
    return tuple((name, member.key) for name, member in kernel.inputs.items())
