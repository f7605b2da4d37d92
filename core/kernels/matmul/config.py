"""The pipeline of a matmul's tile, given by hand or chosen for M, N and K."""

from __future__ import annotations

from kcfg.core.block.parts import Mma
from kcfg.core.block.placing import mma
from kcfg.core.engine.arith import div, down
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import least, negate, pick, total
from kcfg.core.hardware.dtypes import dtype_bytes, swizzle_of_width, widest_swizzle
from kcfg.core.kernels.matmul.given import CONFIG, Given

KINDS = {"bfloat16": "f16", "float16": "f16", "float32": "tf32"} | dict.fromkeys(
    ("float8_e4m3fn", "float8_e5m2"), "f8f6f4"
)
"""The kind of the instructions that multiply a type, by PTX's table of kinds."""


class Config(Given):
    """MatmulConfig: tiles, swizzles, and the pipeline that shared memory has room for."""

    # Tiles

    @step("bytes", source=f"{CONFIG}, operand size")
    def ab_size(self) -> int:
        """Bytes of one element of A and B."""
        return dtype_bytes(self.ab_dtype)

    @step("bytes", source=f"{CONFIG}, result size")
    def c_size(self) -> int:
        """Bytes of one element of the result."""
        return dtype_bytes(self.c_dtype)

    @quantity("rows", source=f"{CONFIG}.block_tile_shape", key="block_tile_shape[0]")
    def block_m(self) -> int:
        """Rows of A that one CTA loads: its share of the MMA's M."""
        return div(self.mma_m, self.cta_group)

    @quantity("columns", source=f"{CONFIG}.block_tile_shape", key="block_tile_shape[1]")
    def block_n(self) -> int:
        """Columns of B that one CTA loads: its share of the MMA's N."""
        return div(self.mma_n, self.cta_group)

    @quantity("elements", source=f"{CONFIG}.block_tile_shape", key="block_tile_shape[2]")
    def block_k(self) -> int:
        """Elements along K of one tile: a 128-byte swizzle row."""
        return div(128, self.ab_size)

    @step("rows", source=f"{CONFIG}.output_tile_shape, rows")
    def output_rows(self) -> int:
        """Rows of the accumulator that one store takes: the lanes, or all of a small MMA's."""
        return pick(self.cta_group == 2, 128, self.mma_m)

    @step("columns", source=f"{CONFIG}.output_tile_shape, columns of a CTA")
    def accumulator_columns(self) -> int:
        """Columns of one CTA's accumulator; a pair of 64 rows each splits them."""
        return pick((self.mma_m == 256) | (self.cta_group == 1), self.mma_n, self.mma_n // 2)

    @step("columns", source=f"{CONFIG}.output_tile_shape, columns that divide")
    def output_columns_16(self) -> int:
        """16 columns where they divide the accumulator's, else 8."""
        return pick(self.accumulator_columns % 16 == 0, 16, 8)

    @step("columns", source=f"{CONFIG}.output_tile_shape, bfloat16")
    def output_columns_bfloat16(self) -> int:
        """Columns of one store in bfloat16: 128 bytes if they divide, 64 when swapped."""
        return pick(
            (self.accumulator_columns % 64 == 0) & negate(self.AB_swapped),
            64,
            pick(self.accumulator_columns % 32 == 0, 32, self.output_columns_16),
        )

    @step("columns", source=f"{CONFIG}.output_tile_shape, float32")
    def output_columns_float32(self) -> int:
        """Columns of one store in float32: 128 bytes if they divide, 64 when swapped."""
        return pick(
            (self.accumulator_columns % 32 == 0) & negate(self.AB_swapped),
            32,
            self.output_columns_16,
        )

    @step("columns", source=f"{CONFIG}.output_tile_shape, columns")
    def output_columns(self) -> int:
        """Columns of the accumulator that one store takes; 16 in any other type."""
        return pick(
            self.c_dtype == "bfloat16",
            self.output_columns_bfloat16,
            pick(self.c_dtype == "float32", self.output_columns_float32, 16),
        )

    @quantity("rows", source=f"{CONFIG}.output_tile_shape", key="output_tile_shape[0]")
    def output_m(self) -> int:
        """Rows of the result that one store takes."""
        return pick(self.AB_swapped, self.output_columns, self.output_rows)

    @quantity("columns", source=f"{CONFIG}.output_tile_shape", key="output_tile_shape[1]")
    def output_n(self) -> int:
        """Columns of the result that one store takes."""
        return pick(self.AB_swapped, self.output_rows, self.output_columns)

    # Swizzles

    @quantity("swizzle", source=f"{CONFIG}.a_swizzle")
    def a_swizzle(self) -> str:
        """Swizzle of A's tiles: the whole row of 128 bytes."""
        return "128B"

    @quantity("swizzle", source=f"{CONFIG}.b_swizzle")
    def b_swizzle(self) -> str:
        """Swizzle of B's tiles: the whole row of 128 bytes."""
        return "128B"

    @step("swizzle", source=f"{CONFIG}.c_swizzle, width of a store")
    def store_swizzle(self) -> str:
        """The swizzle whose row is exactly as wide as one store."""
        return swizzle_of_width(self.output_columns * self.c_size)

    @quantity("swizzle", source=f"{CONFIG}.c_swizzle")
    def c_swizzle(self) -> str:
        """Swizzle of the stored tiles; none but in bfloat16 and float32."""
        return pick(
            (self.c_dtype == "bfloat16") | (self.c_dtype == "float32"),
            pick(self.AB_swapped, "128B", self.store_swizzle),
            "NONE",
        )

    @step("bytes", source=f"{CONFIG}.epi_load_swizzle, width of a load")
    def epilogue_row_bytes(self) -> int:
        """Bytes of one row of the tile loaded for the epilogue."""
        return self.c_size * pick(self.AB_swapped, self.block_m, self.output_n)

    @quantity("swizzle", source=f"{CONFIG}.epi_load_swizzle")
    def epi_load_swizzle(self) -> str:
        """Swizzle of the tile loaded for the epilogue: the widest whose row divides its rows."""
        return widest_swizzle(self.epilogue_row_bytes)

    # The pipeline

    @step("bytes", source=f"{CONFIG}.num_pipeline_stages, output tiles")
    def output_bytes(self) -> int:
        """The output tiles."""
        return self.num_output_stages * self.output_rows * self.output_columns * self.c_size

    @step("bytes", source=f"{CONFIG}.num_pipeline_stages, fixed part")
    def fixed_smem_bytes(self) -> int:
        """What is there once: output tiles, 12 bytes of control, and the other pipelines."""
        return total(
            output=self.output_bytes,
            control=12,
            scheduler=self.num_clc_pipeline_stages * 160,
            accumulators=self.num_accum_pipeline_stages * 2 * self.target.mbarrier_bytes,
        )

    @step("bytes", source=f"{CONFIG}.num_pipeline_stages, one stage")
    def stage_bytes(self) -> int:
        """What one more stage costs: a tile of A, a tile of B, full and empty barrier."""
        return total(
            a=self.block_m * self.block_k * self.ab_size,
            b=self.block_n * self.block_k * self.ab_size,
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

    # The block

    def mma(self) -> tuple[Mma, ...]:
        """One instruction steps through a tile of A and B."""
        return (
            mma(
                kind=KINDS.get(self.ab_dtype),
                cta_group=self.cta_group,
                M=self.mma_m,
                N=self.mma_n,
                K=self.block_k,
            ),
        )
