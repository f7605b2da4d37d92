"""The shared memory of sparse MLA prefill: a storage struct, and the bytes of its members.

The mbarriers are those of the struct; what an array of them is for is read from its name.
"""

from __future__ import annotations

from kcfg.core.engine.arith import div, up
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import most, total
from kcfg.core.kernels.mla_sparse.config import Config

STORAGE = "MLASparseSharedMemory"


class Storage(Config):
    """Every member at the next multiple of its alignment, under ``storage.<name>``."""

    # Shares of a CTA

    @quantity("rows", source=f"{STORAGE}.BH", key="storage.BH")
    def BH(self) -> int:
        """Query heads of one CTA."""
        return div(self.padded_num_q_heads, self.cta_group)

    @quantity("tokens", source=f"{STORAGE}.TOPK_PER_CTA", key="storage.TOPK_PER_CTA")
    def TOPK_PER_CTA(self) -> int:
        """Keys of a tile that one CTA loads."""
        return div(self.B_TOPK, self.cta_group)

    @quantity("count", source=f"{STORAGE}.NUM_SV_ATOMS", key="storage.NUM_SV_ATOMS")
    def NUM_SV_ATOMS(self) -> int:
        """Pieces along V's depth that the output is made in."""
        return 2

    @quantity("columns", source=f"{STORAGE}.SV_ATOM_MMA_N", key="storage.SV_ATOM_MMA_N")
    def SV_ATOM_MMA_N(self) -> int:
        """N of the MMA that makes one piece."""
        return self.v_depth // 2

    @quantity("elements", source=f"{STORAGE}.V_DEPTH_PER_CTA", key="storage.V_DEPTH_PER_CTA")
    def V_DEPTH_PER_CTA(self) -> int:
        """Depth of V in one piece."""
        return self.v_depth // 2

    @quantity("elements", source=f"{STORAGE}.V_BMN_PER_ATOM", key="storage.V_BMN_PER_ATOM")
    def V_BMN_PER_ATOM(self) -> int:
        """What one CTA loads of a piece."""
        return div(self.SV_ATOM_MMA_N, self.cta_group)

    @quantity("columns", source=f"{STORAGE}.O_ATOM_PHYS_COLS", key="storage.O_ATOM_PHYS_COLS")
    def O_ATOM_PHYS_COLS(self) -> int:
        """Tensor-memory columns of one piece of the output: half its N."""
        return self.SV_ATOM_MMA_N // 2

    @quantity(
        "elements", source=f"{STORAGE}.V_SMEM_COLS_PER_CTA", key="storage.V_SMEM_COLS_PER_CTA"
    )
    def V_SMEM_COLS_PER_CTA(self) -> int:
        """Depth of V in one CTA's shared memory: its share of both pieces."""
        return 2 * self.V_BMN_PER_ATOM

    # Elements

    @quantity("elements", source=f"{STORAGE}.FULL_Q_SIZE", key="storage.FULL_Q_SIZE")
    def FULL_Q_SIZE(self) -> int:
        """All of Q, before a part of it moves to tensor memory."""
        return self.BH * self.qk_depth

    @quantity("elements", source=f"{STORAGE}.SHARED_Q_SIZE", key="storage.SHARED_Q_SIZE")
    def SHARED_Q_SIZE(self) -> int:
        """The part of Q that stays in shared memory."""
        return self.BH * self.q_smem_depth

    @quantity("elements", source=f"{STORAGE}.K_SIZE", key="storage.K_SIZE")
    def K_SIZE(self) -> int:
        """One CTA's keys."""
        return self.TOPK_PER_CTA * self.qk_depth

    @quantity("elements", source=f"{STORAGE}.V_SIZE", key="storage.V_SIZE")
    def V_SIZE(self) -> int:
        """One CTA's part of all values."""
        return self.B_TOPK * self.V_SMEM_COLS_PER_CTA

    @quantity("elements", source=f"{STORAGE}.SHARED_QKV_SIZE", key="storage.SHARED_QKV_SIZE")
    def SHARED_QKV_SIZE(self) -> int:
        """Q's part, K and V: what is there at a time while keys are worked on."""
        return total(q=self.SHARED_Q_SIZE, k=self.K_SIZE, v=self.V_SIZE)

    @quantity("elements", source=f"{STORAGE}.S_SIZE", key="storage.S_SIZE")
    def S_SIZE(self) -> int:
        """The scores of one tile."""
        return self.BH * self.B_TOPK

    @quantity("elements", source=f"{STORAGE}.O_SIZE", key="storage.O_SIZE")
    def O_SIZE(self) -> int:
        """The output."""
        return self.BH * self.v_depth

    @quantity("bytes", source=f"{STORAGE}.MASK_BYTES_PER_BUF", key="storage.MASK_BYTES_PER_BUF")
    def MASK_BYTES_PER_BUF(self) -> int:
        """One mask of valid keys, a bit each."""
        return self.B_TOPK // 8

    @quantity("threads", source=f"{STORAGE}.NUM_KV_VALID_LANES", key="storage.NUM_KV_VALID_LANES")
    def NUM_KV_VALID_LANES(self) -> int:
        """Lanes that make the mask, a byte each."""
        return self.B_TOPK // 8

    @quantity("count", source=f"{STORAGE}.INDICES_PER_LANE", key="storage.INDICES_PER_LANE")
    def INDICES_PER_LANE(self) -> int:
        """Keys that one of them looks at."""
        return 8

    # Bytes

    @step("bytes", source=f"{STORAGE}.qkvo_union, size")
    def union_bytes(self) -> int:
        """All of Q, then its part with K and V, then the output: one at a time."""
        return self.qkv_dtype_size * most(
            all_of_q=self.FULL_Q_SIZE, qkv=self.SHARED_QKV_SIZE, output=self.O_SIZE
        )

    @step("bytes", source=f"{STORAGE}.scores, size")
    def scores_bytes(self) -> int:
        """A tile of scores in the type of Q, K and V."""
        return self.qkv_dtype_size * self.S_SIZE

    @step("bytes", source=f"{STORAGE}.p, size")
    def p_bytes(self) -> int:
        """A tile of them in float32."""
        return 4 * self.S_SIZE

    @step("bytes", source=f"{STORAGE}, an array of mbarriers")
    def mbar_array_bytes(self) -> int:
        """One mbarrier for every buffer."""
        return self.num_mbars * self.target.mbarrier_bytes

    @step("bytes", source=f"{STORAGE}.is_k_valid, size")
    def masks_bytes(self) -> int:
        """The masks of all buffers."""
        return self.num_mbars * self.MASK_BYTES_PER_BUF

    @step("bytes", source=f"{STORAGE}.rowwise_max, size")
    def row_bytes(self) -> int:
        """One float32 of every row of the MMA."""
        return 512

    # Where they start

    @quantity("bytes", source=f"{STORAGE}, alignment", key="storage.align_of")
    def storage_align(self) -> int:
        """Alignment of the storage: that of its mbarriers."""
        return 8

    @quantity("bytes", source=f"{STORAGE}.qkvo_union", key="storage.offset_of.qkvo_union")
    def union_offset(self) -> int:
        """What Q, K, V and the output take turns in comes first."""
        return 0

    @quantity("bytes", source=f"{STORAGE}.scores", key="storage.offset_of.scores")
    def scores_offset(self) -> int:
        """The scores follow."""
        return up(self.union_offset + self.union_bytes, self.qkv_dtype_size)

    @quantity("bytes", source=f"{STORAGE}.p", key="storage.offset_of.p")
    def p_offset(self) -> int:
        """The float32 ones follow, at a multiple of 4."""
        return up(self.scores_offset + self.scores_bytes, 4)

    @quantity("bytes", source=f"{STORAGE}.prologue_q", key="storage.offset_of.prologue_q")
    def q_loaded_offset(self) -> int:
        """Q is there."""
        return up(self.p_offset + self.p_bytes, self.target.mbarrier_align)

    @quantity("bytes", source=f"{STORAGE}.prologue_q_cp", key="storage.offset_of.prologue_q_cp")
    def q_copied_offset(self) -> int:
        """Q's other part is copied to tensor memory."""
        return self.q_loaded_offset + self.target.mbarrier_bytes

    @quantity("bytes", source=f"{STORAGE}.qk_ss_done", key="storage.offset_of.qk_ss_done")
    def qk_ss_done_offset(self) -> int:
        """Q K^T with Q in shared memory is done."""
        return self.q_copied_offset + self.target.mbarrier_bytes

    @quantity("bytes", source=f"{STORAGE}.qk_ts_done", key="storage.offset_of.qk_ts_done")
    def qk_ts_done_offset(self) -> int:
        """Q K^T with Q in tensor memory is done."""
        return self.qk_ss_done_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.sv_p0_done", key="storage.offset_of.sv_p0_done")
    def sv_p0_done_offset(self) -> int:
        """The first part of S V is done."""
        return self.qk_ts_done_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.sv_p1_done", key="storage.offset_of.sv_p1_done")
    def sv_p1_done_offset(self) -> int:
        """The second part of S V is done."""
        return self.sv_p0_done_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.k_p0_ready", key="storage.offset_of.k_p0_ready")
    def k_p0_ready_offset(self) -> int:
        """The first part of K is there."""
        return self.sv_p1_done_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.k_p1_ready", key="storage.offset_of.k_p1_ready")
    def k_p1_ready_offset(self) -> int:
        """The second part of K is there."""
        return self.k_p0_ready_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.v_p0_ready", key="storage.offset_of.v_p0_ready")
    def v_p0_ready_offset(self) -> int:
        """The first part of V is there."""
        return self.k_p1_ready_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.v_p1_ready", key="storage.offset_of.v_p1_ready")
    def v_p1_ready_offset(self) -> int:
        """The second part of V is there."""
        return self.v_p0_ready_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.p_free", key="storage.offset_of.p_free")
    def p_free_offset(self) -> int:
        """The scores may be written over."""
        return self.v_p1_ready_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.so_ready", key="storage.offset_of.so_ready")
    def so_ready_offset(self) -> int:
        """Scores and output are ready."""
        return self.p_free_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.k_valid_ready", key="storage.offset_of.k_valid_ready")
    def k_valid_ready_offset(self) -> int:
        """The mask of valid keys is there."""
        return self.so_ready_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.k_valid_free", key="storage.offset_of.k_valid_free")
    def k_valid_free_offset(self) -> int:
        """The mask may be written over."""
        return self.k_valid_ready_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.is_k_valid", key="storage.offset_of.is_k_valid")
    def masks_offset(self) -> int:
        """The masks of valid keys follow the mbarriers."""
        return self.k_valid_free_offset + self.mbar_array_bytes

    @quantity("bytes", source=f"{STORAGE}.rowwise_max", key="storage.offset_of.rowwise_max")
    def row_max_offset(self) -> int:
        """The maxima of the rows follow, at a multiple of 4."""
        return up(self.masks_offset + self.masks_bytes, 4)

    @quantity("bytes", source=f"{STORAGE}.rowwise_sum", key="storage.offset_of.rowwise_sum")
    def row_sum_offset(self) -> int:
        """The sums of the rows come last."""
        return self.row_max_offset + self.row_bytes

    @quantity("bytes", source=f"{STORAGE}, size", key="storage.size_of")
    def storage_size(self) -> int:
        """Dynamic shared memory of the block, in whole multiples of its alignment."""
        return up(self.row_sum_offset + self.row_bytes, self.storage_align)
