"""Judging derived kernels by the thousand: what many of them share is judged once.

Most rules look at the threads, registers and tensor memory of a block only, which are the
same for whole families of shapes, and most of the others at its shared memory, which has
few sizes. They are asked of an outline that has nothing else, and their answers remembered;
a rule that reaches for more finds nothing there, and is asked of a fuller one. So no list
says which rule is of which kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from kcfg.core.finding import Finding
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Kernel
from kcfg.core.launch.launch import Launch
from kcfg.core.rules import Rule, finding, of_kernels

BLOCK = ("threads", "blocks_per_sm", "unit", "registers", "tmem")
MEMORY = ("shared", "pipelines", "stored", "unplaced")
"""What a derived launch has beside its kernel."""

Answers = tuple[tuple[Finding, ...], tuple[Rule, ...]]
"""What rules find, and those that look further."""


def judge_derived(launch: Launch) -> list[Finding]:
    """What every rule finds in a launch that `launch_of` made of a derived kernel."""
    kernel = launch.kernel_class
    assert kernel is not None
    about = vars(launch)
    block = (kernel, launch.target, *[about[name] for name in BLOCK])
    said, others = _of_memory(*block, *[about[name] for name in MEMORY])
    found = list(said)
    for each in others:
        found += _answers(launch, each, kernel)
    return found


@lru_cache(1 << 10)
def _of_block(kernel: type[Kernel], *block: Any) -> Answers:
    return _asked(of_kernels(), kernel, *block)


@lru_cache(1 << 12)
def _of_memory(*given: Any) -> Answers:
    block, memory = given[: -len(MEMORY)], given[-len(MEMORY) :]
    said, others = _of_block(*block)
    more, others = _asked(others, *block, **dict(zip(MEMORY, memory, strict=True)))
    return (*said, *more), others


def _asked(
    asked: Iterable[Rule], kernel: type[Kernel], target: Target, *block: Any, **memory: Any
) -> Answers:
    """What rules say of an outline of a launch: it lacks its kernel, and memory if not given."""
    outline = Launch(target, **dict(zip(BLOCK, block, strict=True)))
    outline.derived = True
    for name in ("kernel", *MEMORY):
        del vars(outline)[name]
    vars(outline).update(memory)
    said: list[Finding] = []
    others = []
    for each in asked:
        try:
            said += _answers(outline, each, kernel)
        except AttributeError:
            others.append(each)
    return tuple(said), tuple(others)


def _answers(launch: Launch, rule: Rule, kernel: type[Kernel]) -> list[Finding]:
    """What a rule finds; nothing where it lacks what it reads."""
    given = []
    for path in rule.reads:
        value: Any = launch
        for name in path.split("."):
            value = getattr(value, name)
            if not value and (value is None or hasattr(value, "__len__")):
                return []
        given.append(value)
    return [finding(kernel, rule, breach) for breach in rule.check(launch, *given)]
