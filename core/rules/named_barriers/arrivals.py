"""Who arrives at named barriers."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.arrivals import named, times
from kcfg.core.block.block import Block
from kcfg.core.block.parts import NamedBarrier, Role
from kcfg.core.figures import joined, offered, some
from kcfg.core.hardware.sources import H200_KERNELS, PTX
from kcfg.core.rules import Breach, rule


@rule(
    "BAR005",
    "error",
    reads="registers.roles named_barriers",
    blames="named_barriers",
    unit="threads",
    source=f"{PTX}, barrier; {H200_KERNELS}",
)
def roles_arrive(
    block: Block, roles: tuple[Role, ...], barriers: tuple[NamedBarrier, ...]
) -> Iterator[Breach]:
    """Whether a named barrier waits for the threads of the roles that arrive at it.

    Every thread of these roles arrives. With fewer of them than participants the barrier never
    opens, although the block has enough threads; with more it opens before all are there, and
    those that come late wait for the next time.

    Fails: shape: {registers: {roles: [{name: softmax, warps: 8}, {name: correction, warps: 4}]},
    named_barriers: [{id: 1, participants: 384, roles: [softmax]}]}

    Passes: shape: {registers: {roles: [{name: softmax, warps: 8}, {name: correction, warps: 4}]},
    named_barriers: [{id: 1, participants: 384, roles: [softmax, correction]}]}
    """
    assert block.registers is not None
    known = named(block.registers)
    for index, barrier in enumerate(barriers):
        names = list(dict.fromkeys(barrier.roles))
        for number, name in enumerate(barrier.roles):
            if name not in known:
                yield Breach(
                    f"{name} arrives at {_called(barrier, index)}, and is no role",
                    path=f"named_barriers[{index}].roles[{number}]",
                    value=name,
                    fix=f"name {offered(list(known))}" if known else "give the roles names",
                )
        every = [role for name in names for role in known.get(name, ())]
        threads = times(every, "thread", block.target.warp_size)
        count = barrier.participants
        if not names or count is None or threads is None or not known.keys() >= set(names):
            continue
        if count != threads:
            yield Breach(
                f"{_called(barrier, index)} is for {some(count, 'thread')}, and"
                f" {joined(names)} {'have' if len(every) > 1 else 'has'} {threads:,}:"
                f" it {'never opens' if count > threads else 'opens too early'}",
                path=f"named_barriers[{index}].participants",
                value=count,
                limit=threads,
                over=abs(count - threads),
                fix=f"use {threads:,}" if threads else "let a role with warps arrive",
            )


def _called(barrier: NamedBarrier, index: int) -> str:
    return f"named barrier {index if barrier.id is None else barrier.id:,}"
