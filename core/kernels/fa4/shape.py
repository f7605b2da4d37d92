"""What is asked of fa4 26.x, and the shapes that follow before anything is budgeted."""

from __future__ import annotations

from kcfg.core.engine.arith import div, mod, up
from kcfg.core.engine.quantity import choice, flag, integer, quantity, step
from kcfg.core.engine.terms import all_of, most, negate, pick
from kcfg.core.hardware.dtypes import DTYPES, SWIZZLES, dtype_bytes, is_fp8, is_half, swizzle_bytes
from kcfg.core.kernel import Kernel

CONFIG = "FA4Config"

LONGEST = 1 << 15
"""The largest depth an input may have: with longer ones, upstream's 64-bit offsets wrap around."""


class Shape(Kernel):
    """Inputs, element sizes, query tiles, padded depths and the MMA's layout."""

    qkv_dtype: str = choice("dtype", "Element type of Q, K and V.", DTYPES)
    rope_dtype: str | None = choice(
        "dtype",
        "Element type of the rope part of Q and K, if it has its own.",
        DTYPES,
        default=None,
    )
    scale_dtype: str | None = choice(
        "dtype",
        "Element type of per-token scales of Q and K, if there are any.",
        DTYPES,
        default=None,
    )
    num_q_heads: int = integer("heads", "Query heads.", repeated=True)
    group: int = integer("heads", "Query heads that share a KV head.", repeated=True)
    qk_depth: int = integer(
        "elements", "Depth of one head of Q and K.", most=LONGEST, repeated=True
    )
    ov_depth: int = integer(
        "elements", "Depth of one head of V and of the output.", most=LONGEST, repeated=True
    )
    swizzle_mode_asked: str = choice(
        "swizzle",
        "Swizzle of the tiles; fp8 takes 64B whatever is asked.",
        SWIZZLES,
        default="128B",
        key="swizzle_mode",
        tunable=True,
    )
    page_size: int = integer(
        "tokens",
        "Tokens in one page of the KV cache; 0 without paging.",
        least=0,
        repeated=True,
        tunable=True,
    )
    is_mla: bool = flag("Whether K and V are one latent cache (MLA).", default=False, repeated=True)
    pair_cta: bool = flag(
        "Whether two CTAs share one MMA.", default=False, repeated=True, tunable=True
    )
    BM: int = integer(
        "rows",
        "Query rows of a CTA; 256 makes two query tiles.",
        default=256,
        most=4096,
        repeated=True,
        tunable=True,
    )
    num_qk_stages_asked: int = integer(
        "stages",
        "Pieces Q and K arrive in; 0 leaves it to the depth.",
        default=0,
        most=LONGEST,
        least=0,
        key="num_qk_stages",
        tunable=True,
    )
    splitk_partitions: int = integer(
        "CTAs",
        "CTAs that share the keys of one query tile.",
        default=1,
        repeated=True,
        tunable=True,
    )
    dynamic_cluster_dim: bool = flag(
        "Whether the cluster's size is set at launch; carried along, nothing depends on it.",
        default=False,
        repeated=True,
        tunable=True,
    )
    nope_depth_asked: int = integer(
        "elements",
        "Depth of the part of Q and K without rope; -1 means V's depth.",
        default=-1,
        most=LONGEST,
        least=-1,
        key="nope_depth",
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
    ws_shared_key_asked: bool = flag(
        "Let the packed warps share the keys in place of splitting them.",
        default=False,
        key="ws_shared_key",
        tunable=True,
    )
    use_order_barriers: bool = flag(
        "Whether two barriers order the softmax warpgroups.", default=False, tunable=True
    )

    # What the struct fixes

    @quantity("bytes", source=f"{CONFIG}.sm100_smem_carveout")
    def sm100_smem_carveout(self) -> int:
        """Shared memory one block may have."""
        return self.target.smem_optin_per_block

    @quantity("columns", source=f"{CONFIG}.sm100_tmem_cols")
    def sm100_tmem_cols(self) -> int:
        """Tensor-memory columns of an SM."""
        return self.target.tmem_columns

    @quantity("bytes", source=f"{CONFIG}.mbar_size")
    def mbar_size(self) -> int:
        """One mbarrier."""
        return self.target.mbarrier_bytes

    @quantity("columns", source=f"{CONFIG}.num_correction_cols")
    def num_correction_cols(self) -> int:
        """Columns through which softmax hands its factor to the correction warps."""
        return 1

    @quantity("threads", source=f"{CONFIG}.num_threads")
    def num_threads(self) -> int:
        """Threads of the block: four warpgroups."""
        return 512

    @quantity("warps", source=f"{CONFIG}.num_active_warps_per_group")
    def num_active_warps_per_group(self) -> int:
        """Warps of a softmax warpgroup that have rows to work on."""
        return 4

    @quantity("threads", source=f"{CONFIG}.num_active_threads_per_group")
    def num_active_threads_per_group(self) -> int:
        """Threads of those warps."""
        return 128

    # Elements

    @quantity("bytes", source=f"{CONFIG}.qkv_dtype_size")
    def qkv_dtype_size(self) -> int:
        """One element of Q, K and V."""
        return dtype_bytes(self.qkv_dtype)

    @quantity("bytes", source=f"{CONFIG}.rope_dtype_size")
    def rope_dtype_size(self) -> int:
        """One element of the rope part; 0 where it has no type of its own."""
        return dtype_bytes(self.rope_dtype)

    @quantity("bytes", source=f"{CONFIG}.scale_dtype_size")
    def scale_dtype_size(self) -> int:
        """One per-token scale; 0 without scales."""
        return dtype_bytes(self.scale_dtype)

    @quantity("elements", source=f"{CONFIG}.MMA_K")
    def MMA_K(self) -> int:
        """K of one MMA instruction; everything but the 16-bit floats counts as 8-bit here."""
        return pick(is_half(self.qkv_dtype), 16, 32)

    @quantity("swizzle", source=f"{CONFIG}.swizzle_mode")
    def swizzle_mode(self) -> str:
        """Swizzle in force: fp8 tiles always take 64B."""
        return pick(is_fp8(self.qkv_dtype), "64B", self.swizzle_mode_asked)

    @step("elements", source=f"{CONFIG}, elements of a swizzle row")
    def swizzle_elements(self) -> int:
        """Elements in one swizzle row, to which depths are padded."""
        return div(swizzle_bytes(self.swizzle_mode), self.qkv_dtype_size)

    # Query tiles and heads

    @quantity("count", source=f"{CONFIG}.num_q")
    def num_q(self) -> int:
        """Query tiles of a CTA: two keep the tensor cores busy while softmax works."""
        return pick(self.BM == 256, 2, 1)

    @quantity("bool", source=f"{CONFIG}.single_o")
    def single_o(self) -> bool:
        """Whether one output accumulator serves both key tiles in flight."""
        return all_of(asked=self.single_o_asked, one_query_tile=self.num_q == 1)

    @quantity("rows", source=f"{CONFIG}.MMA_M")
    def MMA_M(self) -> int:
        """M of the MMA: over a CTA pair 256, else 128 or what a short query tile needs."""
        return pick(self.pair_cta, 256, pick(self.BM == 64, 64, pick(self.BM == 32, 32, 128)))

    @quantity("heads", source=f"{CONFIG}.num_kv_heads")
    def num_kv_heads(self) -> int:
        """KV heads; a group that does not divide the query heads is rounded away."""
        return div(self.num_q_heads, self.group)

    @step("bool", source=f"{CONFIG}.fuse_gqa, the group against the MMA's rows")
    def group_fits_mma(self) -> bool:
        """Whether the query heads of one KV head can share an MMA: they divide its rows."""
        return mod(self.MMA_M, self.group) == 0

    @quantity("bool", source=f"{CONFIG}.fuse_gqa")
    def fuse_gqa(self) -> bool:
        """Whether a query tile holds all query heads of a KV head, so K and V load once."""
        return all_of(
            grouped=self.group > 1,
            own_kv_heads=negate(self.is_mla),
            group_fits_mma=self.group_fits_mma,
        )

    # Depths

    @quantity("elements", source=f"{CONFIG}.nope_depth")
    def nope_depth(self) -> int:
        """Depth of the part of Q and K without rope: as asked, else V's depth."""
        return pick(self.nope_depth_asked < 0, self.ov_depth, self.nope_depth_asked)

    @quantity("elements", source=f"{CONFIG}.padded_qk_depth")
    def padded_qk_depth(self) -> int:
        """Depth of Q and K in whole swizzle rows, which is what memory is spent on."""
        return up(self.qk_depth, self.swizzle_elements)

    @quantity("elements", source=f"{CONFIG}.padded_ov_depth")
    def padded_ov_depth(self) -> int:
        """Depth of V and of the output in whole swizzle rows."""
        return up(self.ov_depth, self.swizzle_elements)

    @quantity("elements", source=f"{CONFIG}.padded_nope_depth")
    def padded_nope_depth(self) -> int:
        """Depth without rope in whole swizzle rows."""
        return up(self.nope_depth, self.swizzle_elements)

    @quantity("elements", source=f"{CONFIG}.shared_kv_cols")
    def shared_kv_cols(self) -> int:
        """Width of a slot that can hold a K tile (without rope) or a V tile."""
        return most(k=self.padded_nope_depth, v=self.padded_ov_depth)

    @quantity("elements", source=f"{CONFIG}.rope_depth")
    def rope_depth(self) -> int:
        """Depth of the rope part; negative where more is asked without rope than Q has."""
        return self.padded_qk_depth - self.padded_nope_depth

    # How the MMA uses its 128 lanes

    @quantity("bool", source=f"{CONFIG}.use_ws")
    def use_ws(self) -> bool:
        """Whether a short MMA leaves lanes for more key partitions (the .ws form)."""
        return all_of(one_cta=negate(self.pair_cta), short_mma=self.MMA_M <= 64)

    @quantity("factor", source=f"{CONFIG}.m_pack")
    def m_pack(self) -> int:
        """Key partitions packed side by side into the 128 lanes."""
        return pick(self.use_ws, div(128, self.MMA_M), 1)

    @quantity("bool", source=f"{CONFIG}.ws_shared_key")
    def ws_shared_key(self) -> bool:
        """Whether the partitions share the keys of PV and split the output's columns."""
        return all_of(
            asked=self.ws_shared_key_asked,
            use_ws=self.use_ws,
            one_query_tile=self.num_q == 1,
            own_kv_heads=negate(self.is_mla),
            same_depth=self.padded_nope_depth == self.padded_ov_depth,
        )
