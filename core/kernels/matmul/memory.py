"""The memory of the plain matmul: a storage struct, and the accumulators' columns."""

from __future__ import annotations

from kcfg.core.block.placing import SharedLayout, TensorLayout, region, shared, tensor
from kcfg.core.engine.arith import div, up
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import pick, total
from kcfg.core.hardware.dtypes import swizzle_bytes
from kcfg.core.kernels.matmul.config import Config

SMEM = "B200MatmulSmem"

COPIED = 128
"""Alignment in bytes of what TMA stores and loads."""


class Memory(Config):
    """Bytes and offsets of the storage's members, and the size it is launched with."""

    # Sizes

    @quantity("bytes", source=f"{SMEM}, alignment")
    def align_of(self) -> int:
        """Alignment of the storage: that of its pipelines."""
        return 16

    @step("bytes", source=f"{SMEM}.input_tiles, size")
    def input_tiles_bytes(self) -> int:
        """The ring: a tile of A and one of B in every stage."""
        return self.num_pipeline_stages * (self.a_tile_bytes + self.b_tile_bytes)

    @step("bytes", source=f"{SMEM}.epilogue_load_tiles_storage, size")
    def epilogue_load_bytes(self) -> int:
        """The tiles loaded for the epilogue; nothing where TMA loads none."""
        return pick(
            self.use_tma_epilogue_load,
            self.num_tma_epilogue_pipeline_stages * self.epilogue_elements * self.c_size,
            0,
        )

    @step("bytes", source=f"{SMEM}.pipelines, size")
    def pipelines_bytes(self) -> int:
        """mbarriers, what the scheduler answers, the tensor-memory address, in whole 16 bytes."""
        return up(
            total(
                ring=div(self.num_pipeline_stages, self.k_group_size)
                * 2
                * self.target.mbarrier_bytes,
                accumulators=self.num_accum_pipeline_stages * 2 * self.target.mbarrier_bytes,
                scheduler=self.num_clc_pipeline_stages * 48,
                control=12,
                epilogue_loads=pick(
                    self.use_tma_epilogue_load,
                    self.num_tma_epilogue_pipeline_stages * 2 * self.target.mbarrier_bytes,
                    0,
                ),
            ),
            self.align_of,
        )

    # Where they start

    @quantity("bytes", source=f"{SMEM}.input_tiles", key="offset_of.input_tiles")
    def input_tiles_offset(self) -> int:
        """The ring comes first."""
        return 0

    @quantity("bytes", source=f"{SMEM}.output_tiles", key="offset_of.output_tiles")
    def output_tiles_offset(self) -> int:
        """The output tiles follow the ring."""
        return self.input_tiles_offset + self.input_tiles_bytes

    @quantity(
        "bytes",
        source=f"{SMEM}.epilogue_load_tiles_storage",
        key="offset_of.epilogue_load_tiles_storage",
    )
    def epilogue_load_offset(self) -> int:
        """What is loaded for the epilogue follows the output tiles."""
        return self.output_tiles_offset + self.output_bytes

    @quantity("bytes", source=f"{SMEM}.pipelines", key="offset_of.pipelines")
    def pipelines_offset(self) -> int:
        """The pipelines come last, at a multiple of 16."""
        return up(self.epilogue_load_offset + self.epilogue_load_bytes, self.align_of)

    @quantity("bytes", source=f"{SMEM}, size")
    def size_of(self) -> int:
        """Dynamic shared memory of the launch."""
        return self.pipelines_offset + self.pipelines_bytes

    # What the storage keeps of the configuration

    @quantity("stages", source=f"{SMEM}.config", key="config.num_pipeline_stages")
    def config_stages(self) -> int:
        """The configuration's stages."""
        return self.num_pipeline_stages

    @quantity("stages", source=f"{SMEM}.config", key="config.num_tma_epilogue_pipeline_stages")
    def config_epilogue_stages(self) -> int:
        """The configuration's loads for the epilogue."""
        return self.num_tma_epilogue_pipeline_stages

    # Tensor memory

    @step("columns", source="PTX ISA, tcgen05.mma: how an accumulator lies in tensor memory")
    def tmem_columns(self) -> int:
        """Columns of all accumulators; where upstream puts them was not read."""
        return self.num_accum_pipeline_stages * self.accumulator_columns

    def smem(self) -> SharedLayout:
        atom = 8 * swizzle_bytes(self.a_swizzle)  # a swizzle repeats every eight rows
        loads = self.num_tma_epilogue_pipeline_stages
        regions = (
            region(
                "input_tiles",
                self.input_tiles_offset,
                self.input_tiles_bytes,
                atom,
                self.num_pipeline_stages,
            ),
            region(
                "output_tiles",
                self.output_tiles_offset,
                self.output_bytes,
                COPIED,
                self.num_output_stages,
            ),
            region(
                "epilogue_load_tiles",
                self.epilogue_load_offset,
                self.epilogue_load_bytes,
                COPIED,
                loads,
            ),
            region("pipelines", self.pipelines_offset, self.pipelines_bytes, self.align_of),
        )
        return shared(SMEM, self.target.smem_optin_per_block, self.size_of, regions)

    def tmem(self) -> TensorLayout:
        return tensor(self.target, self.tmem_columns, 0, ())
