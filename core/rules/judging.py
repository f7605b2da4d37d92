"""Judging derived kernels by the thousand: what many of them share is judged once.

Most rules look at what whole families of shapes have in common (threads, registers, tensor
memory), and most of the others at shared memory, which has few sizes. They are asked of an
outline of the block that has nothing else, and their answers remembered; a rule that reaches
for more is asked of a fuller one. So no list says which rule is of which kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from kcfg.core.block.block import Block
from kcfg.core.finding import Finding
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Kernel
from kcfg.core.rules import Rule, answers, keys_of, of_keys, unmodelled

FRAME = (
    "threads",
    "block",
    "grid",
    "blocks_per_sm",
    "cluster",
    "non_portable",
    "unit",
    "registers",
    "tmem",
    "tensor",
    "mma",
    "tma",
    "bulk_copies",
    "named_barriers",
    "compiled",
)
MEMORY = ("shared", "smem", "pipelines", "mbarriers")
"""What a derived block has beside its kernel."""

Answers = tuple[tuple[Finding, ...], tuple[Rule, ...]]
"""What rules find, and those that look further."""


class BeyondError(Exception):
    """A rule reads what an outline of a block does not have."""


class Outline(Block):
    """A block of which only some parts are there."""

    def __init__(self, target: Target, parts: dict[str, Any]) -> None:
        super().__init__(target)
        self.derived = True
        for name in ("kernel", *FRAME, *MEMORY):
            vars(self).pop(name, None)
        vars(self).update(parts)

    def __getattr__(self, name: str) -> Any:
        raise BeyondError(name)

    @property
    def smem(self) -> Any:
        return self._part("smem")

    @property
    def tensor(self) -> Any:
        return self._part("tensor")

    def _part(self, name: str) -> Any:
        if name not in vars(self):
            raise BeyondError(name)
        return vars(self)[name]


def judge_derived(block: Block) -> list[Finding]:
    """What every rule finds in the block of a derived kernel."""
    kernel = block.kernel_class
    assert kernel is not None
    about = vars(block)
    # The keys stand for the rules of them, which take long to compare.
    frame = (kernel, block.target, keys_of(block), *[about[name] for name in FRAME])
    said, others = _of_memory(*frame, *[about[name] for name in MEMORY])
    found = list(said)
    for each in others:
        found += _answers(block, each, kernel)
    return found


@lru_cache(1 << 10)
def _of_frame(kernel: Any, target: Target, keys: tuple[str, ...], *frame: Any) -> Answers:
    modelled = [each for each in of_keys(keys) if not unmodelled(each, kernel)]
    return _asked(modelled, kernel, target, dict(zip(FRAME, frame, strict=True)))


@lru_cache(1 << 12)
def _of_memory(kernel: Any, target: Target, *given: Any) -> Answers:
    frame, memory = given[: -len(MEMORY)], given[-len(MEMORY) :]
    said, others = _of_frame(kernel, target, *frame)
    parts = zip((*FRAME, *MEMORY), (*frame[1:], *memory), strict=True)
    more, others = _asked(others, kernel, target, dict(parts))
    return (*said, *more), others


def _asked(
    asked: Iterable[Rule], kernel: type[Kernel], target: Target, parts: dict[str, Any]
) -> Answers:
    """What rules say of an outline that has these parts."""
    outline = Outline(target, parts)
    said: list[Finding] = []
    others = []
    for each in asked:
        try:
            said += _answers(outline, each, kernel)
        except BeyondError:
            others.append(each)
    return tuple(said), tuple(others)


def _answers(block: Block, rule: Rule, kernel: type[Kernel]) -> list[Finding]:
    """What a rule finds; nothing where it lacks what it reads."""
    given = []
    for path in rule.reads:
        value: Any = block
        for name in path.split("."):
            value = getattr(value, name)
            if not value and (value is None or hasattr(value, "__len__")):
                return []
        given.append(value)
    return list(answers(block, kernel, rule, given))
