"""FA4's dispatcher of MAX 26.7: which tile, split how, from a model and a call.

``mha_sm100_dispatch`` of ``nn.attention.gpu.nvidia.sm100.dispatch``. The first route that
takes a call launches it; what a spec asks for stands in place of what a route chooses.
"""

from __future__ import annotations

from kcfg.core.engine.arith import ceildiv, div, mod
from kcfg.core.engine.quantity import flag, integer, quantity, step
from kcfg.core.engine.struct import Struct
from kcfg.core.engine.terms import all_of, any_of, least, most, negate, pick
from kcfg.core.hardware.target import Target
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

DISPATCH = "mha_sm100_dispatch"

LONG_CACHE = 1 << 16
"""Tokens of a cache from which on a tile of 64 rows of depth 64 splits through memory."""


class Tiles(Struct):
    """The call, and what it comes to in tiles of each height."""

    target: Target

    depth: int = integer("elements", "Depth of one head.")
    num_q_heads: int = integer("heads", "Query heads.")
    group: int = integer("heads", "Query heads that share a KV head.")
    batch_size: int = integer("count", "Sequences.")
    max_prompt_len: int = integer("tokens", "New tokens of the longest sequence.")
    max_cache_valid_length: int = integer("tokens", "Tokens of the longest cache.")
    num_partitions: int = integer("count", "Partitions asked for; 0 leaves it to the call.")
    window: int = integer("tokens", "Tokens of the sliding window; 0: none.")
    range_known: bool = flag("Whether the dispatcher knows which keys the mask shows.")
    output_bytes: int = integer("bytes", "Bytes of one element of the output.")
    takes_32: bool = flag("Whether FA4 supports a tile of 32 rows.")
    fuses_32: bool = flag("Whether that tile holds all query heads of a KV head.")
    takes_64: bool = flag("Whether FA4 supports a tile of 64 rows.")
    fuses_64: bool = flag("Whether that tile holds all query heads of a KV head.")
    BM_asked: int | None = integer("rows", "Rows of the tile, if asked for.", default=None)
    ws_shared_key_asked: bool | None = flag("Shared keys, if asked for.", default=None)
    splitk_asked: int | None = integer("CTAs", "CTAs of the cluster, if asked for.", default=None)

    # Tiles of each height

    @step("bool", source=f"{DISPATCH}, route of depth 256 and 512")
    def deep(self) -> bool:
        """Whether heads are so deep that there is one route alone."""
        return (self.depth == 256) | (self.depth == 512)

    @step("rows", source="attention of MAX on SM100, depth 256 and 512")
    def deep_rows(self) -> int:
        """New rows of a KV head's queries where heads are so deep, else 0."""
        return pick(self.deep, self.max_prompt_len * self.group, 0)

    @step("bool", source=f"{DISPATCH}, tiles of 32 and 64")
    def has_short_tiles(self) -> bool:
        """Whether the call may take a tile of 32 or 64 rows."""
        return all_of(
            depth=(self.depth == 64) | (self.depth == 128), visible_keys_known=self.range_known
        )

    @step("bool", source=f"{DISPATCH}, fuse_gqa of 128 rows")
    def fuses_128(self) -> bool:
        """Whether 128 rows hold all query heads of a KV head."""
        return (self.group > 1) & (mod(128, self.group) == 0)

    @step("tokens", source=f"{DISPATCH}, tile of 32")
    def tokens_32(self) -> int:
        """Tokens of a tile of 32 rows."""
        return pick(self.fuses_32, div(32, self.group), 32)

    @step("tokens", source=f"{DISPATCH}, tile of 64")
    def tokens_64(self) -> int:
        """Tokens of a tile of 64 rows."""
        return pick(self.fuses_64, div(64, self.group), 64)

    @step("tokens", source=f"{DISPATCH}, tile of 128")
    def tokens_128(self) -> int:
        """Tokens of a tile of 128 rows."""
        return pick(self.fuses_128, div(128, self.group), 128)

    @step("tokens", source=f"{DISPATCH}, two tiles")
    def tokens_256(self) -> int:
        """Tokens of two tiles of 128 rows."""
        return pick(self.fuses_128, div(256, self.group), 256)

    @step("CTAs", source=f"{DISPATCH}, two tiles")
    def items_256(self) -> int:
        """Work items of two tiles each."""
        return (
            ceildiv(self.max_prompt_len, self.tokens_256)
            * pick(self.fuses_128, div(self.num_q_heads, self.group), self.num_q_heads)
            * self.batch_size
        )


