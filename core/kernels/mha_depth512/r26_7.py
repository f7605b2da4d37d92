"""mha_depth512 as of MAX 26.7: what it changed against 26.6, and where everything sits."""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.block.parts import Mbarriers, Registers
from kcfg.core.block.placing import (
    SharedLayout,
    barriers,
    region,
    registers,
    role,
    shared,
)
from kcfg.core.engine.quantity import step
from kcfg.core.hardware.dtypes import swizzle_bytes
from kcfg.core.hardware.occupancy import register_cap
from kcfg.core.kernels.mha_depth512 import r26_6
from kcfg.core.kernels.mha_depth512.config import CONFIG, SMEM
from kcfg.core.kernels.mha_depth512.smem import SharedMemory


class MHADepth512(SharedMemory, r26_6.MHADepth512):
    """The pair-CTA attention of MAX 26.7."""

    release = "26.7"
    called = "mha_depth512.call:MHADepth512Call"
    struct = f"{CONFIG} and {SMEM}, max 26.7.0"
    changes = "The tensor-memory address no longer takes 4 bytes of the budget."
    plays: ClassVar = r26_6.MHADepth512.plays | {
        "shared.regions[q].offset": "q_byte_offset",
        "shared.regions[q].bytes": "q_bytes",
        "shared.regions[p].offset": "p_byte_offset",
        "shared.regions[p].bytes": "p_bytes",
        "shared.regions[kv].offset": "kv_byte_offset",
        "shared.regions[kv].bytes": "kv_total_bytes",
        "shared.regions[correction].offset": "correction_byte_offset",
        "shared.regions[correction].bytes": "correction_bytes",
        "shared.regions[mbarriers].offset": "mbar_byte_offset",
        "shared.regions[mbarriers].bytes": "mbar_bytes",
    }
    unmodelled = r26_6.MHADepth512.unmodelled - {"mbarriers"}

    @step("bytes", source=f"{CONFIG}, tensor-memory address")
    def tmem_pointer_bytes(self) -> int:
        """The tensor-memory address is no longer kept in dynamic shared memory."""
        return 0

    # Where everything sits

    def smem(self) -> SharedLayout:
        atom = 8 * swizzle_bytes(self.swizzle_mode)  # a swizzle repeats every eight rows
        stages, mbars, mbarrier = self.num_kv_stages, self.total_mbars, self.target.mbarrier_align
        regions = (
            region("q", self.q_byte_offset, self.q_bytes, atom),
            region("p", self.p_byte_offset, self.p_bytes),
            region("kv", self.kv_byte_offset, self.kv_total_bytes, atom, stages),
            region("correction", self.correction_byte_offset, self.correction_bytes, 4),
            region("mbarriers", self.mbar_byte_offset, self.mbar_bytes, mbarrier, mbars),
        )
        return shared(SMEM, self.sm100_smem_carveout, self.smem_size, regions)

    def registers(self) -> Registers:
        roles = (
            role("softmax", 0, 3, 256),
            role("correction", 4, 7, 184),
            role("mma", 8, 8, 64),
            role("load", 9, 9, 64),
            role("spare", 10, 11, 64),
        )
        return registers(self.target, register_cap(self.target, self.num_threads, 1), *roles)

    def barriers(self) -> tuple[Mbarriers, ...]:
        """The fixed ones come first; what each is for, and its arrivals, are not known."""
        return barriers((("fixed", self.num_fixed_mbars, None), ("kv", self.num_kv_mbars, None)))


KERNEL = MHADepth512
