"""The pair-CTA configuration: types, tiles, tensor memory, the budget of shared memory, verdict."""

from __future__ import annotations

from kcfg.core.engine.arith import div, down, mod, prev_pow2
from kcfg.core.engine.quantity import choice, integer, quantity, step
from kcfg.core.engine.terms import all_of, least, pick, total
from kcfg.core.hardware.dtypes import DTYPES, SWIZZLES, dtype_bytes, is_fp8, is_half
from kcfg.core.kernel import Kernel

CONFIG = "pair-CTA configuration of depth 256 and 512"
SMEM = "Depth512AttentionSMem"


class Config(Kernel):
    """Inputs, what is derived from them, and what the struct says of it."""

    qkv_dtype: str = choice("dtype", "Element type of Q, K and V.", DTYPES)
    num_q_heads: int = integer("heads", "Query heads.", repeated=True)
    group: int = integer("heads", "Query heads that share a KV head.", repeated=True)
    qk_depth: int = integer("elements", "Depth of one head of Q and K.", repeated=True)
    ov_depth: int = integer("elements", "Depth of one head of V and the output.", repeated=True)
    swizzle_mode_asked: str = choice(
        "swizzle",
        "Swizzle of the tiles; fp8 takes 64B whatever is asked.",
        SWIZZLES,
        key="swizzle_mode",
        tunable=True,
    )
    page_size: int = integer(
        "tokens", "Tokens of a page of the KV cache; 0: not paged.", least=0, tunable=True
    )

    # What the struct fixes

    @quantity("bytes", source=f"{CONFIG}, sm100_smem_carveout")
    def sm100_smem_carveout(self) -> int:
        """Shared memory one block may have: the whole SM's, less the reserve."""
        return self.target.smem_optin_per_block

    @quantity("columns", source=f"{CONFIG}, sm100_tmem_cols")
    def sm100_tmem_cols(self) -> int:
        """Tensor-memory columns of an SM."""
        return self.target.tmem_columns

    @quantity("bytes", source=f"{CONFIG}, mbar_size")
    def mbar_size(self) -> int:
        """One mbarrier."""
        return self.target.mbarrier_bytes

    @quantity("threads", source=f"{CONFIG}, num_threads")
    def num_threads(self) -> int:
        """Threads of one block: softmax, correction, and a warpgroup of single warps."""
        return 384

    @quantity("warps", source=f"{CONFIG}, num_active_warps_per_group")
    def num_active_warps_per_group(self) -> int:
        """Warps of a softmax or correction warpgroup that own rows: all of them."""
        return 4

    @quantity("threads", source=f"{CONFIG}, num_active_threads_per_group")
    def num_active_threads_per_group(self) -> int:
        """Threads of a softmax or correction warpgroup that own rows."""
        return 128

    @quantity("CTAs", source=f"{CONFIG}, cta_group")
    def cta_group(self) -> int:
        """CTAs that issue one MMA together."""
        return 2

    @quantity("count", source=f"{CONFIG}, num_q")
    def num_q(self) -> int:
        """Query tiles of one block."""
        return 1

    @quantity("stages", source=f"{CONFIG}, num_pv_stages")
    def num_pv_stages(self) -> int:
        """Pieces P V is done in."""
        return 2

    # Types

    @quantity("bytes", source=f"{CONFIG}, qkv_dtype_size")
    def qkv_dtype_size(self) -> int:
        """Bytes of one element of Q, K and V."""
        return dtype_bytes(self.qkv_dtype)

    @quantity("bytes", source=f"{CONFIG}, rope_dtype_size")
    def rope_dtype_size(self) -> int:
        """Bytes of one element of a separate rope part, which this kernel does not have."""
        return 0

    @quantity("bytes", source=f"{CONFIG}, scale_dtype_size")
    def scale_dtype_size(self) -> int:
        """Bytes of one scale, which this kernel does not have."""
        return 0

    @quantity("elements", source=f"{CONFIG}, MMA_K")
    def MMA_K(self) -> int:
        """K of one MMA instruction: 16 for 16-bit types, 32 for any other."""
        return pick(is_half(self.qkv_dtype), 16, 32)

    @quantity("swizzle", source=f"{CONFIG}, swizzle_mode")
    def swizzle_mode(self) -> str:
        """Swizzle of the tiles; no depth is padded to it here."""
        return pick(is_fp8(self.qkv_dtype), "64B", self.swizzle_mode_asked)

    # The shape of the tiles

    @quantity("heads", source=f"{CONFIG}, num_kv_heads")
    def num_kv_heads(self) -> int:
        """KV heads; a group that does not divide the query heads is rounded away."""
        return div(self.num_q_heads, self.group)

    @quantity("bool", source=f"{CONFIG}, split_o")
    def split_o(self) -> bool:
        """Whether the output is made in two halves, being wider than one MMA's N."""
        return self.ov_depth > 256

    @quantity("rows", source=f"{CONFIG}, MMA_M")
    def MMA_M(self) -> int:
        """Rows of one MMA, over both CTAs."""
        return pick(self.split_o, 128, 256)

    @quantity("rows", source=f"{CONFIG}, BM")
    def BM(self) -> int:
        """Query rows of one CTA: its half of the MMA."""
        return self.MMA_M // 2

    @quantity("bool", source=f"{CONFIG}, fuse_gqa")
    def fuse_gqa(self) -> bool:
        """Whether the heads of a group share a query tile, which they must fill evenly."""
        return all_of(grouped=self.group > 1, fills_the_tile=mod(self.MMA_M, self.group) == 0)

    @quantity("rows", source=f"{CONFIG}, BM_eff")
    def BM_eff(self) -> int:
        """Query tokens of one CTA: its rows, shared by the group's heads when they are fused."""
        return pick(self.fuse_gqa, div(self.BM, self.group), self.BM)

    @quantity("elements", source=f"{CONFIG}, rope_depth")
    def rope_depth(self) -> int:
        """What Q and K are deeper than V; may be negative."""
        return self.qk_depth - self.ov_depth

    @quantity("elements", source=f"{CONFIG}, v_cols_per_cta")
    def v_cols_per_cta(self) -> int:
        """Columns of V that one CTA loads at a time: its half, of a half when split."""
        return pick(self.split_o, self.ov_depth // 4, self.ov_depth // 2)

    @step("columns", source=f"{CONFIG}, BN, tensor memory of the pair")
    def tile_columns(self) -> int:
        """Columns there are for MMA_M rows: the pair has 256 lanes, so 128 rows get double."""
        return div(self.sm100_tmem_cols * 256, self.MMA_M)

    @step("rows", source=f"{CONFIG}, BN before the page rule")
    def widest_key_tile(self) -> int:
        """The widest key tile: an MMA's N ends at 256, two score tiles lie beside the output."""
        return least(
            instruction=256,
            tensor_memory=down((self.tile_columns - self.ov_depth) // 2, self.MMA_K),
        )

    @step("bool", source=f"{CONFIG}, BN, page rule")
    def page_misfit(self) -> bool:
        """Whether neither a page holds whole widest tiles nor such a tile whole pages."""
        return all_of(
            paged=self.page_size != 0,
            page_cuts_tile=mod(self.page_size, self.widest_key_tile) != 0,
            tile_cuts_page=mod(self.widest_key_tile, self.page_size) != 0,
        )

    @quantity("rows", source=f"{CONFIG}, BN")
    def BN(self) -> int:
        """Keys in one tile of the pair; a power of two where the page would not fit."""
        return pick(self.page_misfit, prev_pow2(self.widest_key_tile), self.widest_key_tile)

    @quantity("stages", source=f"{CONFIG}, num_qk_stages")
    def num_qk_stages(self) -> int:
        """Pieces of 128 elements that Q K^T is done in; none below a depth of 128."""
        return self.qk_depth // 128

    @quantity("elements", source=f"{CONFIG}, BK0")
    def BK0(self) -> int:
        """What one piece of Q K^T sums over."""
        return div(self.qk_depth, self.num_qk_stages)

    @quantity("rows", source=f"{CONFIG}, BK1")
    def BK1(self) -> int:
        """What one piece of P V sums over: half the keys of a tile."""
        return self.BN // 2

    # Tensor memory

    @quantity("address", source=f"{CONFIG}, TMEM_O")
    def TMEM_O(self) -> int:
        """The output, or its lower half."""
        return 0

    @quantity("address", source=f"{CONFIG}, TMEM_O_hi")
    def TMEM_O_hi(self) -> int:
        """The output's upper half; used only when it is split."""
        return self.ov_depth // 4

    @quantity("address", source=f"{CONFIG}, TMEM_S_even")
    def TMEM_S_even(self) -> int:
        """Scores of even key tiles, behind the output."""
        return self.MMA_M * self.ov_depth // 256

    @step("columns", source=f"{CONFIG}, TMEM_S_odd, width of a score tile")
    def score_columns(self) -> int:
        """Columns of one score tile."""
        return self.MMA_M * self.BN // 256

    @quantity("address", source=f"{CONFIG}, TMEM_S_odd")
    def TMEM_S_odd(self) -> int:
        """Scores of odd key tiles, made while softmax reads the even ones."""
        return self.TMEM_S_even + self.score_columns

    @quantity("columns", source=f"{CONFIG}, tmem_used")
    def tmem_used(self) -> int:
        """Columns of the output and both score tiles."""
        return total(output_and_even=self.TMEM_S_odd, odd=self.score_columns)

    # Shared memory

    @quantity("bytes", source=f"{SMEM}.q_bytes")
    def q_bytes(self) -> int:
        """The query tile of one CTA."""
        return self.BM * self.qk_depth * self.qkv_dtype_size

    @quantity("bytes", source=f"{CONFIG}, p_buf_bytes")
    def p_buf_bytes(self) -> int:
        """The probabilities of one tile: each CTA's MMA reads P from shared memory."""
        return self.BM * self.BN * self.qkv_dtype_size

    @quantity("elements", source=f"{CONFIG}, correction_smem_elements")
    def correction_smem_elements(self) -> int:
        """Correction factors in shared memory, one float32 for a row."""
        return self.BM

    @step("barriers", source=f"{CONFIG}, smem_used, barriers that are there once")
    def fixed_mbars(self) -> int:
        """mbarriers that do not belong to a KV stage; the split output has one more pair."""
        return pick(self.split_o, 10, 8)

    @step("bytes", source=f"{CONFIG}, tensor-memory address")
    def tmem_pointer_bytes(self) -> int:
        """The address that the tensor-memory allocation writes."""
        return 4

    @step("bytes", source=f"{CONFIG}, smem_used before the KV stages")
    def fixed_smem_bytes(self) -> int:
        """What is there once, however deep the ring."""
        return total(
            tmem_pointer=self.tmem_pointer_bytes,
            q=self.q_bytes,
            p=self.p_buf_bytes,
            correction=self.correction_smem_elements * 4,
            mbarriers=self.fixed_mbars * self.mbar_size,
        )

    @step("bytes", source=f"{CONFIG}, num_kv_stages, one tile")
    def kv_tile_bytes(self) -> int:
        """One CTA's half of a piece of K; a piece of V uses the same slot."""
        return self.BN // 2 * self.BK0 * self.qkv_dtype_size

    @step("bytes", source=f"{CONFIG}, num_kv_stages, one stage")
    def kv_slot_bytes(self) -> int:
        """What one more stage of the ring costs."""
        return total(tile=self.kv_tile_bytes, mbarriers=2 * self.mbar_size)

    @quantity("stages", source=f"{CONFIG}, num_kv_stages")
    def num_kv_stages(self) -> int:
        """Pieces of K or V in flight: what fits, and what 32 mbarriers serve."""
        return least(
            shared_memory=div(self.sm100_smem_carveout - self.fixed_smem_bytes, self.kv_slot_bytes),
            mbarriers=(32 - self.fixed_mbars) // 2,
        )

    @quantity("bytes", source=f"{CONFIG}, smem_used")
    def smem_used(self) -> int:
        """Dynamic shared memory of one CTA."""
        return total(fixed=self.fixed_smem_bytes, stages=self.num_kv_stages * self.kv_slot_bytes)

    # The verdict

    @quantity("bool", source=f"{CONFIG}, supported")
    def supported(self) -> bool:
        """Whether upstream takes this kernel."""
        return all_of(
            key_tile=self.BN >= 32,
            ring_depth=self.num_kv_stages >= 2,
            tensor_memory=self.tmem_used <= self.sm100_tmem_cols,
            shared_memory=self.smem_used <= self.sm100_smem_carveout,
            ring_holds_a_key_tile=self.num_kv_stages >= self.num_qk_stages,
        )
