"""What a compiler made of a kernel: its static memory, its target, and whether it made any."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core import targets
from kcfg.core.block.block import Block
from kcfg.core.block.parts import Compiled
from kcfg.core.engine.arith import down, up
from kcfg.core.errors import UnknownError
from kcfg.core.figures import size
from kcfg.core.hardware import arch
from kcfg.core.hardware.sources import PG, PTXAS
from kcfg.core.rules import Breach, rule
from kcfg.core.rules.shared_memory import padding


@rule(
    "CHK004",
    "error",
    reads="static_compiled static_bytes compiled",
    blames="compiled.smem",
    unit="bytes",
    source=f"{PTXAS}, the line with `bytes smem`, and SHARED of cuobjdump",
)
def static_bytes(block: Block, compiled: int, static: int, build: Compiled) -> Iterator[Breach]:
    """Whether a build has the static shared memory that its configuration says.

    ptxas counts static bytes alone, padded to the alignment of the dynamic array of the file,
    cuobjdump also what is reserved for every block that uses any shared memory. Neither knows
    the dynamic ones.

    Fails: shape: {shared: {static: 4096}, compiled: {shared: 4096}}

    Passes: shape: {shared: {static: 4096}, compiled: {shared: 5120}}
    """
    # Dynamic memory that is only asked for may be that of an array, or of none.
    if compiled not in (static, (block.shared_bytes_most or 0) - (block.dynamic_bytes or 0)):
        more = compiled > static
        yield Breach(
            f"compiled with {size(compiled)} of static shared memory{_counted(build, compiled)},"
            f" {size(abs(compiled - static))} {'over' if more else 'under'} the"
            f" {size(static)} of the configuration{padding(block)}",
            path=_key(build),
            value=compiled,
            limit=static,
            over=abs(compiled - static),
            fix=_declared(block, compiled),
        )


def _declared(block: Block, compiled: int) -> str:
    """The alignment of the dynamic array that would account for a build, if there is one."""
    shared = block.shared
    if shared is None or shared.base_align is not None:
        return ""
    aligns = (1 << power for power in range(5, 13))
    found = next((each for each in aligns if up(shared.static or 0, each) == compiled), None)
    return f"say `base_align: {found}` if its dynamic array is aligned to that" if found else ""


@rule(
    "CHK009",
    "error",
    reads="static_compiled compiled",
    blames="compiled.smem",
    unit="bytes",
    source=f"{PG}; {PTXAS}",
)
def room_for_both(block: Block, compiled: int, build: Compiled) -> Iterator[Breach]:
    """Whether the static shared memory of a build leaves room for the dynamic part.

    Asked where the configuration does not say how much is static. A launch with more than
    a block may have is refused.

    Fails: shape: {shared: {dynamic: 232448}, compiled: {smem: 16}}

    Passes: shape: {shared: {dynamic: 232432}, compiled: {smem: 16}}
    """
    said = block.shared is not None and block.shared.static is not None
    most = block.target.smem_optin_per_block
    dynamic = block.dynamic_bytes or 0
    padded = block.beside_array(compiled)
    over = padded + dynamic - most
    # What is too much without the build is said by the rule about the configuration.
    if not said and over > 0 and dynamic <= most:
        beside = f", padded to {size(padded)}" if padded != compiled else ""
        room = down(most - dynamic, block.array_align or 1)
        yield Breach(
            f"compiled with {size(compiled)} of static shared memory{_counted(build, compiled)}"
            + beside
            + (f"; with the {size(dynamic)} of the configuration that is" if dynamic else ",")
            + f" {size(over)} over the {size(most)} of a block",
            path=_key(build),
            value=compiled,
            limit=room,
            over=over,
            fix=f"at most {size(room)} may be static",
        )


def _key(build: Compiled) -> str:
    return "compiled.shared" if build.smem is None else "compiled.smem"


def _counted(build: Compiled, compiled: int) -> str:
    """How cuobjdump's figure comes to this one."""
    if build.smem is not None or build.shared in (None, compiled):
        return ""
    return f" (SHARED:{build.shared} less the reserve; a relocatable object counts none)"


@rule(
    "CHK006",
    "error",
    reads="compiled.target",
    source=f"{PTXAS}, the line `Compiling entry`; {arch.SOURCE}",
)
def target(block: Block, compiled: str) -> Iterator[Breach]:
    """Whether a build runs on the configured target.

    Machine code (sm_XY) runs on devices of its major capability with the same or a later
    minor, sm_XYf on those of its family, which are the same ones, and sm_XYa on exactly one.
    10.1 is by itself. PTX (compute_XY) without a variant is compiled by the driver for any
    later device too.

    Seen: ptxas and nvlink take just those pairs, and a 9.0 device refused machine code of 8.9
    and of 10.0, and ran PTX of 7.5 to 9.0.

    Fails: {target: b200, shape: {compiled: {target: sm_90a}}}

    Passes: {target: b300, shape: {compiled: {target: sm_100f}}}
    """
    code, device = _code(compiled), block.target
    if not arch.runs_on(code, device.cc):
        other = _target_for(block, code)
        yield Breach(
            f"compiled for {compiled}, which does not run on {device.name} ({device.cc})",
            value=compiled,
            limit=block.arch,
            fix=f"compile for {block.arch}{f', or say `target: {other}`' if other else ''}",
        )


def _code(compiled: str) -> str:
    """What a build was compiled for; where that is said by a GPU's name, its architecture."""
    if arch.parsed(compiled) is not None:
        return compiled
    try:
        return targets.find(compiled).arch
    except UnknownError:
        return compiled


def _target_for(block: Block, code: str) -> str:
    """The spelling of a target that code runs on and the configuration is for; "" for none."""
    try:
        found = targets.find(code)
    except UnknownError:
        return ""
    refused = block.kernel_class is not None and block.kernel_class.refuses(found)
    return "" if refused else code


@rule("CHK008", "error", reads="compiled.refused", source=f"{PTXAS}, lines with `error`")
def refused(block: Block, error: str) -> Iterator[Breach]:
    """Whether the compiler made a kernel at all.

    ptxas may print the usual figures of a kernel that it refuses. A compilation with an error
    leaves no code, for the other kernels in it either.

    Fails: shape: {compiled: {refused: "uses too much shared data (0x39000 bytes, 0x38c00 max)"}}

    Passes: shape: {compiled: {smem: 4096}}
    """
    yield Breach(f"the compiler refuses it: {error}", value=error)