class Route(Tiles):
    """Which route takes the call, and the tile it is launched with."""

    @step("bool", source=f"{DISPATCH}, tile of 32")
    def in_tile_of_32(self) -> bool:
        """Whether one tile of 32 rows holds every sequence's new tokens."""
        return all_of(
            short_tiles=self.has_short_tiles,
            supported=self.takes_32,
            one_tile=self.max_prompt_len <= self.tokens_32,
        )

    @step("bool", source=f"{DISPATCH}, tile of 64")
    def in_tile_of_64(self) -> bool:
        """Whether one tile of 64 rows holds every sequence's new tokens."""
        return all_of(
            short_tiles=self.has_short_tiles,
            supported=self.takes_64,
            one_tile=self.max_prompt_len <= self.tokens_64,
        )

    @step("bool", source=f"{DISPATCH}, one tile of 128")
    def in_one_tile(self) -> bool:
        """Whether one query tile is launched, because the call is small or asks for a split."""
        return any_of(
            asked_to_split=self.num_partitions > 0,
            one_tile=self.max_prompt_len <= self.tokens_128,
            few_work_items=self.items_256 <= self.target.sm_count // 2,
        )

    @quantity("text", source="attention of MAX on SM100, depth 256 and 512")
    def kernel(self) -> str:
        """Which kernel is launched: more rows of deep heads than a tile holds go elsewhere."""
        return pick(self.deep_rows > 32, "mha_depth512", "fa4")

    @quantity("text", source=f"{DISPATCH}, the route")
    def route(self) -> str:
        """The first route that takes the call."""
        return pick(
            self.deep,
            "deep",
            pick(
                self.in_tile_of_32,
                "tile of 32",
                pick(
                    self.in_tile_of_64,
                    "tile of 64",
                    pick(self.in_one_tile, "one tile of 128", "two tiles of 128"),
                ),
            ),
        )

    @step("rows", source=f"{DISPATCH}, BM")
    def chosen_BM(self) -> int:
        """Query rows of a CTA as the route chooses them."""
        return pick(
            self.deep | self.in_tile_of_32,
            32,
            pick(self.in_tile_of_64, 64, pick(self.in_one_tile, 128, 256)),
        )

    @quantity("rows", source=f"{DISPATCH}, BM")
    def BM(self) -> int:
        """Query rows of a CTA: as the spec gives them, or as the route chooses them."""
        return given(self.BM_asked, self.chosen_BM)

    @quantity("count", source=f"{DISPATCH}, num_q")
    def num_q(self) -> int:
        """Query tiles of a CTA."""
        return pick(self.BM == 256, 2, 1)

    @quantity("bool", source=f"{DISPATCH}, ws_shared_key")
    def ws_shared_key(self) -> bool:
        """Whether packed warps are to share the keys: on the deep route alone."""
        return given(self.ws_shared_key_asked, self.deep)

    @step("bool", source=f"{DISPATCH}, fuse_gqa")
    def fuses(self) -> bool:
        """Whether the tile holds all query heads of a KV head."""
        return pick(
            self.BM == 32, self.fuses_32, pick(self.BM == 64, self.fuses_64, self.fuses_128)
        )

    @quantity("tokens", source=f"{DISPATCH}, tokens_per_tile")
    def tokens_per_tile(self) -> int:
        """Tokens of the query rows of a CTA."""
        return pick(self.fuses, div(self.BM, self.group), self.BM)

    @step("CTAs", source=f"{DISPATCH}, grid without a split, x")
    def tiles(self) -> int:
        """CTAs that the tokens of a sequence take."""
        return ceildiv(self.max_prompt_len, self.tokens_per_tile)

    @step("heads", source=f"{DISPATCH}, grid without a split, y")
    def heads(self) -> int:
        """Heads that have CTAs of their own: KV heads where a tile holds a group."""
        return pick(self.fuses, div(self.num_q_heads, self.group), self.num_q_heads)

    @step("CTAs", source=f"{DISPATCH}, grid without a split")
    def work_items(self) -> int:
        """CTAs without a split."""
        return self.tiles * self.heads * self.batch_size


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
