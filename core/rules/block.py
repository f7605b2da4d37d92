"""The block and the grid."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from math import prod

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Registers, Role
from kcfg.core.block.warpgroups import WARPS, least_warps, role_warps, spans
from kcfg.core.engine.arith import ceildiv, down
from kcfg.core.figures import joined, some
from kcfg.core.hardware.sources import H200_DRIVER, PG, PTX
from kcfg.core.rules import Breach, rule

AXES = ("x", "y", "z")


def dims(sizes: tuple[int, ...]) -> str:
    """Sizes in x, y and z as words."""
    return " x ".join(f"{size:,}" for size in sizes)


def alike(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether sizes are the same; a dimension that is left out is 1."""
    return all(a == b for a, b in zip_longest(one, other, fillvalue=1))


@rule(
    "BLK001",
    "error",
    also=("warning",),
    reads="threads_named",
    blames="threads",
    unit="threads",
    source=PG,
)
def block_size(block: Block, threads: int) -> Iterator[Breach]:
    """How many threads a block has.

    The compiler builds a kernel for any number; a launch with more than the hardware
    takes, or with more than the kernel's launch bounds, is refused. Where the threads are not
    given they are those of the roles, the warpgroups or the launch bounds.

    Fails: shape: {threads: 1056}

    Passes: shape: {threads: 1024}
    """
    most, path = block.target.max_threads_per_block, block.threads_key
    bounds = block.registers.launch_bounds if block.registers else ()
    if threads < 1:
        yield Breach(
            f"the block has {threads:,} threads",
            path=path,
            value=threads,
            limit=1,
            fix="it needs at least 1",
        )
    elif threads > most:
        yield Breach(
            f"the block has {threads:,} threads, {threads - most:,} over the {most:,} a block may"
            " have: it compiles, and the launch is refused",
            path=path,
            value=threads,
            limit=most,
            over=threads - most,
            fix=f"use at most {most:,}",
        )
    elif bounds and threads > bounds[0]:
        others = "".join(f", {argument}" for argument in bounds[1:])
        yield Breach(
            f"the block has {threads:,} threads, {threads - bounds[0]:,} over the {bounds[0]:,} of"
            " its launch bounds: the launch is refused",
            path=path,
            value=threads,
            limit=bounds[0],
            over=threads - bounds[0],
            fix=f"write __launch_bounds__({threads}{others})",
        )
    if bounds and threads <= most < bounds[0]:
        yield Breach(
            f"launch bounds of {bounds[0]:,} threads are {bounds[0] - most:,} over the {most:,} a"
            " block may have",
            path="registers.launch_bounds[0]",
            value=bounds[0],
            limit=most,
            over=bounds[0] - most,
            fix=f"write the block's own {threads:,}",
            severity="warning",
        )


@rule("BLK002", "error", reads="block", unit="threads", source=PG)
def block_dims(block: Block, dims: tuple[int, ...]) -> Iterator[Breach]:
    """How many threads a block has in each dimension.

    Each dimension has its own limit, z the smallest, besides the one on all threads.

    Fails: shape: {block: [1, 1, 128]}

    Passes: shape: {block: [2, 1, 64]}
    """
    fits_x = prod(dims) <= block.target.max_threads_per_block
    for axis, size, most in zip(AXES, dims, block.target.max_block_dim, strict=False):
        if not 1 <= size <= most:
            large = "move threads to x" if axis != "x" and fits_x else f"use at most {most:,}"
            yield Breach(
                f"block {axis} is {size:,}; it may be 1 to {most:,}",
                path=f"block[{AXES.index(axis)}]",
                value=size,
                limit=most,
                over=max(size - most, 0),
                fix=large if size > most else "use at least 1",
            )
    if block.threads not in (None, prod(dims)):
        yield Breach(
            f"the block's dimensions make {some(prod(dims), 'thread')}, `threads` says"
            f" {block.threads:,}",
            value=prod(dims),
            limit=block.threads,
            fix="leave one of them out",
        )


