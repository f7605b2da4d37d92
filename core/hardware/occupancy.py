"""How many blocks of a kernel share an SM, which limit binds, and how far the next step is.

The closed form of NVIDIA's host occupancy header (toolkit 13.0) and of the CUDA
runtime's own answer; a block that gets 0 here is refused at launch. All sizes are
bytes, all registers counts per thread unless a name says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from kcfg.core.engine.arith import ceildiv, up
from kcfg.core.hardware.target import Target


class Block(NamedTuple):
    """What one block asks of an SM; see `occupancy` for the meaning of each field."""

    threads: int
    registers: int
    static_smem: int = 0
    dynamic_smem: int = 0
    max_dynamic_smem: int | None = None
    barriers: int = 0
    carveout: int | None = None
    carveout_bytes: int | None = None


class Occupancy:
    """Blocks resident on one SM, and why not more.

    ``limits`` has each limit's own number of blocks (None: it does not limit this block),
    ``limiters`` the names of all that are equal to the result. ``registers_per_block`` and
    ``smem_per_block`` are what the SM sets aside for one block, rounding and reserve included.
    """

    def __init__(
        self,
        block: Block,
        blocks: int,
        warps: int,
        percent: float,
        limits: dict[str, int | None],
        limiters: tuple[str, ...],
        registers_per_block: int,
        smem_per_block: int,
    ) -> None:
        self.block, self.blocks, self.warps, self.percent = block, blocks, warps, percent
        self.limits, self.limiters = limits, limiters
        self.registers_per_block, self.smem_per_block = registers_per_block, smem_per_block


class Cliffs:
    """The distance to the next change of the number of blocks, with all else left alone.

    ``fewer`` is what must go for at least one block more to fit, ``more`` the smallest
    addition that costs at least one; None where no amount does.
    """

    def __init__(
        self,
        smem_fewer: int | None,
        smem_more: int | None,
        registers_fewer: int | None,
        registers_more: int | None,
    ) -> None:
        self.smem_fewer, self.smem_more = smem_fewer, smem_more
        self.registers_fewer, self.registers_more = registers_fewer, registers_more


def occupancy(
    target: Target,
    *,
    threads: int,
    registers: int,
    static_smem: int = 0,
    dynamic_smem: int = 0,
    max_dynamic_smem: int | None = None,
    barriers: int = 0,
    carveout: int | None = None,
    carveout_bytes: int | None = None,
) -> Occupancy:
    """Blocks per SM of a kernel with ``threads`` per block and ``registers`` per thread.

    ``max_dynamic_smem`` is the kernel's dynamic maximum in force (the attribute
    MaxDynamicSharedMemorySize), None for all that the device allows; a kernel that never
    sets it has ``smem_default_per_block`` less the static part, which counts as compiled, padding
    included. ``barriers`` counts named barriers, one ``__syncthreads`` included; 0 registers
    or barriers do not limit. ``carveout`` is the shared memory an SM is preferably set up with, in
    percent of the most it has, and ``carveout_bytes`` the same in bytes, which counts where both
    are given; None for no preference. Raises ValueError for a number that is out of range.
    """
    block = Block(
        threads,
        registers,
        static_smem,
        dynamic_smem,
        max_dynamic_smem,
        barriers,
        carveout,
        carveout_bytes,
    )
    _check(block)
    limits = _limits(target, block)
    blocks = _least(limits)
    warps = blocks * warps_of(target, threads)
    return Occupancy(
        block=block,
        blocks=blocks,
        warps=warps,
        percent=100 * warps / target.max_warps_per_sm,
        limits=limits,
        limiters=tuple(name for name, limit in limits.items() if limit == blocks),
        registers_per_block=warps_of(target, threads) * registers_per_warp(target, registers),
        smem_per_block=smem_per_block(target, static_smem + dynamic_smem),
    )


def cliffs(target: Target, block: Block) -> Cliffs:
    """How near ``block`` is to the next number of blocks per SM, on either side.

    Shared memory is taken from the dynamic part first and added to it; registers go up to
    the most a thread may have. Raises ValueError for a number that is out of range.
    """
    _check(block)
    static = block.static_smem

    def blocks_with_smem(size: int) -> int:
        sized = block._replace(static_smem=min(static, size), dynamic_smem=max(0, size - static))
        return _least(_limits(target, sized))

    def blocks_with_registers(registers: int) -> int:
        return _least(_limits(target, block._replace(registers=registers)))

    # The size just over what a block may have stands for all above: nothing fits there.
    most_smem = target.smem_optin_per_block + 1
    smem = _steps(blocks_with_smem, static + block.dynamic_smem, most_smem)
    registers = _steps(blocks_with_registers, block.registers, target.max_registers_per_thread)
    return Cliffs(*smem, *registers)


@cache
def register_cap(target: Target, threads: int, min_blocks: int = 1) -> int:
    """The most registers per thread the compiler uses under ``__launch_bounds__``.

    The largest multiple of the allocation step with which ``min_blocks`` blocks of
    ``threads`` fit into the register file; where that is one past the most a thread may
    have, the latter. A minimum that the compiler drops counts as 1 (ptxas 13.0 was seen
    to stay below the cap then). Returns 0 where not even the smallest step fits. Raises
    ValueError for fewer than one thread or block.
    """
    if threads < 1 or min_blocks < 1:
        raise ValueError(f"launch bounds ({threads}, {min_blocks}): both must be at least 1")
    wanted = 1 if drops_minimum(target, threads, min_blocks) else min_blocks
    warps = warps_of(target, threads)
    step = target.register_alloc_rounding_per_thread
    for registers in range(up(target.max_registers_per_thread, step), 0, -step):
        if _by_registers(target, warps, registers) >= wanted:
            return min(registers, target.max_registers_per_thread)
    return 0


def drops_minimum(target: Target, threads: int, min_blocks: int) -> bool:
    """Whether ptxas ignores, with a warning, that many blocks in ``__launch_bounds__``."""
    warps = min_blocks * warps_of(target, threads)
    return min_blocks > target.max_blocks_per_sm or warps > target.max_warps_per_sm


def warps_of(target: Target, threads: int) -> int:
    """Warps of a block; a part of one counts as a whole."""
    return ceildiv(threads, target.warp_size)


def registers_per_warp(target: Target, registers: int) -> int:
    """Registers the SM sets aside for one warp of threads with ``registers`` each."""
    return up(registers * target.warp_size, target.register_alloc_unit_per_warp)


def smem_per_block(target: Target, size: int) -> int:
    """Bytes the SM sets aside for a block with ``size`` static and dynamic bytes together."""
    return up(size + target.smem_reserved_per_block, target.smem_alloc_granularity)


def bytes_of_percent(target: Target, percent: int) -> int:
    """Bytes of an SM's shared memory that a carveout in percent, 0 to 100, asks for."""
    return target.smem_per_sm * percent // 100


