"""A block's threads and registers: what it is launched with, and what its warps come to."""

from __future__ import annotations

from math import prod

from kcfg.core.block.keys import Derived, Group
from kcfg.core.block.parts import Registers
from kcfg.core.block.warpgroups import (
    WARPS,
    Pool,
    Share,
    counts,
    least_warps,
    pools,
    setters,
    shares,
)
from kcfg.core.hardware.occupancy import register_cap
from kcfg.core.hardware.target import Target


class Launched(Group):
    """What follows from the keys of a block about threads and registers; None where unknown.

    The keys are those of `kcfg.core.block.block.Block`, which is made on top of this.
    """

    target: Target
    threads: int | None
    block: tuple[int, ...]
    blocks_per_sm: int | None
    registers: Registers | None

    @Derived
    def block_threads(self) -> int | None:
        """Threads of the block, as given or as the product of its dimensions."""
        if self.threads is None and self.block:
            return prod(self.block)
        return self.threads

    @Derived
    def threads_named(self) -> int | None:
        """Threads of the block: as given, else at least those of its roles or its warpgroups.

        Where neither is given, those of its launch bounds.
        """
        if self.block_threads is not None or self.registers is None:
            return self.block_threads
        bounds = self.registers.launch_bounds
        return max(self._threads_by_warps.values(), default=bounds[0] if bounds else None)

    @property
    def threads_key(self) -> str:
        """The key that says how many threads the block has."""
        if self.block_threads is not None or self.registers is None:
            return "block" if self.threads is None and self.block else "threads"
        counts = self._threads_by_warps
        return max(counts, key=counts.__getitem__, default="registers.launch_bounds[0]")

    @property
    def _threads_by_warps(self) -> dict[str, int]:
        """Threads that roles and warpgroups make, by their keys."""
        if self.registers is None:
            return {}
        warps, groups = least_warps(self.registers), self.registers.warpgroups
        roles = {} if warps is None else {"registers.roles": self.target.warp_size * warps}
        size = self.warpgroup_threads * len(groups)
        return roles | ({"registers.warpgroups": size} if groups else {})

    @property
    def min_blocks(self) -> int:
        """The blocks per SM that launch bounds promise the compiler: their second argument."""
        bounds = self.registers.launch_bounds if self.registers is not None else ()
        return max(bounds[1] if len(bounds) > 1 else 1, 1)

    @Derived
    def wanted(self) -> int | None:
        """Blocks that are to share an SM: as given, or the launch bounds' minimum if larger."""
        bounds = self.registers.launch_bounds if self.registers is not None else ()
        return max((self.blocks_per_sm or 0, *bounds[1:2])) or None

    @property
    def wanted_key(self) -> str:
        """The key that says how many blocks are to share an SM."""
        own = self.wanted == self.blocks_per_sm
        return "blocks_per_sm" if own else "registers.launch_bounds[1]"

    @Derived
    def setmaxnreg(self) -> bool:
        """Whether any warp sets its own register count."""
        return self.registers is not None and bool(setters(self.registers))

    @Derived
    def counts_set(self) -> tuple[int, ...]:
        """The different counts that any warps set, the smallest first."""
        if self.registers is None:
            return ()
        return tuple(sorted({count for _, _, count in setters(self.registers)}))

    @Derived
    def entry(self) -> int | None:
        """Registers per thread at launch: as given, or what setmaxnreg is compiled to start from.

        That is the cap, or the largest count that an inc goes to where that is less: ptxas lowers
        the count at entry to it (seen of 13.0). Any other kernel may be compiled with fewer.
        """
        if self.registers is None or self.registers.entry is not None:
            return None if self.registers is None else self.registers.entry
        most = self.setmaxnreg_cap
        return None if most is None else min(most, self._raised_to or most)

    @Derived
    def setmaxnreg_cap(self) -> int | None:
        """The most registers per thread from which a kernel that sets its own counts may start.

        A cap, or what launch bounds leave; where it has neither, it is taken to have the launch
        bounds it needs: its threads, and the blocks wanted.
        """
        registers = self.registers
        if registers is None or not self.setmaxnreg:
            return None
        if registers.maxnreg is not None:
            return self.cap_of_option
        return self.cap_of_bounds if registers.launch_bounds else self.cap_of_wanted

    @property
    def _raised_to(self) -> int | None:
        """The largest count that an inc goes to; None for none, and where it may be a dec.

        Where all warps set counts, and not all the same, the largest is taken for an inc though
        it does not say so: the others give registers back for it.
        """
        assert self.registers is not None
        raised = unsaid = 0
        for _, setter, count in setters(self.registers):
            raised = max(raised, count if setter.direction == "inc" else 0)
            unsaid = max(unsaid, count if setter.direction is None else 0)
        if unsaid <= raised:
            return raised or None
        threads = self.block_threads
        warps = counts(self.registers, self.target, threads) if threads else None
        return None if warps is None or None in warps or len(set(warps)) == 1 else unsaid

    @Derived
    def cap_of_bounds(self) -> int | None:
        """The most registers per thread that the launch bounds, or the threads, leave."""
        bounds = self.registers.launch_bounds if self.registers is not None else ()
        return self._cap(bounds[0] if bounds else self.block_threads, self.min_blocks)

    @Derived
    def cap_of_wanted(self) -> int | None:
        """The most registers per thread with which the blocks wanted share an SM."""
        return self._cap(self.block_threads, self.wanted or 1)

    def _cap(self, threads: int | None, blocks: int) -> int | None:
        return (register_cap(self.target, threads, blocks) or None) if threads else None

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
        """The most registers per thread a build may have at launch: as given, or what is left."""
        if self.registers is not None and self.registers.entry is not None:
            return self.registers.entry
        if self.setmaxnreg_cap is not None:
            return self.setmaxnreg_cap
        caps = [most for most in (self.register_cap, self.cap_of_wanted) if most is not None]
        return min(caps, default=None)

    @Derived
    def pools(self) -> tuple[Pool, ...]:
        """The block's registers in each of an SM's sub-partitions; empty where none are known."""
        entry, threads = self.entry, self.block_threads
        if self.registers is None or entry is None or threads is None:
            return ()
        return pools(self.registers, self.target, entry, threads)

    @Derived
    def pool(self) -> int | None:
        """Registers of the block at launch, as allocated: what setmaxnreg deals out anew."""
        return sum(pool.granted for pool in self.pools) if self.pools else None

    @Derived
    def asked(self) -> int | None:
        """Registers of the block once all have set theirs; see `Pool` for where it is None."""
        asked = [pool.asked for pool in self.pools if pool.asked is not None]
        return sum(asked) if asked else None

    @property
    def warpgroup_threads(self) -> int:
        """Threads of a warpgroup: four warps."""
        return WARPS * self.target.warp_size

    @Derived
    def shares(self) -> tuple[Share, ...]:
        """Who has which warps, and the registers per thread they set: roles, else warpgroups."""
        return () if self.registers is None else shares(self.registers)

    @property
    def setters_key(self) -> str:
        """The key under which register counts are set."""
        by_group = self.registers is not None and self.registers.warpgroups
        return "registers.warpgroups" if by_group else "registers.roles"
