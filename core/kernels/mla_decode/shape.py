"""The tiles of MLA decode: inputs, shapes, swizzles, threads and tensor memory."""

from __future__ import annotations

from kcfg.core.block.placing import TensorLayout, allocation, columns, tensor
from kcfg.core.engine.arith import ceildiv, div, up
from kcfg.core.engine.quantity import choice, flag, integer, quantity, step
from kcfg.core.engine.terms import all_of, any_of, least, negate, pick, total
from kcfg.core.hardware.dtypes import SWIZZLES, swizzle_bytes
from kcfg.core.kernel import Kernel

CONFIG = "MLA decode configuration"


class Shape(Kernel):
    """What is settled before shared memory is shared out."""

    num_q_heads: int = integer("heads", "Query heads.", repeated=True)
    group: int = integer("heads", "Query heads that share a KV head.", repeated=True)
    depth: int = integer("elements", "Depth of V: the latent part.", repeated=True)
    q_depth: int = integer("elements", "Depth of Q and K: latent and rope.", repeated=True)
    dtype_size: int = integer("bytes", "Bytes of one element of Q.", most=16, repeated=True)
    kv_type_size: int = integer("bytes", "Bytes of one element of the cache.", most=16)
    swizzle_mode: str = choice("swizzle", "Swizzle of Q.", SWIZZLES, repeated=True, tunable=True)
    kv_mma_swizzle_mode: str = choice(
        "swizzle",
        "Swizzle of K and V as the MMA reads them.",
        SWIZZLES,
        repeated=True,
        tunable=True,
    )
    page_size: int = integer(
        "tokens",
        "Tokens of a page of the cache; 0: not paged.",
        least=0,
        repeated=True,
        tunable=True,
    )
    decoding_warp_split_k: bool = flag(
        "Whether the keys are split over CTAs.", repeated=True, tunable=True
    )
    split_page_size: int = integer(
        "tokens", "Page size such a split goes by.", least=0, repeated=True, tunable=True
    )
    scale_block_size: int = integer(
        "elements", "Elements of a token that share a scale; 0: none.", least=0, repeated=True
    )
    native_fp8: bool = flag("Whether the MMAs take the fp8 cache as it is.", tunable=True)
    per_token_scale_rope_aware: bool = flag(
        "Whether each token has a scale, its rope part being 16-bit without one.", repeated=True
    )
    decode_layout_g: bool = flag(
        "Whether 32 rows take all lanes (layout G).", repeated=True, tunable=True
    )
    native_fp8_unified_gather: bool = flag(
        "Whether one gather fills the tiles of both MMAs.", tunable=True
    )
    bn_qk: int = integer("rows", "Keys in one tile; 0: 64.", least=0, tunable=True)
    bk_pv: int = integer("rows", "Keys P V sums over in one go; 0: 64.", least=0, tunable=True)
    input_q_depth_asked: int = integer(
        "elements", "Depth of Q in memory; 0: the padded one.", least=0, key="input_q_depth"
    )

    # What the struct fixes

    @quantity("bytes", source=f"{CONFIG}, sm100_smem_carveout")
    def sm100_smem_carveout(self) -> int:
        """Shared memory one block may have: the whole SM's, less the reserve."""
        return self.target.smem_optin_per_block

    @quantity("columns", source=f"{CONFIG}, sm100_tmem_cols")
    def sm100_tmem_cols(self) -> int:
        """Tensor-memory columns of an SM."""
        return self.target.tmem_columns

    @quantity("bytes", source=f"{CONFIG}, mbar_size")
    def mbar_size(self) -> int:
        """One mbarrier."""
        return self.target.mbarrier_bytes

    @quantity("CTAs", source=f"{CONFIG}, cta_group")
    def cta_group(self) -> int:
        """CTAs that issue one MMA together."""
        return 1

    @quantity("elements", source=f"{CONFIG}, MMA_K")
    def MMA_K(self) -> int:
        """K of one MMA instruction; here that of 16-bit types, whatever the type is."""
        return 16

    @quantity("factor", source=f"{CONFIG}, skip_correction_threshold")
    def skip_correction_threshold(self) -> float:
        """How far a row's maximum may lag (as a power of two) before the output is rescaled."""
        return -6.0

    # The shape of the tiles

    @quantity("heads", source=f"{CONFIG}, num_kv_heads")
    def num_kv_heads(self) -> int:
        """KV heads; a group that does not divide the query heads is rounded away."""
        return div(self.num_q_heads, self.group)

    @quantity("rows", source=f"{CONFIG}, BM")
    def BM(self) -> int:
        """Query heads in one tile."""
        return pick(self.decode_layout_g, 32, 64)

    @quantity("rows", source=f"{CONFIG}, MMA_M")
    def MMA_M(self) -> int:
        """Rows of one MMA: the tile's."""
        return self.BM

    @quantity("rows", source=f"{CONFIG}, out_rows")
    def out_rows(self) -> int:
        """Rows of the tile that are stored."""
        return least(tile=self.BM, heads=self.num_q_heads)

    @quantity("rows", source=f"{CONFIG}, BN_QK")
    def BN_QK(self) -> int:
        """Keys in one tile."""
        return pick(self.bn_qk > 0, self.bn_qk, 64)

    @quantity("columns", source=f"{CONFIG}, MMA_QK_N")
    def MMA_QK_N(self) -> int:
        """N of the MMA of Q K^T: the keys of a tile."""
        return self.BN_QK

    @quantity("columns", source=f"{CONFIG}, BN_PV")
    def BN_PV(self) -> int:
        """Columns of V that one MMA of P V makes."""
        return 256

    @quantity("columns", source=f"{CONFIG}, MMA_PV_N")
    def MMA_PV_N(self) -> int:
        """N of the MMA of P V."""
        return self.BN_PV

    @quantity("rows", source=f"{CONFIG}, BK_PV")
    def BK_PV(self) -> int:
        """What P V sums over in one go."""
        return pick(self.bk_pv > 0, self.bk_pv, 64)

    @step("elements", source=f"{CONFIG}, padded_depth, elements of a swizzle row")
    def swizzle_elements(self) -> int:
        """Elements of Q in one row of its swizzle: the unit depths are padded to."""
        return div(swizzle_bytes(self.swizzle_mode), self.dtype_size)

    @quantity("elements", source=f"{CONFIG}, padded_depth")
    def padded_depth(self) -> int:
        """V's depth in whole swizzle rows."""
        return up(self.depth, self.swizzle_elements)

    @quantity("elements", source=f"{CONFIG}, padded_q_depth")
    def padded_q_depth(self) -> int:
        """Q's depth in whole swizzle rows."""
        return up(self.q_depth, self.swizzle_elements)

    @quantity("elements", source=f"{CONFIG}, BK_QK")
    def BK_QK(self) -> int:
        """What Q K^T sums over in one go: all of Q's padded depth."""
        return self.padded_q_depth

    @quantity("elements", source=f"{CONFIG}, input_q_depth")
    def input_q_depth(self) -> int:
        """Q's depth in memory."""
        return pick(self.input_q_depth_asked > 0, self.input_q_depth_asked, self.padded_q_depth)

    @quantity("elements", source=f"{CONFIG}, rope_depth")
    def rope_depth(self) -> int:
        """The rope part: what Q is deeper than V."""
        return self.q_depth - self.depth

    # Swizzles and scales

    @quantity("swizzle", source=f"{CONFIG}, kv_tma_swizzle_mode")
    def kv_tma_swizzle_mode(self) -> str:
        """Swizzle the cache is loaded with: that of 64 elements of it."""
        return pick(self.kv_type_size == 1, "64B", "128B")

    @quantity("swizzle", source=f"{CONFIG}, content_swizzle_mode")
    def content_swizzle_mode(self) -> str:
        """Swizzle the latent part is loaded with; with a scale per token it is always fp8."""
        return pick(self.per_token_scale_rope_aware, "64B", self.kv_tma_swizzle_mode)

    @quantity("swizzle", source=f"{CONFIG}, rope_swizzle_mode")
    def rope_swizzle_mode(self) -> str:
        """Swizzle the rope part is loaded with; with a scale per token it is always 16-bit."""
        return pick(self.per_token_scale_rope_aware, "128B", self.kv_tma_swizzle_mode)

    @quantity("count", source=f"{CONFIG}, scales_per_token")
    def scales_per_token(self) -> int:
        """Block scales of one cached token."""
        return pick(self.scale_block_size > 0, ceildiv(self.q_depth, self.scale_block_size), 0)

    @quantity("bytes", source=f"{CONFIG}, scale_smem_per_stage")
    def scale_smem_per_stage(self) -> int:
        """Block scales of one key tile, a byte each."""
        return self.BN_QK * self.scales_per_token

    @quantity("bytes", source=f"{CONFIG}, per_token_scales_per_stage")
    def per_token_scales_per_stage(self) -> int:
        """Token scales of one key tile, in float32."""
        return pick(self.per_token_scale_rope_aware, self.BN_QK * 4, 0)

    # Threads

    @step("bool", source=f"{CONFIG}, num_threads, conversion")
    def converts_fp8(self) -> bool:
        """Whether a warpgroup turns the fp8 cache into 16-bit tiles before the MMA."""
        return all_of(
            fp8_cache=self.kv_type_size == 1,
            not_native=negate(self.native_fp8),
            no_token_scales=negate(self.per_token_scale_rope_aware),
        )

    @step("bool", source=f"{CONFIG}, num_threads, fourth warpgroup")
    def fourth_warpgroup(self) -> bool:
        """Whether the block has a fourth warpgroup, to convert or to gather."""
        return any_of(conversion=self.converts_fp8, gather=self.native_fp8_unified_gather)

    @quantity("threads", source=f"{CONFIG}, num_threads")
    def num_threads(self) -> int:
        """Threads of the block."""
        return pick(self.fourth_warpgroup, 512, 384)

    # Tensor memory

    @quantity("address", source=f"{CONFIG}, TMEM_O")
    def TMEM_O(self) -> int:
        """The output."""
        return 0

    @quantity("address", source=f"{CONFIG}, TMEM_S0")
    def TMEM_S0(self) -> int:
        """The first slot of scores, behind the output."""
        return 256

    @quantity("address", source=f"{CONFIG}, TMEM_S1")
    def TMEM_S1(self) -> int:
        """The second slot of scores."""
        return 288

    @quantity("count", source=f"{CONFIG}, MAX_TMEM_S_SLOTS")
    def MAX_TMEM_S_SLOTS(self) -> int:
        """Slots of scores there is room for; no more key tiles than these are in flight."""
        return 6

    @quantity("address", source=f"{CONFIG}, TMEM_CORR_SCALE")
    def TMEM_CORR_SCALE(self) -> int:
        """The rescaling factor of each row."""
        return 448

    @quantity("address", source=f"{CONFIG}, TMEM_CORR_LI")
    def TMEM_CORR_LI(self) -> int:
        """The sum of each row."""
        return 449

    @quantity("columns", source=f"{CONFIG}, tmem_used")
    def tmem_used(self) -> int:
        """Columns up to the row sums."""
        return total(before_row_sums=self.TMEM_CORR_LI, row_sums=1)

    def tmem(self) -> TensorLayout:
        used, width = self.tmem_used, self.TMEM_S1 - self.TMEM_S0
        regions = (
            columns("O", self.TMEM_O, self.TMEM_S0 - self.TMEM_O),
            *(
                columns(f"S{slot}", self.TMEM_S0 + slot * width, width)
                for slot in range(self.MAX_TMEM_S_SLOTS)
            ),
            columns("CORR_SCALE", self.TMEM_CORR_SCALE, 1),
            columns("CORR_LI", self.TMEM_CORR_LI, 1),
        )
        return tensor(self.target, used, allocation(self.target, used), regions)
