"""fa4 as of MAX 25.7: the key tile follows the pages of the KV cache."""

from __future__ import annotations

from kcfg.core.engine.arith import mod, prev_pow2
from kcfg.core.engine.quantity import integer, quantity
from kcfg.core.engine.terms import pick
from kcfg.core.kernels.fa4 import r25_6
from kcfg.core.kernels.fa4.r25_6 import CONFIG


class FA4(r25_6.FA4):
    """FA4Config of MAX 25.7."""

    release = "25.7"
    struct = "FA4Config, max 25.7.0"
    changes = (
        "The KV cache may be paged: a key tile that does not divide the page is rounded "
        "down to a power of two."
    )

    page_size: int = integer(
        "tokens", "Tokens of a page of the KV cache; 0: not paged.", least=0, tunable=True
    )

    @quantity("rows", source=f"{CONFIG}.BN")
    def BN(self) -> int:
        """Keys in one tile; a power of two where the page does not hold whole widest tiles.

        A page smaller than the tile counts as such too; page size 0 never does.
        """
        return pick(
            mod(self.page_size, self.widest_key_tile) != 0,
            prev_pow2(self.widest_key_tile),
            self.widest_key_tile,
        )


KERNEL = FA4
