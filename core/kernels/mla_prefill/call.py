"""What MLA prefill launches for a call: the configuration chosen, in one of its two forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from kcfg.core.engine.arith import ceildiv
from kcfg.core.engine.quantity import flag, integer, part, quantity, step
from kcfg.core.engine.struct import Struct
from kcfg.core.engine.terms import all_of, any_of, pick
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Candidate
from kcfg.core.kernels import called
from kcfg.core.kernels.asked import absent, given
from kcfg.core.kernels.mla_prefill import r26_7
from kcfg.core.kernels.mla_prefill.select import SELECT

PREFER = "MLAConfig.prefer_1q"
LAUNCHER = "MLA prefill's launcher"


class Launched(Struct):
    """Whether a call is better off with one query tile, and how many CTAs it then takes."""

    target: Target

    BM: int = integer("rows", "Query rows of a CTA, as built.")
    num_q: int = integer("count", "Query tiles of a CTA, as built.")
    q_tile_rows: int = integer("rows", "Query rows of one tile.")
    num_q_heads: int = integer("heads", "Query heads.")
    batch_size: int = integer("count", "Sequences.")
    max_prompt_len: int = integer("tokens", "New tokens of the longest sequence.")
    num_partitions: int = integer("count", "Partitions of the keys.")
    may_switch: bool = flag("Whether there is a form with one query tile.")
    mask_known: bool = flag("Whether it is known which keys the mask shows.")

    @quantity("CTAs", source=PREFER)
    def work_items(self) -> int:
        """CTAs with the tiles that are built."""
        return (
            ceildiv(self.max_prompt_len, self.BM)
            * self.num_partitions
            * self.num_q_heads
            * self.batch_size
        )

    @quantity("bool", source=PREFER)
    def prefer_1q(self) -> bool:
        """Whether one query tile is preferred: it holds the prompt, or SMs would stay idle."""
        return any_of(
            one_tile=self.max_prompt_len <= self.q_tile_rows,
            few_work_items=self.work_items <= self.target.sm_count // 2,
        )

    @quantity("bool", source=LAUNCHER)
    def switches(self) -> bool:
        """Whether the form with one query tile is launched in place of two."""
        return all_of(can=self.may_switch, mask_known=self.mask_known, prefers=self.prefer_1q)

    @quantity("count", source=LAUNCHER)
    def query_tiles(self) -> int:
        """Query tiles of a CTA, as launched."""
        return pick(self.switches, 1, self.num_q)

    @quantity("CTAs", source=LAUNCHER)
    def blocks(self) -> int:
        """CTAs as the launcher counts them."""
        return (
            ceildiv(self.max_prompt_len, self.q_tile_rows * self.query_tiles)
            * self.num_partitions
            * self.num_q_heads
            * self.batch_size
        )

    @quantity("count", source="one CTA on an SM at a time")
    def waves(self) -> int:
        """Times that all SMs are filled until the last CTA has begun; the last may be partial."""
        return ceildiv(self.blocks, self.target.sm_count)


class Call(called.Prompts):
    """The call of MLA prefill, in the order a spec gives it."""

    num_partitions: int = integer(
        "count", "Partitions of the keys; the launcher has one.", default=1, call=True
    )
    mask_known: bool = flag(
        "Whether it is known which keys the mask shows, as of a causal one.",
        default=True,
        call=True,
    )


class MLAPrefillCall(called.Called, r26_7.MLAConfig, Call):
    """MLA prefill of MAX 26.7 as it is launched."""

    struct = f"{SELECT}, {PREFER} and MLAConfig, max 26.7.0"
    origin = called.Origin("mla_prefill", "26.7")
    decisions: ClassVar = ("launch.query_tiles",)
    without = r26_7.MLAConfig.without | {"num_q_asked", "single_o_asked", "bn_cap"}
    choice: ClassVar = r26_7.MLAPrefill
    """The class of the choice."""
    plain: ClassVar = r26_7.MLAConfig
    """The class of a configuration by hand."""
    launcher: ClassVar = Launched
    """The class of what is launched."""

    num_q_given: int | None = called.optional(r26_7.MLAConfig, "num_q_asked")
    single_o_given: bool | None = called.optional(r26_7.MLAConfig, "single_o_asked")
    cap_given: int | None = called.optional(r26_7.MLAConfig, "bn_cap")
    select_given: bool | None = called.optional(r26_7.MLAPrefill, "select")

    # What is built

    @step("bool", source=SELECT)
    def selects(self) -> bool:
        """Whether the configuration is chosen: where the spec gives nothing of it."""
        return given(
            self.select_given,
            all_of(
                num_q=absent(self.num_q_given),
                single_o=absent(self.single_o_given),
                bn_cap=absent(self.cap_given),
            ),
        )

    @part(hidden="choice")
    def built(self) -> r26_7.MLAPrefill:
        """The configuration that is built; it may have a form with one query tile."""
        return type(self).choice(
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
            num_q_asked=given(self.num_q_given, 2),
            single_o_asked=given(self.single_o_given, False),
            bn_cap=given(self.cap_given, 0),
            select=self.selects,
        )

    # What is launched

    @part("launcher")
    def launch(self) -> Launched:
        """In which form it is launched."""
        return type(self).launcher(
            target=self.target,
            BM=self.built.BM,
            num_q=self.built.num_q,
            q_tile_rows=self.built.q_tile_rows,
            num_q_heads=self.num_q_heads,
            batch_size=self.batch_size,
            max_prompt_len=self.max_prompt_len,
            num_partitions=self.num_partitions,
            may_switch=self.built.can_switch_to_1q & self.selects,
            mask_known=self.mask_known,
        )

    @step("count", source=LAUNCHER)
    def query_tiles(self) -> int:
        """Query tiles to build with: one where that form is launched."""
        return pick(self.launch.switches, 1, self.built.query_tiles)

    @step("bool", source=SELECT)
    def single_output(self) -> bool:
        """Whether to keep one output accumulator, as launched."""
        return self.built.single_output

    @step("rows", source=SELECT)
    def key_tile_cap(self) -> int:
        """Largest key tile to build with, as launched."""
        return self.built.key_tile_cap

    @part(needed="two_query_tiles", hidden="plain")
    def one_query(self) -> Any:
        """The same with one query tile, two outputs and no cap on the key tile."""
        return type(self).plain(
            target=self.target,
            qkv_dtype=self.qkv_dtype,
            rope_gmem_dtype=self.rope_gmem_dtype,
            rope_mma_dtype=self.rope_mma_dtype,
            scale_dtype=self.scale_dtype,
            num_q_heads=self.num_q_heads,
            group=self.group,
            depth=self.depth,
            page_size=self.page_size,
            v_depth=self.fa4_config.ov_depth,
            num_q_asked=1,
        )

    def candidates(self) -> tuple[Candidate, ...]:
        tried, at = self.built.candidates(), self.launch
        if not tried or not self.built.can_switch_to_1q:
            return tried
        half = self.target.sm_count // 2
        said = (
            f"for prompts of {self.built.q_tile_rows} tokens or less, here {self.max_prompt_len:,}"
            f", or {half} CTAs or less, here {at.work_items:,} with two tiles"
        )
        return (
            *(
                Candidate(each.name, each.chosen and not at.switches, each.said, each.refused)
                for each in tried
            ),
            Candidate("num_q 1, single_o false, bn_cap 0", at.switches, said),
        )

    def remarks(self) -> tuple[tuple[str, str], ...]:
        free = {"num_q_given": 2, "single_o_given": False, "cap_given": 0}
        asked: dict[str, Any] = {"num_partitions": 1}
        if not self.selects:
            chosen = called.left_free(self, (*free, "select_given"))
            built = (chosen.query_tiles, chosen.single_output, chosen.key_tile_cap)
            asked |= dict(zip(free, built, strict=True))
        return tuple(called.overruled(self, asked))

    def read_alone(self) -> Iterator[tuple[str, str]]:
        yield "launch.switches", "that the form with one query tile is launched where preferred"
        yield "launch.blocks", "the grid; these are the CTAs as prefer_1q counts them"
