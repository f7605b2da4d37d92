"""Other kernels that take what one refuses: a family reached by another name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kcfg.core import kernels
from kcfg.core.explain.jobs import asked_of, sent
from kcfg.core.kernel import Kernel
from kcfg.core.once import once


def elsewhere(kernel: Kernel) -> Iterator[Kernel]:
    """The newest release of every other kernel of its library that takes a refused one's inputs.

    Other libraries have other names for what they are asked. It must know every input that is
    not at its default under the same name, and need no other. A kernel without a verdict of its
    own takes nothing. What is launched for a call is compared with what others launch for it.
    """
    if kernel.verdict is not False:
        return
    asked, own = kernel.asked(), kernels.job(kernel.kernel)
    words = asked_of(kernel, own) if own else None
    for other in _related(type(kernel)):
        known = {member.key: name for name, member in other.inputs.items()}
        given = {known[key]: value for key, value in asked.items() if key in known}
        if all(key in known or value == default for key, value, default in _defaults(kernel)):
            if any(not takes(other, name, value) for name, value in given.items()):
                continue
            if other.faults(kernel.target, given):
                continue
            job = kernels.job(other.kernel)
            if words is not None and job is not None and not sent(words, job):
                continue
            found = other(target=kernel.target, **given)
            if found.verdict:
                yield found


def _defaults(kernel: Kernel) -> Iterator[tuple[str, Any, Any]]:
    """Every input of a kernel: its key, its value, and what it is where a spec leaves it out."""
    for name, member in kernel.inputs.items():
        yield member.key, getattr(kernel, name), member.default


def takes(kernel: type[Kernel], name: str, value: Any) -> bool:
    """Whether an input may have a value at all."""
    member = kernel.inputs[name]
    if value is None:
        return member.default is None
    if isinstance(value, int) and member.kind is int and not member.choices:
        return member.least <= value <= member.most
    return type(value) is member.kind and (not member.choices or value in member.choices)


@once
def _related(kernel: type[Kernel]) -> tuple[type[Kernel], ...]:
    """Every other kernel, in its newest release, whose needed inputs this one has too."""
    keys = {member.key for member in kernel.inputs.values()}
    found = []
    for name in (each for each in kernels.names() if kernels.library(each) == kernel.library):
        other = kernels.find(name, kernels.releases(name)[-1])
        if kernel.origin is not None and kernel.of_call() is kernel:
            other = other.of_call() or other
        needed = {other.inputs[input].key for input in other.needed}
        if name != kernel.kernel and needed <= keys:
            found.append(other)
    return tuple(found)
