"""FA4's dispatcher of MAX 26.7: the tiles a call comes to, and the route that takes it."""

from __future__ import annotations

from kcfg.core.engine.arith import ceildiv, div, mod
from kcfg.core.engine.quantity import flag, integer, quantity, step
from kcfg.core.engine.struct import Struct
from kcfg.core.engine.terms import all_of, any_of, pick
from kcfg.core.hardware.target import Target
from kcfg.core.kernels.asked import given

DISPATCH = "mha_sm100_dispatch"


ROWS_OF_DEEP = 32
"""Rows that FA4's one tile of deep heads holds: more of a KV head's go to the kernel of pairs."""


class Heads(Struct):
    """Which kernel attention is launched with, by how deep the heads are and how many rows come."""

    target: Target

    depth: int = integer("elements", "Depth of one head.")
    group: int = integer("heads", "Query heads that share a KV head.")
    max_prompt_len: int = integer("tokens", "New tokens of the longest sequence.")

    @step("bool", source=f"{DISPATCH}, route of depth 256 and 512")
    def deep(self) -> bool:
        """Whether heads are so deep that there is one route alone."""
        return (self.depth == 256) | (self.depth == 512)

    @step("rows", source="attention of MAX on SM100, depth 256 and 512")
    def new_rows(self) -> int:
        """New rows of a KV head's queries."""
        return self.max_prompt_len * self.group

    @step("rows", source="attention of MAX on SM100, depth 256 and 512")
    def deep_rows(self) -> int:
        """New rows of a KV head's queries where so deep heads prefill, else 0."""
        return pick(self.deep & (self.max_prompt_len > 1), self.new_rows, 0)

    @quantity("text", source="attention of MAX on SM100, depth 256 and 512")
    def kernel(self) -> str:
        """Which kernel is launched: more rows of deep heads than a tile holds go elsewhere."""
        return pick(self.deep_rows > ROWS_OF_DEEP, "mha_depth512", "fa4")


class Tiles(Heads):
    """The call, and what it comes to in tiles of each height."""

    num_q_heads: int = integer("heads", "Query heads.")
    batch_size: int = integer("count", "Sequences.")
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
