"""What MLA decode's dispatcher launches for a call, and the configuration it comes to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from kcfg.core.engine.quantity import flag, integer, part, quantity, step
from kcfg.core.engine.terms import all_of, negate
from kcfg.core.kernel import Conflict, Kernel
from kcfg.core.kernels import called
from kcfg.core.kernels.asked import given
from kcfg.core.kernels.mla_decode import r26_6, r26_7
from kcfg.core.kernels.mla_decode.lengths import DISPATCH, SCALARS
from kcfg.core.kernels.mla_decode.partitions import Partitions


class Call(Kernel):
    """The call of MLA decode, in the order a spec gives it."""

    batch_size: int = integer("count", "Sequences.", call=True)
    max_cache_valid_length: int = integer(
        "tokens", "Tokens of the longest cache.", least=0, call=True
    )
    q_max_seq_len: int = integer(
        "tokens",
        "New tokens of a sequence: 1, or more where they are speculated.",
        default=1,
        call=True,
    )
    is_cache_length_accurate: bool = flag(
        "Whether the cache's length counts the new tokens already.", default=False, call=True
    )
    fold_shared_index: bool = flag(
        "Whether the new tokens of a sequence share the indices of picked keys.",
        default=False,
        call=True,
    )
    num_partitions: int = integer(
        "count",
        "Partitions of the keys; 0 leaves it to the dispatcher.",
        default=0,
        least=0,
        most=74,
        call=True,
    )
    window: int = integer(
        "tokens", "Tokens of a sliding window; 0: none.", default=0, least=0, call=True
    )
    keys_asked: int | None = integer(
        "tokens",
        "The keys that are picked of each cache; absent: none are, and the cache itself counts.",
        default=None,
        key="effective_max_cache_len",
        call=True,
    )
    relax_asked: bool | None = flag(
        "Whether a partition may be one page; absent: as the launcher asks for picked keys.",
        default=None,
        key="relax_split_floor",
        call=True,
    )
    cost_asked: bool | None = flag(
        "Whether the cost model splits; absent: as the launcher asks for picked keys.",
        default=None,
        key="cost_optimal_split",
        call=True,
    )


class CalledDecode(called.Called, r26_6.MLADecode, Call):
    """MLA decode as its dispatcher launches it, whichever release."""

    decisions: ClassVar = ("launch.split_page_size", "launch.num_partitions", "launch.combine")
    dispatcher: ClassVar = Partitions
    """The class of the choice."""

    split_given: bool | None = called.optional(r26_6.MLADecode, "decoding_warp_split_k")
    split_page_given: int | None = called.optional(r26_6.MLADecode, "split_page_size")
    layout_g_given: bool | None = called.optional(r26_6.MLADecode, "decode_layout_g")

    @part("dispatcher")
    def launch(self) -> Partitions:
        """What the dispatcher chooses, and what is launched."""
        return type(self).dispatcher(
            target=self.target,
            num_q_heads=self.num_q_heads,
            is_fp8_kv=self.kv_type_size == 1,
            page_size=self.page_size,
            split_page_asked=self.split_page_given,
            keys_asked=self.keys_asked,
            partitions_asked=self.num_partitions,
            batch_size=self.batch_size,
            q_max_seq_len=self.q_max_seq_len,
            max_cache_valid_length=self.max_cache_valid_length,
            is_cache_length_accurate=self.is_cache_length_accurate,
            fold_shared_index=self.fold_shared_index,
            window=self.window,
            rope_aware=self.per_token_scale_rope_aware,
            relax_asked=self.relax_asked,
            cost_asked=self.cost_asked,
        )

    @quantity("bool", source=f"{DISPATCH}, decoding_warp_split_k")  # type: ignore[misc]
    def decoding_warp_split_k(self) -> bool:
        """Whether the keys are split over CTAs, as launched."""
        return given(self.split_given, self.launch.num_partitions > 1)

    @quantity("tokens", source=f"{SCALARS}, split_page_size")  # type: ignore[misc]
    def split_page_size(self) -> int:
        """Page size that the split goes by, as launched."""
        return self.launch.split_page_size

    @step("bool", source=f"{DISPATCH}, decode_layout_g")
    def fills_layout_g(self) -> bool:
        """Whether layout G is taken where nothing is given."""
        return all_of(
            native_fp8=self.native_fp8,
            no_gather=negate(self.native_fp8_unified_gather),
            few=self.num_q_heads * self.q_max_seq_len <= 32,
        )

    @quantity("bool", source=f"{DISPATCH}, decode_layout_g")  # type: ignore[misc]
    def decode_layout_g(self) -> bool:
        """Whether 32 rows take all lanes (layout G): where heads and tokens fill no more.

        Without native fp8 there is no room for the stages that it needs, nor is there where picked
        keys are gathered, each stage with a buffer for what it gathers.
        """
        return given(self.layout_g_given, self.fills_layout_g)

    # Whether MAX launches it

    built = called.renamed(r26_6.MLADecode.supported, "built")

    @step("bool", source="the cache of keys and values")
    def cache_holds_new_tokens(self) -> bool:
        """Whether the cache is as long as the new tokens, where these are in it."""
        return negate(self.is_cache_length_accurate) | (
            self.q_max_seq_len <= self.max_cache_valid_length
        )

    def possible(self) -> bool:
        return bool(self.cache_holds_new_tokens)

    @quantity("bool", source=f"{DISPATCH}, and what comes before it")
    def supported(self) -> bool:
        """Whether MAX launches this: there is such a call, and the configuration is taken."""
        return all_of(
            configuration=self.built,
            cache_holds_new_tokens=self.cache_holds_new_tokens,
        )

    @classmethod
    def never_called_with(cls, inputs: dict[str, Any]) -> Iterator[Conflict]:
        return _conflicts(inputs)

    def remarks(self) -> tuple[tuple[str, str], ...]:
        chosen: dict[str, Any] = {
            "split_given": self.launch.chosen_partitions > 1,
            "layout_g_given": self.fills_layout_g,
        }
        if self.num_partitions:
            chosen["num_partitions"] = self.launch.chosen_partitions
        return tuple(called.overruled(self, chosen))

    def read_alone(self) -> Iterator[tuple[str, str]]:
        yield "launch.grid[2]", "the grid along z; along x and y it was not even read"
        yield "launch.combine", "which kernel combines"
        if self.layout_g_given is None:
            yield (
                "decode_layout_g",
                "that few heads take layout G; that fp8 alone does, and not where picked keys are"
                " gathered, is inferred from its room",
            )
        if self.keys_asked is not None and None in (self.relax_asked, self.cost_asked):
            yield (
                "launch.num_partitions",
                "when picked keys are split into partitions of one page, and when by cost",
            )
        if self.window:
            yield "launch.effective_max_cache_len", "what a sliding window counts as"
        if self.page_size and self.split_page_given is None:
            yield "launch.split_page_size", "which page the split goes by where the cache has pages"


class MLADecodeCall(CalledDecode, r26_7.MLADecode):
    """MLA decode of MAX 26.7 as its dispatcher launches it."""

    struct = f"{DISPATCH} and the MLA decode configuration, max 26.7.0"
    origin = called.Origin("mla_decode", "26.7")


class MLADecodeCall26_6(CalledDecode):
    """MLA decode of MAX 26.6 as its dispatcher launches it, which splits as that of 26.7."""

    struct = f"{DISPATCH} and the MLA decode configuration, max 26.6.0"
    origin = called.Origin("mla_decode", "26.6")


def _conflicts(inputs: dict[str, Any]) -> Iterator[Conflict]:
    window, picked = inputs["window"], inputs["effective_max_cache_len"]
    if window and picked is not None:
        yield Conflict(
            "window",
            f"a window of {window:,} and {picked:,} picked keys (effective_max_cache_len) both say"
            " which keys count: keep one",
        )
    if inputs["num_partitions"] > 1 and inputs["decoding_warp_split_k"] is False:
        yield Conflict(
            "decoding_warp_split_k",
            f"num_partitions {inputs['num_partitions']} splits, and decoding_warp_split_k is"
            " false: keep one",
        )