@rule(
    "BLK006",
    "error",
    reads="block_size block_threads",
    blames="block_size",
    unit="threads",
    source=H200_DRIVER,
)
def compiled_size(block: Block, size: tuple[int, ...], threads: int) -> Iterator[Breach]:
    """Whether a block is the one that its kernel is compiled for.

    `__block_size__` fixes every dimension; a launch with another block is refused.

    Fails: shape: {block: [128], block_size: [64, 2]}

    Passes: shape: {block: [64, 2], block_size: [64, 2]}
    """
    given = dims(block.block) if block.block else f"{threads:,}"
    same = alike(size, block.block) if block.block else prod(size) == threads
    if not same:
        yield Breach(
            f"the block has {given} threads, the kernel is compiled for {dims(size)}: the launch"
            " is refused",
            path=block.threads_key,
            value=threads,
            limit=prod(size),
            fix=f"launch {dims(size)}",
        )


@rule("BLK003", "warning", reads="block_threads", blames="threads", unit="threads", source=PG)
def whole_warps(block: Block, threads: int) -> Iterator[Breach]:
    """Whether the threads make whole warps.

    A started warp takes the registers and the slot of a whole one.

    Fails: shape: {threads: 100}

    Passes: shape: {threads: 96}
    """
    size = block.target.warp_size
    warps = ceildiv(threads, size)
    idle = warps * size - threads
    if idle:
        bounds = block.registers.launch_bounds if block.registers else ()
        most = min((block.target.max_threads_per_block, *bounds[:1]))
        better = warps * size if warps * size <= most else down(min(threads, most), size)
        yield Breach(
            f"{some(threads, 'thread')} in {some(warps, 'warp')}, {some(idle, 'lane')} of which"
            f" {'idles' if idle == 1 else 'idle'}",
            path=block.threads_key,
            value=threads,
            limit=warps * size,
            fix=f"use {better or size:,}",
        )


@rule("BLK004", "error", reads="block_threads", blames="threads", unit="warps", source=PTX)
def warpgroups(block: Block, threads: int) -> Iterator[Breach]:
    """Whether warpgroups begin where the hardware has them.

    setmaxnreg and wgmma are executed by a warpgroup: four warps, the first of which is a
    multiple of four. A role of four warps that starts elsewhere spans two of them.

    Fails: shape: {threads: 192, registers: {roles: [{name: load, warps: 1, count: 40},
    {name: mma, warps: 1, count: 40}, {name: epilogue, warps: 4, count: 232}]}}

    Passes: shape: {threads: 256, registers: {roles: [{name: load, warps: 4, count: 40},
    {name: epilogue, warps: 4, count: 216}]}}
    """
    if not (block.setmaxnreg or block.unit == "wgmma"):
        return
    why = "setmaxnreg" if block.setmaxnreg else "wgmma"
    size = block.warpgroup_threads
    if threads % size:
        below = down(threads, size)
        near = [below, below + size] if below else [size]
        yield Breach(
            f"{some(threads, 'thread')}: no whole number of warpgroups of {size}, as {why} needs",
            path=block.threads_key,
            value=threads,
            limit=size,
            fix=f"use {joined(near, 'or')}",
        )
    for index, first, role in spans(block.registers) if block.registers else ():
        if (role.warps or 0) >= WARPS and first % WARPS:
            yield Breach(
                f"{role.name or f'role {index}'} starts at warp {first:,}; with {why} its warpgroup"
                " starts at a multiple of 4",
                path=f"registers.roles[{index}]",
                value=first,
                limit=4,
                fix=f"start it at warp {down(first, 4) + 4:,}",
            )


