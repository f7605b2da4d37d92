"""mla_decode as of MAX 26.6: one query token against DeepSeek's latent cache."""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.engine.arith import div, mod
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import all_of, least, negate, pick, total
from kcfg.core.kernel import Kernel
from kcfg.core.kernels.mla_decode.shape import CONFIG, Shape


class MLADecode(Shape):
    """The MLA decode configuration of MAX 26.6."""

    kernel = "mla_decode"
    library = "MAX"
    release = "26.6"
    called = "mla_decode.call:MLADecodeCall26_6"
    title = "MLA decode"
    struct = f"{CONFIG}, max 26.6.0"
    changes = "The first release kcfg knows."
    plays: ClassVar = {
        "threads": "num_threads",
        "shared.dynamic": "smem_used",
        "pipelines[0].stages": "num_kv_stages",
        "tmem.columns": "tmem_used",
        "mma[0].cta_group": "cta_group",
        "tmem.regions[O].column": "TMEM_O",
        "tmem.regions[S0].column": "TMEM_S0",
        "tmem.regions[CORR_SCALE].column": "TMEM_CORR_SCALE",
        "tmem.regions[CORR_LI].column": "TMEM_CORR_LI",
    }
    unmodelled = Kernel.unmodelled | {"blocks_per_sm", "cluster", "mbarriers", "registers"}

    # Shared memory: what is there once

    @step("bytes", source=f"{CONFIG}, smem_used, Q with token scales")
    def q_bytes_token_scales(self) -> int:
        """Q where tokens have scales: its latent part in fp8, its rope part in 16 bits."""
        return total(latent=self.BM * self.padded_depth, rope=self.BM * self.rope_depth * 2)

    @step("bytes", source=f"{CONFIG}, smem_used, Q")
    def q_bytes(self) -> int:
        """The query tile, of the cache's type where the MMAs take that."""
        return pick(
            self.per_token_scale_rope_aware,
            self.q_bytes_token_scales,
            self.BM
            * self.padded_q_depth
            * pick(self.native_fp8, self.kv_type_size, self.dtype_size),
        )

    @step("bytes", source=f"{CONFIG}, tensor-memory address")
    def tmem_pointer_bytes(self) -> int:
        """The address that the tensor-memory allocation writes."""
        return 4

    @step("bytes", source=f"{CONFIG}, smem_used before the stages")
    def base_smem_bytes(self) -> int:
        """What is there once but mbarriers: Q, 1536 bytes set aside, block scales twice."""
        return total(
            tmem_pointer=self.tmem_pointer_bytes,
            q=self.q_bytes,
            set_aside=1536,
            scales=2 * self.scale_smem_per_stage,
        )

    @step("barriers", source=f"{CONFIG}, smem_used, barriers of the output")
    def output_mbars(self) -> int:
        """mbarriers of the output's blocks of BN_QK columns: a pair each, and between each two."""
        return total(
            blocks=2 * div(self.depth, self.BN_QK),
            between=2 * (div(self.depth, self.BN_QK) - 1),
        )

    @step("bytes", source=f"{CONFIG}, num_kv_stages, room")
    def room(self) -> int:
        """What the stages may take: the rest, without the output's and 11 more mbarriers."""
        return self.sm100_smem_carveout - total(
            base=self.base_smem_bytes,
            mbarriers=11 * self.mbar_size,
            output_mbarriers=self.output_mbars * self.mbar_size,
        )

    # Shared memory: stages

    @step("bytes", source=f"{CONFIG}, num_kv_stages, K with token scales")
    def kv_bytes_token_scales(self) -> int:
        """A key tile where tokens have scales: fp8, its rope part in 16 bits."""
        return total(latent=self.BN_QK * self.padded_depth, rope=self.BN_QK * self.rope_depth * 2)

    @step("bytes", source=f"{CONFIG}, num_kv_stages, K")
    def kv_bytes(self) -> int:
        """A key tile, which is the value tile as well."""
        return pick(
            self.per_token_scale_rope_aware,
            self.kv_bytes_token_scales,
            self.BN_QK
            * self.padded_q_depth
            * pick(self.native_fp8, self.kv_type_size, self.dtype_size),
        )

    @step("bool", source=f"{CONFIG}, num_kv_stages, native fp8")
    def native(self) -> bool:
        """Whether the native fp8 stages apply; scales per token come before them."""
        return self.native_fp8 & negate(self.per_token_scale_rope_aware)

    @step("bool", source=f"{CONFIG}, num_kv_stages, barriers of a stage")
    def staged_mbars(self) -> bool:
        """Whether every stage brings its own mbarriers."""
        return self.native_fp8 | self.per_token_scale_rope_aware

    @step("bytes", source=f"{CONFIG}, num_kv_stages, P and gather")
    def p_bytes(self) -> int:
        """What a native fp8 stage has besides K: P, and the tile a unified gather fills."""
        return pick(
            self.native,
            total(
                p=self.BM * self.BK_PV * self.kv_type_size,
                gather=pick(self.native_fp8_unified_gather, self.kv_bytes, 0),
            ),
            0,
        )

    @step("barriers", source=f"{CONFIG}, num_kv_stages, barriers of a stage")
    def stage_mbars(self) -> int:
        """mbarriers of one stage, where stages bring their own."""
        return pick(self.native_fp8_unified_gather, 8, 6)

    @step("bytes", source=f"{CONFIG}, num_kv_stages, one stage with token scales")
    def stage_bytes_token_scales(self) -> int:
        """One stage where tokens have scales; six mbarriers are counted however it is gathered."""
        return total(
            k=self.kv_bytes, scales=self.per_token_scales_per_stage, mbarriers=6 * self.mbar_size
        )

    @step("bytes", source=f"{CONFIG}, num_kv_stages, one native fp8 stage")
    def stage_bytes_native(self) -> int:
        """One native fp8 stage."""
        return total(
            k=self.kv_bytes, p_and_gather=self.p_bytes, mbarriers=self.stage_mbars * self.mbar_size
        )

    @step("stages", source=f"{CONFIG}, num_kv_stages with token scales")
    def stages_token_scales(self) -> int:
        """Stages where tokens have scales."""
        return least(
            shared_memory=div(self.room, self.stage_bytes_token_scales),
            tensor_memory=self.MAX_TMEM_S_SLOTS,
        )

    @step("stages", source=f"{CONFIG}, num_kv_stages, native fp8, from the room")
    def stages_native(self) -> int:
        """Native fp8 stages, where the layout does not fix them."""
        return least(
            shared_memory=div(self.room, self.stage_bytes_native),
            tensor_memory=self.MAX_TMEM_S_SLOTS,
        )

    @step("stages", source=f"{CONFIG}, num_kv_stages, 16-bit")
    def stages_plain(self) -> int:
        """Stages of tiles in Q's type; mbarriers are not counted, and nothing limits them."""
        return div(self.sm100_smem_carveout - self.base_smem_bytes, self.kv_bytes)

    @quantity("stages", source=f"{CONFIG}, num_kv_stages")
    def num_kv_stages(self) -> int:
        """Key tiles in flight; layout G has four whether or not they fit."""
        return pick(
            self.per_token_scale_rope_aware,
            self.stages_token_scales,
            pick(
                self.native_fp8,
                pick(self.decode_layout_g, 4, self.stages_native),
                self.stages_plain,
            ),
        )

    @step("bytes", source=f"{CONFIG}, num_kv_mma_stages, a tile more")
    def extra_stage_bytes(self) -> int:
        """One more tile for the MMA alone: K, and a pair of mbarriers."""
        return total(k=self.kv_bytes, mbarriers=2 * self.mbar_size)

    @step("bytes", source=f"{CONFIG}, num_kv_mma_stages, gather bookkeeping")
    def gather_bytes(self) -> int:
        """What must be left for a unified gather beside its tiles: by the stage, and by the row."""
        return total(
            stages=self.num_kv_stages * 16,
            once=self.tmem_pointer_bytes,
            rows=self.num_kv_stages * self.BN_QK * 4,
        )

    @step("bool", source=f"{CONFIG}, num_kv_mma_stages, condition")
    def extra_mma_stage(self) -> bool:
        """Whether the gathered tiles' ring is one tile longer than the loaded ones'."""
        return all_of(
            native_fp8=self.native,
            gather=self.native_fp8_unified_gather,
            room=self.room - self.num_kv_stages * self.stage_bytes_native
            >= self.extra_stage_bytes + self.gather_bytes,
        )

    @quantity("stages", source=f"{CONFIG}, num_kv_mma_stages")
    def num_kv_mma_stages(self) -> int:
        """Tiles the MMA has in flight."""
        return total(loaded=self.num_kv_stages, extra=pick(self.extra_mma_stage, 1, 0))

    @step("barriers", source=f"{CONFIG}, smem_used, barriers but the output's")
    def fixed_mbars(self) -> int:
        """mbarriers but the output's: counted by stage, or fixed for tiles in Q's type."""
        return pick(
            self.staged_mbars,
            self.num_kv_stages * self.stage_mbars + 11,
            pick(self.kv_type_size == 1, 27, 23),
        )

    @quantity("bytes", source=f"{CONFIG}, smem_used")
    def smem_used(self) -> int:
        """Dynamic shared memory of the block."""
        return total(
            base=self.base_smem_bytes,
            k=self.num_kv_stages * self.kv_bytes,
            p_and_gather=self.num_kv_stages * self.p_bytes,
            token_scales=self.num_kv_stages * self.per_token_scales_per_stage,
            extra_stage=pick(self.extra_mma_stage, self.extra_stage_bytes, 0),
            mbarriers=self.fixed_mbars * self.mbar_size,
            output_mbarriers=self.output_mbars * self.mbar_size,
        )

    # The verdict

    @quantity("bool", source=f"{CONFIG}, supported")
    def supported(self) -> bool:
        """Whether upstream takes this kernel: DeepSeek's depths, and room for the ring."""
        return all_of(
            q_depth=self.q_depth == 576,
            depth=self.depth == 512,
            key_tile=self.BN_QK == 64,
            ring_depth=self.num_kv_stages >= 2,
            ring_depth_of_layout_g=negate(self.decode_layout_g) | (self.num_kv_stages >= 4),
            shared_memory=self.smem_used <= self.sm100_smem_carveout,
            input_holds_latent=self.padded_depth <= self.input_q_depth,
            input_within_padded=self.input_q_depth <= self.padded_q_depth,
            input_in_key_tiles=mod(self.input_q_depth, self.BN_QK) == 0,
        )


KERNEL = MLADecode
