"""Registers dealt out anew while a block runs."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.block import Block
from kcfg.core.block.dealing import one_count, other_way
from kcfg.core.block.parts import Registers, Role
from kcfg.core.block.warpgroups import called, members, mixed, setters
from kcfg.core.engine.arith import down, up
from kcfg.core.figures import joined, some
from kcfg.core.hardware.arch import variants
from kcfg.core.hardware.sources import H200_KERNELS, PTX, PTXAS
from kcfg.core.rules import Breach, rule

SOURCE = f"{PTX}, setmaxnreg"


@rule("SMR001", "error", reads="registers", unit="registers", source=f"{SOURCE}; {PTXAS}")
def count_in_range(block: Block, registers: Registers) -> Iterator[Breach]:
    """Whether setmaxnreg takes the counts.

    The instruction has room for multiples of 8 from 24 to 256; anything else does not
    assemble.

    Fails: shape: {registers: {warpgroups: [40, 236]}}

    Passes: shape: {registers: {warpgroups: [40, 232]}}
    """
    target = block.target
    least, most, step = target.setmaxnreg_min, target.setmaxnreg_max, target.setmaxnreg_multiple
    for path, _, count in setters(registers):
        if count < least or count > most:
            bound = least if count < least else most
            over = abs(count - bound)
            yield Breach(
                f"setmaxnreg {count:,} is {over:,} {'below' if count < least else 'over'} its range"
                f" of {least} to {most} in steps of {step}",
                path=path,
                value=count,
                limit=bound,
                over=over,
                fix=f"use {bound}",
            )
        elif count % step:
            yield Breach(
                f"setmaxnreg {count} is no multiple of {step}, {count % step} over the last",
                path=path,
                value=count,
                limit=step,
                over=count % step,
                fix=f"use {down(count, step)} or {up(count, step)}",
            )


@rule(
    "SMR003",
    "error",
    reads="registers entry",
    unit="registers",
    source=f"{SOURCE}; {PTXAS}; {H200_KERNELS}",
)
def direction(block: Block, registers: Registers, entry: int) -> Iterator[Breach]:
    """Whether dec lowers the count and inc raises it.

    dec above the current count is an illegal instruction: the kernel ends there, as seen on an
    H200. ptxas refuses one only where it is above every count of the program (C7406). inc below
    the current count is undefined, and compiles.

    Fails: shape: {registers: {entry: 168, warpgroups: [{count: 200, direction: dec}]}}

    Passes: shape: {registers: {entry: 168, warpgroups: [{count: 200, direction: inc}]}}
    """
    raised = [count for _, setter, count in setters(registers) if setter.direction != "dec"]
    largest = max(entry, *raised) if raised else entry
    for path, setter, count in setters(registers):
        if other_way(setter, count, entry):
            dec = setter.direction == "dec"
            refused = "ptxas refuses it (C7406)" if count > largest else "an illegal instruction"
            yield Breach(
                f"{setter.direction} to {count:,} from {some(entry, 'register')} goes the other"
                f" way, by {abs(count - entry):,}: {refused if dec else 'undefined'}",
                path=path,
                value=count,
                limit=entry,
                over=abs(count - entry),
                fix=f"use {'inc' if dec else 'dec'}",
            )


@rule(
    "SMR004",
    "error",
    reads="registers",
    blames="registers.launch_bounds",
    unit="blocks",
    source=f"{PTXAS}, advisory C7508",
)
def entry_known(block: Block, registers: Registers) -> Iterator[Breach]:
    """Whether the compiler knows the register count at entry.

    Without a minimum of blocks in the launch bounds, or a cap, it ignores setmaxnreg; the
    cap that the threads imply applies all the same. Without launch bounds, nothing is said.

    Fails: shape: {registers: {launch_bounds: [384], warpgroups: [40, 232, 232]}}

    Passes: shape: {registers: {launch_bounds: [384, 1], warpgroups: [40, 232, 232]}}
    """
    bounds = registers.launch_bounds
    if not block.setmaxnreg or len(bounds) > 1 or registers.maxnreg is not None:
        return
    if bounds:
        yield Breach(
            f"__launch_bounds__({bounds[0]}) names no minimum of blocks, so the compiler ignores"
            " setmaxnreg (C7508)",
            value=None,
            limit=1,
            fix=f"write __launch_bounds__({bounds[0]}, {block.wanted or 1})",
        )


@rule("SMR005", "warning", reads="registers", source=f"{PTXAS}, advisories C7504 and C7505")
def build_flags(block: Block, registers: Registers) -> Iterator[Breach]:
    """Whether the build lets setmaxnreg take effect.

    Relocatable device code and debug builds have it ignored.

    Fails: shape: {registers: {warpgroups: [40, 232], rdc: true}}

    Passes: shape: {registers: {warpgroups: [40, 232], rdc: false}}
    """
    flags = (
        ("rdc", registers.rdc, "relocatable device code", "-rdc=true"),
        ("debug", registers.debug, "a debug build", "-G"),
    )
    for key, given, what, option in flags:
        if block.setmaxnreg and given:
            yield Breach(
                f"setmaxnreg is ignored under {what}",
                path=f"registers.{key}",
                value=True,
                limit=False,
                fix=f"build without {option}",
            )


@rule(
    "SMR006",
    "warning",
    reads="registers.roles",
    unit="registers",
    source=f"{SOURCE}; {H200_KERNELS}",
)
def whole_warpgroups(block: Block, roles: tuple[Role, ...]) -> Iterator[Breach]:
    """Whether all warps of a warpgroup set the same count.

    setmaxnreg is to be executed by all four warps of a warpgroup, with one count; PTX leaves
    anything else undefined. CUTLASS, FlashAttention and MAX have kernels that do it and run,
    and on an H200 every warp then got the count that it set, out of its own sub-partition
    (SMR002). Roles may share a warpgroup; with one count, what they do is defined.

    Fails: shape: {registers: {roles: [{name: load, warps: 2, count: 40},
    {name: mma, warps: 2, count: 64}]}}

    Passes: shape: {registers: {roles: [{name: load, warps: 2, count: 40},
    {name: mma, warps: 2, count: 40}]}}
    """
    registers = block.registers
    assert registers is not None
    for number, indices in mixed(registers, block.target).items():
        names = joined(called(registers, index) for index in indices)
        counts = {roles[index].count for index in indices}
        found = sorted(count for count in counts if count is not None)
        said = [*found, *(["none"] if None in counts else [])]
        count = one_count(block, number, indices)
        one = "" if count is None else f"one count, such as {count}, or "
        yield Breach(
            f"warps {4 * number} to {4 * number + 3} are one warpgroup, but {names} set"
            f" different counts, {joined(said)}: undefined",
            path=f"registers.roles[{indices[-1]}].count",
            value=found[-1],
            limit=found[0],
            over=found[-1] - found[0],
            fix=f"give them {one}a warpgroup each",
        )


@rule(
    "SMR009",
    "error",
    reads="registers",
    blames="registers.warpgroups",
    unit="registers",
    source="follows from what the two keys say",
)
def told_twice(block: Block, registers: Registers) -> Iterator[Breach]:
    """Whether `warpgroups` and `roles` say the same of a warpgroup.

    Either is enough. Where they give its warps different counts, it is not known what these
    set, and the pool is not judged.

    Fails: shape: {registers: {warpgroups: [40], roles: [{warps: 4, count: 48}]}}

    Passes: shape: {registers: {warpgroups: [40], roles: [{warps: 4, count: 40}]}}
    """
    sharing = members(registers, block.target)
    for number, group in enumerate(registers.warpgroups):
        for index in sharing.get(number, ()):
            count = registers.roles[index].count
            if count is not None and count != group.count:
                said = "none" if group.count is None else f"{group.count:,}"
                yield Breach(
                    f"{called(registers, index)} sets {count:,} in warpgroup {number}, where"
                    f" `warpgroups` says {said}",
                    path=f"registers.warpgroups[{number}]",
                    value=group.count,
                    limit=count,
                    fix="leave one of them out",
                )


@rule("SMR008", "error", reads="registers", source=f"{SOURCE}; {PTXAS}")
def target_has_it(block: Block, registers: Registers) -> Iterator[Breach]:
    """Whether the compilation target has setmaxnreg.

    It belongs to the architecture-specific (a) and family (f) targets from 9.0 on; a plain
    one does not compile it.

    Fails: {target: sm_100, shape: {registers: {warpgroups: [40, 232]}}}

    Passes: {target: sm_100a, shape: {registers: {warpgroups: [40, 232]}}}
    """
    if block.setmaxnreg and not block.arch.endswith(("a", "f")):
        path, _, count = setters(registers)[0]
        yield Breach(
            f"{block.arch} has no setmaxnreg",
            path=path,
            value=count,
            fix=f"compile for {joined(variants(block.arch), 'or')}",
        )
