"""The shared-memory budget of fa4 26.x: what is fixed, and the K and V stages that fit."""

from __future__ import annotations

from kcfg.core.engine.arith import ceildiv, div, gcd
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import all_of, any_of, negate, pick, total
from kcfg.core.kernels.fa4.key_tile import KeyTile
from kcfg.core.kernels.fa4.shape import CONFIG


def ring_bytes(slots: int, slot_bytes: int, k_extra_bytes: int) -> int:
    """Bytes of a ring in which every other slot, a K slot, brings rope and scales along."""
    return slots * slot_bytes + ceildiv(slots, 2) * k_extra_bytes


class Stages(KeyTile):
    """Fixed regions, the cost of a slot, slots, and what their number decides."""

    # What is there once

    @step("stages", source=f"{CONFIG}.num_qk_stages, derived")
    def derived_qk_stages(self) -> int:
        """Pieces Q and K divide into along whole swizzle rows and whole MMA steps."""
        return gcd(
            div(self.padded_qk_depth, self.swizzle_elements), div(self.padded_qk_depth, self.MMA_K)
        )

    @step("stages", source=f"{CONFIG}.num_qk_stages, before the stages are known")
    def wanted_qk_stages(self) -> int:
        """Pieces Q and K should arrive in: as asked, else derived; MLA takes them whole."""
        return pick(
            self.is_mla,
            1,
            pick(self.num_qk_stages_asked != 0, self.num_qk_stages_asked, self.derived_qk_stages),
        )

    @quantity("stages", source=f"{CONFIG}.num_pv_stages")
    def num_pv_stages(self) -> int:
        """Pieces in which the probabilities are handed to the PV product."""
        return 2

    @step("barriers", source=f"{CONFIG}, barriers outside the rings")
    def fixed_mbars(self) -> int:
        """mbarriers whose number does not depend on the stages.

        Counted with the pieces wanted, and not corrected where fewer come of it.
        """
        return total(
            scores_correction_output=12,
            q1_sync=pick(self.num_q == 2, self.wanted_qk_stages, 0),
            publish=pick((self.num_q == 1) & (self.splitk_partitions > 1), 1, 0),
        )

    @step("bytes", source=f"{CONFIG}, Q")
    def q_budget_bytes(self) -> int:
        """The query tiles; the rope part counts with its own type where it has one."""
        return self.BM * pick(
            self.rope_dtype is not None,
            self.padded_nope_depth * self.qkv_dtype_size + self.rope_depth * self.rope_dtype_size,
            self.padded_qk_depth * self.qkv_dtype_size,
        )

    @quantity("bytes", source=f"{CONFIG}, Q scales")
    def q_scale_bytes(self) -> int:
        """The per-token scales of the query rows."""
        return self.BM * self.scale_dtype_size

    @quantity("bytes", source=f"{CONFIG}, correction")
    def correction_bytes(self) -> int:
        """One float32 for each thread of two softmax warpgroups, however many rows are in use."""
        return 1024

    @quantity("bytes", source=f"{CONFIG}.p_smem_bytes")
    def p_smem_bytes(self) -> int:
        """Staging of two probability tiles, which shared keys pass through shared memory."""
        return pick(self.ws_shared_key, 2 * self.BM * self.BN * self.qkv_dtype_size, 0)

    @quantity("bytes", source=f"{CONFIG}.ws_exchange_bytes")
    def ws_exchange_bytes(self) -> int:
        """Room in which partitions with shared keys exchange row maxima and sums."""
        return pick(self.ws_shared_key, 2048, 0)

    @step("bytes", source=f"{CONFIG}, tensor-memory address")
    def tmem_pointer_bytes(self) -> int:
        """The address that the tensor-memory allocation writes."""
        return 4

    @step("bytes", source=f"{CONFIG}.smem_used, before the rings")
    def fixed_smem_bytes(self) -> int:
        """What is there once, however deep the rings."""
        return total(
            tmem_pointer=self.tmem_pointer_bytes,
            mbarriers=self.fixed_mbars * self.target.mbarrier_bytes,
            q=self.q_budget_bytes,
            q_scales=self.q_scale_bytes,
            correction=self.correction_bytes,
            p=self.p_smem_bytes,
            ws_exchange=self.ws_exchange_bytes,
        )

    @step("bytes", source=f"{CONFIG}, left for the rings")
    def ring_budget(self) -> int:
        """What the fixed part leaves for K and V; may be negative."""
        return self.target.smem_optin_per_block - self.fixed_smem_bytes

    # What a slot costs

    @quantity("rows", source=f"{CONFIG}.k_rows_per_cta")
    def k_rows_per_cta(self) -> int:
        """Keys of a tile that this CTA loads."""
        return pick(self.pair_cta, self.BN // 2, self.BN)

    @step("elements", source=f"{CONFIG}, elements of a slot")
    def slot_elements(self) -> int:
        """One K tile (without rope) or one V tile; each CTA of a pair holds half."""
        return pick(
            self.pair_cta, self.BN * self.shared_kv_cols // 2, self.BN * self.shared_kv_cols
        )

    @step("bytes", source=f"{CONFIG}, bytes of a slot")
    def slot_bytes(self) -> int:
        """What one more slot costs: its tile, and a full and an empty mbarrier."""
        return total(
            tile=self.slot_elements * self.qkv_dtype_size,
            mbarriers=2 * self.target.mbarrier_bytes,
        )

    @step("bytes", source=f"{CONFIG}, bytes that only K has")
    def k_extra_bytes(self) -> int:
        """What a K slot brings along: its rope part and its scales."""
        return total(
            rope=self.k_rows_per_cta * self.rope_depth * self.rope_dtype_size,
            scales=self.k_rows_per_cta * self.scale_dtype_size,
        )

    @step("bytes", source=f"{CONFIG}, bytes of a .ws slot")
    def ws_slot_bytes(self) -> int:
        """One slot of the ring of short MMAs: one piece of a K or V tile, and its mbarriers."""
        return total(
            piece=self.BN * div(self.shared_kv_cols, self.wanted_qk_stages) * self.qkv_dtype_size,
            mbarriers=2 * self.target.mbarrier_bytes,
        )

    # How many fit

    @step("stages", source=f"{CONFIG}.num_kv_stages, .ws")
    def ws_slots(self) -> int:
        """Slots of the ring of short MMAs that fit; may be 0 or less."""
        return div(self.ring_budget, self.ws_slot_bytes)

    @step("stages", source=f"{CONFIG}.num_kv_stages, first count")
    def slots_estimated(self) -> int:
        """Slots that fit when every slot carries half of what K brings along."""
        return div(self.ring_budget, self.slot_bytes + self.k_extra_bytes // 2)

    @step("stages", source=f"{CONFIG}.num_kv_stages, pinned Q and K pieces")
    def slots_paired(self) -> int:
        """Those slots, made even where several pieces are asked for: pieces need a K ring."""
        return pick(
            (self.num_qk_stages_asked > 1) & (self.slots_estimated % 2 == 1),
            self.slots_estimated - 1,
            self.slots_estimated,
        )

    @step("bool", source=f"{CONFIG}.num_kv_stages, second look")
    def estimate_overruns(self) -> bool:
        """Whether an odd K slot, which carries all K brings along, is one too many."""
        return ring_bytes(self.slots_paired, self.slot_bytes, self.k_extra_bytes) > self.ring_budget

    @step("stages", source=f"{CONFIG}.num_kv_stages, slots")
    def slots(self) -> int:
        """Slots for K and V tiles together; may be 0 or less."""
        return pick(self.estimate_overruns, self.slots_paired - 1, self.slots_paired)

    @step("bytes", source=f"{CONFIG}.smem_used, rings")
    def kv_ring_bytes(self) -> int:
        """What the slots take, mbarriers included."""
        return pick(
            self.use_ws,
            self.ws_slots * self.ws_slot_bytes,
            ring_bytes(self.slots, self.slot_bytes, self.k_extra_bytes),
        )

    @quantity("bool", source=f"{CONFIG}.use_shared_kv")
    def use_shared_kv(self) -> bool:
        """Whether K and V take turns in one ring: an odd number of slots does not split."""
        return any_of(
            use_ws=self.use_ws,
            odd_slots=(self.slots % 2 == 1) & negate(self.single_o),
        )

    @quantity("stages", source=f"{CONFIG}.num_kv_stages")
    def num_kv_stages(self) -> int:
        """Slots of the shared ring, or of each of two rings; may be 0 or less."""
        return pick(
            self.use_ws, self.ws_slots, pick(self.use_shared_kv, self.slots, self.slots // 2)
        )

    # Pieces of Q and K

    @step("bytes", source=f"{CONFIG}.smem_used, rings and fixed part")
    def whole_k_smem_bytes(self) -> int:
        """Shared memory if every K tile arrives whole."""
        return total(fixed=self.fixed_smem_bytes, kv_ring=self.kv_ring_bytes)

    @step("bool", source=f"{CONFIG}.num_qk_stages, room for their barriers")
    def qk_pieces_fit(self) -> bool:
        """Whether a full and an empty mbarrier for each further piece still fit.

        Upstream wants a byte to spare: a block filled exactly gives the pieces up.
        """
        return (
            self.whole_k_smem_bytes
            + (self.wanted_qk_stages - 1) * self.num_kv_stages * 2 * self.target.mbarrier_bytes
            < self.target.smem_optin_per_block
        )

    @quantity("stages", source=f"{CONFIG}.num_qk_stages")
    def num_qk_stages(self) -> int:
        """Pieces Q and K arrive in, so that the first MMA starts before the tile is there."""
        return pick(
            self.use_ws | (negate(self.use_shared_kv) & self.qk_pieces_fit),
            self.wanted_qk_stages,
            1,
        )

    @step("barriers", source=f"{CONFIG}.smem_used, barriers of further pieces")
    def qk_piece_mbars(self) -> int:
        """mbarriers that further pieces add to a K ring; a .ws slot has its own already."""
        return pick(self.use_ws, 0, (self.num_qk_stages - 1) * self.num_kv_stages * 2)

    @quantity("elements", source=f"{CONFIG}.BK0")
    def BK0(self) -> int:
        """Depth of one piece of Q and K: the K of the QK product."""
        return div(self.padded_qk_depth, self.num_qk_stages)

    @quantity("elements", source=f"{CONFIG}.BK1")
    def BK1(self) -> int:
        """Keys of a tile: the K of the PV product."""
        return self.BN

    # Crossed probabilities

    @quantity("bool", source=f"{CONFIG}.crossp_on")
    def crossp_on(self) -> bool:
        """Whether the crossed probability windows are guarded by barriers of their own."""
        return all_of(
            two_query_tiles=self.num_q == 2,
            whole_lanes=negate(self.use_ws),
            one_cta=negate(self.pair_cta),
            use_shared_kv=self.use_shared_kv,
            no_rope=self.rope_depth == 0,
            whole_pages=(self.page_size <= 0) | (self.page_size >= self.BN),
        )

    @quantity("barriers", source="FA4MiscMBars.CrossP_count", key="mbars.CrossP_count")
    def crossp_mbars(self) -> int:
        """mbarriers of the crossed windows; they come on top of the ring's budget."""
        return pick(self.crossp_on, 10, 0)

    @quantity("bytes", source=f"{CONFIG}.smem_used")
    def smem_used(self) -> int:
        """Dynamic shared memory of one CTA, as the configuration counts it."""
        return total(
            fixed=self.fixed_smem_bytes,
            kv_ring=self.kv_ring_bytes,
            qk_mbarriers=self.qk_piece_mbars * self.target.mbarrier_bytes,
            crossp_mbarriers=self.crossp_mbars * self.target.mbarrier_bytes,
        )
