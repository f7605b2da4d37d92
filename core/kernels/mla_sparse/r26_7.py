"""mla_sparse as of MAX 26.7: attention of every query to the keys that were picked for it.

The structs have a file each, one built upon the other: ``config``, ``storage``.
"""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.block.parts import Mbarriers
from kcfg.core.block.placing import SharedLayout, barriers, region, shared
from kcfg.core.kernel import Kernel
from kcfg.core.kernels.mla_sparse.config import CONFIG
from kcfg.core.kernels.mla_sparse.storage import STORAGE, Storage

ARRAYS = (
    "qk_ss_done",
    "qk_ts_done",
    "sv_p0_done",
    "sv_p1_done",
    "k_p0_ready",
    "k_p1_ready",
    "v_p0_ready",
    "v_p1_ready",
    "p_free",
    "so_ready",
    "k_valid_ready",
    "k_valid_free",
)
"""The arrays of one mbarrier for every buffer, in memory order."""


class MLASparse(Storage):
    """MLASparseConfig and MLASparseSharedMemory of MAX 26.7."""

    kernel = "mla_sparse"
    library = "MAX"
    release = "26.7"
    title = "MLA prefill over picked keys (sparse)"
    struct = f"{CONFIG} and {STORAGE}, max 26.7.0"
    changes = "The first release kcfg knows."
    plays: ClassVar = {
        "threads": "num_threads",
        "shared.dynamic": "storage.size_of",
        "mma[0].cta_group": "cta_group",
        "mma[0].M": "padded_num_q_heads",
    }
    unmodelled = Kernel.unmodelled | {
        "blocks_per_sm",
        "cluster",
        "pipelines",
        "registers",
        "tmem",
    }

    def smem(self) -> SharedLayout:
        """The union's uses lie over it; where Q, K and V lie within theirs was not read."""
        size, union, start = self.qkv_dtype_size, "qkvo_union", self.union_offset
        mbarriers = self.masks_offset - self.q_loaded_offset
        regions = (
            region(union, start, self.union_bytes, size),
            region("q", start, size * self.FULL_Q_SIZE, size, alias_of=union),
            region("q_k_v", start, size * self.SHARED_QKV_SIZE, size, alias_of=union),
            region("o", start, size * self.O_SIZE, size, alias_of=union),
            region("scores", self.scores_offset, self.scores_bytes, size),
            region("p", self.p_offset, self.p_bytes, 4),
            region(
                "mbarriers",
                self.q_loaded_offset,
                mbarriers,
                self.target.mbarrier_align,
                mbarriers // self.target.mbarrier_bytes,
            ),
            region("is_k_valid", self.masks_offset, self.masks_bytes, 1, self.num_mbars),
            region("rowwise_max", self.row_max_offset, self.row_bytes, 4),
            region("rowwise_sum", self.row_sum_offset, self.row_bytes, 4),
        )
        return shared(STORAGE, self.target.smem_optin_per_block, self.storage_size, regions)

    def barriers(self) -> tuple[Mbarriers, ...]:
        """In memory order; how many arrivals each waits for was not read."""
        arrays = ((name, self.num_mbars, None) for name in ARRAYS)
        return barriers((("prologue_q", 1, None), ("prologue_q_cp", 1, None), *arrays))


KERNEL = MLASparse
