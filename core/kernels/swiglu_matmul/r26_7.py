"""swiglu_matmul as of MAX 26.7: a matmul of which one half of the columns gates the other."""

from __future__ import annotations

from kcfg.core.engine.arith import div, down
from kcfg.core.engine.quantity import flag, part, quantity, step
from kcfg.core.engine.terms import pick, total
from kcfg.core.kernel import Candidate, Spelling
from kcfg.core.kernels.matmul.search import Extent
from kcfg.core.kernels.matmul.settings import Settings
from kcfg.core.kernels.matmul.tile import Tile
from kcfg.core.kernels.matmul.weighed import of_choice
from kcfg.core.kernels.swiglu_matmul.choose import choose, settled

CONFIG = "FusedSwiGLUMatmulConfig"


class SwiGLUMatmul(Tile):
    """FusedSwiGLUMatmulConfig of MAX 26.7, given or chosen."""

    kernel = "swiglu_matmul"
    library = "MAX"
    release = "26.7"
    title = "Matmul and SwiGLU, fused"
    struct = f"{CONFIG} and choose_swiglu_config, max 26.7.0"
    changes = "The first release kcfg knows."
    without = frozenset(("c_swizzle", "store_swizzle", "swapped_swizzle"))
    steps = frozenset(("num_output_stages",))
    spellings = (
        Spelling("has_bias", "use_bias", flag("Whether a bias is added."), lambda given, _: given),
    )

    use_bias: bool = flag("Whether a bias is added.", repeated=True)
    register_swiglu: bool = flag(
        "Whether the halves meet in registers, not in shared memory.", repeated=True, tunable=True
    )

    @part()
    def settings(self) -> Settings:
        """What the caller decides: as given, or as chosen for the problem."""
        return settled(
            given=self.given,
            ab_dtype=self.ab_dtype,
            extent=Extent(M=self.M, N=self.N, K=self.K),
        )

    def candidates(self) -> tuple[Candidate, ...]:
        if self.M is None:
            return ()
        extent = Extent(self.M, self.N, self.K)
        return tuple(of_choice(choose(self.target, self.ab_dtype, extent)))

    # The pipeline

    @step("bytes", source=f"{CONFIG}, num_pipeline_stages, halves")
    def halves_bytes(self) -> int:
        """Two tiles of half the columns, in which the halves meet."""
        return 2 * self.output_m * (self.output_n // 2) * self.c_size

    @step("bytes", source=f"{CONFIG}, num_pipeline_stages, bias")
    def bias_bytes(self) -> int:
        """Two pieces of the bias, with two mbarriers each."""
        return total(
            pieces=2 * self.c_size * pick(self.AB_swapped, self.block_m, self.mma_n),
            mbarriers=4 * self.target.mbarrier_bytes,
        )

    @step("bytes", source=f"{CONFIG}, num_pipeline_stages, epilogue")
    def epilogue_bytes(self) -> int:
        """What an epilogue in shared memory takes; one in registers takes nothing."""
        return pick(
            self.register_swiglu,
            0,
            total(halves=self.halves_bytes, bias=pick(self.use_bias, self.bias_bytes, 0)),
        )

    @step("bytes", source=f"{CONFIG}, num_pipeline_stages, one stage")
    def stage_bytes(self) -> int:
        """What one more stage costs: a tile of A, a tile of B, full and empty barrier."""
        return total(
            a=self.a_tile_bytes, b=self.b_tile_bytes, mbarriers=2 * self.target.mbarrier_bytes
        )

    @step("stages", source=f"{CONFIG}, num_pipeline_stages, from shared memory")
    def stages_that_fit(self) -> int:
        """Stages for which there is shared memory; may be negative."""
        return div(
            self.target.smem_optin_per_block - self.fixed_smem_bytes - self.epilogue_bytes,
            self.stage_bytes,
        )

    @quantity("stages", source=f"{CONFIG}.num_pipeline_stages")
    def num_pipeline_stages(self) -> int:
        """Tiles of A and B in flight: what fits, in whole groups."""
        return down(self.stages_that_fit, self.k_group_size)


KERNEL = SwiGLUMatmul
