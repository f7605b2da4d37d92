"""fa4 as of MAX 26.5: that of 26.6 before packed warps could share the keys.

Of this release the configuration alone was run; where its buffers and mbarriers sit is not known.
"""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.engine.quantity import quantity, step
from kcfg.core.engine.terms import pick
from kcfg.core.kernels.fa4 import r26_6
from kcfg.core.kernels.fa4.mbars import MBars
from kcfg.core.kernels.fa4.operands import cut
from kcfg.core.kernels.fa4.shape import CONFIG
from kcfg.core.kernels.fa4.smem import SharedMemory


class FlashAttention4(r26_6.FlashAttention4):
    """FA4Config of MAX 26.5."""

    release = "26.5"
    struct = "FA4Config, max 26.5.0"
    changes = (
        "Q, K and V may differ in depth and type; one or two query tiles; short MMAs pack key "
        "partitions (.ws); K and V share a ring where their slots come out odd."
    )
    plays: ClassVar = {
        path: key
        for path, key in r26_6.FlashAttention4.plays.items()
        if not path.startswith("shared.regions")
    }
    unmodelled = r26_6.FlashAttention4.unmodelled | {"mbarriers"}
    without = frozenset(
        (
            "use_order_barriers",
            "ws_shared_key_asked",
            "pv_partitions",
            "v_oob_fill_needed",
            "v_pages_per_chunk",
            "v_tma_tile_rows",
            *vars(MBars),
            *vars(SharedMemory),
        )
    )
    steps = frozenset(
        (
            "correction_o_cols",
            "kv_sub_depth",
            "num_o_tiles",
            "o_phys_cols",
            "p_smem_bytes",
            "pv_key_chunk",
            "pv_mma_n",
            "pv_reduction_chunks",
            "ring_slots_needed",
            "v_e_chunk_rows",
            "v_residency",
            "v_ring_positions_per_tile",
            "ws_arena_slots_needed",
            "ws_epilogue_f32_slots",
            "ws_epilogue_ml_f32",
            "ws_epilogue_stage_f32",
            "ws_exchange_bytes",
            "ws_subtile_bytes",
        )
    )

    @step("bool", source=f"{CONFIG}, packed warps")
    def ws_shared_key(self) -> bool:
        """Whether packed partitions share the keys of PV: they always split them."""
        return False

    @quantity("rows", source=f"{CONFIG}.v_tma_box_rows")
    def v_tma_box_rows(self) -> int:
        """Keys of V's TMA box: up to its page, but with two partitions one's piece whatever it."""
        return pick(self.m_pack == 2, self.v_e_chunk_rows, cut(self.BN, self.page_size))

    def smem(self) -> None:
        return None

    def barriers(self) -> None:
        return None


KERNEL = FlashAttention4
