"""FA4's dispatcher of MAX 26.7: which tile, split how, from a model and a call.

``mha_sm100_dispatch`` of ``nn.attention.gpu.nvidia.sm100.dispatch``. The first route that
takes a call launches it; what a spec asks for stands in place of what a route chooses.
"""

from __future__ import annotations

from kcfg.core.engine.arith import ceildiv, div
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import all_of, any_of, least, most, negate, pick
from kcfg.core.kernels.asked import given
from kcfg.core.kernels.fa4.ladder import (
    KEYS_OF_DEEP,
    LADDER,
    bucket,
    is_rung,
    older_split,
    one_wave,
    rung_to,
    six_waves,
)
from kcfg.core.kernels.fa4.routing import DISPATCH, Route

LONG_CACHE = 1 << 16
"""Tokens of a cache from which on a tile of 64 rows of depth 64 splits through memory."""


class Split(Route):
    """Into how many partitions the keys are split."""

    @quantity("tokens", source=f"{DISPATCH}, visible keys of the last query row")
    def visible_keys(self) -> int:
        """Keys that the mask shows to the last query row."""
        return pick(
            self.window > 0,
            least(cache=self.max_cache_valid_length, window=self.window),
            self.max_cache_valid_length,
        )

    @step("tokens", source=f"{DISPATCH}, keys of a partition")
    def keys_per_partition(self) -> int:
        """Keys for which a partition is worth while."""
        return pick(
            self.deep,
            KEYS_OF_DEEP,
            pick(self.BM <= 64, div(512 * self.depth, 128), pick(self.depth == 64, 256, 512)),
        )

    @step("count", source=f"{DISPATCH}, wish")
    def worth_while(self) -> int:
        """Partitions that the keys are worth."""
        return div(self.visible_keys, self.keys_per_partition)

    @step("bool", source="ws_p_ceiling")
    def within_one_wave(self) -> bool:
        """Whether partitions are to fill one wave at most.

        On the deep route, for a sliding window, and in a tile of 32 above 24 work items.
        """
        return any_of(
            deep=self.deep,
            sliding_window=self.window > 0,
            many_short_tiles=all_of(tile_of_32=self.BM == 32, many=self.work_items > 24),
        )

    @step("count", source="ws_p_ceiling")
    def ceiling(self) -> int:
        """The most partitions: those of one wave or of six; a tile of 64 has 64 at most."""
        return least(
            waves=pick(
                self.within_one_wave,
                one_wave(self.work_items, self.target.sm_count),
                six_waves(self.work_items, self.target.sm_count),
            ),
            tile_of_64=pick(self.BM == 64, 64, LADDER[-1]),
        )

    @step("count", source="bucket_ws and sk_ws_partitions")
    def wished(self) -> int:
        """Partitions for the keys there are: a rung of the ladder, or the ceiling."""
        return pick(
            self.deep,
            rung_to(least(worth=most(one=1, keys=self.worth_while), most=self.ceiling)),
            bucket(self.worth_while, self.ceiling, self.work_items, self.target.sm_count),
        )

    @step("bool", source=f"{DISPATCH}, workspace form")
    def has_workspace(self) -> bool:
        """Whether the route may split through memory: into more than 2, with a second kernel.

        A tile of 64 does so for long caches; one tile of 128 for depths of 64 to 128.
        """
        return any_of(
            deep=self.deep,
            tile_of_32=self.BM == 32,
            tile_of_64_asked=all_of(tile=self.BM == 64, asked=self.num_partitions > 0),
            tile_of_64_long_cache=all_of(
                tile=self.BM == 64,
                depth=self.depth == 128,
                cache=self.max_cache_valid_length >= 8192,
            ),
            tile_of_64_few_work_items=all_of(
                tile=self.BM == 64,
                depth=self.depth == 64,
                cache=self.max_cache_valid_length >= LONG_CACHE,
                few=self.work_items <= 2,
            ),
            tile_of_128=all_of(
                tile=self.BM == 128, deep_enough=self.depth >= 64, shallow=self.depth <= 128
            ),
        )

    @step("bool", source=f"{DISPATCH}, which routes split")
    def may_split(self) -> bool:
        """Whether the route may split at all: not two tiles, nor keys it cannot count."""
        return all_of(
            one_query_tile=self.BM != 256, visible_keys_known=self.range_known | self.deep
        )

    @step("bool", source=f"{DISPATCH}, cluster")
    def clustered_by_spec(self) -> bool:
        """Whether the spec itself says how many CTAs of a cluster share the keys."""
        return given(self.splitk_asked, 1) > 1

    @step("count", source=f"{DISPATCH}, partitions")
    def split_into(self) -> int:
        """Partitions asked for, or wished for the call."""
        return given(
            self.splitk_asked, pick(self.num_partitions > 0, self.num_partitions, self.wished)
        )

    @quantity("CTAs", source=f"{DISPATCH}, partitions")
    def partitions(self) -> int:
        """Partitions of the keys: CTAs that share one query tile."""
        return pick(
            all_of(
                may=self.may_split,
                through_memory=(self.split_into <= 2) | self.has_workspace | self.clustered_by_spec,
            ),
            self.split_into,
            1,
        )


