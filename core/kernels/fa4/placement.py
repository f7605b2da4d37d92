"""Where everything sits in a block of fa4 26.x: the views of the numbers derived before."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.block.parts import Mbarriers, Region, Registers
from kcfg.core.block.placing import (
    SharedLayout,
    TensorLayout,
    barriers,
    columns,
    region,
    registers,
    role,
    shared,
    tensor,
)
from kcfg.core.hardware.dtypes import swizzle_bytes
from kcfg.core.hardware.occupancy import register_cap
from kcfg.core.kernels.fa4.smem import SMEM, SharedMemory

MHA_CAPS = (192, 88, 40, 40)
"""Registers per thread of softmax, correction, MMA and load, and idle warps (2026 sources)."""

MLA_CAPS = (184, 96, 48, 24)
"""The same for MLA prefill with two outputs."""


class Placement(SharedMemory):
    """Regions, columns, warps and barriers of one block."""

    def smem(self) -> SharedLayout | None:
        limit = self.target.smem_optin_per_block
        return shared(SMEM, limit, self.block_smem_bytes, self._regions())

    def _regions(self) -> Iterator[Region]:
        mbarrier = self.target.mbarrier_bytes
        atom = 8 * swizzle_bytes(self.swizzle_mode)  # a swizzle repeats every eight rows
        stages = self.num_kv_stages
        yield region("q_nope", self.q_byte_offset, self.q_nope_bytes, atom)
        yield region("q_rope", self.q_rope_byte_offset, self.q_rope_bytes)
        if self.use_shared_kv:
            yield region("kv", self.kv_byte_offset, self.k_total_bytes, atom, stages=stages)
            buffers = self.num_rope_bufs
            yield region("k_rope", self.rope_byte_offset, self.rope_bytes, stages=buffers)
        else:
            v_bytes = stages * self.v_stage_bytes
            yield region("k", self.kv_byte_offset, self.k_total_bytes, atom, stages=stages)
            yield region("v", self.v_byte_offset, v_bytes, atom, stages=stages)
        yield region("correction", self.correction_byte_offset, self.correction_bytes, 4)
        yield region("q_scales", self.q_scale_byte_offset, self.q_scale_bytes)
        buffers = self.num_k_scale_bufs
        yield region("k_scales", self.k_scale_byte_offset, self.k_scale_bytes, stages=buffers)
        yield region("p", self.p_byte_offset, self.p_bytes, stages=2)
        yield region("ws_exchange", self.ws_exchange_byte_offset, self.ws_exchange_bytes)
        yield region(
            "mbarriers", self.mbar_byte_offset, self.mbar_bytes, mbarrier, stages=self.num_mbars
        )
        pointer = self.mbar_byte_offset + self.mbar_bytes
        yield region("tmem_pointer", pointer, self.tmem_pointer_bytes)

    def tmem(self) -> TensorLayout:
        """The kernel allocates all columns; P is shown as the score window it overlays."""
        scores, output = self.s_cols, self.o_phys_cols
        p0, p1 = ("S1", "S0") if self.p_windows_crossed else ("S0", "S1")
        regions = (
            columns("S0", self.TMEM_S0, scores),
            columns("S1", self.TMEM_S1, scores),
            columns("P0", self.TMEM_P0, scores, alias_of=p0),
            columns("P1", self.TMEM_P1, scores, alias_of=p1),
            columns("O0", self.TMEM_O0, output),
            columns("O1", self.TMEM_O1, output, alias_of="O0" if self.single_o else None),
        )
        return tensor(self.target, self.tmem_used, self.target.tmem_columns, regions)

    def registers(self) -> Registers:
        """Roles as far as they are known: MLA with a single output deals its warps anew."""
        entry = register_cap(self.target, self.num_threads, 1)
        if self.is_mla and self.single_o:
            return registers(self.target, entry)
        softmax, correction, issue, idle = MLA_CAPS if self.is_mla else MHA_CAPS
        roles = (
            role("softmax0", 0, 3, softmax),
            role("softmax1", 4, 7, softmax),
            role("correction", 8, 11, correction),
            role("mma", 12, 12, issue),
            role("load", 13, 13, issue),
            role("idle", 14, 15, idle),
        )
        return registers(self.target, entry, *roles)

    def barriers(self) -> tuple[Mbarriers, ...] | None:
        warpgroup = self.num_active_threads_per_group
        softmax = warpgroup * self.cta_group
        softmax_and_correction = 2 * softmax
        return barriers(
            (
                ("s0_consumer", 1, softmax_and_correction),
                ("s0_consumer_rest", 1, softmax),
                ("s1_consumer", 1, softmax_and_correction),
                ("s1_consumer_rest", 1, softmax),
                ("c0", 2, warpgroup),
                ("c1", 2, warpgroup),
                ("order", self.order_mbars, warpgroup),
                ("s0_producer", 1, 1),
                ("s1_producer", 1, 1),
                ("q1_sync", self.q1_sync_mbars, 1),
                ("kv" if self.use_shared_kv else "k", self.k_mbars, 1),
                ("v", self.v_mbars, 1),
                ("o_producer", 2, 1),
                ("publish", self.publish_mbars, 1),
                ("cross_p", self.crossp_mbars, 1),
            )
        )
