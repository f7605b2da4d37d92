"""How K, V, Q and the outputs of fa4 26.x are cut for the MMAs and the TMA."""

from __future__ import annotations

from kcfg.core.engine.arith import ceildiv, div, mod
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import all_of, any_of, least, negate, pick, total
from kcfg.core.kernels.fa4.shape import CONFIG
from kcfg.core.kernels.fa4.stages import Stages


def cut(rows: int, page_size: int) -> int:
    """Rows that one TMA box takes of ``rows``: a page where it holds fewer."""
    return pick((page_size <= 0) | (page_size >= rows), rows, page_size)


class Operands(Stages):
    """Tiles per CTA, the PV product's pieces, TMA boxes, the split-key epilogue."""

    # The CTA and its pair

    @quantity("rows", source=f"{CONFIG}.BM_eff")
    def BM_eff(self) -> int:
        """Query tokens of a CTA: rows, shared out among the fused heads."""
        return pick(self.fuse_gqa, div(self.BM, self.group), self.BM)

    @quantity("CTAs", source=f"{CONFIG}.cta_group")
    def cta_group(self) -> int:
        """CTAs of one MMA."""
        return pick(self.pair_cta, 2, 1)

    @quantity("CTAs", source=f"{CONFIG}.cluster_size")
    def cluster_size(self) -> int:
        """CTAs of a cluster."""
        return self.cta_group * self.splitk_partitions

    @quantity("rows", source=f"{CONFIG}.PairBM_eff")
    def PairBM_eff(self) -> int:
        """Query tokens of all CTAs of one MMA."""
        return self.BM_eff * self.cta_group

    @quantity("elements", source=f"{CONFIG}.v_cols_per_cta")
    def v_cols_per_cta(self) -> int:
        """Columns of V this CTA loads."""
        return pick(self.pair_cta, self.padded_ov_depth // 2, self.padded_ov_depth)

    @quantity("elements", source=f"{CONFIG}.nope_cols_per_cta")
    def nope_cols_per_cta(self) -> int:
        """Half of K's depth without rope for a CTA of a pair, else all of it."""
        return pick(self.pair_cta, self.padded_nope_depth // 2, self.padded_nope_depth)

    @quantity("bytes", source=f"{CONFIG}.q_nope_bytes")
    def q_nope_bytes(self) -> int:
        """The query rows without their rope part."""
        return self.BM * self.padded_nope_depth * self.qkv_dtype_size

    @quantity("bytes", source=f"{CONFIG}.q_rope_bytes")
    def q_rope_bytes(self) -> int:
        """The rope part of the query rows; 0 where it has no type of its own."""
        return self.BM * self.rope_depth * self.rope_dtype_size

    @quantity("elements", source=f"{CONFIG}.correction_smem_elements")
    def correction_smem_elements(self) -> int:
        """float32 factors handed to the correction warps: one for each query row."""
        return self.BM

    # The PV product

    @quantity("factor", source=f"{CONFIG}.pv_partitions")
    def pv_partitions(self) -> int:
        """Key partitions whose outputs must be added up at the end."""
        return pick(self.ws_shared_key, 1, self.m_pack)

    @step("columns", source=f"{CONFIG}.pv_mma_n, shared keys")
    def ws_shared_key_mma_n(self) -> int:
        """N of the PV product with shared keys: the whole output, up to the MMA's limit."""
        return least(output=self.padded_ov_depth, mma=256)

    @step("columns", source=f"{CONFIG}.pv_mma_n, m_pack 4")
    def ws_quad_mma_n(self) -> int:
        """N of the PV product with four partitions: whole partitions in the MMA's 256."""
        return self.m_pack * div(256, self.m_pack)

    @quantity("columns", source=f"{CONFIG}.pv_mma_n")
    def pv_mma_n(self) -> int:
        """N of one PV product."""
        return pick(
            self.ws_shared_key,
            self.ws_shared_key_mma_n,
            pick(
                self.m_pack == 2,
                2 * self.padded_ov_depth,
                pick(self.use_ws, self.ws_quad_mma_n, self.padded_ov_depth),
            ),
        )

    @quantity("count", source=f"{CONFIG}.num_o_tiles")
    def num_o_tiles(self) -> int:
        """PV products side by side that make up the output's columns."""
        return ceildiv(self.o_phys_cols, div(self.pv_mma_n, self.m_pack))

    @quantity("rows", source=f"{CONFIG}.v_e_chunk_rows")
    def v_e_chunk_rows(self) -> int:
        """Keys of one partition in one of as many pieces as Q and K have."""
        return div(div(self.BN, self.m_pack), self.num_qk_stages)

    @quantity("elements", source=f"{CONFIG}.v_e_box_cols")
    def v_e_box_cols(self) -> int:
        """Columns of such a piece."""
        return self.padded_ov_depth

    @quantity("rows", source=f"{CONFIG}.pv_key_chunk")
    def pv_key_chunk(self) -> int:
        """Keys that one PV product reduces over."""
        return pick(
            self.ws_shared_key,
            div(self.BN * self.BK0, self.pv_mma_n),
            pick(self.m_pack == 2, self.v_e_chunk_rows, self.s_cols),
        )

    @quantity("count", source=f"{CONFIG}.pv_reduction_chunks")
    def pv_reduction_chunks(self) -> int:
        """PV products that walk the keys of a tile."""
        return div(self.BN, self.pv_key_chunk)

    @quantity("stages", source=f"{CONFIG}.v_ring_positions_per_tile")
    def v_ring_positions_per_tile(self) -> int:
        """Pieces in which a V tile passes through the ring."""
        return self.num_o_tiles * self.pv_reduction_chunks

    # The TMA's boxes

    @quantity("elements", source=f"{CONFIG}.v_box_cols")
    def v_box_cols(self) -> int:
        """Columns of one load of V; short MMAs load it in pieces like K."""
        return pick(self.use_ws, div(self.v_cols_per_cta, self.num_qk_stages), self.v_cols_per_cta)

    @quantity("elements", source=f"{CONFIG}.v_tma_box_cols")
    def v_tma_box_cols(self) -> int:
        """Columns of V's TMA box."""
        return pick(
            self.ws_shared_key,
            self.pv_mma_n,
            pick(self.m_pack == 2, self.padded_ov_depth, self.v_box_cols),
        )

    @quantity("rows", source=f"{CONFIG}.v_tma_tile_rows")
    def v_tma_tile_rows(self) -> int:
        """Keys of V that belong to one slot."""
        return pick(
            self.ws_shared_key,
            self.pv_key_chunk,
            pick(self.m_pack == 2, self.v_e_chunk_rows, self.BN),
        )

    @quantity("rows", source=f"{CONFIG}.v_tma_box_rows")
    def v_tma_box_rows(self) -> int:
        """Keys of V's TMA box: a box never crosses a page."""
        return cut(self.v_tma_tile_rows, self.page_size)

    @quantity("count", source=f"{CONFIG}.v_pages_per_chunk")
    def v_pages_per_chunk(self) -> int:
        """Boxes that fill the keys of one PV product."""
        return div(self.pv_key_chunk, cut(self.pv_key_chunk, self.page_size))

    @quantity("bool", source=f"{CONFIG}.v_oob_fill_needed")
    def v_oob_fill_needed(self) -> bool:
        """Whether V rows past the sequence must be zeroed, as nothing masks them."""
        return any_of(
            split_keys=self.pv_partitions > 1,
            shared_key_pages=self.ws_shared_key & (self.v_pages_per_chunk > 1),
        )

    @step("bool", source=f"{CONFIG}.v_row_major, k_row_major, what both need")
    def pages_make_row_major(self) -> bool:
        """Whether pages smaller than a tile may be laid row by row in whole 128B atoms."""
        return all_of(
            row_major_v_atoms=self.row_major_v_atoms,
            swizzle_128B=self.swizzle_mode == "128B",
            one_cta=negate(self.pair_cta),
            whole_atoms_in_page=self.page_size % 8 == 0,
        )

    @quantity("bool", source=f"{CONFIG}.v_row_major")
    def v_row_major(self) -> bool:
        """Whether V's tile is laid row by row: its boxes are several atoms wide, and whole."""
        return all_of(
            pages_make_row_major=self.pages_make_row_major,
            pages_in_tile=self.page_size < self.BN,
            whole_atoms=mod(self.v_box_cols, self.swizzle_elements) == 0,
            several_atoms=div(self.v_box_cols, self.swizzle_elements) >= 2,
            whole_boxes=mod(self.ov_depth, self.v_box_cols) == 0,
        )

    @quantity("bool", source=f"{CONFIG}.k_row_major")
    def k_row_major(self) -> bool:
        """Whether K's tile is laid row by row: its pieces are several atoms wide, and whole."""
        return all_of(
            pages_make_row_major=self.pages_make_row_major,
            pages_in_tile=self.page_size < self.k_rows_per_cta,
            whole_atoms=mod(self.BK0, self.swizzle_elements) == 0,
            several_atoms=div(self.BK0, self.swizzle_elements) >= 2,
            whole_pieces=mod(self.qk_depth, self.BK0) == 0,
        )

    # Rings

    @quantity("elements", source=f"{CONFIG}.kv_sub_depth")
    def kv_sub_depth(self) -> int:
        """Width of one piece of a K or V tile."""
        return div(self.shared_kv_cols, self.num_qk_stages)

    @quantity("stages", source=f"{CONFIG}.v_residency")
    def v_residency(self) -> int:
        """Slots a V tile occupies while it is in use."""
        return pick(self.ws_shared_key, 1, div(self.padded_ov_depth, self.kv_sub_depth))

    @quantity("stages", source=f"{CONFIG}.ring_slots_needed")
    def ring_slots_needed(self) -> int:
        """Slots without which the ring cannot make progress."""
        return pick(self.use_ws, self.v_residency, 2)

    @quantity("count", source=f"{CONFIG}.num_rope_buffers")
    def num_rope_buffers(self) -> int:
        """Buffers for K's rope part in a shared ring: one for every other slot."""
        return pick(self.use_shared_kv & (self.rope_depth > 0), ceildiv(self.num_kv_stages, 2), 0)

    @quantity("count", source=f"{CONFIG}.num_k_scale_bufs")
    def num_k_scale_bufs(self) -> int:
        """Buffers for K's scales: one for each K tile in flight."""
        return pick(
            self.scale_dtype_size == 0,
            0,
            pick(self.use_shared_kv, ceildiv(self.num_kv_stages, 2), self.num_kv_stages),
        )

    # Adding up the partitions at the end

    @quantity("columns", source=f"{CONFIG}.correction_o_cols")
    def correction_o_cols(self) -> int:
        """Output columns the correction warps rescale."""
        return pick(self.ws_shared_key, self.o_phys_cols, self.ov_depth)

    @quantity("elements", source=f"{CONFIG}.ws_epilogue_stage_f32")
    def ws_epilogue_stage_f32(self) -> int:
        """float32 elements of all partitions' outputs, staged to be added up."""
        return pick(self.ws_shared_key, 0, self.m_pack * self.BM * self.ov_depth)

    @quantity("elements", source=f"{CONFIG}.ws_epilogue_ml_f32")
    def ws_epilogue_ml_f32(self) -> int:
        """float32 row maxima and sums of all partitions."""
        return pick(self.ws_shared_key, 0, 2 * self.m_pack * self.BM)

    @quantity("elements", source=f"{CONFIG}.ws_epilogue_f32_slots")
    def ws_epilogue_f32_slots(self) -> int:
        """float32 elements of the whole arena in which partitions are added up."""
        return total(
            outputs=2 * self.ws_epilogue_stage_f32,
            maxima_and_sums=2 * self.ws_epilogue_ml_f32,
            result=self.ov_depth * self.BM,
            result_maxima_and_sums=2 * self.BM,
        )

    @quantity("bytes", source="SM100AttentionSMem.ws_subtile_bytes")
    def ws_subtile_bytes(self) -> int:
        """One piece of a K or V tile: a slot's tile for short MMAs."""
        return self.BN * self.kv_sub_depth * self.qkv_dtype_size

    @step("bytes", source=f"{CONFIG}.ws_arena_slots_needed, arena")
    def ws_arena_bytes(self) -> int:
        """That arena, and the output tile in 16 bits."""
        return total(sums=4 * self.ws_epilogue_f32_slots, output=2 * self.BM * self.ov_depth)

    @step("bytes", source=f"{CONFIG}.ws_arena_slots_needed, past Q")
    def ws_arena_past_q_bytes(self) -> int:
        """What of the arena does not fit over Q and takes ring slots; negative where all does."""
        return self.ws_arena_bytes - (self.q_nope_bytes + self.q_rope_bytes)

    @quantity("stages", source=f"{CONFIG}.ws_arena_slots_needed")
    def ws_arena_slots_needed(self) -> int:
        """Ring slots the arena takes over at the end."""
        return pick(
            self.use_ws & (self.ws_subtile_bytes > 0) & (self.ws_arena_past_q_bytes > 0),
            ceildiv(self.ws_arena_past_q_bytes, self.ws_subtile_bytes),
            0,
        )
