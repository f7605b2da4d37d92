"""What kernels that are derived from a call have in common.

Such a class is found through the kernel's own (`Kernel.of_call`): it has the same name and
release, the inputs of the call, and what the dispatcher chooses where a spec gives it not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple, TypeVar

from kcfg.core.engine.quantity import Input, Quantity
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


def never_run(found: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """What was read in upstream's source and not run, by key, as sentences say it."""
    return tuple((key, f"read in the source and never run: {said}") for key, said in found)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


SMS = 148
"""The SMs that the dispatchers are compiled for."""


def compiled_for(target: Target, key: str) -> list[Conflict]:
    """What is wrong with a target whose SMs a dispatcher's figures are not for."""
    if target.sm_count == SMS:
        return []
    return [
        Conflict(
            key,
            f"what is launched is known for {SMS} SMs, which the dispatcher is compiled for;"
            f" {target.name} has {target.sm_count}",
        )
    ]
