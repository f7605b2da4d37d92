"""mha_depth512 as of MAX 26.5: a pair of CTAs shares one MMA, for heads too deep for one.

Of this release the configuration alone was run; where its buffers and mbarriers sit, and what
its warps do, is not known.
"""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.block.parts import Registers
from kcfg.core.block.placing import TensorLayout, allocation, columns, registers, tensor
from kcfg.core.hardware.occupancy import register_cap
from kcfg.core.kernel import Kernel
from kcfg.core.kernels.mha_depth512.config import CONFIG, Config


class MHADepth512(Config):
    """The pair-CTA attention of MAX 26.5."""

    kernel = "mha_depth512"
    library = "MAX"
    release = "26.5"
    title = "Attention forward, depth 256 to 512, pairs of CTAs"
    struct = f"{CONFIG}, max 26.5.0"
    changes = "The first release kcfg knows."
    plays: ClassVar = {
        "threads": "num_threads",
        "shared.dynamic": "smem_used",
        "pipelines[0].stages": "num_kv_stages",
        "tmem.columns": "tmem_used",
        "mma[0].cta_group": "cta_group",
        "mma[0].M": "MMA_M",
        "tmem.regions[O].column": "TMEM_O",
        "tmem.regions[S_even].column": "TMEM_S_even",
        "tmem.regions[S_odd].column": "TMEM_S_odd",
    }
    unmodelled = Kernel.unmodelled | {"blocks_per_sm", "cluster", "mbarriers"}

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
        return registers(self.target, register_cap(self.target, self.num_threads, 1))


KERNEL = MHADepth512