class Dispatch(Split):
    """What is launched: the cluster, the grids, and the kernel that combines."""

    @quantity("CTAs", source=f"{DISPATCH}, splitk_partitions")
    def splitk_partitions(self) -> int:
        """CTAs of a cluster that share the keys: two; more partitions go through memory."""
        return given(self.splitk_asked, pick((self.partitions == 2) & negate(self.deep), 2, 1))

    @quantity("text", source=f"{DISPATCH}, split")
    def split(self) -> str:
        """How the parts are put together: not at all, within a cluster, or through memory."""
        return pick(
            self.partitions == 1,
            "none",
            pick(self.splitk_partitions > 1, "cluster", "workspace"),
        )

    @quantity("CTAs", source=f"{DISPATCH}, grid", key="grid[0]")
    def grid_x(self) -> int:
        """CTAs along x: the tiles of a sequence, once for each partition."""
        return self.tiles * self.partitions

    @quantity("CTAs", source=f"{DISPATCH}, grid", key="grid[1]")
    def grid_y(self) -> int:
        """CTAs along y: heads, or KV heads where a tile holds a group."""
        return self.heads

    @quantity("CTAs", source=f"{DISPATCH}, grid", key="grid[2]")
    def grid_z(self) -> int:
        """CTAs along z: sequences."""
        return self.batch_size

    @quantity("threads", source=f"{DISPATCH}, block")
    def block(self) -> int:
        """Threads of a CTA."""
        return 512

    @quantity("CTAs", source=f"{DISPATCH}, cluster")
    def cluster_size(self) -> int:
        """CTAs of a cluster."""
        return self.splitk_partitions

    @quantity("CTAs", source=f"{DISPATCH}, grid")
    def blocks(self) -> int:
        """CTAs of the whole grid."""
        return self.grid_x * self.grid_y * self.grid_z

    @quantity("count", source="one CTA on an SM at a time")
    def waves(self) -> int:
        """Times that all SMs are filled until the last CTA has begun; the last may be partial."""
        return ceildiv(self.blocks, self.target.sm_count)

    # The kernel that combines a split through memory

    @step("bool", source=f"{DISPATCH}, combine")
    def combines(self) -> bool:
        """Whether a second kernel combines the parts."""
        return self.split == "workspace"

    @quantity("count", source=f"{DISPATCH}, combine")
    def combine_partitions(self) -> int:
        """Partitions the combining kernel is built for; 0 for any number, or without one."""
        return pick(self.combines & is_rung(self.partitions), self.partitions, 0)

    @quantity("CTAs", source=f"{DISPATCH}, combine")
    def combine_grid(self) -> int:
        """CTAs of the combining kernel, one for every head of every query row; 0 without one."""
        return pick(self.combines, self.batch_size * self.max_prompt_len * self.num_q_heads, 0)

    @quantity("threads", source=f"{DISPATCH}, combine")
    def combine_block(self) -> int:
        """Threads of a CTA of the combining kernel; 0 without one."""
        return pick(self.combines, 32, 0)

    @quantity("bytes", source=f"{DISPATCH}, workspace")
    def workspace_bytes(self) -> int:
        """Memory that the parts go through: an output and a float32 of each row and head."""
        return pick(
            self.combines,
            self.partitions
            * self.batch_size
            * self.max_prompt_len
            * self.num_q_heads
            * (self.depth * self.output_bytes + 4),
            0,
        )

    @quantity("count", source="mha_decode_partition_heuristic")
    def metadata_partitions(self) -> int:
        """Partitions by the older heuristic, which the graph's metadata still has."""
        return older_split(
            self.batch_size,
            div(self.num_q_heads, self.group),
            self.max_cache_valid_length,
            self.target.sm_count,
        )


class Dispatch26_6(Dispatch):
    """That of MAX 26.6, in which a tile of 32 has the ceiling of any other."""

    @step("bool", source="ws_p_ceiling")
    def within_one_wave(self) -> bool:
        """Whether partitions are to fill one wave at most: where deep, and for a window."""
        return any_of(deep=self.deep, sliding_window=self.window > 0)
