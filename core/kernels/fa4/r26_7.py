"""fa4 as of MAX 26.7: what it changed against 26.6."""

from __future__ import annotations

from kcfg.core.engine.arith import mod
from kcfg.core.engine.quantity import step
from kcfg.core.engine.terms import all_of, any_of
from kcfg.core.kernels.fa4 import r26_6
from kcfg.core.kernels.fa4.shape import CONFIG


class FlashAttention4(r26_6.FlashAttention4):
    """FA4Config and SM100AttentionSMem of MAX 26.7."""

    release = "26.7"
    called = "fa4.call:FlashAttentionCall"
    struct = "FA4Config and SM100AttentionSMem, max 26.7.0"
    changes = (
        "The tensor-memory address no longer takes 4 bytes of the budget; 32-row tiles of depth "
        "256 that ask for shared keys fuse groups that do not divide the rows."
    )
    without = frozenset({"tmem_addr_byte_offset"})

    @step("bool", source=f"{CONFIG}.fuse_gqa, the group against the MMA's rows")
    def group_fits_mma(self) -> bool:
        """Whether the query heads of one KV head can share an MMA.

        They divide its rows; or, asked for shared keys, 32 rows of depth 256 hold them.
        """
        return any_of(
            divides_rows=mod(self.MMA_M, self.group) == 0,
            held_by_shared_key_tile=all_of(
                asked=self.ws_shared_key_asked,
                rows_of_32=self.MMA_M == 32,
                depth_256=self.qk_depth == 256,
                group_within_rows=self.group <= 32,
            ),
        )

    @step("bytes", source=f"{CONFIG}, tensor-memory address")
    def tmem_pointer_bytes(self) -> int:
        """The tensor-memory address is no longer kept in dynamic shared memory."""
        return 0


KERNEL = FlashAttention4
