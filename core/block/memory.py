"""What follows from what a block says of its shared memory, taken together."""

from __future__ import annotations

from kcfg.core.block import aliases, rings
from kcfg.core.block.extents import Extents
from kcfg.core.block.keys import Derived
from kcfg.core.block.parts import Pipeline, Region, Shared
from kcfg.core.block.shared_memory import LEAST_ALIGN, array_align, carveout
from kcfg.core.engine.arith import up
from kcfg.core.hardware.target import Target


class SharedMemory:
    """The shared memory of a block; its keys are those of the block."""

    target: Target
    derived: bool
    shared: Shared | None
    pipelines: tuple[Pipeline, ...]

    @Derived
    def dynamic_bytes(self) -> int | None:
        """Dynamic shared memory: the most that is said of it.

        Of a derived kernel that is what it launches with; a launch written by hand may also
        say where regions end, and what pipelines add up to.
        """
        asked = self.shared.dynamic if self.shared is not None else None
        if self.derived:
            return asked
        said = (asked, self.regions_end, self.pipeline_bytes)
        return max((each for each in said if each is not None), default=None)

    @property
    def dynamic_key(self) -> str:
        """The key that says the most of dynamic shared memory."""
        asked = self.shared.dynamic if self.shared is not None else None
        if self.dynamic_bytes in (None, asked):
            return "shared.dynamic"
        return "shared.regions" if self.dynamic_bytes == self.regions_end else "pipelines"

    @Derived
    def regions_end(self) -> int | None:
        """The first byte behind all regions; None without any."""
        return max((start + (region.bytes or 0) for start, region in self.placed), default=None)

    @Derived
    def pipeline_bytes(self) -> int | None:
        """What pipelines take of dynamic shared memory, at the least; None where none says."""
        said = any(line.stage_bytes is not None or line.fixed_bytes for line in self.pipelines)
        return rings.total(self.ring_groups) if said else None

    @Derived
    def homes(self) -> list[tuple[int, ...]]:
        """For every pipeline the indices of the regions it lies in, as far as that is known."""
        return rings.homes(self)

    @Derived
    def sides(self) -> list[rings.Side]:
        """For every pipeline the bytes it lies in: which it shares, and which lie beside it."""
        return rings.sides(self)

    @Derived
    def ring_groups(self) -> rings.Groups:
        """Bytes of every side of every group of pipelines that share bytes."""
        return rings.groups(self)

    @Derived
    def array_align(self) -> int | None:
        """Alignment of the dynamic array, in bytes; None where nothing says that there is one."""
        return array_align(self.shared, bool(self.pipelines))

    def beside_array(self, static: int) -> int:
        """Bytes of static shared memory as compiled: padded to the dynamic array's alignment."""
        return up(static, self.array_align or 1)

    @Derived
    def static_bytes(self) -> int | None:
        """Static shared memory as compiled, which is what the driver counts."""
        static = self.shared.static if self.shared is not None else None
        return None if static is None else self.beside_array(static)

    @Derived
    def shared_bytes(self) -> int | None:
        """Static and dynamic shared memory together, the padding between them included."""
        if self.static_bytes is None and self.dynamic_bytes is None:
            return None
        return (self.static_bytes or 0) + (self.dynamic_bytes or 0)

    @Derived
    def shared_bytes_most(self) -> int | None:
        """The same if dynamic memory that is only asked for is that of an array after all."""
        if self.array_align is not None or not self.dynamic_bytes:
            return self.shared_bytes
        return up(self.static_bytes or 0, LEAST_ALIGN) + self.dynamic_bytes

    @Derived
    def carveout(self) -> int | None:
        """Bytes of shared memory an SM is preferably set up with; None without a preference."""
        return carveout(self.target, self.shared)

    @Derived
    def placed(self) -> tuple[tuple[int, Region], ...]:
        """Every region with its offset."""
        regions = self.shared.regions if self.shared is not None else ()
        starts = [region.offset for region in regions if region.offset is not None]
        if len(starts) < len(regions):
            offsets = [region.offset for region in regions]
            sizes = [region.bytes or 0 for region in regions]
            starts = aliases.starts(regions, offsets, sizes, [each.align or 1 for each in regions])
        return tuple(zip(starts, regions, strict=True))

    @Derived
    def unsure(self) -> frozenset[int]:
        """Regions whose offsets nobody knows: they follow one that does not say its size."""
        regions = [region for _, region in self.placed]
        if all(region.bytes is not None for region in regions):
            return frozenset()
        ends, found, known = aliases.roots(regions), set[int](), True
        for index, region in enumerate(regions):
            if ends[index] == index:
                known = known or region.offset is not None
                found |= set() if known else {index}
                known = known and region.bytes is not None
        shares = {i for i, root in enumerate(ends) if root in found and regions[i].offset is None}
        return frozenset(found | shares)

    @Derived
    def owners(self) -> list[tuple[int, int]]:
        """The offsets and indices of regions that share no other's bytes, by offset.

        Only those whose offset is known.
        """
        ends = aliases.roots([region for _, region in self.placed])
        return sorted(
            (start, index)
            for index, (start, _) in enumerate(self.placed)
            if ends[index] == index and index not in self.unsure
        )

    @Derived
    def extents(self) -> Extents:
        """Where these lie."""
        return Extents(
            (start, start + (self.placed[index][1].bytes or 0), index)
            for start, index in self.owners
        )
