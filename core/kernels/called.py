"""What kernels that are derived from a call have in common.

Such a class is found through the kernel's own (`Kernel.of_call`): it has the same name and
release, the inputs of the call, and what the dispatcher chooses where a spec gives it not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple, TypeVar

from kcfg.core.engine.quantity import Input, Quantity, integer, step
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Conflict, Kernel

K = TypeVar("K", bound=Kernel)


class Origin(NamedTuple):
    """How another process finds the class of a call."""

    kernel: str
    release: str

    def load(self) -> type[Kernel]:
        """The class of calls of this kernel."""
        from kcfg.core import kernels

        found = kernels.find(self.kernel, self.release).of_call()
        assert found is not None
        return found


def optional(cls: type[Kernel], name: str) -> Any:
    """An input of a configuration where the dispatcher chooses it unless a spec gives it."""
    member = cls.inputs[name]
    return Input(
        member.kind,
        member.unit,
        f"{member.doc} Absent: as the dispatcher chooses.",
        None,
        key=member.key,
        least=member.least,
        most=member.most,
        choices=member.choices,
        tunable=True,
    )


def renamed(quantity: Any, name: str) -> Any:
    """A quantity of a configuration under another name, as an intermediate result."""
    return Quantity(quantity.formula, quantity.unit, quantity.source, name, step=True)


def left_free(kernel: K, names: Collection[str]) -> K:
    """The same call, some inputs of which, by attribute, are the dispatcher's to choose."""
    given = {name: getattr(kernel, name) for name in kernel.inputs if name not in names}
    return type(kernel)(target=kernel.target, **given)


def overruled(kernel: Kernel, chosen: dict[str, Any]) -> list[tuple[str, str]]:
    """What a spec gives in place of what would be chosen, by key; ``chosen`` by attribute."""
    found = []
    for name, otherwise in chosen.items():
        given = getattr(kernel, name)
        if given is not None and given != otherwise:
            key = kernel.inputs[name].key
            found.append((key, f"given as {_text(given)}; the dispatcher takes {_text(otherwise)}"))
    return found


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


SMS = 148
"""The SMs that the dispatchers are compiled for."""


class Called(Kernel):
    """What is known of every call: the SMs it is dispatched for, and what was only read of it."""

    @classmethod
    def refuses(cls, target: Target) -> str | None:
        refused = super().refuses(target)
        if refused or target.sm_count == SMS:
            return refused
        return (
            f"what {cls.kernel} launches for a call is known for {SMS} SMs, which its dispatcher"
            f" is compiled for; {target.name} has {target.sm_count}"
        )

    @classmethod
    def conflicts(cls, inputs: dict[str, Any], given: Collection[str]) -> list[Conflict]:
        found = super().conflicts(inputs, given)
        return found or list(cls.never_called_with(inputs))

    @classmethod
    def never_called_with(cls, inputs: dict[str, Any]) -> Iterator[Conflict]:
        """What the dispatcher is never called with, of inputs by key, defaults filled in."""
        return iter(())

    def unexecuted(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (key, f"read in the source and never run: {said}") for key, said in self.read_alone()
        )

    def read_alone(self) -> Iterator[tuple[str, str]]:
        """What was read in upstream's source and not run: a key, and what rests on that."""
        return iter(())


class Prompts(Kernel):
    """The new tokens of a call, in the order a spec gives them."""

    batch_size: int = integer("count", "Sequences.", call=True)
    max_prompt_len: int = integer(
        "tokens", "New tokens of the longest sequence; 1 in decode.", call=True
    )


class Cached(Prompts):
    """The new tokens of a call, and the cache that they are in."""

    max_cache_valid_length: int = integer(
        "tokens", "Tokens of the longest cache, new ones included.", call=True
    )

    @step("bool", source="the cache of keys and values")
    def cache_holds_new_tokens(self) -> bool:
        """Whether the cache is as long as the new tokens that are in it."""
        return self.max_prompt_len <= self.max_cache_valid_length

    def possible(self) -> bool:
        return bool(self.cache_holds_new_tokens)
