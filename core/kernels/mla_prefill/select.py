"""MLA prefill 26.x: the choice of a configuration, the first of three that fa4 supports."""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.engine.quantity import flag, part, step
from kcfg.core.engine.terms import any_of, negate, pick
from kcfg.core.kernel import Candidate
from kcfg.core.kernels.mla_prefill.launch import Launch

SELECT = "mla_select"


class Select(Launch):
    """What is asked for, or chosen where that is asked; it stands before a release's ``config``."""

    config: ClassVar[type[Launch]]
    """The same release, built as asked: what there is to choose among."""

    select: bool = flag(
        "Choose query tiles, outputs and cap in place of num_q, single_o and bn_cap.",
        default=False,
        tunable=True,
    )

    @part(hidden="config")
    def candidate_1(self) -> Launch:
        """Two query tiles, the fastest where they fit."""
        return type(self).config(
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

    @part(hidden="config")
    def candidate_2(self) -> Launch:
        """One query tile and one output, for depths that leave no room for two outputs."""
        return type(self).config(
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

    @part(hidden="config")
    def candidate_3(self) -> Launch:
        """The same with a key tile of at most 64, for depths that leave too few stages."""
        return type(self).config(
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
