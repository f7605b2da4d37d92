"""mha_depth512 as of MAX 26.7: a pair of CTAs shares one MMA, for heads too deep for one.

The structs have a file each, one built upon the other: ``config``, ``smem``.
"""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.block.parts import Mbarriers, Registers
from kcfg.core.block.placing import (
    SharedLayout,
    TensorLayout,
    allocation,
    barriers,
    columns,
    region,
    registers,
    role,
    shared,
    tensor,
)
from kcfg.core.hardware.dtypes import swizzle_bytes
from kcfg.core.hardware.occupancy import register_cap
from kcfg.core.kernel import Kernel
from kcfg.core.kernels.mha_depth512.config import CONFIG, SMEM
from kcfg.core.kernels.mha_depth512.smem import SharedMemory


class MHADepth512(SharedMemory):
    """The pair-CTA attention of MAX 26.7."""

    kernel = "mha_depth512"
    release = "26.7"
    title = "Attention forward, depth 256 to 512, pairs of CTAs"
    struct = f"{CONFIG} and {SMEM}, max 26.7.0"
    changes = "The first release kcfg knows."
    plays: ClassVar = {
        "threads": "num_threads",
        "shared.dynamic": "smem_used",
        "pipelines[0].stages": "num_kv_stages",
        "tmem.columns": "tmem_used",
        "mma[0].cta_group": "cta_group",
        "mma[0].M": "MMA_M",
    }
    unmodelled = Kernel.unmodelled | {"blocks_per_sm", "cluster"}

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

    def tmem(self) -> TensorLayout:
        used, scores = self.tmem_used, self.score_columns
        low = self.TMEM_O_hi if self.split_o else self.TMEM_S_even
        regions = (
            columns("O", self.TMEM_O, low),
            columns("O_hi", low, self.TMEM_S_even - low),
            columns("S_even", self.TMEM_S_even, scores),
            columns("S_odd", self.TMEM_S_odd, scores),
        )
        return tensor(self.target, used, allocation(self.target, used), regions)

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
