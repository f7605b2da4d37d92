"""MLA decode's dispatcher of MAX 26.7: into how many partitions the keys are split.

``nn.attention.gpu.nvidia.sm100`` .. ``mla_decode_dispatch``: ``compute_mla_dispatch_scalars``
and the count of partitions it asks for. 64 heads or fewer make one group of heads.
"""

from __future__ import annotations

from kcfg.core.engine.arith import ceildiv, div, gcd
from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import all_of, any_of, least, most, negate, pick
from kcfg.core.kernels.mla_decode.lengths import DISPATCH, Lengths

BUCKETS = (1, 2, 3, 4, 8, 9, 16, 18, 20, 32, 37, 64, 72, 74)
"""The numbers of partitions that are launched."""

MOST = BUCKETS[-1]
"""The most partitions: half the SMs."""


LONG_CACHE = 1 << 14
"""Tokens from which on few sequences are combined split by split."""


def bucket_from(wish: int) -> int:
    """The first number of partitions that is launched and at least the wish, or the last one."""
    found = MOST
    for each in reversed(BUCKETS):
        found = pick(wish <= each, each, found)
    return found


def filling(ctas: int, sm_count: int, parts: int, of: int) -> int:
    """Partitions with which CTAs fill the SMs once: whole shares where these fill enough.

    Enough is ``parts`` of ``of``; otherwise the last CTAs wait for a second wave.
    """
    share = div(sm_count, ctas)
    enough = (share >= 1) & (share * ctas * of >= sm_count * parts)
    return least(fill=pick(enough, share, ceildiv(sm_count, ctas)), most=MOST)


def cheapest(ctas: int, keys: int, pages: int, sm_count: int) -> int:
    """Partitions of the least cost: waves, times the keys of a partition and 187 more.

    A larger number is taken only where it saves more than a fiftieth; no more than pages.
    """
    found, best = 1, 0
    for each in BUCKETS:
        cost = ceildiv(ctas * each, sm_count) * (187 + ceildiv(keys, each))
        better = (each <= pages) & ((best == 0) | (100 * cost < 98 * best))
        found, best = pick(better, each, found), pick(better, cost, best)
    return found


class FewHeads(Lengths):
    """Partitions where there are 64 heads or fewer."""

    @step("bool", source=f"{DISPATCH}, folded")
    def folded(self) -> bool:
        """Whether all new tokens of a sequence share a tile."""
        return all_of(
            several=self.q_max_seq_len > 1, fit=self.num_q_heads * self.q_max_seq_len <= 64
        )

    @step("CTAs", source=f"{DISPATCH}, CTAs of few heads")
    def ctas_few(self) -> int:
        """CTAs without a split."""
        return pick(self.folded, self.batch_size, self.q_max_seq_len * self.batch_size)

    @step("count", source=f"{DISPATCH}, fewest pages of few heads")
    def pages_each_few(self) -> int:
        """Pages a partition has at least."""
        return pick((self.fold_shared_index & self.folded) | self.relax_split_floor, 1, 4)

    @step("count", source=f"{DISPATCH}, partitions of few heads, least")
    def floor_few(self) -> int:
        """Partitions at least: two, but one where sequences are many and short, or fill the SMs."""
        return pick(
            any_of(
                many_short=(self.effective_max_cache_len <= self.short_cache)
                & (self.batch_size >= 64),
                filled=5 * self.ctas_few >= 4 * self.target.sm_count,
                one_page=self.pages < 2,
            ),
            1,
            2,
        )

    @step("count", source=f"{DISPATCH}, partitions of few heads")
    def wish_few(self) -> int:
        """Partitions that fill the SMs, as far as there are pages for them."""
        return least(
            sms=filling(self.ctas_few, self.target.sm_count, 17, 20),
            pages=div(self.pages, self.pages_each_few),
        )

    @step("count", source=f"{DISPATCH}, cost model")
    def of_least_cost(self) -> int:
        """Partitions by the cost model."""
        return cheapest(
            self.q_max_seq_len * self.batch_size,
            self.effective_max_cache_len,
            self.pages,
            self.target.sm_count,
        )


