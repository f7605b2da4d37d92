"""index_prefill as of MAX 26.7: a second Q tile, stolen tiles, key scales of pooled rows."""

from __future__ import annotations

from kcfg.core.block.parts import Mbarriers, Registers
from kcfg.core.block.placing import barriers, registers, role
from kcfg.core.engine.arith import div, halved
from kcfg.core.engine.quantity import integer, quantity, step
from kcfg.core.engine.terms import most, total
from kcfg.core.kernels.index_prefill import r26_6
from kcfg.core.kernels.index_prefill.r26_6 import CONFIG, SCORE_TILES

RECORD_BYTES = 32
"""What one Q slot records about its tile, and as much again as scratch for stealing tiles."""


class IndexPrefill(r26_6.IndexPrefill):
    """IndexPrefillConfig of MAX 26.7."""

    release = "26.7"
    struct = "IndexPrefillConfig, max 26.7.0"
    changes = (
        "Q is double-buffered and tiles are handed out at run time: two Q slots, their records "
        "and 13 fixed mbarriers; key scales may be pooled, and come in copies of at most 256."
    )
    without = frozenset({"hoist_q_scales"})

    pool_row_tokens: int = integer(
        "tokens", "Tokens one row of the key pool holds.", default=1, tunable=True
    )

    @step("registers", source=f"{CONFIG}.reg_consumer, outside the swept cell")
    def reg_consumer_default(self) -> int:
        """What consumers want where upstream's tuning sweep found nothing better."""
        return 216

    @step("count", source=f"{CONFIG}.fixed_smem_bytes, query tiles")
    def q_slots(self) -> int:
        """Query tiles that are resident at a time: the next one loads during this one."""
        return 2

    @quantity("barriers", source=f"{CONFIG}.fixed_mbars")
    def fixed_mbars(self) -> int:
        """mbarriers that do not belong to a K stage: six pairs, and the response to a steal."""
        return 13

    @quantity("bytes", source=f"{CONFIG}.fixed_smem_bytes")
    def fixed_smem_bytes(self) -> int:
        """What is there once, however deep the ring."""
        return total(
            q=self.q_slots * self.q_bytes,
            q_scales=self.q_slots * self.q_scale_bytes,
            records=self.q_slots * RECORD_BYTES,
            scratch=RECORD_BYTES,
            mbarriers=self.fixed_mbars * self.target.mbarrier_bytes,
            tmem_pointer=4,
        )

    @step("rows", source=f"{CONFIG}.k_stage_bytes, keys of one scale copy")
    def scale_copy_keys(self) -> int:
        """Keys whose scales one copy brings: the tile, halved until the copy has 256 at most."""
        return halved(
            self.BM_key,
            most(one_key=1, copy=div(256 - self.scale_align_elems, self.pool_row_tokens)),
        )

    @step("elements", source=f"{CONFIG}.k_stage_bytes, one scale copy")
    def scale_copy_elems(self) -> int:
        """Key scales that one copy brings, and room to round an unaligned start down."""
        return total(
            keys=self.scale_copy_keys * self.pool_row_tokens, alignment=self.scale_align_elems
        )

    @quantity("warps", source=f"{CONFIG}.prod_warps")
    def prod_warps(self) -> int:
        """Warps of the producer warpgroup."""
        return 4

    @quantity("tokens", source=f"{CONFIG}.cta_token_stride")
    def cta_token_stride(self) -> int:
        """Query tokens from one tile's start to the next one's."""
        return self.n_tokens

    def records(self) -> tuple[tuple[str, int, int, int], ...]:
        return (
            ("q_records", self.q_slots * RECORD_BYTES, 1, self.q_slots),
            ("steal_scratch", RECORD_BYTES, 1, 1),
        )

    def registers(self) -> Registers:
        roles = (
            role("consumer", 0, 3, self.reg_consumer),
            role("mma", 4, 4, self.reg_producer),
            role("load", 5, 5, self.reg_producer),
            role("q_scales", 6, 6, self.reg_producer),
            role("idle", 7, 7, self.reg_producer),
        )
        return registers(self.target, self.static_reg_budget, *roles)

    def barriers(self) -> tuple[Mbarriers, ...]:
        return barriers(
            (
                ("k_full", self.k_stages, 1),
                ("k_empty", self.k_stages, 1 + 128),
                ("s_full", SCORE_TILES, 1),
                ("q_full", self.q_slots, 1),
                ("qs_full", self.q_slots, 1),
                ("q_empty", self.q_slots, 1 + 128),
                ("qs_ready", self.q_slots, 32),
                ("clc_full", 1, 1),
                ("s_empty", SCORE_TILES, 128),
            )
        )


KERNEL = IndexPrefill