def carveout_of(target: Target, size: int, preferred: int | None) -> int:
    """Bytes of shared memory an SM is set up with for blocks that are set aside ``size``.

    It has a few sizes: the smallest that holds both the ``preferred`` bytes and one block;
    without a preference, or with one for more than there is, the largest.
    """
    if preferred is None:
        return target.smem_per_sm
    sizes = (kb * 1024 for kb in target.carveout_kb)
    return next((each for each in sizes if each >= max(preferred, size)), target.smem_per_sm)


def _check(block: Block) -> None:
    for name, value in zip(block._fields, block, strict=True):
        least = 1 if name == "threads" else 0
        if value is not None and value < least:
            raise ValueError(f"{name} is {value}; it must be at least {least}")
    if block.carveout is not None and block.carveout > 100:
        raise ValueError(f"carveout is {block.carveout}; it is a percentage, at most 100")


def _least(limits: dict[str, int | None]) -> int:
    return min(limit for limit in limits.values() if limit is not None)


def _limits(target: Target, block: Block) -> dict[str, int | None]:
    """The number of blocks that each limit alone would allow, by its name."""
    warps = warps_of(target, block.threads)
    return {
        "warps": _by_warps(target, block.threads),
        "registers": _by_registers(target, warps, block.registers) if block.registers else None,
        "shared_memory": _by_smem(target, block),
        "blocks": target.max_blocks_per_sm,
        "barriers": target.barriers_per_sm // block.barriers if block.barriers else None,
    }


def _by_warps(target: Target, threads: int) -> int:
    if threads > target.max_threads_per_block:
        return 0
    return target.max_warps_per_sm // warps_of(target, threads)


def _by_registers(target: Target, warps: int, registers: int) -> int:
    """Blocks of ``warps`` that the register file holds.

    A warp's registers lie in one sub-partition, and what is left over in each is lost. So
    warps fit in fours, and a block of 25 fits only where 28 do.
    """
    warp = registers_per_warp(target, registers)
    if warp > registers_per_warp(target, target.max_registers_per_thread):
        return 0
    resident = target.registers_per_sub_partition // warp * target.sub_partitions
    return resident // warps


def _by_smem(target: Target, block: Block) -> int:
    most = block.max_dynamic_smem
    if most is not None and block.dynamic_smem > most:
        return 0
    used = block.static_smem + block.dynamic_smem
    if used > target.smem_optin_per_block:
        return 0
    size = smem_per_block(target, used)
    return carveout_of(target, size, _preferred(target, block)) // size


def _preferred(target: Target, block: Block) -> int | None:
    if block.carveout_bytes is not None or block.carveout is None:
        return block.carveout_bytes
    return bytes_of_percent(target, block.carveout)


def _steps(at: Callable[[int], int], here: int, most: int) -> tuple[int | None, int | None]:
    """Distances from ``here`` down to where ``at`` is larger, and up to where it is smaller.

    ``at`` never grows with its argument, which is looked at from 0 to ``most``.
    """
    from bisect import bisect_left

    now = at(here)
    larger = bisect_left(range(here), True, key=lambda value: at(value) <= now)
    above = bisect_left(range(here, most + 1), True, key=lambda value: at(value) < now)
    return here - larger + 1 if larger else None, above if here + above <= most else None
