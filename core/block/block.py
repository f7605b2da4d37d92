"""A block as it is launched: the one model of it, and what follows from what is given.

Every key is optional; what is not given is not judged. The keys of a launch written by hand
are these, and a derived kernel fills the same (module ``derived``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kcfg.core.block.arrivals import Wait, waits
from kcfg.core.block.keys import Derived, group, number, numbers, truth, word
from kcfg.core.block.launched import Launched
from kcfg.core.block.memory import SharedMemory
from kcfg.core.block.parts import (
    UNITS,
    Accumulator,
    Allocation,
    BulkCopy,
    Compiled,
    Mbarriers,
    Mma,
    NamedBarrier,
    Pipeline,
    Registers,
    Shared,
    TensorMap,
    Tmem,
)
from kcfg.core.block.placing import SharedLayout, TensorLayout, Unplaced, shared
from kcfg.core.block.tensor_memory import layout
from kcfg.core.hardware.target import Target

if TYPE_CHECKING:
    from kcfg.core.kernel import Kernel


class Block(SharedMemory, Launched):
    """One block as launched, for one target; see the keys for what may be said of it.

    ``arch`` is the compilation target (``sm_100a``). ``kernel`` is the derived kernel
    this was filled from, None for a launch written by hand, which is not ``derived``. Such a
    kernel has its memories laid out already: ``smem`` and ``tensor``.
    """

    threads: int | None = number("threads", "Threads of the block.")
    block: tuple[int, ...] = numbers("threads", "The block's x, y, z.", longest=3)
    block_size: tuple[int, ...] = numbers(
        "threads", "The x, y, z that __block_size__ compiles for.", longest=3
    )
    grid: tuple[int, ...] = numbers("blocks", "The grid's x, y, z.", longest=3)
    cooperative: bool | None = truth("Whether it is a cooperative launch: all blocks at once.")
    blocks_per_sm: int | None = number("blocks", "Blocks that are to share an SM.", least=1)
    cluster: tuple[int, ...] = numbers("blocks", "The cluster's x, y, z.", longest=3)
    cluster_attribute: tuple[int, ...] = numbers(
        "blocks", "What the launch asks for where __cluster_dims__ compiles `cluster`.", longest=3
    )
    active_clusters: int | None = number(
        "clusters", "Clusters resident at once, as cudaOccupancyMaxActiveClusters answers."
    )
    non_portable: bool | None = truth("Whether NonPortableClusterSizeAllowed is set.")
    unit: str | None = word("The tensor-core instructions used.", UNITS)
    registers: Registers | None = group(Registers, "Registers and who sets them.")
    shared: Shared | None = group(Shared, "Shared memory.")
    pipelines: tuple[Pipeline, ...] = group(Pipeline, "Rings of stages.", many=True)
    mbarriers: tuple[Mbarriers, ...] = group(
        Mbarriers, "mbarriers, in the order of memory.", many=True
    )
    named_barriers: tuple[NamedBarrier, ...] = group(NamedBarrier, "Named barriers.", many=True)
    tmem: Tmem | None = group(Tmem, "Tensor memory.")
    tma: tuple[TensorMap, ...] = group(TensorMap, "TMA tensor copies.", many=True)
    bulk_copies: tuple[BulkCopy, ...] = group(BulkCopy, "1-D bulk copies.", many=True)
    mma: tuple[Mma, ...] = group(Mma, "Matrix instructions.", many=True)
    compiled: Compiled | None = group(Compiled, "What the compiler reports of a build.")

    def __init__(self, target: Target, *, kernel: Kernel | None = None, **given: Any) -> None:
        super().__init__(**given)
        self.target, self.kernel = target, kernel
        self.derived = kernel is not None
        self.arch = target.arch

    def built(self, compiled: Compiled | None) -> Block:
        """The same block, with what a compiler reports of a build of it."""
        other = Block(
            self.target, kernel=self.kernel, **{name: vars(self)[name] for name in self.keys}
        )
        other.compiled, other.derived = compiled, self.derived
        if self.derived:
            vars(other).update(smem=self.smem, tensor=self.tensor)
        return other

    @property
    def kernel_class(self) -> type[Kernel] | None:
        """The class of the kernel this was filled from."""
        return None if self.kernel is None else type(self.kernel)

    # What follows from the keys; None where they do not say

    @property
    def spilled(self) -> int | None:
        """Bytes a build spills, stores or loads, whichever are more."""
        build = self.compiled
        if build is None:
            return None
        known = (each for each in (build.spill_stores, build.spill_loads) if each is not None)
        return max(known, default=None)

    @Derived
    def static_compiled(self) -> int | None:
        """Static shared memory of the build, without what is reserved for every block.

        cuobjdump counts the reserve, but not in a relocatable object: less than the reserve
        is such a one.
        """
        build, reserve = self.compiled, self.target.smem_reserved_per_block
        if build is None:
            return None
        if build.smem is not None:
            return build.smem
        shared = build.shared
        relocatable = self.registers is not None and self.registers.rdc
        if shared is None or relocatable or shared < reserve:
            return shared
        return shared - reserve

    @Derived
    def unit_used(self) -> str | None:
        """The tensor-core instructions used: as given, or the only ones that have such forms."""
        if self.unit is not None:
            return self.unit
        if self.tmem is not None or self.cta_groups or any(m.ws or m.a_in_tmem for m in self.mma):
            return "tcgen05"
        return self.target.mma if self.mma else None

    @property
    def unit_key(self) -> str:
        """The key that says, or implies, what instructions are used."""
        return "unit" if self.unit is not None else "tmem" if self.tmem is not None else "mma"

    @Derived
    def cta_groups(self) -> dict[str, int]:
        """Every cta_group that is given, by its path."""
        tmem = self.tmem
        several: tuple[tuple[str, tuple[Allocation | Accumulator | Mma, ...]], ...] = (
            ("tmem.allocations", tmem.allocations if tmem is not None else ()),
            ("tmem.accumulators", tmem.accumulators if tmem is not None else ()),
            ("mma", self.mma),
        )
        return {
            f"{word}[{index}].cta_group": each.cta_group
            for word, members in several
            for index, each in enumerate(members)
            if each.cta_group is not None
        }

    @Derived
    def waits(self) -> tuple[Wait, ...]:
        """What mbarriers wait for, and who arrives at them."""
        return waits(self.mbarriers, self.pipelines)

    @Derived
    def smem(self) -> SharedLayout | None:
        """Where the dynamic shared memory's regions sit, if anything of shared memory is known."""
        if self.shared_bytes is None:
            return None
        regions = [
            region.replaced(offset=start, name=region.name or f"region {index}")
            for index, (start, region) in enumerate(self.placed)
        ]
        return shared("", self.target.smem_optin_per_block, self.dynamic_bytes or 0, regions)

    @Derived
    def tensor(self) -> TensorLayout | None:
        """What is in which columns of tensor memory, as far as any of it is known."""
        return layout(self.target, self.tmem) if self.tmem is not None else None

    @Derived
    def stored(self) -> int | None:
        """Bytes of shared memory that a derived kernel lays out."""
        smem = self.smem
        return smem.used if self.derived and smem is not None and not smem.unplaced else None

    @Derived
    def unplaced(self) -> tuple[tuple[str, int, Unplaced], ...]:
        """The memories that could not be laid out: the key of its size, that, and why."""
        found = (("shared.dynamic", self.smem), ("tmem.columns", self.tensor))
        return tuple(
            (path, layout.used, layout.unplaced)
            for path, layout in found
            if layout is not None and layout.unplaced is not None
        )

    @Derived
    def mbarriers_counted(self) -> bool:
        """Whether it is known how many mbarriers there are."""
        counts = [group.count for group in self.mbarriers]
        return bool(counts) and None not in counts

    @Derived
    def barriers_used(self) -> int | None:
        """Named barriers the hardware sets aside: up to the highest number used."""
        numbers = [barrier.id for barrier in self.named_barriers if barrier.id is not None]
        return max(numbers) + 1 if numbers else None

    @Derived
    def barriers_held(self) -> int | None:
        """Named barriers of a block on its SM: those it uses, or a build sets aside if more."""
        build = self.compiled.barriers if self.compiled is not None else None
        known = [count for count in (self.barriers_used, build) if count is not None]
        return max(known, default=None)

    @property
    def barriers_key(self) -> str:
        """The key that says how many named barriers a block holds."""
        return "named_barriers" if self.barriers_held == self.barriers_used else "compiled.barriers"
