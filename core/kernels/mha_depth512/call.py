"""Whether MAX launches the pair-CTA attention of deep heads for a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from kcfg.core.engine.quantity import part, quantity
from kcfg.core.engine.terms import all_of
from kcfg.core.kernel import Candidate
from kcfg.core.kernels import called
from kcfg.core.kernels.fa4.routing import ROWS_OF_DEEP, Heads
from kcfg.core.kernels.mha_depth512 import r26_7

CHOICE = "attention of MAX on SM100"


class MHADepth512Call(called.Called, r26_7.MHADepth512, called.Cached):
    """The pair-CTA attention of MAX 26.7, for a call; its grid is not known."""

    origin = called.Origin("mha_depth512", "26.7")
    decisions: ClassVar = ("launch.kernel",)
    dispatcher: ClassVar = Heads
    """The class of the choice."""

    @part("dispatcher")
    def launch(self) -> Heads:
        """Which kernel is launched."""
        return type(self).dispatcher(
            target=self.target,
            depth=self.qk_depth,
            group=self.group,
            max_prompt_len=self.max_prompt_len,
        )

    built = called.renamed(r26_7.MHADepth512.supported, "built")

    @quantity("bool", source=f"{CHOICE}, depth 256 and 512")
    def supported(self) -> bool:
        """Whether MAX launches this for the call: deep heads, and more rows than FA4's tile.

        Whatever else comes to fa4.
        """
        return all_of(
            configuration=self.built,
            cache_holds_new_tokens=self.cache_holds_new_tokens,
            deep=self.launch.deep,
            prefills=self.max_prompt_len > 1,
            more_rows_than_fa4_takes=self.launch.new_rows > ROWS_OF_DEEP,
        )

    def candidates(self) -> tuple[Candidate, ...]:
        here, rows = self.launch.kernel, self.max_prompt_len * self.group
        said = (
            f"for prompts of more than one token with more than {ROWS_OF_DEEP} rows a KV head, of"
            f" depth 256 and 512; here {self.max_prompt_len:,} x {self.group:,} are {rows:,} of"
            f" depth {self.qk_depth:,}"
        )
        return (
            Candidate("mha_depth512", here == "mha_depth512", said),
            Candidate("fa4", here == "fa4", "for all the rest"),
        )

    def read_alone(self) -> Iterator[tuple[str, str]]:
        yield "launch.kernel", "that long prompts of deep heads come here, and not to fa4"
        yield "supported", "that MAX launches it; how many blocks it has was not even read"
