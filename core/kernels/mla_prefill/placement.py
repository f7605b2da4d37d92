"""Where everything sits in a block of MLA prefill 26.x.

With per-token scales shared memory and the number of mbarriers are the storage's; otherwise,
and for everything else, the block is laid out as the wrapped attention is.
"""

from __future__ import annotations

from kcfg.core.block.parts import Mbarriers, Region, Registers
from kcfg.core.block.placing import SharedLayout, TensorLayout, barriers, region, registers, shared
from kcfg.core.hardware.dtypes import swizzle_bytes
from kcfg.core.hardware.occupancy import register_cap
from kcfg.core.kernels.mla_prefill.storage import STORAGE, Storage


class Placement(Storage):
    """Regions, columns, warps and barriers of one block."""

    def smem(self) -> SharedLayout | None:
        if self.scale_dtype is None:
            return self.fa4_config.smem()
        limit = self.target.smem_optin_per_block
        return shared(STORAGE, limit, self.storage_size, self._regions())

    def _regions(self) -> tuple[Region, ...]:
        atom = 8 * swizzle_bytes(self.qkv_swizzle_mode)  # a swizzle repeats every eight rows
        correction = 4 * self.storage_correction_elements
        mbar_end = self.storage_mbar_offset + self.storage_mbar_bytes
        stages, mbars = self.storage_kv_stages, self.storage_mbars
        return (
            region("q", self.storage_q_offset, self.storage_q_bytes, atom),
            region("kv", self.storage_kv_offset, self.storage_kv_bytes, atom, stages),
            region("q_scales", self.storage_q_scale_offset, self.storage_q_scale_bytes),
            region("k_scales", self.storage_k_scale_offset, self.storage_k_scale_bytes),
            region("correction", self.storage_correction_offset, correction, 4),
            region("mbarriers", self.storage_mbar_offset, self.storage_mbar_bytes, 8, mbars),
            region("tmem_pointer", mbar_end, self.storage_tmem_addr_bytes, 4),
        )

    def tmem(self) -> TensorLayout:
        return self.fa4_config.tmem()

    def registers(self) -> Registers:
        threads = self.launch_num_threads
        entry = register_cap(self.target, threads, 1)
        return registers(self.target, entry, *self.fa4_config.registers().roles)

    def barriers(self) -> tuple[Mbarriers, ...] | None:
        """The storage has a number of mbarriers, and does not say what they are for."""
        if self.scale_dtype is None:
            return self.fa4_config.barriers()
        return barriers((("mbarriers", self.storage_mbars, None),))
