"""A derived kernel as the block that it launches."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from kcfg.core import targets
from kcfg.core.block.block import Block
from kcfg.core.block.parts import Allocation, Pipeline, Region, Shared, Tmem
from kcfg.core.block.placing import SharedLayout, TensorLayout
from kcfg.core.once import once

if TYPE_CHECKING:
    from kcfg.core.kernel import Kernel


def block_of(kernel: Kernel) -> Block:
    """The block a kernel launches; what it does not model is not given."""
    kernel.hasten()
    plays = _players(type(kernel))
    given = {path: read(kernel) for path, read in plays.items()}
    smem, tensor, registers = kernel.smem(), kernel.tmem(), kernel.registers()
    dynamic, stages = given.get("shared.dynamic"), given.get("pipelines[0].stages")
    if dynamic is None and smem is not None:
        dynamic = smem.used
    elif smem is None and dynamic is not None and dynamic >= 0:
        # Only the total is known, and nothing of what is where.
        smem = SharedLayout("", kernel.target.smem_optin_per_block, dynamic, ())
    # A size below 0 is what the struct derives, and no memory of a launch.
    placed = smem.regions if smem is not None else ()
    block = Block(
        targets.find(kernel.target.name),  # a kernel is built for its target, however spelled
        kernel=kernel,
        threads=given.get("threads"),
        blocks_per_sm=given.get("blocks_per_sm"),
        cluster=_cluster(given),
        unit=kernel.needs,
        registers=registers,
        shared=None if dynamic is None or dynamic < 0 else _shared(dynamic, placed),
        pipelines=() if stages is None else _pipelines(stages),
        mbarriers=kernel.barriers() or (),
        tmem=None if tensor is None or tensor.unplaced else _tmem(tensor),
        mma=kernel.mma(),
    )
    # Laid out already, as the struct does it.
    vars(block).update(smem=smem, tensor=tensor)
    return block


@once
def quantity_of(kernel: type[Kernel], path: str) -> str:
    """The key of the quantity or input behind a key of a derived block; empty for none."""
    member = kernel.quantities.get(path) or kernel.inputs.get(path)
    if member is not None:
        return member.key
    while path:
        for known in kernel.plays:
            if known == path or known.startswith((f"{path}.", f"{path}[")):
                return kernel.plays[known]
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return ""


@once
def _players(kernel: type[Kernel]) -> dict[str, Any]:
    """What reads the value of every quantity that plays a part, by the key it plays."""
    return {path: attrgetter(_attribute(kernel, key)) for path, key in kernel.plays.items()}


def _attribute(kernel: type[Kernel], key: str) -> str:
    """The attribute behind the key of a value, those of a nested struct dotted."""
    first, dot, rest = key.partition(".")
    if dot and first in kernel.parts:
        return f"{first}.{_attribute(getattr(kernel, kernel.parts[first].shown), rest)}"
    return kernel.attribute(key)


def _cluster(given: dict[str, Any]) -> tuple[int, ...]:
    paths = (f"cluster[{axis}]" for axis in range(3))
    return tuple(given[path] for path in paths if path in given)


# The same part for the same numbers: their identity is what judging goes by.


@lru_cache(maxsize=1 << 12)
def _shared(dynamic: int, regions: tuple[Region, ...]) -> Shared:
    return Shared(dynamic=dynamic, regions=tuple(each for each in regions if not each.padding))


@lru_cache(maxsize=1024)
def _pipelines(stages: int) -> tuple[Pipeline, ...]:
    return (Pipeline(stages=stages),)


@lru_cache(maxsize=1024)
def _tmem(tensor: TensorLayout) -> Tmem | None:
    # With a lane in its upper half it is an address, and no number of columns.
    if not 0 <= tensor.used < 1 << 16:
        return None
    allocated = tensor.allocated
    allocations = () if allocated is None else (Allocation(columns=allocated),)
    return Tmem(columns=tensor.used, allocations=allocations, regions=tensor.regions)