class ManyHeads(FewHeads):
    """Partitions where there are more than 64 heads."""

    @step("CTAs", source=f"{DISPATCH}, CTAs of many heads")
    def ctas_many(self) -> int:
        """CTAs without a split."""
        return self.head_groups * self.q_max_seq_len * self.batch_size

    @step("bool", source=f"{DISPATCH}, many short sequences")
    def many_short(self) -> bool:
        """Whether sequences are too many and too short for a split."""
        return all_of(
            many=self.batch_size >= 64,
            short=self.effective_max_cache_len <= most(short=self.short_cache, page_17=2176),
        )

    @step("count", source=f"{DISPATCH}, target of many heads")
    def filling_many(self) -> int:
        """Partitions that fill the SMs."""
        return filling(self.ctas_many, self.target.sm_count, 9, 10)

    @step("count", source=f"{DISPATCH}, whole waves")
    def whole_wave(self) -> int:
        """Partitions that make whole waves, within what the batch allows."""
        return least(
            waves=div(self.target.sm_count, gcd(self.ctas_many, self.target.sm_count)),
            most=MOST,
            many_sequences=pick(self.batch_size >= 16, most(fill=self.filling_many, one=1), MOST),
            some_sequences=pick(
                (self.batch_size >= 4) & (self.batch_size <= 8), self.filling_many, MOST
            ),
        )

    @step("count", source=f"{DISPATCH}, fewest pages of many heads")
    def pages_each_many(self) -> int:
        """Pages a partition has at least: fewer for more groups of heads."""
        return 2 * div(
            2
            * pick(
                self.batch_size >= 64,
                pick(self.is_fp8_kv, 16, 8),
                pick((self.batch_size <= 8) & self.is_fp8_kv, 4, pick(self.is_fp8_kv, 8, 4)),
            ),
            self.head_groups,
        )

    @step("count", source=f"{DISPATCH}, partitions of at most 32 pages")
    def of_32_pages(self) -> int:
        """Partitions of 32 pages or less, in whole waves."""
        return (
            most(one=1, waves=ceildiv(ceildiv(self.pages, 32), self.whole_wave)) * self.whole_wave
        )

    @step("count", source=f"{DISPATCH}, partitions of many heads")
    def wish_many(self) -> int:
        """Partitions that fill the SMs, or more where the pages are many."""
        return pick(
            self.ctas_many >= self.target.sm_count,
            1,
            most(
                fill=pick(self.many_short, 1, self.filling_many),
                pages=least(waves=self.of_32_pages, pages=div(self.pages, self.pages_each_many)),
            ),
        )

    @step("count", source=f"{DISPATCH}, partitions of many heads, least")
    def floor_many(self) -> int:
        """Partitions at least: two, but one for many short sequences, or where the SMs are full."""
        return pick(
            any_of(
                many_short=self.many_short,
                filled=self.ctas_many >= self.target.sm_count,
                one_page=self.pages < 2,
            ),
            1,
            2,
        )


class Partitions(ManyHeads):
    """What is launched."""

    @step("bool", source=f"{DISPATCH}, groups of heads")
    def few_heads(self) -> bool:
        """Whether one group holds all heads."""
        return self.head_groups == 1

    @step("count", source=f"{DISPATCH}, clamp")
    def wish(self) -> int:
        """Partitions between the least and the most: half the SMs, and one for each page."""
        return most(
            floor=pick(self.few_heads, self.floor_few, self.floor_many),
            wish=least(
                wish=pick(self.few_heads, self.wish_few, self.wish_many),
                pages=self.pages,
                half_the_sms=MOST,
            ),
        )

    @quantity("count", source=f"{DISPATCH}, partitions")
    def chosen_partitions(self) -> int:
        """Partitions that the dispatcher takes."""
        return pick(
            self.few_heads & self.cost_optimal_split, self.of_least_cost, bucket_from(self.wish)
        )

    @quantity("count", source=f"{DISPATCH}, num_partitions")
    def num_partitions(self) -> int:
        """Partitions of the keys."""
        return pick(self.partitions_asked > 0, self.partitions_asked, self.chosen_partitions)

    @quantity("CTAs", source=f"{DISPATCH}, grid", key="grid[2]")
    def grid_z(self) -> int:
        """CTAs along z: every sequence once for each partition."""
        return self.batch_size * self.num_partitions

    @quantity("CTAs", source=f"{DISPATCH}, CTAs")
    def blocks(self) -> int:
        """CTAs as the dispatcher counts them, in all partitions."""
        return pick(self.few_heads, self.ctas_few, self.ctas_many) * self.num_partitions

    @quantity("count", source="one CTA on an SM at a time")
    def waves(self) -> int:
        """Times that all SMs are filled until the last CTA has begun; the last may be partial."""
        return ceildiv(self.blocks, self.target.sm_count)

    @step("rows", source=f"{DISPATCH}, combine")
    def combine_rows(self) -> int:
        """Blocks of four heads that are to be combined."""
        return self.batch_size * self.q_max_seq_len * ceildiv(self.num_q_heads, 4)

    @step("bool", source=f"{DISPATCH}, combine")
    def one_warp(self) -> bool:
        """Whether one warp combines a head: many rows, few short partitions, no fp8 cache."""
        return all_of(
            many_rows=self.combine_rows >= 4096,
            few_partitions=self.num_partitions <= 4,
            short=self.effective_max_cache_len <= 1280,
            half=negate(self.is_fp8_kv),
        )

    @step("bool", source=f"{DISPATCH}, combine")
    def four_warps(self) -> bool:
        """Whether four warps combine a head rather than eight."""
        return (self.combine_rows >= 512) | (
            self.batch_size * self.num_q_heads > 2 * self.target.sm_count
        )

    @quantity("text", source=f"{DISPATCH}, combine")
    def combine(self) -> str:
        """How the parts are combined: split-parallel, or with so many warps a head."""
        return pick(
            self.num_partitions == 1,
            "none",
            pick(
                (self.effective_max_cache_len >= LONG_CACHE) & (self.batch_size <= 2),
                "split-parallel",
                pick(
                    self.one_warp,
                    "1 warp a head",
                    pick(
                        (self.combine_rows >= 2048) & (self.num_partitions > 4),
                        "2 warps a head",
                        pick(self.four_warps, "4 warps a head", "8 warps a head"),
                    ),
                ),
            ),
        )
