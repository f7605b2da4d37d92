"""The shared memory of MLA prefill with per-token scales: a struct of its own.

It ignores that K and V may share a ring, is not held to the block's budget, and may
be far larger than what the configuration counts.
"""

from __future__ import annotations

from kcfg.core.engine.arith import up
from kcfg.core.engine.quantity import choice, integer, quantity, step
from kcfg.core.engine.terms import total
from kcfg.core.hardware.dtypes import DTYPES, dtype_bytes
from kcfg.core.kernels.asked import given
from kcfg.core.kernels.mla_prefill.launch import Launch

STORAGE = "MLASmemStorage"


class Storage(Launch):
    """Sizes and offsets of the storage, in bytes, under ``storage.<name>``."""

    storage_qkv_dtype: str | None = choice(
        "dtype",
        "Element type the storage is made for; absent, the configuration's qkv_dtype.",
        DTYPES,
        default=None,
    )
    storage_rope_dtype: str | None = choice(
        "dtype",
        "Type of the storage's rope part; absent, the configuration's rope_mma_dtype.",
        DTYPES,
        default=None,
    )
    num_mbars: int | None = integer(
        "barriers",
        "mbarriers of the storage; absent, as many as the wrapped attention layout has.",
        default=None,
        least=0,
        tunable=True,
    )

    # What it is made for

    @step("bytes", source=f"{STORAGE}, qkv_dtype", key="storage.qkv_dtype_size")
    def storage_qkv_dtype_size(self) -> int:
        """One element of Q, K and V without rope."""
        return dtype_bytes(given(self.storage_qkv_dtype, self.qkv_dtype))

    @step("bytes", source=f"{STORAGE}, rope_dtype", key="storage.rope_dtype_size")
    def storage_rope_dtype_size(self) -> int:
        """One element of the rope part."""
        return dtype_bytes(given(self.storage_rope_dtype, self.rope_mma_dtype))

    @step("barriers", source=f"{STORAGE}, num_mbars", key="storage.num_mbars")
    def storage_mbars(self) -> int:
        """mbarriers it has room for."""
        return given(self.num_mbars, self.fa4_config.num_mbars)

    # The sizes of its parts

    @quantity("bytes", source=f"{STORAGE}.q_nope_bytes", key="storage.q_nope_bytes")
    def storage_q_nope_bytes(self) -> int:
        """The query rows without rope, unpadded."""
        return self.BM * self.nope_depth * self.storage_qkv_dtype_size

    @quantity("bytes", source=f"{STORAGE}.q_rope_bytes", key="storage.q_rope_bytes")
    def storage_q_rope_bytes(self) -> int:
        """The rope part of the query rows."""
        return self.BM * self.rope_depth * self.storage_rope_dtype_size

    @quantity("bytes", source=f"{STORAGE}.q_bytes", key="storage.q_bytes")
    def storage_q_bytes(self) -> int:
        """The query rows."""
        return total(nope=self.storage_q_nope_bytes, rope=self.storage_q_rope_bytes)

    @quantity("stages", source=f"{STORAGE}.num_kv_stages", key="storage.num_kv_stages")
    def storage_kv_stages(self) -> int:
        """Slots: one for each piece of each stage."""
        return self.num_kv_stages * self.num_qk_stages

    @quantity("bytes", source=f"{STORAGE}.kv_nope_bytes", key="storage.kv_nope_bytes")
    def storage_kv_nope_bytes(self) -> int:
        """The slots without rope, padded; V has no region of its own."""
        return (
            self.fa4_config.shared_kv_cols
            * self.BN
            * self.storage_qkv_dtype_size
            * self.storage_kv_stages
        )

    @quantity("bytes", source=f"{STORAGE}.kv_rope_bytes", key="storage.kv_rope_bytes")
    def storage_kv_rope_bytes(self) -> int:
        """The rope part of every slot."""
        return self.rope_depth * self.BN * self.storage_rope_dtype_size * self.storage_kv_stages

    @quantity("bytes", source=f"{STORAGE}.kv_bytes", key="storage.kv_bytes")
    def storage_kv_bytes(self) -> int:
        """The ring."""
        return total(nope=self.storage_kv_nope_bytes, rope=self.storage_kv_rope_bytes)

    @quantity("bytes", source=f"{STORAGE}.q_scale_bytes", key="storage.q_scale_bytes")
    def storage_q_scale_bytes(self) -> int:
        """The query scales: float32, whether or not there are any."""
        return 4 * self.BM

    @quantity("bytes", source=f"{STORAGE}.k_scale_bytes", key="storage.k_scale_bytes")
    def storage_k_scale_bytes(self) -> int:
        """The key scales: one float32 buffer, whether or not there are any."""
        return 4 * self.BN

    @quantity(
        "elements", source=f"{STORAGE}.correction_smem_size", key="storage.correction_smem_size"
    )
    def storage_correction_elements(self) -> int:
        """float32 factors handed to the correction warps."""
        return self.BM

    @step("bytes", source=f"{STORAGE}, mbarriers", key="storage.mbar_bytes")
    def storage_mbar_bytes(self) -> int:
        """The mbarriers."""
        return self.storage_mbars * self.target.mbarrier_bytes

    @step("bytes", source=f"{STORAGE}, tmem_addr", key="storage.tmem_addr_bytes")
    def storage_tmem_addr_bytes(self) -> int:
        """The address that the tensor-memory allocation writes."""
        return self.fa4_config.tmem_pointer_bytes

    # Where they start

    @quantity("bytes", source=f"{STORAGE}.q_smem", key="storage.offset_of.q_smem")
    def storage_q_offset(self) -> int:
        """The query rows come first."""
        return 0

    @quantity("bytes", source=f"{STORAGE}.kv_smem", key="storage.offset_of.kv_smem")
    def storage_kv_offset(self) -> int:
        """The ring follows Q."""
        return self.storage_q_offset + self.storage_q_bytes

    @quantity("bytes", source=f"{STORAGE}.q_scale_smem", key="storage.offset_of.q_scale_smem")
    def storage_q_scale_offset(self) -> int:
        """The query scales follow the ring."""
        return self.storage_kv_offset + self.storage_kv_bytes

    @quantity("bytes", source=f"{STORAGE}.k_scale_smem", key="storage.offset_of.k_scale_smem")
    def storage_k_scale_offset(self) -> int:
        """The key scales follow the query scales."""
        return self.storage_q_scale_offset + self.storage_q_scale_bytes

    @quantity("bytes", source=f"{STORAGE}.correction_smem", key="storage.offset_of.correction_smem")
    def storage_correction_offset(self) -> int:
        """The correction factors follow, at a multiple of 4."""
        return up(self.storage_k_scale_offset + self.storage_k_scale_bytes, 4)

    @quantity("bytes", source=f"{STORAGE}.mbar_base", key="storage.offset_of.mbar_base")
    def storage_mbar_offset(self) -> int:
        """The mbarriers follow, at a multiple of 8."""
        return up(self.storage_correction_offset + 4 * self.storage_correction_elements, 8)

    @quantity("bytes", source=f"{STORAGE}.tmem_addr", key="storage.offset_of.tmem_addr")
    def storage_tmem_addr_offset(self) -> int:
        """The tensor-memory address comes last, at a multiple of 4."""
        return up(self.storage_mbar_offset + self.storage_mbar_bytes, 4)

    @quantity("bytes", source=f"{STORAGE}, alignment", key="storage.align_of")
    def storage_align(self) -> int:
        """Alignment of the storage: that of its mbarriers."""
        return 8

    @quantity("bytes", source=f"{STORAGE}, size", key="storage.size_of")
    def storage_size(self) -> int:
        """The whole storage, its end rounded up to its alignment."""
        return up(
            self.storage_mbar_offset + self.storage_mbar_bytes + self.storage_tmem_addr_bytes,
            self.storage_align,
        )
