"""mha_depth512 as of MAX 26.7: a pair of CTAs shares one MMA, for heads too deep for one.

The structs have a file each, one built upon the other: ``config``, ``smem``.
"""

from __future__ import annotations

from kcfg.core.hardware.dtypes import swizzle_bytes
from kcfg.core.hardware.occupancy import register_cap
from kcfg.core.kernels.mha_depth512.config import CONFIG, SMEM
from kcfg.core.kernels.mha_depth512.smem import SharedMemory
from kcfg.core.layout import (
    Barriers,
    Columns,
    Region,
    Registers,
    Role,
    Smem,
    Tmem,
    allocation,
    barriers,
    smem,
    tmem,
)


class MHADepth512(SharedMemory):
    """The pair-CTA attention of MAX 26.7."""

    kernel = "mha_depth512"
    release = "26.7"
    title = "Attention forward, depth 256 to 512, pairs of CTAs"
    struct = f"{CONFIG} and {SMEM}, max 26.7.0"
    changes = "The first release kcfg knows."

    # Where everything sits

    def smem(self) -> Smem:
        atom = 8 * swizzle_bytes(self.swizzle_mode)  # a swizzle repeats every eight rows
        stages, mbars, mbarrier = self.num_kv_stages, self.total_mbars, self.target.mbarrier_align
        regions = (
            Region("q", self.q_byte_offset, self.q_bytes, atom),
            Region("p", self.p_byte_offset, self.p_bytes),
            Region("kv", self.kv_byte_offset, self.kv_total_bytes, atom, stages),
            Region("correction", self.correction_byte_offset, self.correction_bytes, 4),
            Region("mbarriers", self.mbar_byte_offset, self.mbar_bytes, mbarrier, mbars),
        )
        return smem(SMEM, self.sm100_smem_carveout, self.smem_size, regions)

    def tmem(self) -> Tmem:
        used, scores = self.tmem_used, self.score_columns
        low = self.TMEM_O_hi if self.split_o else self.TMEM_S_even
        regions = (
            Columns("O", self.TMEM_O, low),
            Columns("O_hi", low, self.TMEM_S_even - low),
            Columns("S_even", self.TMEM_S_even, scores),
            Columns("S_odd", self.TMEM_S_odd, scores),
        )
        return tmem(self.target, used, allocation(self.target, used), regions)

    def registers(self) -> Registers:
        roles = (
            Role("softmax", 0, 3, 256),
            Role("correction", 4, 7, 184),
            Role("mma", 8, 8, 64),
            Role("load", 9, 9, 64),
            Role("spare", 10, 11, 64),
        )
        return Registers(self.num_threads, register_cap(self.target, self.num_threads, 1), roles)

    def barriers(self) -> tuple[Barriers, ...]:
        """The fixed ones come first; what each is for, and its arrivals, are not known."""
        return barriers((("fixed", self.num_fixed_mbars, None), ("kv", self.num_kv_mbars, None)))


KERNEL = MHADepth512
