"""Judging derived kernels by the thousand: what many of them share is judged once.

Most rules look at the threads, registers and tensor memory of a block only, which are the
same for whole families of shapes. They are asked of an outline that has nothing else; a
rule that reaches for more, such as shared memory, finds nothing there and is asked of every
launch. So no list says which rule is of which kind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kcfg.core.findings import Finding
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Kernel
from kcfg.core.launch.groups import Registers, Tmem
from kcfg.core.launch.launch import Launch
from kcfg.core.rules import Rule, finding, rules

OF_ONE = ("shared", "pipelines", "kernel", "stored", "unplaced")
"""What an outline lacks."""


def judge_derived(launch: Launch) -> list[Finding]:
    """What every rule finds in a launch that `launch_of` made of a derived kernel."""
    kernel = launch.kernel_class
    assert kernel is not None
    said, others = _remembered(
        kernel,
        launch.target,
        launch.threads,
        launch.blocks_per_sm,
        launch.unit,
        launch.registers,
        launch.tmem,
    )
    found = list(said)
    for each in others:
        found += _answers(launch, each, kernel)
    return found


def _outlined(
    kernel: type[Kernel],
    target: Target,
    threads: int | None,
    blocks_per_sm: int | None,
    unit: str | None,
    registers: Registers | None,
    tmem: Tmem | None,
) -> tuple[tuple[Finding, ...], tuple[Rule, ...]]:
    """What rules find in every launch that has these, and the rules that look further."""
    outline = Launch(
        target,
        threads=threads,
        blocks_per_sm=blocks_per_sm,
        unit=unit,
        registers=registers,
        tmem=tmem,
    )
    for name in OF_ONE:
        del vars(outline)[name]
    said: list[Finding] = []
    others = []
    for each in rules():
        try:
            said += _answers(outline, each, kernel)
        except AttributeError:
            others.append(each)
    return tuple(said), tuple(others)


_remembered: Callable[..., tuple[tuple[Finding, ...], tuple[Rule, ...]]] = lru_cache(maxsize=1024)(
    _outlined
)


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
