"""matmul as of MAX 26.6: what it changed against 26.5."""

from __future__ import annotations

from kcfg.core.engine.arith import div
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import least, pick
from kcfg.core.kernels.matmul import r26_5
from kcfg.core.kernels.matmul.given import CONFIG


class Matmul(r26_5.Matmul):
    """MatmulConfig of MAX 26.6."""

    release = "26.6"
    struct = f"{CONFIG} and its choice, max 26.6.0"
    changes = "Up to 24 stages in place of 16; for few rows the choice fetches tiles ahead into L2."

    @step("stages", source=f"{CONFIG}.num_pipeline_stages, cap")
    def most_stages(self) -> int:
        """Stages there are at most, however small."""
        return 24

    @quantity("count", source=f"{CONFIG}.prefetch_tiles_n")
    def prefetch_tiles_n(self) -> int:
        """Tiles fetched ahead into L2: as given, or for few rows what the ring holds, to four."""
        return pick(
            self.settings.prefetches_ring,
            least(limit=4, ring=div(self.num_pipeline_stages, self.k_group_size)),
            self.settings.prefetch_tiles_n,
        )


KERNEL = Matmul
