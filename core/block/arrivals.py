"""Who arrives at a block's mbarriers and named barriers, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from kcfg.core.block.parts import Arriving, Mbarriers, Pipeline, Registers, Role
from kcfg.core.block.rings import copied

MOST = (1 << 20) - 1
"""Arrivals that one phase of an mbarrier can wait for: its count has 20 bits, and is not 0."""


class Wait:
    """mbarriers that wait for so many arrivals; ``by`` is what arrives where ``who`` is silent.

    They are those of group ``at``, or where ``side`` says which the full or empty ones of
    pipeline ``at``.
    """

    def __init__(
        self,
        side: str,
        at: int,
        name: str | None,
        arrivals: int | None,
        who: tuple[Arriving, ...],
        by: str = "thread",
    ) -> None:
        self.side, self.at, self.name, self.arrivals, self.who = side, at, name, arrivals, who
        self.by = by

    @property
    def what(self) -> str:
        """What a message calls one of them."""
        if not self.side:
            return f"an mbarrier of {self.name or f'group {self.at}'}"
        article = "an" if self.side == "empty" else "a"
        return f"{article} {self.side} barrier of {self.name or f'pipeline {self.at}'}"

    @property
    def path(self) -> str:
        """The key of the count."""
        if not self.side:
            return f"mbarriers[{self.at}].arrivals"
        return f"pipelines[{self.at}].{self.side}_arrivals"

    @property
    def arrivers(self) -> str:
        """The key of who arrives."""
        if not self.side:
            return f"mbarriers[{self.at}].arrive"
        key = "consumers" if self.side == "empty" else "producers"
        return f"pipelines[{self.at}].{key}"


@lru_cache(1 << 10)
def waits(mbarriers: tuple[Mbarriers, ...], pipelines: tuple[Pipeline, ...]) -> tuple[Wait, ...]:
    """All that mbarriers wait for: those of groups, and the full and empty ones of pipelines.

    Remembered by those, which most configurations of a kernel have in common.
    """
    found = [
        Wait("", index, each.name, each.arrivals, each.arrive, each.by or "thread")
        for index, each in enumerate(mbarriers)
    ]
    for index, line in enumerate(pipelines):
        by = "role" if copied(line) else "thread"
        found.append(Wait("full", index, line.name, line.full_arrivals, line.producers, by))
        found.append(Wait("empty", index, line.name, line.empty_arrivals, line.consumers))
    return tuple(each for each in found if each.arrivals is not None or each.who)


@lru_cache
def named(registers: Registers) -> dict[str, tuple[Role, ...]]:
    """Roles by their names; several may have one name, and are meant together."""
    found: dict[str, tuple[Role, ...]] = {}
    for role in registers.roles:
        if role.name is not None:
            found[role.name] = (*found.get(role.name, ()), role)
    return found


def times(roles: Sequence[Role], by: str, warp: int) -> int | None:
    """How often roles arrive; None where that is not known. ``warp`` is the threads of one."""
    if by in ("role", "commit"):
        return len(roles)
    warps = [role.warps for role in roles if role.warps is not None]
    if len(warps) < len(roles):
        return None
    return sum(warps) * (warp if by == "thread" else 1)


def arriving(wait: Wait, known: dict[str, tuple[Role, ...]], warp: int) -> int | None:
    """How often all who arrive do; None where one of them is not known."""
    found = 0
    for each in wait.who:
        count = times(known.get(each.role or "", ()), each.by or wait.by, warp)
        if not count and (count is None or each.role not in known):
            return None
        found += count
    return found
