"""The pipeline of a matmul's tile, given by hand or chosen for M, N and K."""

from __future__ import annotations

from kcfg.core.engine.arith import div, down
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import least, pick, total
from kcfg.core.hardware.dtypes import widest_swizzle
from kcfg.core.kernels.matmul.given import CONFIG, Given


class Config(Given):
    """MatmulConfig: what the epilogue loads, and the pipeline that shared memory has room for."""

    # The epilogue

    @step("bytes", source=f"{CONFIG}.epi_load_swizzle, width of a load")
    def epilogue_row_bytes(self) -> int:
        """Bytes of one row of the tile loaded for the epilogue."""
        return self.c_size * pick(self.AB_swapped, self.block_m, self.output_n)

    @quantity("swizzle", source=f"{CONFIG}.epi_load_swizzle")
    def epi_load_swizzle(self) -> str:
        """Swizzle of the tile loaded for the epilogue: the widest whose row divides its rows."""
        return widest_swizzle(self.epilogue_row_bytes)

    # The pipeline

    @step("bytes", source=f"{CONFIG}.num_pipeline_stages, one stage")
    def stage_bytes(self) -> int:
        """What one more stage costs: a tile of A, a tile of B, full and empty barrier."""
        return total(
            a=self.a_tile_bytes,
            b=self.b_tile_bytes,
            mbarriers=2 * self.target.mbarrier_bytes,
            extra=self.extra_smem_per_stage,
        )

    @step("stages", source=f"{CONFIG}.num_tma_epilogue_pipeline_stages, without a load")
    def stages_without_load(self) -> int:
        """Stages that would fit if the epilogue loaded nothing."""
        return div(self.target.smem_optin_per_block - self.fixed_smem_bytes, self.stage_bytes)

    @quantity("stages", source=f"{CONFIG}.num_tma_epilogue_pipeline_stages")
    def num_tma_epilogue_pipeline_stages(self) -> int:
        """Tiles loaded ahead for the epilogue; set even where nothing is loaded."""
        return pick(
            self.AB_swapped | self.epilogue_is_1d,
            self.num_accum_pipeline_stages,
            pick(
                (self.mma_m == 256) & (self.mma_n == 256),
                1,
                pick(self.stages_without_load >= 8, 4, 2),
            ),
        )

    @step("elements", source=f"{CONFIG}.num_pipeline_stages, epilogue tile")
    def epilogue_elements(self) -> int:
        """Elements of one load for the epilogue: of a vector, or of the tile it adds to."""
        return pick(
            self.epilogue_is_1d,
            pick(self.AB_swapped, self.block_m, self.mma_n),
            self.block_m * pick(self.AB_swapped, self.mma_n, self.output_n),
        )

    @step("bytes", source=f"{CONFIG}.num_pipeline_stages, one epilogue stage")
    def epilogue_stage_bytes(self) -> int:
        """What one load for the epilogue takes."""
        return total(
            tile=self.epilogue_elements * self.c_size, mbarriers=2 * self.target.mbarrier_bytes
        )

    @step("bytes", source=f"{CONFIG}.num_pipeline_stages, epilogue")
    def epilogue_bytes(self) -> int:
        """What all loads for the epilogue take."""
        return pick(
            self.use_tma_epilogue_load,
            self.num_tma_epilogue_pipeline_stages * self.epilogue_stage_bytes,
            0,
        )

    @step("stages", source=f"{CONFIG}.num_pipeline_stages, from shared memory")
    def stages_that_fit(self) -> int:
        """Stages for which there is shared memory; may be negative."""
        return div(
            self.target.smem_optin_per_block - self.fixed_smem_bytes - self.epilogue_bytes,
            self.stage_bytes,
        )

    @step("stages", source=f"{CONFIG}.num_pipeline_stages, cap")
    def most_stages(self) -> int:
        """Stages there are at most, however small."""
        return 16

    @quantity("stages", source=f"{CONFIG}.num_pipeline_stages")
    def num_pipeline_stages(self) -> int:
        """Tiles of A and B in flight: what fits, up to a cap, in whole groups."""
        return down(
            least(shared_memory=self.stages_that_fit, cap=self.most_stages), self.k_group_size
        )

    @quantity("count", source=f"{CONFIG}.prefetch_tiles_n")
    def prefetch_tiles_n(self) -> int:
        """Tiles fetched ahead into L2: as given; the choice fetches none."""
        return self.settings.prefetch_tiles_n
