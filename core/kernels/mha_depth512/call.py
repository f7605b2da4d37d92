"""Whether MAX launches the pair-CTA attention of deep heads for a call."""

from __future__ import annotations

from kcfg.core.engine.quantity import integer, quantity
from kcfg.core.engine.terms import all_of
from kcfg.core.kernel import Kernel
from kcfg.core.kernels import called
from kcfg.core.kernels.mha_depth512 import r26_7

CHOICE = "attention of MAX on SM100"


class Call(Kernel):
    """The call, in the order a spec gives it."""

    batch_size: int = integer("count", "Sequences.", call=True)
    max_prompt_len: int = integer("tokens", "New tokens of the longest sequence.", call=True)
    max_cache_valid_length: int = integer(
        "tokens", "Tokens of the longest cache, new ones included.", call=True
    )


class MHADepth512Call(r26_7.MHADepth512, Call):
    """The pair-CTA attention of MAX 26.7, for a call; its grid is not known."""

    origin = called.Origin("mha_depth512", "26.7")

    built = called.renamed(r26_7.MHADepth512.supported, "built")

    @quantity("bool", source=f"{CHOICE}, depth 256 and 512")
    def supported(self) -> bool:
        """Whether MAX launches this for the call: deep heads, and more rows than FA4's tile.

        Whatever else comes to fa4.
        """
        return all_of(
            configuration=self.built,
            cache_holds_new_tokens=self.max_prompt_len <= self.max_cache_valid_length,
            deep=(self.qk_depth == 256) | (self.qk_depth == 512),
            more_rows_than_fa4_takes=self.max_prompt_len * self.group > 32,
        )

    def unexecuted(self) -> tuple[tuple[str, str], ...]:
        said = "that long prompts of deep heads come here, and not to fa4"
        return called.never_run([("supported", said)])