@rule(
    "BLK005",
    "error",
    also=("warning",),
    reads="registers",
    blames="registers.roles",
    unit="threads",
    source="follows from how a block is divided among its warps",
)
def roles_add_up(block: Block, registers: Registers) -> Iterator[Breach]:
    """Whether roles, or warpgroups, are all of the block, each with warps of its own.

    A warp without a role runs into whatever code follows the last one; a role without a
    warp never runs, and those who wait for it never end. No warp has two roles. Where the
    threads are not given, roles and warpgroups are held against each other.

    Fails: shape: {threads: 384, registers: {roles: [{name: load, warps: 4},
    {name: math, warps: 4}, {name: mma, warps: 2}]}}

    Passes: shape: {threads: 384, registers: {roles: [{name: load, warps: 4},
    {name: math, warps: 8}]}}
    """
    yield from _without_warps(registers)
    yield from _shared_warps(registers)
    threads = block.block_threads
    warps, groups = role_warps(registers), registers.warpgroups
    if threads is None:
        if warps is not None and groups and warps != WARPS * len(groups):
            yield _unlike(warps, len(groups))
        return
    warp = block.target.warp_size
    whole = ceildiv(threads, warp) * warp
    if warps is not None:
        used = warp * warps
        # A derived kernel launches the warps that it does; those without a role do nothing.
        if used > whole or (used < whole and not block.derived):
            yield Breach(
                f"the roles use {some(used, 'thread')}, the block has {threads:,}",
                value=used,
                limit=threads,
                over=max(used - whole, 0),
                fix=_evened(used - whole, warp),
            )
        else:
            yield from _past_the_end(registers, whole // warp)
    elif warp * (least_warps(registers) or 0) > whole:
        used = warp * (least_warps(registers) or 0)
        yield Breach(
            f"the roles use {used:,} threads at the least, the block has {threads:,}",
            value=used,
            limit=threads,
            over=used - whole,
            fix=_evened(used - whole, warp),
        )
    if groups and len(groups) * block.warpgroup_threads != whole:
        used = len(groups) * block.warpgroup_threads
        make = "makes" if len(groups) == 1 else "make"
        yield Breach(
            f"{some(len(groups), 'warpgroup')} {make} {used:,} threads, the block has {threads:,}",
            path="registers.warpgroups",
            value=used,
            limit=threads,
            over=max(used - whole, 0),
            fix=_evened(used - whole, warp),
        )


def _without_warps(registers: Registers) -> Iterator[Breach]:
    for index, role in enumerate(registers.roles):
        if role.warps == 0:
            yield Breach(
                f"{role.name or f'role {index}'} has 0 warps",
                path=f"registers.roles[{index}].warps",
                value=0,
                limit=1,
                fix="leave it out",
                severity="warning",
            )


def _unlike(warps: int, groups: int) -> Breach:
    return Breach(
        f"the roles have {some(warps, 'warp')}, the warpgroups {WARPS * groups:,}",
        value=warps,
        limit=WARPS * groups,
        over=max(warps - WARPS * groups, 0),
        fix=f"give the roles {WARPS * groups:,} together",
    )


def _shared_warps(registers: Registers) -> Iterator[Breach]:
    reach, before = 0, ""
    for index, first, role in sorted(_busy(registers), key=lambda each: each[1]):
        name = role.name or f"role {index}"
        if first < reach:
            yield Breach(
                f"{name} starts at warp {first:,}, which {before} has: {before} ends with warp"
                f" {reach - 1:,}",
                path=f"registers.roles[{index}]",
                value=first,
                limit=reach,
                over=reach - first,
                fix=f"start it at warp {reach:,}",
            )
        if first + (role.warps or 0) > reach:
            reach, before = first + (role.warps or 0), name


def _past_the_end(registers: Registers, warps: int) -> Iterator[Breach]:
    for index, first, role in _busy(registers):
        end = first + (role.warps or 0)
        if end > warps:
            yield Breach(
                f"{role.name or f'role {index}'} has warps up to {end - 1:,}; the block's last is"
                f" {warps - 1:,}",
                path=f"registers.roles[{index}]",
                value=end - 1,
                limit=warps - 1,
                over=end - warps,
                fix="start it where no other role has warps",
            )


def _busy(registers: Registers) -> Iterator[tuple[int, int, Role]]:
    return (each for each in spans(registers) if each[2].warps)


def _evened(over: int, warp: int) -> str:
    warps = some(abs(over) // warp, "warp")
    return f"take away {warps}" if over > 0 else f"{warps} more would do, idle ones included"


@rule("GRD001", "error", reads="grid", unit="blocks", source=PG)
def grid_dims(block: Block, grid: tuple[int, ...]) -> Iterator[Breach]:
    """How many blocks a grid has in each dimension.

    Only x takes more than 16 bits. A grid that is too long in y or z is refused, although
    the same number of blocks would fit in x.

    Fails: shape: {grid: [1, 70000, 1]}

    Passes: shape: {grid: [70000, 1, 1]}
    """
    for axis, size, most in zip(AXES, grid, block.target.max_grid_dim, strict=False):
        if not 1 <= size <= most:
            yield Breach(
                f"grid {axis} is {size:,}; it may be 1 to {most:,}",
                path=f"grid[{AXES.index(axis)}]",
                value=size,
                limit=most,
                over=max(size - most, 0),
                fix="use at least 1" if size < 1 else _elsewhere(axis),
            )


def _elsewhere(axis: str) -> str:
    return "let each block do more" if axis == "x" else "put the long dimension in x"
