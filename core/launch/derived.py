"""A derived kernel as the launch that the rules judge."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kcfg.core import layout, targets
from kcfg.core.kernel import Kernel
from kcfg.core.launch.groups import (
    Allocation,
    Pipeline,
    Registers,
    Role,
    Shared,
    Tmem,
)
from kcfg.core.launch.launch import Launch, Unplaced
from kcfg.core.once import once

QUANTITIES = {
    "threads": ("num_threads", "nthreads"),
    "blocks_per_sm": ("ctas_per_sm",),
    "shared.dynamic": ("smem_used",),
    "tmem.columns": ("tmem_used", "tmem_cols"),
    "tmem.allocations": ("tmem_cols", "tmem_used"),
    "pipelines[0].stages": ("num_kv_stages", "k_stages", "num_pipeline_stages"),
    "registers.roles": ("reg_consumer",),
    "registers.entry": ("static_reg_budget", "num_threads"),
}
"""The quantities a derived launch's keys are those of: the first that a kernel has."""


def launch_of(subject: Kernel | Launch) -> Launch:
    """The launch a subject is, holds or derives."""
    if isinstance(subject, Launch):
        return subject
    held = getattr(subject, "launch", None)
    return held if isinstance(held, Launch) else from_kernel(subject)


def from_kernel(kernel: Kernel) -> Launch:
    """The launch a kernel derived; what it does not model is not given.

    A size is the struct's own figure where it has one, since that is what is launched
    with. Regions are left out: a layout that could be placed has them apart and in range.
    """
    smem, tmem, registers, _ = kernel.layout
    stages = _value(kernel, "pipelines[0].stages")
    dynamic = _value(kernel, "shared.dynamic")
    if dynamic is None and smem is not None:
        dynamic = smem.used
    launch = Launch(
        targets.find(kernel.target.name),  # a kernel is built for its target, however spelled
        kernel=kernel,
        threads=registers.threads if registers else _value(kernel, "threads"),
        blocks_per_sm=_value(kernel, "blocks_per_sm"),
        unit=kernel.needs,
        registers=registers and _registers(registers, kernel.target.max_registers_per_thread),
        shared=None if dynamic is None or dynamic < 0 else _shared(dynamic),
        pipelines=() if stages is None else _pipelines(stages),
        tmem=None if tmem is None or tmem.unplaced else _tmem(tmem.used, tmem.allocated),
    )
    if smem is not None and not smem.unplaced:
        launch.stored = smem.used
    launch.unplaced = tuple(
        Unplaced(path, found.used, found.unplaced)
        for path, found in (("shared.dynamic", smem), ("tmem.columns", tmem))
        if found is not None and found.unplaced
    )
    return launch


@once
def quantity_of(kernel: type[Kernel], path: str) -> str:
    """The key of the quantity or input behind a key of a derived launch; empty for none."""
    member = kernel.quantities.get(path) or kernel.inputs.get(path)
    if member is not None:
        return str(member.key)
    while path:
        for name in QUANTITIES.get(path, ()):
            if name in kernel.quantities:
                return kernel.quantities[name].key
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return ""


def _value(kernel: Kernel, path: str) -> Any:
    name = _attribute(type(kernel), path)
    return getattr(kernel, name) if name else None


@once
def _attribute(kernel: type[Kernel], path: str) -> str:
    key = quantity_of(kernel, path)
    return kernel.attribute(key) if key else ""


# The same group for the same numbers: their identity is what judging goes by.


@lru_cache(maxsize=1 << 12)
def _shared(dynamic: int) -> Shared:
    return Shared(dynamic=dynamic)


@lru_cache(maxsize=1024)
def _pipelines(stages: int) -> tuple[Pipeline, ...]:
    return (Pipeline(stages=stages),)


@lru_cache(maxsize=1024)
def _registers(registers: layout.Registers, most: int) -> Registers:
    # 256 is what 255 are allocated as; no compiler makes a kernel of 256.
    entry = min(registers.entry, most)
    roles = (
        Role(name=role.role, warps=role.warps, first=role.first, count=role.cap)
        for role in registers.roles
    )
    found = Registers(entry=entry, roles=tuple(roles))
    found.derived = True
    return found


@lru_cache(maxsize=1024)
def _tmem(used: int, allocated: int | None) -> Tmem | None:
    # With a lane in its upper half it is an address, and no number of columns.
    if not 0 <= used < 1 << 16:
        return None
    allocations = () if allocated is None else (Allocation(columns=allocated),)
    return Tmem(columns=used, allocations=allocations)
