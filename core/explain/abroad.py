"""Kernels of other libraries that take what one refuses: the same job, asked in other words.

What a kernel does, and what its inputs are called by all that do the same, is said by a file
``job.json`` in its folder: ``job`` and ``words``; ``given`` are inputs without a default and what
they are given, ``apart`` those that others are told at a call, if at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kcfg.core import kernels
from kcfg.core.explain.elsewhere import takes
from kcfg.core.kernel import Kernel


class Word(NamedTuple):
    """An input of another kernel, by its key, and its value."""

    key: str
    value: Any


class Taker(NamedTuple):
    """A kernel of another library that takes what was asked, and how it is asked."""

    kernel: str
    release: str
    library: str
    given: tuple[Word, ...]


def abroad(kernel: Kernel) -> Iterator[Taker]:
    """The newest release of every kernel of another library that takes a refused one's problem.

    What the kernel's author chooses is left to the other's defaults. Every other input must have
    a word in which both are asked, or be at its default.
    """
    job = kernels.job(kernel.kernel)
    if kernel.verdict is not False or job is None:
        return
    asked = _asked(kernel, job)
    if asked is None:
        return
    for name in kernels.names():
        other = kernels.job(name)
        if other is None or other["job"] != job["job"]:
            continue
        if kernels.library(name) == type(kernel).library:
            continue
        given = _told(asked, other)
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
            words = tuple(Word(*each) for each in given.items())
            yield Taker(cls.kernel, cls.release, cls.library, words)


def _asked(kernel: Kernel, job: dict[str, Any]) -> dict[str, Any] | None:
    """What a kernel is asked, by common words; None where something has no word."""
    words = {key: word for word, key in job["words"].items()}
    found = {}
    for name, member in kernel.inputs.items():
        value = getattr(kernel, name)
        if member.key in words:
            found[words[member.key]] = value
        elif member.tunable or member.key in job.get("apart", ()):
            continue
        elif value != job.get("given", {}).get(member.key, member.default):
            return None
    return found


def _told(asked: dict[str, Any], job: dict[str, Any]) -> dict[str, Any] | None:
    """The inputs of another kernel, by key; None where it has no word for something.

    Heads that share a KV head are told by their number, or by that of the KV heads.
    """
    asked = dict(asked)
    for one, other in (("group", "heads_kv"), ("heads_kv", "group")):
        if one in asked and one not in job["words"]:
            count, rest = divmod(asked["heads"], asked.pop(one) or 1)
            if rest:
                return None
            asked[other] = count
    if not asked.keys() <= job["words"].keys():
        return None
    words: dict[str, str] = job["words"]
    given: dict[str, Any] = job.get("given", {})
    return {words[word]: value for word, value in asked.items()} | given
