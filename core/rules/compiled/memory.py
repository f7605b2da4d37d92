"""What a compiler made of a kernel: its static memory, its target, and whether it made any."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core import targets
from kcfg.core.block.block import Block
from kcfg.core.block.parts import Compiled
from kcfg.core.errors import AmbiguousError, UnknownError
from kcfg.core.figures import joined, size
from kcfg.core.hardware.sources import PG, PTXAS
from kcfg.core.rules import Breach, rule


@rule(
    "CHK004",
    "error",
    reads="static_compiled shared.static compiled",
    blames="compiled.smem",
    unit="bytes",
    source=f"{PTXAS}, the line with `bytes smem`, and SHARED of cuobjdump",
)
def static_bytes(block: Block, compiled: int, static: int, build: Compiled) -> Iterator[Breach]:
    """Whether a build has the static shared memory that its configuration says.

    ptxas counts static bytes alone, cuobjdump also what is reserved for every block that uses
    any shared memory. Neither knows the dynamic ones.

    Fails: shape: {shared: {static: 4096}, compiled: {shared: 4096}}

    Passes: shape: {shared: {static: 4096}, compiled: {shared: 5120}}
    """
    if compiled != static:
        more = compiled > static
        yield Breach(
            f"compiled with {size(compiled)} of static shared memory{_counted(build, compiled)},"
            f" {size(abs(compiled - static))} {'over' if more else 'under'} the {size(static)} of"
            " the configuration",
            path=_key(build),
            value=compiled,
            limit=static,
            over=abs(compiled - static),
        )


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
    over = compiled + dynamic - most
    # What is too much without the build is said by the rule about the configuration.
    if not said and over > 0 and dynamic <= most:
        yield Breach(
            f"compiled with {size(compiled)} of static shared memory{_counted(build, compiled)}"
            + (f"; with the {size(dynamic)} of the configuration that is" if dynamic else ",")
            + f" {size(over)} over the {size(most)} of a block",
            path=_key(build),
            value=compiled,
            limit=most - dynamic,
            over=over,
            fix=f"at most {size(most - dynamic)} may be static",
        )


def _key(build: Compiled) -> str:
    return "compiled.shared" if build.smem is None else "compiled.smem"


def _counted(build: Compiled, compiled: int) -> str:
    """How cuobjdump's figure comes to this one."""
    if build.smem is not None or build.shared in (None, compiled):
        return ""
    return f" (SHARED:{build.shared} less the reserve; a relocatable object counts none)"


@rule("CHK006", "error", reads="compiled.target", source=f"{PTXAS}, the line `Compiling entry`")
def target(block: Block, compiled: str) -> Iterator[Breach]:
    """Whether a build is for the configured target.

    Each has its own limits and instructions, and code with a variant (a) runs on no other.

    Fails: {target: b200, shape: {compiled: {target: sm_90a}}}

    Passes: {target: b200, shape: {compiled: {target: sm_100a}}}
    """
    arches, names = _named(compiled)
    if block.arch not in (compiled, *arches):
        said = joined((f"`target: {name}`" for name in names), "or")
        other = f", or say {said}" if said else ""
        yield Breach(
            f"compiled for {compiled}, configured for {block.arch}",
            value=compiled,
            limit=block.arch,
            fix=f"compile for {block.arch}{other}",
        )


def _named(compiled: str) -> tuple[set[str], tuple[str, ...]]:
    """The architectures a name stands for, and the spellings of a target that say which."""
    try:
        found = targets.find(compiled)
    except AmbiguousError as several:
        return set(), tuple(several.known)
    except UnknownError:
        return set(), ()
    return {found.arch}, (compiled,)


@rule("CHK008", "error", reads="compiled.refused", source=f"{PTXAS}, lines with `error`")
def refused(block: Block, error: str) -> Iterator[Breach]:
    """Whether the compiler made a kernel at all.

    ptxas may print the usual figures of a kernel that it refuses. A compilation with an error
    leaves no code, for the other kernels in it either.

    Fails: shape: {compiled: {refused: "uses too much shared data (0x39000 bytes, 0x38c00 max)"}}

    Passes: shape: {compiled: {smem: 4096}}
    """
    yield Breach(f"the compiler refuses it: {error}", value=error)
