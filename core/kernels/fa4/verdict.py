"""Whether fa4 26.x supports a configuration, and may fall back to one query tile."""

from __future__ import annotations

from typing import Any

from kcfg.core.engine.arith import mod
from kcfg.core.engine.quantity import part, quantity, step
from kcfg.core.engine.terms import all_of, most, negate, pick
from kcfg.core.kernels.fa4.operands import Operands
from kcfg.core.kernels.fa4.shape import CONFIG


def among(value: int, *allowed: int) -> bool:
    """Whether a value is one of the allowed ones."""
    found = value == allowed[0]
    for other in allowed[1:]:
        found = found | (value == other)
    return found


class Verdict(Operands):
    """supported(), and the second configuration that can_switch_to_1q() asks.

    The requirements of one layout hold where another is in use, so that every
    condition of the verdict can be read on its own.
    """

    @step("bool", source=f"{CONFIG}.supported, pages")
    def pages_match_mma(self) -> bool:
        """A page smaller than the tile must hold whole MMA steps of keys; MLA is exempt."""
        return (
            self.is_mla
            | (self.page_size == 0)
            | (self.page_size >= self.BN)
            | (mod(self.page_size, self.MMA_K) == 0)
        )

    @step("bool", source=f"{CONFIG}.supported, .ws with split keys")
    def ws_split_key_fits(self) -> bool:
        """Short MMAs that split the keys need pieces their partitions divide."""
        return pick(
            self.use_ws & negate(self.ws_shared_key),
            all_of(
                piece_of_64=(self.m_pack != 4) | (self.BK0 == 64),
                whole_key_chunks=(self.m_pack != 2) | (mod(self.BN // 2, self.num_qk_stages) == 0),
            ),
            True,
        )

    @step("bool", source=f"{CONFIG}.supported, .ws with shared keys")
    def ws_shared_key_fits(self) -> bool:
        """Short MMAs that share the keys need Q, K and V in the same pieces, and all 128 lanes."""
        return pick(
            self.ws_shared_key,
            all_of(
                output_in_pieces=mod(self.padded_ov_depth, self.kv_sub_depth) == 0,
                mma_in_pieces=mod(self.pv_mma_n, self.kv_sub_depth) == 0,
                chunk_of_mma_pairs=mod(self.pv_key_chunk, 2 * self.MMA_K) == 0,
                all_lanes=self.m_pack * self.BM == 128,
                output_at_least_64=self.correction_o_cols >= 64,
                output_in_32s=self.correction_o_cols % 32 == 0,
                whole_key_chunks=mod(self.BN, self.pv_key_chunk) == 0,
                v_in_q_pieces=self.v_ring_positions_per_tile == self.num_qk_stages,
                keys_not_split=self.splitk_partitions == 1,
                output_unpadded=self.padded_ov_depth == self.ov_depth,
            ),
            True,
        )

    @step("bool", source=f"{CONFIG}.supported, .ws")
    def ws_fits(self) -> bool:
        """What short MMAs need; other layouts need none of it."""
        return pick(
            self.use_ws,
            all_of(
                own_kv_heads=negate(self.is_mla),
                no_rope=self.rope_depth == 0,
                no_scales=self.scale_dtype_size == 0,
                ring_depth=self.num_kv_stages >= self.ring_slots_needed,
                epilogue_room=self.num_kv_stages >= self.ws_arena_slots_needed,
                ws_split_key_fits=self.ws_split_key_fits,
                ws_shared_key_fits=self.ws_shared_key_fits,
            ),
            True,
        )

    @step("elements", source=f"{CONFIG}.supported, smallest qk_depth")
    def least_qk_depth(self) -> int:
        """The smallest depth of Q and K this path takes; a pair of CTAs needs more than 64."""
        return pick((self.num_q == 2) & self.pair_cta, 65, 64)

    @step("elements", source=f"{CONFIG}.supported, largest qk_depth")
    def most_qk_depth(self) -> int:
        """The largest depth of Q and K this path takes; two query tiles of one CTA set none."""
        return pick(
            self.num_q == 1,
            pick(self.ws_shared_key, 512, 256),
            pick(self.pair_cta, 128, self.qk_depth),
        )

    @step("bool", source=f"{CONFIG}.supported, qk_depth")
    def depth_fits(self) -> bool:
        """Whether the depth of Q and K is one this path takes."""
        return all_of(
            deep_enough=self.qk_depth >= self.least_qk_depth,
            shallow_enough=self.qk_depth <= self.most_qk_depth,
        )

    @step("bool", source=f"{CONFIG}.supported, split_k")
    def split_k_fits(self) -> bool:
        """Two query tiles do not split the keys; one does so among these numbers of CTAs."""
        return pick(
            self.num_q == 2,
            self.splitk_partitions == 1,
            among(self.splitk_partitions, 1, 2, 4, 6, 8, 10, 16),
        )

    @quantity("bool", source=f"{CONFIG}.supported")
    def supported(self) -> bool:
        """Whether the kernel can run this configuration."""
        return all_of(
            pages_match_mma=self.pages_match_mma,
            split_k_fits=self.split_k_fits,
            key_tile=self.BN >= 64,
            ring_depth=self.num_kv_stages >= 2,
            tensor_memory=self.tmem_used <= self.target.tmem_columns,
            shared_memory=self.smem_used <= self.target.smem_optin_per_block,
            query_rows=among(self.BM, 32, 64, 128, 256),
            ws_fits=self.ws_fits,
            depth_fits=self.depth_fits,
            pair_has_two_query_tiles=(self.num_q == 2) | negate(self.pair_cta),
        )

    # One query tile in place of two

    @step("bool", source=f"{CONFIG}.can_switch_to_1q")
    def two_queries_alone(self) -> bool:
        """Whether there are two query tiles, and in this CTA alone."""
        return all_of(two_query_tiles=self.num_q == 2, unpaired=negate(self.pair_cta))

    @part(needed="two_queries_alone")
    def one_query(self) -> Any:
        """The same attention with one query tile and Q and K in the same pieces."""
        return type(self)(
            target=self.target,
            qkv_dtype=self.qkv_dtype,
            rope_dtype=self.rope_dtype,
            scale_dtype=self.scale_dtype,
            num_q_heads=self.num_q_heads,
            group=self.group,
            qk_depth=self.qk_depth,
            ov_depth=self.ov_depth,
            swizzle_mode_asked=self.swizzle_mode,
            page_size=self.page_size,
            is_mla=self.is_mla,
            BM=128,
            num_qk_stages_asked=self.num_qk_stages,
            nope_depth_asked=self.nope_depth,
        )

    @quantity("bool", source=f"{CONFIG}.can_switch_to_1q")
    def can_switch_to_1q(self) -> bool:
        """Whether a short query may run with one query tile without building anew."""
        return all_of(
            two_queries_alone=self.two_queries_alone,
            one_query_supported=self.one_query.supported,
            same_pieces=self.one_query.num_qk_stages == self.num_qk_stages,
        )

    @quantity("bytes", source=f"{CONFIG}.launch_smem_used")
    def launch_smem_used(self) -> int:
        """Dynamic shared memory to launch with, enough for either number of query tiles."""
        return pick(
            self.can_switch_to_1q,
            most(two_query_tiles=self.smem_used, one_query_tile=self.one_query.smem_used),
            self.smem_used,
        )
