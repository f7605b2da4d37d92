"""deepgemm as of commit 54e2261: the kernels for SM100, with and without scales."""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.block.parts import Mbarriers, Registers
from kcfg.core.block.placing import (
    SharedLayout,
    TensorLayout,
    barriers,
    columns,
    region,
    role,
    shared,
    tensor,
)
from kcfg.core.engine.arith import div, mod, next_pow2
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import all_of, most, pick
from kcfg.core.kernel import Kernel
from kcfg.core.kernels.deepgemm.config import HEURISTICS, Config
from kcfg.core.kernels.deepgemm.words import columns_of

IMPL = "deep_gemm/include/deep_gemm/impls/sm100_{fp8_fp4_gemm_1d1d,bf16_gemm}.cuh"
ABSENT = -1
"""The offset of what a kernel does not have."""


class DeepGemm(Config):
    """The constants at the head of the two kernels for SM100."""

    kernel = "deepgemm"
    library = "DeepGEMM"
    release = "54e2261"
    title = "GEMM, its layout given or chosen"
    struct = f"{HEURISTICS} and the kernels' constants, DeepGEMM 54e2261"
    changes = "The first release kcfg knows."
    plays: ClassVar = {
        "threads": "num_threads",
        "shared.dynamic": "smem_size",
        "pipelines[0].stages": "kernel_num_stages",
        "cluster[0]": "cluster_size",
        "tmem.allocations[0].columns": "tmem_cols",
        "mma[0].kind": "mma_kind",
        "mma[0].cta_group": "cluster_size",
        "mma[0].M": "umma_m",
        "mma[0].N": "umma_n",
        "mma[0].K": "block_k",
        "shared.regions[a].offset": "off_a",
        "shared.regions[b].offset": "off_b",
        "shared.regions[full_mbarriers].offset": "off_barriers",
        "shared.regions[empty_mbarriers].offset": "off_empty",
        "shared.regions[tmem_full_mbarriers].offset": "off_tmem_full",
        "shared.regions[tmem_empty_mbarriers].offset": "off_tmem_empty",
        "shared.regions[tmem_pointer].offset": "off_tmem_ptr",
        "tmem.regions[sfa].column": "tmem_sfa_col",
        "tmem.regions[sfb].column": "tmem_sfb_col",
    }
    unmodelled = Kernel.unmodelled | {"blocks_per_sm"}

    # The instruction

    @step("text", source=f"{IMPL}, the instruction")
    def mma_kind(self) -> str:
        """The kind of the instructions."""
        return pick(self.scaled, "mxf8f6f4", "f16")

    @quantity("rows", source=f"{IMPL}, UMMA_M")
    def umma_m(self) -> int:
        """M of the instruction."""
        return 128 * self.cluster_size

    @quantity("columns", source=f"{IMPL}, UMMA_N")
    def umma_n(self) -> int:
        """N of the instruction."""
        return pick(self.swap_ab == 1, self.block_m, self.block_n)

    @quantity("elements", source=f"{IMPL}, UMMA_K")
    def umma_k(self) -> int:
        """K of the instruction."""
        return pick(self.scaled, 32, 16)

    # Stages

    @step("stages", source=f"{IMPL}, kNumStagesPerMerge")
    def merged_stages(self) -> int:
        """Stages that are made one: without scales, where eight or more fit."""
        return pick(
            all_of(
                no_scales=self.a == "bf16",
                many=self.num_stages >= 8,
                normal=self.gemm_type == "normal",
                a_by_k=self.major_a == "k",
                b_by_k=self.major_b == "k",
            ),
            div(self.num_stages, 8),
            1,
        )

    @quantity("elements", source=f"{IMPL}, BLOCK_K")
    def kernel_block_k(self) -> int:
        """Depth of a stage."""
        return self.block_k * self.merged_stages

    @quantity("stages", source=f"{IMPL}, kNumStages")
    def kernel_num_stages(self) -> int:
        """Stages that are used."""
        return pick(
            self.merged_stages == 1, self.num_stages, div(self.num_stages, self.merged_stages)
        )

    @quantity("bytes", source=f"{IMPL}, SMEM_A_SIZE_PER_STAGE")
    def smem_a_stage_bytes(self) -> int:
        """One stage of A."""
        return self.load_block_m * self.kernel_block_k * self.element_bytes

    @quantity("bytes", source=f"{IMPL}, SMEM_B_SIZE_PER_STAGE")
    def smem_b_stage_bytes(self) -> int:
        """One stage of B."""
        return self.load_block_n * self.kernel_block_k * self.element_bytes

    # Tensor memory

    @quantity("columns", source=f"{IMPL}, kNumAccumTmemCols")
    def tmem_accum_cols(self) -> int:
        """Columns of two accumulators."""
        return 2 * self.umma_n

    @step("columns", source=f"{IMPL}, columns used")
    def tmem_used(self) -> int:
        """Columns of the accumulators and of the scales."""
        return columns_of(self.umma_n, self.sf_block_m, self.sf_block_n)

    @quantity("columns", source=f"{IMPL}, kNumTmemCols")
    def tmem_cols(self) -> int:
        """Columns that are allocated."""
        return most(used=next_pow2(self.tmem_used), least=self.target.tmem_alloc_min)

    @quantity("columns", source=f"{IMPL}, kTmemStartColOfSFA")
    def tmem_sfa_col(self) -> int:
        """The first column of A's scales."""
        return pick(self.scaled, self.tmem_accum_cols, ABSENT)

    @quantity("columns", source=f"{IMPL}, kTmemStartColOfSFB")
    def tmem_sfb_col(self) -> int:
        """The first column of B's scales."""
        return pick(self.scaled, self.tmem_accum_cols + self.sf_block_m // 32, ABSENT)

    @quantity("threads", source=f"{IMPL}, kNumUMMAStoreThreads")
    def store_threads(self) -> int:
        """Threads that store."""
        return pick(self.swap_ab == 1, 128, self.store_block_m)

    # Where everything sits

    @quantity("bytes", source=f"{IMPL}, smem_a")
    def off_a(self) -> int:
        """Where A begins: behind the buffers of C and D."""
        return self.smem_cd_bytes

    @quantity("bytes", source=f"{IMPL}, smem_b")
    def off_b(self) -> int:
        """Where B begins."""
        return self.off_a + self.kernel_num_stages * self.smem_a_stage_bytes

    @step("bytes", source=f"{IMPL}, the end of smem_b")
    def end_b(self) -> int:
        """Where B ends."""
        return self.off_b + self.kernel_num_stages * self.smem_b_stage_bytes

    @quantity("bytes", source=f"{IMPL}, smem_sfa")
    def off_sfa(self) -> int:
        """Where A's scales begin; -1 without."""
        return pick(self.scaled, self.end_b, ABSENT)

    @step("bytes", source=f"{IMPL}, the end of smem_sfa")
    def end_sfa(self) -> int:
        """Where A's scales end."""
        return self.end_b + self.kernel_num_stages * 4 * self.sf_block_m

    @quantity("bytes", source=f"{IMPL}, smem_sfb")
    def off_sfb(self) -> int:
        """Where B's scales begin; -1 without."""
        return pick(self.scaled, self.end_sfa, ABSENT)

    @quantity("bytes", source=f"{IMPL}, full_barriers")
    def off_barriers(self) -> int:
        """Where the full barriers begin."""
        return self.end_sfa + self.kernel_num_stages * 4 * self.sf_block_n

    @step("bytes", source=f"{IMPL}, a barrier of every stage")
    def ring_barrier_bytes(self) -> int:
        """One barrier of every stage."""
        return self.kernel_num_stages * self.target.mbarrier_bytes

    @quantity("bytes", source=f"{IMPL}, empty_barriers")
    def off_empty(self) -> int:
        """Where the empty barriers begin."""
        return self.off_barriers + self.ring_barrier_bytes

    @quantity("bytes", source=f"{IMPL}, with_sf_full_barriers")
    def off_with_sf_full(self) -> int:
        """Where the barriers of transposed scales begin; -1 without."""
        return pick(self.scaled, self.off_empty + self.ring_barrier_bytes, ABSENT)

    @quantity("bytes", source=f"{IMPL}, tmem_full_barriers")
    def off_tmem_full(self) -> int:
        """Where the barriers of full accumulators begin."""
        return self.off_empty + pick(self.scaled, 2, 1) * self.ring_barrier_bytes

    @quantity("bytes", source=f"{IMPL}, tmem_empty_barriers")
    def off_tmem_empty(self) -> int:
        """Where the barriers of empty accumulators begin."""
        return self.off_tmem_full + 2 * self.target.mbarrier_bytes

    @step("bytes", source=f"{IMPL}, the end of the barriers of all accumulators")
    def end_barriers(self) -> int:
        """Behind the barriers of accumulators; without scales a group of a ring stays unused."""
        return self.off_empty + 2 * self.ring_barrier_bytes + 4 * self.target.mbarrier_bytes

    @quantity("bytes", source=f"{IMPL}, tensor_core_full_barrier")
    def off_tensor_core_full(self) -> int:
        """Where the barrier is that throttles the tensor cores; -1 with scales."""
        return pick(self.scaled, ABSENT, self.end_barriers)

    @quantity("bytes", source=f"{IMPL}, tmem_ptr_in_smem")
    def off_tmem_ptr(self) -> int:
        """Where the address of tensor memory is."""
        return self.end_barriers + pick(self.scaled, 0, 1) * self.target.mbarrier_bytes

    # The verdict

    @quantity("bool", source=f"{HEURISTICS}, what layouts are held to")
    def supported(self) -> bool:
        """Whether the kernel can be built for the layout."""
        return all_of(
            stages=self.num_stages >= 1,
            shared_memory=self.smem_size <= self.target.smem_optin_per_block,
            tensor_memory=self.tmem_used <= self.target.tmem_columns,
            cluster=self.cluster_size <= 2,
            cluster_along_n=(self.swap_ab == 0) | (self.cluster_m == 1),
            cluster_along_m=(self.swap_ab == 1) | (self.cluster_n == 1),
            whole_clusters=mod(self.num_sms, self.cluster_size) == 0,
            load_rows=self.load_block_m % 8 == 0,
            load_columns=self.load_block_n % 8 == 0,
            swizzle_of_a=self.swizzle_a > 0,
            swizzle_of_b=self.swizzle_b > 0,
            swizzle_of_cd=self.swizzle_cd > 0,
        )

    # The block

    def smem(self) -> SharedLayout:
        stages, limit = self.kernel_num_stages, self.target.smem_optin_per_block
        ring = self.ring_barrier_bytes
        found = [
            region("cd", 0, self.smem_cd_bytes, 1024, 2),
            region("a", self.off_a, stages * self.smem_a_stage_bytes, 1, stages),
            region("b", self.off_b, stages * self.smem_b_stage_bytes, 1, stages),
            region("sfa", self.end_b, stages * 4 * self.sf_block_m, 1, stages),
            region("sfb", self.end_sfa, stages * 4 * self.sf_block_n, 1, stages),
            region("full_mbarriers", self.off_barriers, ring, 8, stages),
            region("empty_mbarriers", self.off_empty, ring, 8, stages),
            region("tmem_full_mbarriers", self.off_tmem_full, 16, 8, 2),
            region("tmem_empty_mbarriers", self.off_tmem_empty, 16, 8, 2),
            region("tmem_pointer", self.off_tmem_ptr, 4, 4),
        ]
        if self.scaled:
            at = self.off_with_sf_full
            found.append(region("with_sf_full_mbarriers", at, ring, 8, stages))
        else:
            at = self.off_tensor_core_full
            found.append(region("tensor_core_full_mbarriers", at, 8, 8))
        return shared(IMPL, limit, self.smem_size, found)

    def tmem(self) -> TensorLayout:
        ranges = [
            columns("accumulator0", 0, self.umma_n),
            columns("accumulator1", self.umma_n, self.umma_n),
        ]
        if self.scaled:
            ranges.append(columns("sfa", self.tmem_sfa_col, self.sf_block_m // 32))
            ranges.append(columns("sfb", self.tmem_sfb_col, self.sf_block_n // 32))
        return tensor(self.target, self.tmem_used, self.tmem_cols, ranges)

    def registers(self) -> Registers:
        return Registers(
            roles=(
                role("load", 0, 0, None),
                role("mma", 1, 1, None),
                role("transpose" if self.scaled else "allocate", 2, 2, None),
                role("idle", 3, 3, None),
                role("epilogue", 4, 7, None),
            )
        )

    def barriers(self) -> tuple[Mbarriers, ...]:
        stages, cluster = self.kernel_num_stages, self.cluster_size
        return barriers(
            (
                ("full", stages, 1 if self.scaled else cluster),
                ("empty", stages, 1),
                ("with_sf_full", stages if self.scaled else 0, 32 * cluster),
                ("tmem_full", 2, 1),
                ("tmem_empty", 2, cluster * self.store_threads),
                ("tensor_core_full", 0 if self.scaled else 1, None),
            )
        )


KERNEL = DeepGemm
