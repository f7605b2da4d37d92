"""The attention kernel's shared memory in fa4 26.x: the bytes and offset of every region."""

from __future__ import annotations

from kcfg.core.engine.arith import div
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import most, pick, total
from kcfg.core.kernels.fa4.mbars import MBars
from kcfg.core.kernels.fa4.shape import CONFIG

SMEM = "SM100AttentionSMem"


class SharedMemory(MBars):
    """Regions follow each other without alignment; offsets are bytes from the start."""

    # Q

    @quantity("bytes", source=f"{SMEM}.rope_dt_size")
    def rope_dt_size(self) -> int:
        """One element of the rope part."""
        return self.rope_dtype_size

    @quantity("bytes", source=f"{SMEM}.q_byte_offset")
    def q_byte_offset(self) -> int:
        """The query tiles come first."""
        return 0

    @quantity("bytes", source=f"{SMEM}.q_bytes")
    def q_bytes(self) -> int:
        """The query tiles."""
        return total(nope=self.q_nope_bytes, rope=self.q_rope_bytes)

    @quantity("bytes", source=f"{SMEM}.q_rope_byte_offset")
    def q_rope_byte_offset(self) -> int:
        """Where their rope part starts."""
        return self.q_nope_bytes

    # K and V

    @quantity("bytes", source=f"{SMEM}.kv_byte_offset")
    def kv_byte_offset(self) -> int:
        """Where the K ring starts, or the shared one."""
        return self.q_bytes

    @step("elements", source=f"{SMEM}.k_stage_bytes, shared ring")
    def shared_slot_cols(self) -> int:
        """Columns of a slot that holds this CTA's part of K, or of V."""
        return most(k=self.nope_cols_per_cta, v=self.v_cols_per_cta)

    @step("bytes", source=f"{SMEM}.k_stage_bytes, K ring")
    def k_tile_bytes(self) -> int:
        """One K tile with its rope part."""
        return total(
            nope=self.nope_cols_per_cta * self.BN * self.qkv_dtype_size,
            rope=self.rope_depth * self.k_rows_per_cta * self.rope_dtype_size,
        )

    @quantity("bytes", source=f"{SMEM}.k_stage_bytes")
    def k_stage_bytes(self) -> int:
        """One slot of the K ring, or of the shared one."""
        return pick(
            self.use_ws,
            self.ws_subtile_bytes,
            pick(
                self.use_shared_kv,
                self.shared_slot_cols * self.BN * self.qkv_dtype_size,
                self.k_tile_bytes,
            ),
        )

    @quantity("bytes", source=f"{SMEM}.v_stage_bytes")
    def v_stage_bytes(self) -> int:
        """One slot of the V ring."""
        return pick(
            self.use_ws,
            self.ws_subtile_bytes,
            self.v_cols_per_cta * self.BN * self.qkv_dtype_size,
        )

    @quantity("bytes", source=f"{SMEM}.k_total_bytes")
    def k_total_bytes(self) -> int:
        """The K ring, or the shared one."""
        return self.num_kv_stages * self.k_stage_bytes

    @quantity("bytes", source=f"{SMEM}.v_byte_offset")
    def v_byte_offset(self) -> int:
        """Where the V ring starts; where K's does if they share it."""
        return self.kv_byte_offset + pick(self.use_shared_kv, 0, self.k_total_bytes)

    @quantity("elements", source=f"{SMEM}.rope_stage_elems")
    def rope_stage_elems(self) -> int:
        """Elements of one buffer of K's rope part."""
        return self.BN * self.rope_depth

    @quantity("count", source=f"{SMEM}.num_rope_bufs")
    def num_rope_bufs(self) -> int:
        """Buffers of K's rope part beside a shared ring."""
        return self.num_rope_buffers

    @quantity("bytes", source=f"{SMEM}.rope_byte_offset")
    def rope_byte_offset(self) -> int:
        """Where those start, or would."""
        return self.kv_byte_offset + self.k_total_bytes

    @quantity("bytes", source=f"{SMEM}.rope_bytes")
    def rope_bytes(self) -> int:
        """Those buffers together."""
        return self.num_rope_bufs * self.rope_stage_elems * self.rope_dtype_size

    @quantity("bytes", source=f"{SMEM}.kv_stages_bytes")
    def kv_stages_bytes(self) -> int:
        """Two rings, as if K and V had one each."""
        return self.num_kv_stages * (self.k_stage_bytes + self.v_stage_bytes)

    @quantity("bytes", source=f"{SMEM}.kv_bytes")
    def kv_bytes(self) -> int:
        """All of K and V: a shared ring with its rope buffers, or two rings."""
        return pick(self.use_shared_kv, self.k_total_bytes + self.rope_bytes, self.kv_stages_bytes)

    # Correction, scales, probabilities, exchange

    @quantity("bytes", source=f"{SMEM}.correction_byte_offset")
    def correction_byte_offset(self) -> int:
        """Where the correction factors start."""
        return self.kv_byte_offset + self.kv_bytes

    @quantity("bytes", source=f"{SMEM}.q_scale_byte_offset")
    def q_scale_byte_offset(self) -> int:
        """Where the query scales start."""
        return self.correction_byte_offset + self.correction_bytes

    @quantity("bytes", source=f"{SMEM}.k_scale_byte_offset")
    def k_scale_byte_offset(self) -> int:
        """Where the key scales start."""
        return self.q_scale_byte_offset + self.q_scale_bytes

    @quantity("bytes", source=f"{SMEM}.k_scale_stride_bytes")
    def k_scale_stride_bytes(self) -> int:
        """One buffer of key scales."""
        return self.BN * self.scale_dtype_size

    @quantity("bytes", source=f"{SMEM}.k_scale_bytes")
    def k_scale_bytes(self) -> int:
        """All buffers of key scales."""
        return self.num_k_scale_bufs * self.k_scale_stride_bytes

    @quantity("bytes", source=f"{SMEM}.p_byte_offset")
    def p_byte_offset(self) -> int:
        """Where the staged probabilities start."""
        return self.k_scale_byte_offset + self.k_scale_bytes

    @quantity("bytes", source=f"{SMEM}.p_bytes")
    def p_bytes(self) -> int:
        """The staged probabilities."""
        return self.p_smem_bytes

    @quantity("bytes", source=f"{SMEM}.ws_exchange_byte_offset")
    def ws_exchange_byte_offset(self) -> int:
        """Where the exchange of maxima and sums starts."""
        return self.p_byte_offset + self.p_bytes

    # The end

    @quantity("bytes", source=f"{SMEM}.mbar_byte_offset")
    def mbar_byte_offset(self) -> int:
        """Where the mbarriers start."""
        return self.ws_exchange_byte_offset + self.ws_exchange_bytes

    @quantity("bytes", source=f"{SMEM}.mbar_bytes")
    def mbar_bytes(self) -> int:
        """The mbarriers; enormous where their number is a negative one read as unsigned."""
        return self.num_mbars * self.target.mbarrier_bytes

    @quantity("bytes", source=f"{SMEM}.tmem_addr_byte_offset")
    def tmem_addr_byte_offset(self) -> int:
        """Where the tensor-memory address is kept."""
        return self.mbar_byte_offset + self.mbar_bytes

    @quantity("bytes", source=f"{SMEM}.blasst_vote_byte_offset")
    def blasst_vote_byte_offset(self) -> int:
        """Where votes on blocks to skip would start."""
        return self.mbar_byte_offset + self.mbar_bytes + self.tmem_pointer_bytes

    @quantity("count", source=f"{SMEM}.blasst_vote_slots")
    def blasst_vote_slots(self) -> int:
        """Slots of such votes: skipping is a build-time switch that is off."""
        return 0

    @quantity("bytes", source=f"{SMEM}.blasst_vote_bytes")
    def blasst_vote_bytes(self) -> int:
        """Those slots together."""
        return 0

    @quantity("bytes", source=f"{SMEM}.smem_size")
    def smem_size(self) -> int:
        """Dynamic shared memory of one CTA, as the layout counts it."""
        return self.blasst_vote_byte_offset + self.blasst_vote_bytes

    # The same in elements, and what the layout keeps of the configuration

    @quantity("elements", source=f"{SMEM}.q_offset")
    def q_offset(self) -> int:
        """Where Q starts, in its elements."""
        return 0

    @quantity("elements", source=f"{SMEM}.kv_offset")
    def kv_offset(self) -> int:
        """Where K starts, in its elements."""
        return div(self.kv_byte_offset, self.qkv_dtype_size)

    @quantity("elements", source=f"{SMEM}.correction_offset")
    def correction_offset(self) -> int:
        """Where the correction factors start, in float32."""
        return self.correction_byte_offset // 4

    @quantity("barriers", source=f"{SMEM}.mbar_offset")
    def mbar_offset(self) -> int:
        """Where the mbarriers start, in mbarriers."""
        return div(self.mbar_byte_offset, self.target.mbarrier_bytes)

    @quantity("bytes", source=f"{SMEM}.config", key="config.smem_used")
    def config_smem_used(self) -> int:
        """The configuration's own total."""
        return self.smem_used

    @quantity("stages", source=f"{SMEM}.config", key="config.num_kv_stages")
    def config_num_kv_stages(self) -> int:
        """The configuration's stages."""
        return self.num_kv_stages

    @quantity("bool", source=f"{SMEM}.config", key="config.use_shared_kv")
    def config_use_shared_kv(self) -> bool:
        """Whether the configuration lets K and V share a ring."""
        return self.use_shared_kv

    @step("bytes", source=f"{CONFIG}.smem_used and {SMEM}.smem_size")
    def block_smem_bytes(self) -> int:
        """What the block takes: the budget, which counts some mbarriers the layout leaves out,
        or the layout where order barriers or an odd shape make it the larger."""
        return most(budget=self.smem_used, layout=self.smem_size)
