"""Kernels of other libraries that take what one refuses: the same job, asked in other words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kcfg.core import kernels
from kcfg.core.explain.elsewhere import takes
from kcfg.core.explain.jobs import asked_of, sent, told
from kcfg.core.kernel import Kernel


class Given(NamedTuple):
    """An input of another kernel, by its key, and its value."""

    key: str
    value: Any


class Taker(NamedTuple):
    """A kernel of another library that takes what was asked, and how it is asked."""

    kernel: str
    release: str
    library: str
    given: tuple[Given, ...]


def abroad(kernel: Kernel) -> Iterator[Taker]:
    """The newest release of every kernel of another library that takes a refused one's problem.

    What the kernel's author chooses is left to the other's defaults. Every other input must have
    a word in which both are asked, or be at its default.
    """
    job = kernels.job(kernel.kernel)
    if kernel.verdict is not False or job is None:
        return
    asked = asked_of(kernel, job)
    if asked is None:
        return
    for name in kernels.names():
        other = kernels.job(name)
        if other is None or other["job"] != job["job"]:
            continue
        if kernels.library(name) == type(kernel).library:
            continue
        given = told(asked, other) if sent(asked, other) else None
        if given is None:
            continue
        cls = kernels.find(name)
        names = {member.key: each for each, member in cls.inputs.items()}
        inputs = {names[key]: value for key, value in given.items()}
        if any(not takes(cls, each, value) for each, value in inputs.items()):
            continue
        if cls.faults(kernel.target, inputs) or cls.refuses(kernel.target):
            continue
        if cls(target=kernel.target, **inputs).verdict:
            words = tuple(Given(*each) for each in given.items())
            yield Taker(cls.kernel, cls.release, cls.library, words)
