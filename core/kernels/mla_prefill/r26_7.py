"""mla_prefill as of MAX 26.7: what it changed against 26.6, and its choice of a configuration."""

from __future__ import annotations

from kcfg.core.engine.quantity import flag, part, step
from kcfg.core.engine.terms import any_of, negate, pick
from kcfg.core.kernel import Candidate
from kcfg.core.kernels.fa4.r26_7 import FlashAttention4
from kcfg.core.kernels.mla_prefill import r26_6

SELECT = "mla_select"


class MLAConfig(r26_6.MLAPrefill):
    """MLAConfig and MLASmemStorage of MAX 26.7, built as asked."""

    release = "26.7"
    struct = "MLAConfig and MLASmemStorage, max 26.7.0"
    changes = (
        "Wraps fa4 of 26.7; neither the budget nor the storage keeps the tensor-memory address; "
        "can choose query tiles, outputs and cap by itself (select)."
    )
    without = frozenset({"storage_tmem_addr_offset"})
    attention = FlashAttention4


class MLAPrefill(MLAConfig):
    """The same, or the first of three candidates that fa4 supports."""

    select: bool = flag(
        "Choose query tiles, outputs and cap in place of num_q, single_o and bn_cap.",
        default=False,
        tunable=True,
    )

    @part()
    def candidate_1(self) -> MLAConfig:
        """Two query tiles, the fastest where they fit."""
        return MLAConfig(
            target=self.target,
            qkv_dtype=self.qkv_dtype,
            rope_gmem_dtype=self.rope_gmem_dtype,
            rope_mma_dtype=self.rope_mma_dtype,
            scale_dtype=self.scale_dtype,
            num_q_heads=self.num_q_heads,
            group=self.group,
            depth=self.depth,
            page_size=self.page_size,
            v_depth=self.v_depth,
        )

    @part()
    def candidate_2(self) -> MLAConfig:
        """One query tile and one output, for depths that leave no room for two outputs."""
        return MLAConfig(
            target=self.target,
            qkv_dtype=self.qkv_dtype,
            rope_gmem_dtype=self.rope_gmem_dtype,
            rope_mma_dtype=self.rope_mma_dtype,
            scale_dtype=self.scale_dtype,
            num_q_heads=self.num_q_heads,
            group=self.group,
            depth=self.depth,
            page_size=self.page_size,
            v_depth=self.v_depth,
            num_q_asked=1,
            single_o_asked=True,
        )

    @part()
    def candidate_3(self) -> MLAConfig:
        """The same with a key tile of at most 64, for depths that leave too few stages."""
        return MLAConfig(
            target=self.target,
            qkv_dtype=self.qkv_dtype,
            rope_gmem_dtype=self.rope_gmem_dtype,
            rope_mma_dtype=self.rope_mma_dtype,
            scale_dtype=self.scale_dtype,
            num_q_heads=self.num_q_heads,
            group=self.group,
            depth=self.depth,
            page_size=self.page_size,
            v_depth=self.v_depth,
            num_q_asked=1,
            single_o_asked=True,
            bn_cap=64,
        )

    @step("count", source=f"{SELECT}, num_q")
    def query_tiles(self) -> int:
        """Query tiles to build with; the choice is two where they fit, or where nothing does."""
        return pick(
            self.select,
            pick(
                any_of(
                    candidate_1=self.candidate_1.fa4_config.supported,
                    no_other=negate(
                        self.candidate_2.fa4_config.supported
                        | self.candidate_3.fa4_config.supported
                    ),
                ),
                2,
                1,
            ),
            self.num_q_asked,
        )

    @step("bool", source=f"{SELECT}, single_o")
    def single_output(self) -> bool:
        """Whether to keep one output accumulator; the choice does with one query tile."""
        return pick(self.select, self.query_tiles == 1, self.single_o_asked)

    @step("rows", source=f"{SELECT}, bn_cap")
    def key_tile_cap(self) -> int:
        """Largest key tile to build with; the choice caps it where one query tile needs that."""
        return pick(
            self.select,
            pick((self.query_tiles == 1) & negate(self.candidate_2.fa4_config.supported), 64, 0),
            self.bn_cap,
        )

    def candidates(self) -> tuple[Candidate, ...]:
        if not self.select:
            return ()
        tried = (self.candidate_1, self.candidate_2, self.candidate_3)
        asked = (self.query_tiles, self.single_output, self.key_tile_cap)
        return tuple(
            Candidate(
                f"num_q {each.num_q_asked}, single_o {str(each.single_o_asked).lower()}, "
                f"bn_cap {each.bn_cap}",
                (each.num_q_asked, each.single_o_asked, each.bn_cap) == asked,
                "supported" if each.fa4_config.supported else "not supported",
                None if each.fa4_config.supported else each.fa4_config,
            )
            for each in tried
        )


KERNEL = MLAPrefill
