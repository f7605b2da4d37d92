"""What a compiler took a kernel to be launched with, against the launch that is configured."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from kcfg.core.block.block import Block
from kcfg.core.block.parts import Allocation
from kcfg.core.figures import size, some
from kcfg.core.hardware.sources import CUOBJDUMP, H200_DRIVER, PTX, TRITON
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.block import alike, dims


@rule(
    "CHK011",
    "error",
    reads="compiled.threads block_threads",
    unit="threads",
    source=f"{PTX}, .reqntid; {TRITON}",
)
def threads(block: Block, compiled: tuple[int, ...], configured: int) -> Iterator[Breach]:
    """Whether a build is for the threads of the configured block.

    A kernel with `.reqntid` (`__block_size__`) is launched with just those threads, in these
    dimensions, or refused. Triton launches as many as its warps have.

    Fails: shape: {threads: 256, compiled: {threads: 128}}

    Passes: shape: {threads: 128, compiled: {threads: [128, 1, 1]}}
    """
    count = prod(compiled)
    # As Triton tells them they are one number, whatever the block's dimensions.
    same = alike(compiled, block.block) if block.block and len(compiled) > 1 else True
    if count != configured or not same:
        given = dims(block.block) if block.block and not same else f"{configured:,}"
        said = dims(compiled) if block.block and not same else f"{count:,}"
        yield Breach(
            f"compiled for a block of just {said} threads, the configuration has {given}",
            value=count,
            limit=configured,
            over=abs(count - configured),
            fix="build it for those, or launch it as it is built",
        )


@rule(
    "CHK012",
    "error",
    also=("warning",),
    reads="compiled.max_threads block_threads",
    unit="threads",
    source=f"{PTX}, .maxntid; {H200_DRIVER}",
)
def max_threads(block: Block, compiled: int, configured: int) -> Iterator[Breach]:
    """Whether a block has no more threads than the launch bounds that were compiled in.

    A launch with more is refused. Bounds that are not those of the configuration, and allow it,
    are worth a warning: they decide the registers.

    Fails: shape: {threads: 384, compiled: {max_threads: 256}}

    Passes: shape: {threads: 256, compiled: {max_threads: 256}}
    """
    bounds = block.registers.launch_bounds if block.registers is not None else ()
    over = configured - compiled
    if over > 0:
        yield Breach(
            f"compiled for at most {some(compiled, 'thread')}, the configuration has"
            f" {configured:,}: {over:,} over, the launch is refused",
            value=compiled,
            limit=configured,
            over=over,
            fix=f"compile it with __launch_bounds__({configured})",
        )
    elif bounds and bounds[0] != compiled:
        yield Breach(
            f"compiled with launch bounds of {some(compiled, 'thread')}, those of the"
            f" configuration are {bounds[0]:,}",
            value=compiled,
            limit=bounds[0],
            over=abs(compiled - bounds[0]),
            severity="warning",
        )


@rule(
    "CHK013",
    "error",
    reads="compiled.cluster cluster",
    unit="blocks",
    source=f"{PTX}, .reqnctapercluster; {H200_DRIVER}; {TRITON}",
)
def cluster(block: Block, compiled: tuple[int, ...], given: tuple[int, ...]) -> Iterator[Breach]:
    """Whether a build is for clusters as configured.

    What is compiled in (`__cluster_dims__`) is launched so, in every dimension, or refused.

    Fails: shape: {cluster: [2], compiled: {cluster: [4, 1, 1]}}

    Passes: shape: {cluster: [2], compiled: {cluster: [2, 1, 1]}}
    """
    if not alike(compiled, given):
        yield Breach(
            f"compiled for clusters of {dims(compiled)}, the configuration has {dims(given)}",
            value=prod(compiled),
            limit=prod(given),
            over=abs(prod(compiled) - prod(given)),
            fix="build it for those, or launch it as it is built",
        )


@rule(
    "CHK014",
    "error",
    reads="compiled.dynamic dynamic_bytes",
    unit="bytes",
    source=TRITON,
)
def dynamic(block: Block, compiled: int, configured: int) -> Iterator[Breach]:
    """Whether a build is launched with the dynamic shared memory of the configuration.

    Triton lays out all of a block's shared memory itself and launches with as much.

    Fails: shape: {shared: {dynamic: 98304}, compiled: {dynamic: 98320}}

    Passes: shape: {shared: {dynamic: 98320}, compiled: {dynamic: 98320}}
    """
    more = compiled - configured
    if more:
        yield Breach(
            f"built for {size(compiled)} of dynamic shared memory, {size(abs(more))}"
            f" {'over' if more > 0 else 'under'} the {size(configured)} of the configuration",
            value=compiled,
            limit=configured,
            over=abs(more),
        )


@rule(
    "CHK015",
    "error",
    reads="compiled.tmem_columns tmem.allocations",
    unit="columns",
    source=TRITON,
)
def tmem(block: Block, compiled: int, given: tuple[Allocation, ...]) -> Iterator[Breach]:
    """Whether a build allocates the columns of tensor memory that its configuration does.

    A block has 512, which all blocks of an SM share: more of them keep the others waiting, and
    fewer than the kernel addresses fault. Triton counts what it allocates.

    Fails: shape: {tmem: {allocations: [256]}, compiled: {tmem_columns: 128}}

    Passes: shape: {tmem: {allocations: [128]}, compiled: {tmem_columns: 128}}
    """
    columns = [each.columns for each in given]
    known = sum(each or 0 for each in columns)
    if None not in columns and known != compiled:
        yield Breach(
            f"built for {some(compiled, 'column')} of tensor memory, the configuration allocates"
            f" {known:,}",
            value=compiled,
            limit=known,
            over=abs(compiled - known),
        )


@rule(
    "CHK016",
    "warning",
    reads="compiled.min_blocks registers.launch_bounds",
    unit="blocks",
    source=f"{PTX}, .minnctapersm",
)
def min_blocks(block: Block, compiled: int, bounds: tuple[int, ...]) -> Iterator[Breach]:
    """Whether the minimum of blocks per SM that was compiled in is the configuration's.

    It decides, with the threads, how many registers a thread may have.

    Fails: shape: {registers: {launch_bounds: [256, 2]}, compiled: {min_blocks: 1}}

    Passes: shape: {registers: {launch_bounds: [256, 2]}, compiled: {min_blocks: 2}}
    """
    given = bounds[1] if len(bounds) > 1 else None
    if given != compiled:
        named = "none" if given is None else f"{given:,}"
        yield Breach(
            f"compiled for a minimum of {some(compiled, 'block')} per SM, the launch bounds of the"
            f" configuration name {named}",
            value=compiled,
            limit=given,
        )


@rule(
    "CHK017",
    "warning",
    reads="compiled.maxnreg registers register_cap",
    unit="registers",
    source=f"{PTX}, .maxnreg; {CUOBJDUMP}",
)
def cap(block: Block, compiled: int, registers: object, most: int) -> Iterator[Breach]:
    """Whether a build was made under the cap of registers that its configuration gives.

    A cap that is another one means that launch bounds or options were not compiled in as they
    are configured. Asked where the configuration says either.

    Fails: shape: {registers: {launch_bounds: [384, 1]}, compiled: {maxnreg: 255}}

    Passes: shape: {registers: {launch_bounds: [384, 1]}, compiled: {maxnreg: 168}}
    """
    given = block.registers
    said = given is not None and (given.launch_bounds or given.maxnreg is not None)
    if said and compiled != most:
        yield Breach(
            f"compiled under a cap of {some(compiled, 'register')} per thread, that of the"
            f" configuration is {most}",
            value=compiled,
            limit=most,
            over=abs(compiled - most),
        )


@rule(
    "CHK018",
    "error",
    also=("warning",),
    reads="compiled.max_cluster cluster",
    unit="blocks",
    source=f"{PTX}, .maxclusterrank",
)
def max_cluster(block: Block, compiled: int, given: tuple[int, ...]) -> Iterator[Breach]:
    """Whether a cluster has no more blocks than the launch bounds that were compiled in.

    A launch with more is refused. Bounds that are not those of the configuration, and allow it,
    are worth a warning.

    Fails: shape: {cluster: [4, 2], compiled: {max_cluster: 4}}

    Passes: shape: {cluster: [2, 2], compiled: {max_cluster: 4}}
    """
    bounds = block.registers.launch_bounds[2:] if block.registers is not None else ()
    over = prod(given) - compiled
    if over > 0:
        yield Breach(
            f"compiled for clusters of at most {some(compiled, 'block')}, the configuration has"
            f" {prod(given):,}: {over:,} over, the launch is refused",
            value=compiled,
            limit=prod(given),
            over=over,
            fix="compile it with a larger third argument of __launch_bounds__",
        )
    elif bounds and bounds[0] != compiled:
        yield Breach(
            f"compiled for clusters of at most {some(compiled, 'block')}, the launch bounds of the"
            f" configuration say {bounds[0]:,}",
            value=compiled,
            limit=bounds[0],
            over=abs(compiled - bounds[0]),
            severity="warning",
        )
