"""MLA prefill 26.x: the attention configuration it wraps, and what it adds to it."""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.engine.quantity import choice, flag, integer, part, quantity, step
from kcfg.core.engine.terms import pick
from kcfg.core.hardware.dtypes import DTYPES, dtype_bytes
from kcfg.core.kernel import Kernel
from kcfg.core.kernels.fa4.r26_6 import FlashAttention4

CONFIG = "MLAConfig"


def swizzle_of(element_bytes: int) -> str:
    """The swizzle a tile of such elements takes: half a row for one-byte elements."""
    return pick(element_bytes == 1, "64B", "128B")


class Config(Kernel):
    """Inputs, the wrapped configuration, and what is copied from it or added."""

    attention: ClassVar[type[FlashAttention4]] = FlashAttention4
    """The release of fa4 that this release wraps."""

    qkv_dtype: str = choice("dtype", "Element type of Q, K and V without rope.", DTYPES)
    rope_gmem_dtype: str = choice("dtype", "Element type of the rope part as stored.", DTYPES)
    rope_mma_dtype: str = choice("dtype", "Element type of the rope part as multiplied.", DTYPES)
    scale_dtype: str | None = choice(
        "dtype", "Element type of per-token scales, if there are any.", DTYPES, default=None
    )
    num_q_heads: int = integer("heads", "Query heads.", repeated=True)
    group: int = integer("heads", "Query heads that share a KV head.", repeated=True)
    depth: int = integer("elements", "Depth of one head of Q and K, 64 of rope included.")
    page_size: int = integer(
        "tokens", "Tokens in one page of the cache; 0 without paging.", least=0, tunable=True
    )
    v_depth: int = integer(
        "elements", "Depth of one head of V; -1 means depth without rope.", default=-1, least=-1
    )
    num_q_asked: int = integer(
        "count",
        "Query tiles of a CTA, of 128 rows each.",
        default=2,
        most=2,
        key="num_q",
        tunable=True,
    )
    single_o_asked: bool = flag(
        "Keep one output accumulator in place of two; takes effect with one query tile.",
        default=False,
        key="single_o",
        tunable=True,
    )
    bn_cap: int = integer(
        "rows", "Largest key tile allowed; 0 sets no cap.", default=0, least=0, tunable=True
    )

    # Depths, sizes and swizzles

    @quantity("elements", source=f"{CONFIG}.rope_depth")
    def rope_depth(self) -> int:
        """Depth of the rope part of Q and K."""
        return 64

    @quantity("elements", source=f"{CONFIG}.cache_depth")
    def cache_depth(self) -> int:
        """Depth of a row of the latent cache: 512 compressed, and 64 of rope."""
        return 576

    @quantity("elements", source=f"{CONFIG}.nope_depth")
    def nope_depth(self) -> int:
        """Depth of Q and K without rope."""
        return self.depth - self.rope_depth

    @step("elements", source=f"{CONFIG}.fa4_config, ov_depth")
    def v_depth_used(self) -> int:
        """Depth of V: as given, else K's without rope."""
        return pick(self.v_depth < 0, self.nope_depth, self.v_depth)

    @quantity("bytes", source=f"{CONFIG}.qkv_dtype_size")
    def qkv_dtype_size(self) -> int:
        """One element of Q, K and V without rope."""
        return dtype_bytes(self.qkv_dtype)

    @quantity("bytes", source=f"{CONFIG}.rope_mma_dtype_size")
    def rope_mma_dtype_size(self) -> int:
        """One element of the rope part as multiplied."""
        return dtype_bytes(self.rope_mma_dtype)

    @quantity("bytes", source=f"{CONFIG}.rope_gmem_dtype_size")
    def rope_gmem_dtype_size(self) -> int:
        """One element of the rope part as stored."""
        return dtype_bytes(self.rope_gmem_dtype)

    @quantity("swizzle", source=f"{CONFIG}.qkv_swizzle_mode")
    def qkv_swizzle_mode(self) -> str:
        """Swizzle of the tiles without rope."""
        return swizzle_of(self.qkv_dtype_size)

    @quantity("swizzle", source=f"{CONFIG}.rope_mma_swizzle_mode")
    def rope_mma_swizzle_mode(self) -> str:
        """Swizzle of the rope tiles as multiplied."""
        return swizzle_of(self.rope_mma_dtype_size)

    @quantity("swizzle", source=f"{CONFIG}.rope_gmem_swizzle_mode")
    def rope_gmem_swizzle_mode(self) -> str:
        """Swizzle of the rope tiles as stored."""
        return swizzle_of(self.rope_gmem_dtype_size)

    @quantity("swizzle", source=f"{CONFIG}.output_swizzle_mode")
    def output_swizzle_mode(self) -> str:
        """The output is written without swizzle."""
        return "NONE"

    # The wrapped configuration

    @step("count", source=f"{CONFIG}.fa4_config, BM")
    def query_tiles(self) -> int:
        """Query tiles to build with: as asked."""
        return self.num_q_asked

    @step("bool", source=f"{CONFIG}.fa4_config, single_o")
    def single_output(self) -> bool:
        """Whether to keep one output accumulator: as asked."""
        return self.single_o_asked

    @step("rows", source=f"{CONFIG}.fa4_config, bn_cap")
    def key_tile_cap(self) -> int:
        """Largest key tile to build with, 0 for no cap: as asked."""
        return self.bn_cap

    @part("attention")
    def fa4_config(self) -> FlashAttention4:
        """The attention configuration this one wraps: MLA, with rope of its own type."""
        return type(self).attention(
            target=self.target,
            qkv_dtype=self.qkv_dtype,
            rope_dtype=self.rope_mma_dtype,
            scale_dtype=self.scale_dtype,
            num_q_heads=self.num_q_heads,
            group=self.group,
            qk_depth=self.depth,
            ov_depth=self.v_depth_used,
            swizzle_mode_asked=self.qkv_swizzle_mode,
            page_size=self.page_size,
            is_mla=True,
            BM=pick(self.query_tiles == 2, 256, 128),
            nope_depth_asked=self.nope_depth,
            single_o_asked=self.single_output,
            bn_cap=self.key_tile_cap,
        )

    # What is copied from it

    @quantity("rows", source=f"{CONFIG}.MMA_M")
    def MMA_M(self) -> int:
        """M of the MMA."""
        return self.fa4_config.MMA_M

    @quantity("rows", source=f"{CONFIG}.BM")
    def BM(self) -> int:
        """Query rows of a CTA."""
        return self.fa4_config.BM

    @quantity("rows", source=f"{CONFIG}.BN")
    def BN(self) -> int:
        """Keys in one tile."""
        return self.fa4_config.BN

    @quantity("elements", source=f"{CONFIG}.BK0")
    def BK0(self) -> int:
        """Depth of one piece of Q and K: the K of the QK product."""
        return self.fa4_config.BK0

    @quantity("elements", source=f"{CONFIG}.BK1")
    def BK1(self) -> int:
        """Keys of a tile: the K of the PV product."""
        return self.fa4_config.BK1

    @quantity("elements", source=f"{CONFIG}.qk_depth")
    def qk_depth(self) -> int:
        """Depth of one head of Q and K."""
        return self.fa4_config.qk_depth

    @quantity("elements", source=f"{CONFIG}.padded_qk_depth")
    def padded_qk_depth(self) -> int:
        """That depth in whole swizzle rows."""
        return self.fa4_config.padded_qk_depth

    @quantity("heads", source=f"{CONFIG}.num_kv_heads")
    def num_kv_heads(self) -> int:
        """KV heads."""
        return self.fa4_config.num_kv_heads

    @quantity("columns", source=f"{CONFIG}.TMEM_S0")
    def TMEM_S0(self) -> int:
        """First column of the first score tile."""
        return self.fa4_config.TMEM_S0

    @quantity("columns", source=f"{CONFIG}.TMEM_S1")
    def TMEM_S1(self) -> int:
        """First column of the second score tile."""
        return self.fa4_config.TMEM_S1

    @quantity("columns", source=f"{CONFIG}.TMEM_O0")
    def TMEM_O0(self) -> int:
        """First column of the first output."""
        return self.fa4_config.TMEM_O0

    @quantity("columns", source=f"{CONFIG}.TMEM_O1")
    def TMEM_O1(self) -> int:
        """First column of the second output."""
        return self.fa4_config.TMEM_O1

    @quantity("columns", source=f"{CONFIG}.TMEM_P0")
    def TMEM_P0(self) -> int:
        """First column of the first probabilities."""
        return self.fa4_config.TMEM_P0

    @quantity("columns", source=f"{CONFIG}.TMEM_P1")
    def TMEM_P1(self) -> int:
        """First column of the second probabilities."""
        return self.fa4_config.TMEM_P1

    @quantity("columns", source=f"{CONFIG}.tmem_used")
    def tmem_used(self) -> int:
        """Tensor-memory columns in use."""
        return self.fa4_config.tmem_used

    @quantity("stages", source=f"{CONFIG}.num_kv_stages")
    def num_kv_stages(self) -> int:
        """Slots of the shared ring, or of each of two rings."""
        return self.fa4_config.num_kv_stages

    @quantity("stages", source=f"{CONFIG}.num_qk_stages")
    def num_qk_stages(self) -> int:
        """Pieces Q and K arrive in: MLA takes them whole."""
        return self.fa4_config.num_qk_stages

    @quantity("stages", source=f"{CONFIG}.num_pv_stages")
    def num_pv_stages(self) -> int:
        """Pieces in which the probabilities are handed to the PV product."""
        return self.fa4_config.num_pv_stages

    @quantity("bytes", source=f"{CONFIG}.smem_used")
    def smem_used(self) -> int:
        """Dynamic shared memory of one CTA."""
        return self.fa4_config.smem_used

    @quantity("bytes", source=f"{CONFIG}.sm100_smem_carveout")
    def sm100_smem_carveout(self) -> int:
        """Shared memory one block may have."""
        return self.fa4_config.sm100_smem_carveout

    @quantity("columns", source=f"{CONFIG}.sm100_tmem_cols")
    def sm100_tmem_cols(self) -> int:
        """Tensor-memory columns of an SM."""
        return self.fa4_config.sm100_tmem_cols

    @quantity("bytes", source=f"{CONFIG}.mbar_size")
    def mbar_size(self) -> int:
        """One mbarrier."""
        return self.fa4_config.mbar_size

    @quantity("columns", source=f"{CONFIG}.num_correction_cols")
    def num_correction_cols(self) -> int:
        """Columns through which softmax hands its factor to the correction warps."""
        return self.fa4_config.num_correction_cols

    @quantity("threads", source=f"{CONFIG}.num_threads")
    def num_threads(self) -> int:
        """Threads of the block when it keeps two outputs."""
        return self.fa4_config.num_threads

    @quantity("count", source=f"{CONFIG}.num_q")
    def num_q(self) -> int:
        """Query tiles of a CTA."""
        return self.fa4_config.num_q

    @quantity("count", source=f"{CONFIG}.num_rope_buffers")
    def num_rope_buffers(self) -> int:
        """Buffers for K's rope part in a shared ring."""
        return self.fa4_config.num_rope_buffers

    @quantity("elements", source=f"{CONFIG}.correction_smem_elements")
    def correction_smem_elements(self) -> int:
        """float32 factors handed to the correction warps: one for each query row."""
        return self.fa4_config.correction_smem_elements
