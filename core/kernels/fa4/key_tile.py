"""The key tile of fa4 26.x, sized by tensor memory, and the columns that follow."""

from __future__ import annotations

from kcfg.core.engine.arith import div, down, mod, prev_pow2
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import all_of, least, negate, pick, total
from kcfg.core.kernels.fa4.shape import CONFIG, Shape


class KeyTile(Shape):
    """BN, and where scores, probabilities and outputs lie in tensor memory."""

    # Keys in one tile

    @step("columns", source=f"{CONFIG}, output columns in the key tile's budget")
    def o_budget_cols(self) -> int:
        """Columns set aside for one output; shared keys spread it over the partitions."""
        return pick(self.ws_shared_key, div(self.shared_kv_cols, self.m_pack), self.shared_kv_cols)

    @step("columns", source=f"{CONFIG}, score columns in the key tile's budget")
    def s_budget_cols(self) -> int:
        """Columns left for one of two score tiles beside one output, or two."""
        return pick(
            self.single_o,
            (self.target.tmem_columns - self.o_budget_cols) // 2,
            self.target.tmem_columns // 2 - self.o_budget_cols,
        )

    @step("rows", source=f"{CONFIG}.BN, budget")
    def bn_tmem(self) -> int:
        """Keys that tensor memory has room for, in whole steps of the MMA's K; may be negative."""
        return down(self.m_pack * self.s_budget_cols, self.MMA_K)

    @step("rows", source=f"{CONFIG}.BN, bn_cap")
    def bn_limit(self) -> int:
        """The cap asked for, in whole steps of the MMA's K; without one the MMA's own 256."""
        return pick(self.bn_cap > 0, down(self.bn_cap, self.MMA_K), 256)

    @step("rows", source=f"{CONFIG}.BN before paging")
    def bn_unpaged(self) -> int:
        """The key tile before the page size has its say."""
        return least(mma=256, tensor_memory=self.bn_tmem, cap=self.bn_limit)

    @step("bool", source=f"{CONFIG}.BN, page rule")
    def tile_straddles_pages(self) -> bool:
        """Whether neither a page holds whole tiles nor a tile whole pages."""
        return all_of(
            paged=self.page_size != 0,
            page_cuts_tile=mod(self.page_size, self.bn_unpaged) != 0,
            tile_cuts_page=mod(self.bn_unpaged, self.page_size) != 0,
        )

    @quantity("rows", source=f"{CONFIG}.BN")
    def BN(self) -> int:
        """Keys in one tile; a power of two where tile and page would not match."""
        return pick(self.tile_straddles_pages, prev_pow2(self.bn_unpaged), self.bn_unpaged)

    @quantity("bool", source=f"{CONFIG}.row_major_v_atoms")
    def row_major_v_atoms(self) -> bool:
        """Whether a V tile is put together from several pages, so its atoms lie row by row."""
        return all_of(
            own_kv_heads=negate(self.is_mla),
            paged=self.page_size > 0,
            pages_in_tile=self.page_size < self.BN,
        )

    @quantity("bool", source=f"{CONFIG}.row_major_k_atoms")
    def row_major_k_atoms(self) -> bool:
        """The same of a K tile."""
        return self.row_major_v_atoms

    # Columns

    @step("columns", source=f"{CONFIG}, columns of a score tile")
    def s_cols(self) -> int:
        """Columns of one score tile; packed partitions lie in other lanes of the same columns."""
        return div(self.BN, self.m_pack)

    @quantity("columns", source=f"{CONFIG}.o_phys_cols")
    def o_phys_cols(self) -> int:
        """Columns of one output accumulator."""
        return pick(
            self.ws_shared_key, div(self.padded_ov_depth, self.m_pack), self.padded_ov_depth
        )

    @quantity("columns", source=f"{CONFIG}.TMEM_S0")
    def TMEM_S0(self) -> int:
        """First column of the first score tile."""
        return 0

    @quantity("columns", source=f"{CONFIG}.TMEM_S1")
    def TMEM_S1(self) -> int:
        """First column of the second score tile."""
        return self.s_cols

    @quantity("columns", source=f"{CONFIG}.TMEM_O0")
    def TMEM_O0(self) -> int:
        """First column of the first output, behind both score tiles."""
        return 2 * self.s_cols

    @quantity("columns", source=f"{CONFIG}.TMEM_O1")
    def TMEM_O1(self) -> int:
        """First column of the second output; the first's where there is one only."""
        return self.TMEM_O0 + pick(self.single_o, 0, self.o_phys_cols)

    @quantity("columns", source=f"{CONFIG}.tmem_used")
    def tmem_used(self) -> int:
        """Columns in use."""
        return total(
            scores=2 * self.s_cols,
            first_output=pick(self.single_o, 0, self.o_phys_cols),
            last_output=self.o_phys_cols,
        )

    @step("bool", source=f"{CONFIG}.TMEM_P0, crossing")
    def p_windows_crossed(self) -> bool:
        """Whether each query tile's probabilities overlay the other tile's scores."""
        return all_of(two_query_tiles=self.num_q == 2, whole_lanes=negate(self.use_ws))

    @quantity("columns", source=f"{CONFIG}.TMEM_P0")
    def TMEM_P0(self) -> int:
        """First column of the first probabilities, laid over scores that are done with."""
        return pick(self.p_windows_crossed, self.TMEM_S1, 0)

    @quantity("columns", source=f"{CONFIG}.TMEM_P1")
    def TMEM_P1(self) -> int:
        """First column of the second probabilities."""
        return pick(self.p_windows_crossed, 0, self.TMEM_S1)
