"""The shared memory of depth-512 attention: the bytes and offset of every region."""

from __future__ import annotations

from kcfg.core.engine.arith import div
from kcfg.core.engine.quantity import quantity
from kcfg.core.engine.terms import total
from kcfg.core.kernels.mha_depth512.config import SMEM, Config


class SharedMemory(Config):
    """Regions follow each other without alignment; offsets are bytes from the start.

    Those in elements and in mbarriers are signed 32-bit numbers upstream, which no input
    that kcfg takes goes past.
    """

    # Q and the probabilities

    @quantity("bytes", source=f"{SMEM}.q_byte_offset")
    def q_byte_offset(self) -> int:
        """The query tile comes first."""
        return 0

    @quantity("bytes", source=f"{SMEM}.p_byte_offset")
    def p_byte_offset(self) -> int:
        """The probabilities follow Q."""
        return self.q_byte_offset + self.q_bytes

    @quantity("bytes", source=f"{SMEM}.p_bytes")
    def p_bytes(self) -> int:
        """The probabilities of one tile; negative where the key tile is."""
        return self.p_buf_bytes

    # K and V

    @quantity("bytes", source=f"{SMEM}.kv_byte_offset")
    def kv_byte_offset(self) -> int:
        """The ring that K and V share follows the probabilities."""
        return self.p_byte_offset + self.p_bytes

    @quantity("bytes", source=f"{SMEM}.kv_stage_bytes")
    def kv_stage_bytes(self) -> int:
        """One slot of the ring, without its mbarriers."""
        return self.kv_tile_bytes

    @quantity("bytes", source=f"{SMEM}.kv_total_bytes")
    def kv_total_bytes(self) -> int:
        """The ring."""
        return self.num_kv_stages * self.kv_stage_bytes

    # Correction

    @quantity("bytes", source=f"{SMEM}.correction_byte_offset")
    def correction_byte_offset(self) -> int:
        """The correction factors follow the ring."""
        return self.kv_byte_offset + self.kv_total_bytes

    @quantity("bytes", source=f"{SMEM}.correction_bytes")
    def correction_bytes(self) -> int:
        """The correction factors, in float32."""
        return self.correction_smem_elements * 4

    # mbarriers

    @quantity("barriers", source=f"{SMEM}.num_fixed_mbars")
    def num_fixed_mbars(self) -> int:
        """mbarriers that do not belong to a KV stage; they come first."""
        return self.fixed_mbars

    @quantity("barriers", source=f"{SMEM}.num_kv_mbars")
    def num_kv_mbars(self) -> int:
        """Two of every KV stage."""
        return 2 * self.num_kv_stages

    @quantity("barriers", source=f"{SMEM}.total_mbars")
    def total_mbars(self) -> int:
        """All of them."""
        return total(fixed=self.num_fixed_mbars, kv=self.num_kv_mbars)

    @quantity("bytes", source=f"{SMEM}.mbar_byte_offset")
    def mbar_byte_offset(self) -> int:
        """The mbarriers follow the correction factors."""
        return self.correction_byte_offset + self.correction_bytes

    @quantity("bytes", source=f"{SMEM}.mbar_bytes")
    def mbar_bytes(self) -> int:
        """The mbarriers."""
        return self.total_mbars * self.mbar_size

    @quantity("bytes", source=f"{SMEM}.smem_size")
    def smem_size(self) -> int:
        """The end of the mbarriers: what the configuration counts, part by part."""
        return self.mbar_byte_offset + self.mbar_bytes

    # The same in elements, and what the layout keeps of the configuration

    @quantity("elements", source=f"{SMEM}.q_offset")
    def q_offset(self) -> int:
        """Where Q starts, in its elements."""
        return 0

    @quantity("elements", source=f"{SMEM}.p_offset")
    def p_offset(self) -> int:
        """Where the probabilities start, in elements of Q."""
        return div(self.p_byte_offset, self.qkv_dtype_size)

    @quantity("elements", source=f"{SMEM}.kv_offset")
    def kv_offset(self) -> int:
        """Where the ring starts, in its elements."""
        return div(self.kv_byte_offset, self.qkv_dtype_size)

    @quantity("elements", source=f"{SMEM}.correction_offset")
    def correction_offset(self) -> int:
        """Where the correction factors start, in float32."""
        return self.correction_byte_offset // 4

    @quantity("barriers", source=f"{SMEM}.mbar_offset")
    def mbar_offset(self) -> int:
        """Where the mbarriers start, in mbarriers."""
        return div(self.mbar_byte_offset, self.mbar_size)

    @quantity("bytes", source=f"{SMEM}.config", key="config.smem_used")
    def config_smem_used(self) -> int:
        """The configuration's own total."""
        return self.smem_used

    @quantity("stages", source=f"{SMEM}.config", key="config.num_kv_stages")
    def config_num_kv_stages(self) -> int:
        """The configuration's stages."""
        return self.num_kv_stages

    @quantity("bool", source=f"{SMEM}.config", key="config.split_o")
    def config_split_o(self) -> bool:
        """Whether the configuration makes the output in two halves."""
        return self.split_o

    @quantity("bool", source=f"{SMEM}.config", key="config.supported")
    def config_supported(self) -> bool:
        """Whether upstream takes the configuration."""
        return self.supported
