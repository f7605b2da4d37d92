"""How long a call of MLA decode counts as, and what its dispatcher asks of the split.

``compute_mla_dispatch_scalars`` of ``mla_decode_dispatch``, max 26.7.0, and its callers.
"""

from __future__ import annotations

from kcfg.core.engine.arith import ceildiv
from kcfg.core.engine.quantity import flag, integer, quantity, step
from kcfg.core.engine.struct import Struct
from kcfg.core.engine.terms import all_of, least, most, negate, pick
from kcfg.core.hardware.target import Target
from kcfg.core.kernels.asked import absent, given

DISPATCH = "mla_decode_dispatch"
SCALARS = "compute_mla_dispatch_scalars"

PICKED = 2048
"""Keys that a sparse attention picks, for which partitions of one page were set up."""


class Lengths(Struct):
    """The call, and how long it counts as."""

    target: Target

    num_q_heads: int = integer("heads", "Query heads.")
    is_fp8_kv: bool = flag("Whether the cache is fp8.")
    page_size: int = integer("tokens", "Tokens of a page of the cache; 0: not paged.", least=0)
    split_page_asked: int | None = integer("tokens", "The split's page, if asked.", default=None)
    keys_asked: int | None = integer("tokens", "The length that counts, if asked.", default=None)
    partitions_asked: int = integer("count", "Partitions, if asked for; 0: none.", least=0)
    batch_size: int = integer("count", "Sequences.")
    q_max_seq_len: int = integer("tokens", "New tokens of a sequence.")
    max_cache_valid_length: int = integer("tokens", "Tokens of the longest cache.", least=0)
    is_cache_length_accurate: bool = flag("Whether the cache holds the new tokens.")
    fold_shared_index: bool = flag("Whether new tokens share their indices.")
    window: int = integer("tokens", "Tokens of the sliding window; 0: none.", least=0)
    rope_aware: bool = flag("Whether tokens have scales of their own, apart from rope.")
    relax_asked: bool | None = flag("One-page partitions, if asked for.", default=None)
    cost_asked: bool | None = flag("The cost model, if asked for.", default=None)

    @step("tokens", source=f"{SCALARS}, window")
    def window_cap(self) -> int:
        """The most a sliding window counts as: 2,048 at least for 64 sequences or more."""
        return pick(
            self.batch_size >= 64,
            most(window=self.window + self.q_max_seq_len, many_sequences=2048),
            self.window + self.q_max_seq_len,
        )

    @step("tokens", source=f"{SCALARS}, length")
    def whole_length(self) -> int:
        """Tokens of the cache, the new ones included."""
        return pick(
            self.is_cache_length_accurate,
            self.max_cache_valid_length,
            self.max_cache_valid_length + self.q_max_seq_len,
        )

    @quantity("tokens", source=f"{SCALARS}, effective length")
    def effective_max_cache_len(self) -> int:
        """The length that counts."""
        return given(
            self.keys_asked,
            pick(
                self.window > 0,
                least(cache=self.whole_length, window=self.window_cap),
                self.whole_length,
            ),
        )

    @step("tokens", source=f"{SCALARS}, split_page_size")
    def page_of_length(self) -> int:
        """The split's page as the length has it: shorter where many short sequences come."""
        return pick((self.effective_max_cache_len <= 512) & (self.batch_size >= 32), 64, 128)

    @quantity("tokens", source=f"{SCALARS}, split_page_size")
    def split_page_size(self) -> int:
        """Tokens of a page that the split goes by."""
        return given(
            self.split_page_asked,
            pick(
                (self.page_size == 0) | (self.page_size >= 128),
                self.page_of_length,
                least(page=self.page_size, most=64),
            ),
        )

    @quantity("count", source=f"{DISPATCH}, pages")
    def pages(self) -> int:
        """Pages of the split in the length that counts."""
        return ceildiv(self.effective_max_cache_len, self.split_page_size)

    @quantity("count", source=f"{DISPATCH}, groups of heads")
    def head_groups(self) -> int:
        """Groups of 64 heads."""
        return ceildiv(self.num_q_heads, 64)

    @step("tokens", source=f"{DISPATCH}, short caches")
    def short_cache(self) -> int:
        """The length up to which many sequences are not split."""
        return pick(self.is_fp8_kv, 512, 256)

    @step("bool", source=f"{DISPATCH}, relax_split_floor")
    def relax_split_floor(self) -> bool:
        """Whether a partition may be one page: few short caches of which 2,048 keys are picked."""
        return given(
            self.relax_asked,
            all_of(
                picked=self.keys_asked == PICKED,
                fp8=self.is_fp8_kv,
                one_token=self.q_max_seq_len == 1,
                few_sequences=self.batch_size <= 8,
                long_enough=self.max_cache_valid_length >= 1024,
                short_enough=self.max_cache_valid_length <= PICKED,
            ),
        )

    @step("bool", source=f"{DISPATCH}, cost_optimal_split")
    def cost_optimal_split(self) -> bool:
        """Whether the cost model splits: several new tokens over picked keys, in one tile."""
        return given(
            self.cost_asked,
            all_of(
                picked=negate(absent(self.keys_asked)),
                fp8=self.is_fp8_kv,
                own_indices=negate(self.fold_shared_index),
                plain_scales=negate(self.rope_aware),
                several=self.q_max_seq_len > 1,
                few=self.q_max_seq_len <= 8,
                one_tile=self.num_q_heads * self.q_max_seq_len <= 64,
            ),
        )
