"""What FA4's dispatcher launches for a call: its choices, then the configuration they come to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from kcfg.core.engine.quantity import choice, flag, integer, part, quantity, step
from kcfg.core.engine.terms import all_of, pick
from kcfg.core.hardware.dtypes import dtype_bytes, is_fp8, is_half
from kcfg.core.kernel import Candidate, Conflict
from kcfg.core.kernels import called
from kcfg.core.kernels.asked import given
from kcfg.core.kernels.fa4 import r26_6, r26_7
from kcfg.core.kernels.fa4.dispatch import Dispatch, Dispatch26_6
from kcfg.core.kernels.fa4.routing import DISPATCH

MASKS = ("causal", "null", "padded_causal", "sliding", "unknown")
EXECUTED_WINDOWS = (1024, 16384)


class Call(called.Cached):
    """The call of attention, in the order a spec gives it."""

    num_partitions: int = integer(
        "count",
        "Partitions of the keys to split into; 0 leaves it to the dispatcher.",
        default=0,
        least=0,
        most=148,
        call=True,
    )
    mask: str = choice(
        "text",
        "The mask; unknown is one whose visible keys the dispatcher does not know.",
        MASKS,
        default="causal",
        call=True,
    )
    window: int = integer(
        "tokens", "Tokens of a sliding window; 0: none.", default=0, least=0, call=True
    )
    ragged: bool = flag(
        "Whether sequences stand one behind the other, without padding.", default=True, call=True
    )
    sink: bool = flag("Whether softmax has a sink.", default=False, call=True)


class CalledAttention(called.Called, r26_6.FlashAttention4, Call):
    """FA4 as its dispatcher launches it, whichever release."""

    unmodelled = r26_6.FlashAttention4.unmodelled - {"grid"}
    decisions: ClassVar = ("launch.kernel", "launch.route", "launch.partitions", "launch.split")
    configuration: ClassVar[type[r26_6.FlashAttention4]]
    """The class of a configuration by hand."""
    dispatcher: ClassVar[type[Dispatch]]
    """The class of the choice."""

    BM_asked: int | None = called.optional(r26_6.FlashAttention4, "BM")
    splitk_asked: int | None = called.optional(r26_6.FlashAttention4, "splitk_partitions")
    ws_shared_key_given: bool | None = called.optional(r26_6.FlashAttention4, "ws_shared_key_asked")

    # What the dispatcher asks of FA4

    @part(hidden="configuration")
    def tile_32(self) -> r26_6.FlashAttention4:
        """A tile of 32 rows; it shares keys where heads are deep."""
        return type(self).configuration(
            target=self.target,
            qkv_dtype=self.qkv_dtype,
            num_q_heads=self.num_q_heads,
            group=self.group,
            qk_depth=self.qk_depth,
            ov_depth=self.ov_depth,
            swizzle_mode_asked=self.swizzle_mode_asked,
            page_size=self.page_size,
            BM=32,
            ws_shared_key_asked=(self.qk_depth == 256) | (self.qk_depth == 512),
        )

    @part(hidden="configuration")
    def tile_64(self) -> r26_6.FlashAttention4:
        """A tile of 64 rows."""
        return type(self).configuration(
            target=self.target,
            qkv_dtype=self.qkv_dtype,
            num_q_heads=self.num_q_heads,
            group=self.group,
            qk_depth=self.qk_depth,
            ov_depth=self.ov_depth,
            swizzle_mode_asked=self.swizzle_mode_asked,
            page_size=self.page_size,
            BM=64,
        )

    @part("dispatcher")
    def launch(self) -> Dispatch:
        """What the dispatcher chooses, and what is launched."""
        return type(self).dispatcher(
            target=self.target,
            depth=self.qk_depth,
            num_q_heads=self.num_q_heads,
            group=self.group,
            batch_size=self.batch_size,
            max_prompt_len=self.max_prompt_len,
            max_cache_valid_length=self.max_cache_valid_length,
            num_partitions=self.num_partitions,
            window=self.window,
            range_known=self.mask != "unknown",
            output_bytes=pick(is_fp8(self.qkv_dtype), 2, dtype_bytes(self.qkv_dtype)),
            takes_32=self.tile_32.supported,
            fuses_32=self.tile_32.fuse_gqa,
            takes_64=self.tile_64.supported,
            fuses_64=self.tile_64.fuse_gqa,
            BM_asked=self.BM_asked,
            ws_shared_key_asked=self.ws_shared_key_given,
            splitk_asked=self.splitk_asked,
        )

    # What the configuration is built with

    @quantity("rows", source=f"{DISPATCH}, BM")  # type: ignore[misc]
    def BM(self) -> int:
        """Query rows of a CTA, as launched."""
        return self.launch.BM

    @quantity("CTAs", source=f"{DISPATCH}, splitk_partitions")  # type: ignore[misc]
    def splitk_partitions(self) -> int:
        """CTAs of a cluster that share the keys of one query tile, as launched."""
        return self.launch.splitk_partitions

    @step("bool", source=f"{DISPATCH}, ws_shared_key")  # type: ignore[misc]
    def ws_shared_key_asked(self) -> bool:
        """Whether packed warps are to share the keys, as launched."""
        return self.launch.ws_shared_key

    @part(needed="two_queries_alone", hidden="configuration")
    def one_query(self) -> Any:
        """The same attention with one query tile and Q and K in the same pieces."""
        return type(self).configuration(
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

    # Whether MAX launches it

    built = called.renamed(r26_6.FlashAttention4.supported, "built")

    @step("bytes", source="memory of the GPU")
    def memory_bytes(self) -> int:
        """Memory there is for the workspace at most; where it is not known, what is needed."""
        return given(self.target.dram_bytes, self.launch.workspace_bytes)

    @quantity("bool", source=f"{DISPATCH}, and what comes before it")
    def supported(self) -> bool:
        """Whether MAX launches this for the call: it comes here, and FA4 takes the configuration.

        Long prompts of deep heads go to mha_depth512; what is neither half nor fp8 goes
        elsewhere, and so does half attention that is padded.
        """
        return all_of(
            configuration=self.built,
            cache_holds_new_tokens=self.cache_holds_new_tokens,
            not_for_mha_depth512=self.launch.deep_rows <= 32,
            half_or_fp8=is_half(self.qkv_dtype) | is_fp8(self.qkv_dtype),
            ragged_or_fp8=self.ragged | is_fp8(self.qkv_dtype),
            workspace_in_memory=self.launch.workspace_bytes <= self.memory_bytes,
        )

    @classmethod
    def never_called_with(cls, inputs: dict[str, Any]) -> Iterator[Conflict]:
        return _conflicts(inputs)

    def launched(self) -> dict[str, Any]:
        at = self.launch
        return {"grid": (at.grid_x, at.grid_y, at.grid_z)}

    def remarks(self) -> tuple[tuple[str, str], ...]:
        return tuple(called.overruled(self, self._chosen()))

    def _chosen(self) -> dict[str, Any]:
        free = called.left_free(self, ("BM_asked", "splitk_asked", "ws_shared_key_given"))
        return {
            "BM_asked": free.launch.BM,
            "splitk_asked": free.launch.splitk_partitions,
            "ws_shared_key_given": free.launch.ws_shared_key,
        }

    def read_alone(self) -> Iterator[tuple[str, str]]:
        if self.mask == "unknown":
            yield "launch.route", "how masks are treated whose visible keys are not known"
        if self.mask == "padded_causal":
            yield "launch.visible_keys", "what a padded causal mask shows"
        if self.mask == "sliding" and self.window not in EXECUTED_WINDOWS:
            yield (
                "launch.visible_keys",
                "windows other than 1,024 and 16,384; whether a window shows its tokens or one "
                "more was not told apart",
            )
        if self.mask == "sliding" and self.qk_depth != 128:
            yield "launch.partitions", "sliding windows of a depth other than 128"
        if self.sink:
            yield "launch.route", "that a sink changes nothing"
        if self.page_size:
            yield "launch.route", "that pages matter only to what FA4 supports"
        if not self.ragged:
            yield "launch.route", "attention that is padded"
        if self.launch.combines:
            yield "launch.workspace_bytes", "what the workspace takes"

    def candidates(self) -> tuple[Candidate, ...]:
        from kcfg.core.kernels.fa4.routes import candidates

        return candidates(self)


class FlashAttentionCall(CalledAttention, r26_7.FlashAttention4):
    """FA4 of MAX 26.7 as its dispatcher launches it."""

    struct = f"{DISPATCH} and FA4Config, max 26.7.0"
    origin = called.Origin("fa4", "26.7")
    configuration = r26_7.FlashAttention4
    dispatcher = Dispatch


class FlashAttentionCall26_6(CalledAttention):
    """FA4 of MAX 26.6 as its dispatcher launches it: helpers of it were run, and not the whole."""

    struct = f"{DISPATCH} and FA4Config, max 26.6.0"
    origin = called.Origin("fa4", "26.6")
    configuration = r26_6.FlashAttention4
    dispatcher = Dispatch26_6

    def read_alone(self) -> Iterator[tuple[str, str]]:
        yield (
            "launch.route",
            "that all but the most partitions is as in 26.7; the functions that count them were"
            " run, and the dispatcher was not",
        )
        yield from super().read_alone()


def _conflicts(inputs: dict[str, Any]) -> Iterator[Conflict]:
    """What the dispatcher is never called with."""
    if inputs["qk_depth"] != inputs["ov_depth"]:
        yield Conflict(
            "ov_depth",
            f"the dispatcher launches one depth for Q, K and V; qk_depth is {inputs['qk_depth']:,}"
            f" and ov_depth {inputs['ov_depth']:,}; mla_prefill has both",
        )
    if (inputs["mask"] == "sliding") != (inputs["window"] > 0):
        yield Conflict(
            "window",
            f"`mask: sliding` and a window of 1 or more go together; mask is {inputs['mask']}"
            f" and window {inputs['window']:,}",
        )
    if inputs["mask"] == "unknown" and inputs["qk_depth"] in (256, 512):
        yield Conflict(
            "mask",
            "what depth 256 and 512 do with a mask whose visible keys are not known was neither"
            " run nor read",
        )
    parts, asked = inputs["splitk_partitions"], inputs["num_partitions"]
    if parts is not None and asked and parts != asked:
        yield Conflict(
            "splitk_partitions",
            f"splitk_partitions {parts} and num_partitions {asked} are one number: keep one",
        )
    for key in ("rope_dtype", "scale_dtype"):
        if inputs[key] is not None:
            yield Conflict(key, f"the dispatcher launches without `{key}`; mla_prefill has it")
    if inputs["is_mla"]:
        yield Conflict("is_mla", "this dispatcher launches no MLA: mla_prefill and mla_decode do")
