"""A block as it is launched: the one model of it, and what follows from what is given.

Every key is optional; what is not given is not judged. The keys of a launch written by hand
are these, and a derived kernel fills the same (module ``derived``).
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from kcfg.core.block.keys import Derived, Group, group, number, numbers, truth, word
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
    Region,
    Registers,
    Shared,
    TensorMap,
    Tmem,
)
from kcfg.core.block.placing import SharedLayout, TensorLayout, Unplaced, shared
from kcfg.core.block.tensor_memory import layout
from kcfg.core.block.warpgroups import WARPS, Share, demand, mixed, role_warps, setters, shares
from kcfg.core.engine.arith import up
from kcfg.core.hardware.occupancy import register_cap
from kcfg.core.hardware.target import Target

if TYPE_CHECKING:
    from kcfg.core.kernel import Kernel


class Block(Group):
    """One block as launched, for one target; see the keys for what may be said of it.

    ``arch`` is the compilation target (``sm_100a``). ``kernel`` is the derived kernel
    this was filled from, None for a launch written by hand, which is not ``derived``. Such a
    kernel has its memories laid out already: ``smem`` and ``tensor``.
    """

    threads: int | None = number("threads", "Threads of the block.")
    block: tuple[int, ...] = numbers("threads", "The block's x, y, z.", longest=3)
    grid: tuple[int, ...] = numbers("blocks", "The grid's x, y, z.", longest=3)
    blocks_per_sm: int | None = number("blocks", "Blocks that are to share an SM.", least=1)
    cluster: tuple[int, ...] = numbers("blocks", "The cluster's x, y, z.", longest=3)
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

    @Derived
    def block_threads(self) -> int | None:
        """Threads of the block, as given or as the product of its dimensions."""
        if self.threads is None and self.block:
            return prod(self.block)
        return self.threads

    @Derived
    def threads_named(self) -> int | None:
        """Threads of the block: as given, else those of its roles, its warpgroups or its bounds."""
        registers, threads = self.registers, self.block_threads
        if threads is not None or registers is None:
            return threads
        warps = role_warps(registers)
        if warps is not None:
            return self.target.warp_size * warps
        if registers.warpgroups:
            return self.warpgroup_threads * len(registers.warpgroups)
        return registers.launch_bounds[0] if registers.launch_bounds else None

    @property
    def threads_key(self) -> str:
        """The key that says how many threads the block has."""
        registers = self.registers
        if self.block_threads is not None or registers is None:
            return "block" if self.threads is None and self.block else "threads"
        if role_warps(registers) is not None:
            return "registers.roles"
        return "registers.warpgroups" if registers.warpgroups else "registers.launch_bounds[0]"

    @Derived
    def setmaxnreg(self) -> bool:
        """Whether any warp sets its own register count."""
        return self.registers is not None and bool(setters(self.registers))

    @Derived
    def entry(self) -> int | None:
        """Registers per thread at launch: as given, or what setmaxnreg is compiled to start from.

        A cap, or what launch bounds leave, is the count at entry only of a kernel that
        sets its own counts; any other may be compiled with fewer.
        """
        registers = self.registers
        if registers is None:
            return None
        if registers.entry is not None:
            return registers.entry
        if not self.setmaxnreg:
            return None
        return self.cap_of_bounds if registers.maxnreg is None else self.cap_of_option

    @Derived
    def cap_of_bounds(self) -> int | None:
        """The most registers per thread that the launch bounds, or the threads, leave."""
        bounds = self.registers.launch_bounds if self.registers is not None else ()
        threads = bounds[0] if bounds else self.block_threads
        return (register_cap(self.target, threads, self.min_blocks) or None) if threads else None

    @Derived
    def cap_of_option(self) -> int | None:
        """The most registers per thread that __maxnreg__ or -maxrregcount leaves."""
        if self.registers is None or self.registers.maxnreg is None:
            return None
        most = self.target.max_registers_per_thread
        return min(max(self.registers.maxnreg, self.target.setmaxnreg_min), most)

    @Derived
    def register_cap(self) -> int | None:
        """The most registers per thread that bounds, threads and options leave together."""
        caps = [most for most in (self.cap_of_bounds, self.cap_of_option) if most is not None]
        return min(caps, default=None)

    @property
    def entry_key(self) -> str:
        """The key that says with how many registers a thread is launched."""
        registers = self.registers
        capped = registers is not None and registers.entry is None
        return "registers.maxnreg" if capped and self.cap_of_option else "registers.entry"

    @Derived
    def entry_cap(self) -> int | None:
        """The most registers per thread a build may have at launch."""
        return self.register_cap if self.entry is None else self.entry

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

    @property
    def min_blocks(self) -> int:
        """The minimum of blocks per SM the compiler plans with."""
        bounds = self.registers.launch_bounds if self.registers else ()
        return max(bounds[1] if len(bounds) > 1 else self.blocks_per_sm or 1, 1)

    @Derived
    def pool(self) -> int | None:
        """Registers of the block at launch, as allocated: what setmaxnreg deals out anew."""
        if self.entry is None or self.block_threads is None:
            return None
        step = self.target.register_alloc_rounding_per_thread
        return self.block_threads * up(self.entry, step)

    @property
    def warpgroup_threads(self) -> int:
        """Threads of a warpgroup: four warps."""
        return WARPS * self.target.warp_size

    @Derived
    def asked(self) -> int | None:
        """Registers of the block once all have set theirs.

        None where nobody does, and where the warps of one warpgroup do not agree.
        """
        entry, threads = self.entry, self.block_threads
        if self.registers is None or entry is None or threads is None or not self.setmaxnreg:
            return None
        if not self.derived and mixed(self.registers, self.target):
            return None
        return demand(self.registers, self.target, entry, threads)

    @Derived
    def shares(self) -> tuple[Share, ...]:
        """Who has which warps, and the registers per thread they set: roles, else warpgroups."""
        return () if self.registers is None else shares(self.registers)

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

    @property
    def setters_key(self) -> str:
        """The key under which register counts are set."""
        by_group = self.registers is not None and self.registers.warpgroups
        return "registers.warpgroups" if by_group else "registers.roles"

    @Derived
    def dynamic_bytes(self) -> int | None:
        """Dynamic shared memory: as given, or what regions or pipelines add up to."""
        if self.shared is not None and self.shared.dynamic is not None:
            return self.shared.dynamic
        if self.shared is not None and self.shared.regions:
            return max(start + (region.bytes or 0) for start, region in self.placed)
        sizes = [
            (line.stages or 0) * line.stage_bytes + (line.fixed_bytes or 0)
            for line in self.pipelines
            if line.stage_bytes is not None
        ]
        return sum(sizes) if sizes else None

    @Derived
    def shared_bytes(self) -> int | None:
        """Static and dynamic shared memory together."""
        static = self.shared.static if self.shared is not None else None
        if static is None and self.dynamic_bytes is None:
            return None
        return (static or 0) + (self.dynamic_bytes or 0)

    @Derived
    def placed(self) -> tuple[tuple[int, Region], ...]:
        """Every region with its offset; one without follows the region before it."""
        found = []
        end = 0
        for region in self.shared.regions if self.shared is not None else ():
            start = up(end, region.align or 1) if region.offset is None else region.offset
            end = start + (region.bytes or 0)
            found.append((start, region))
        return tuple(found)

    @Derived
    def smem(self) -> SharedLayout | None:
        """Where the dynamic shared memory's regions sit, as far as any of it is known."""
        dynamic = self.dynamic_bytes
        if dynamic is None:
            return None
        regions = [
            region.replaced(offset=start, name=region.name or f"region {index}")
            for index, (start, region) in enumerate(self.placed)
        ]
        return shared("", self.target.smem_optin_per_block, dynamic, regions)

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
    def barriers_used(self) -> int | None:
        """Named barriers the hardware sets aside: up to the highest number used."""
        numbers = [barrier.id for barrier in self.named_barriers if barrier.id is not None]
        return max(numbers) + 1 if numbers else None
