"""block_scaled_matmul as of MAX 26.7: NVFP4, MXFP4, MXFP8 and W4A8."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from kcfg.core.block.parts import Mma
from kcfg.core.block.placing import mma
from kcfg.core.engine.arith import ceildiv, div, down
from kcfg.core.engine.quantity import choice, flag, integer, part, quantity, step
from kcfg.core.engine.terms import pick, total
from kcfg.core.kernel import Candidate, Conflict
from kcfg.core.kernels.block_scaled_matmul.choose import PACKED, choose, settled
from kcfg.core.kernels.matmul.search import Extent
from kcfg.core.kernels.matmul.settings import Settings
from kcfg.core.kernels.matmul.tile import TILE, Tile
from kcfg.core.kernels.matmul.weighed import of_choice

CONFIG = "BlockScaledMatmulConfig"

OPERANDS = ("float8_e4m3fn", PACKED)
SCALES = ("float8_e4m3fn", "float8_e8m0fnu")
KINDS = ("mxf4nvf4", "mxf4", "mxf8f6f4")


class BlockScaledMatmul(Tile):
    """BlockScaledMatmulConfig of MAX 26.7, given or chosen."""

    kernel = "block_scaled_matmul"
    library = "MAX"
    release = "26.7"
    title = "Matmul with block scales (NVFP4, MXFP4, MXFP8, W4A8)"
    struct = f"{CONFIG} and choose_block_scaled_config, max 26.7.0"
    changes = "The first release kcfg knows."
    plays: ClassVar = Tile.plays | {"mma[0].K": "tile_elements"}
    without = frozenset(("ab_dtype",))

    configuration = ("mma_m", "mma_n", "mma_k", "scaling_kind")
    configuration_only = (
        *(name for name in TILE if name not in ("mma_m", "mma_n", "mma_k")),
        "num_split_k",
        "is_gmm",
        "is_small_bn",
        "register_based_epilogue",
        "gemm_kind",
        "prefetch_tiles_n",
    )

    a_dtype: str = choice("dtype", "Element type of A; uint8 holds two of FP4.", OPERANDS)
    b_dtype: str = choice("dtype", "Element type of B; uint8 holds two of FP4.", OPERANDS)
    sf_dtype: str = choice("dtype", "Element type of the scale factors.", SCALES)
    scaling_kind_given: str = choice(
        "text",
        "The kind of the instructions, which says how scales are used.",
        KINDS,
        default=None,
        key="scaling_kind",
        tunable=True,
    )
    num_split_k: int = integer(
        "count", "Parts K is split into.", default=1, repeated=True, tunable=True
    )
    is_gmm: bool = flag("Whether it is one of a group of products.", default=False)
    is_small_bn: bool = flag(
        "Whether it is the kernel for few columns.", default=False, repeated=True, tunable=True
    )
    register_based_epilogue: bool = flag(
        "Whether the epilogue works on registers, not on shared memory.",
        default=True,
        repeated=True,
        tunable=True,
    )
    gemm_kind: int = integer(
        "index",
        "Which kind of product this is: 0 plain, 1 batched, 2 grouped, 3 1D2D.",
        default=0,
        least=0,
        most=3,
        repeated=True,
    )
    prefetch_tiles_n_given: int = integer(
        "count",
        "Tiles fetched ahead into L2.",
        default=0,
        least=0,
        key="prefetch_tiles_n",
        tunable=True,
    )

    @classmethod
    def conflicts(cls, inputs: dict[str, Any], given: Collection[str]) -> list[Conflict]:
        found = super().conflicts(inputs, given)
        if inputs["M"] is not None and inputs["a_dtype"] != inputs["b_dtype"]:
            return [*found, Conflict("b_dtype", "the choice is for operands of one type")]
        return found

    @part()
    def settings(self) -> Settings:
        """What the caller decides: as given, or as chosen for the problem."""
        return settled(
            given=self.given,
            a_dtype=self.a_dtype,
            extent=Extent(M=self.M, N=self.N, K=self.K),
            prefetch_tiles_n=self.prefetch_tiles_n_given,
        )

    def candidates(self) -> tuple[Candidate, ...]:
        if self.M is None:
            return ()
        extent = Extent(self.M, self.N, self.K)
        return tuple(of_choice(choose(self.target, self.a_dtype, extent)))

    @step("bytes", source=f"{CONFIG}, operand size")
    def ab_size(self) -> int:
        """Bytes of one element of A and B: of FP8, or of two packed FP4."""
        return 1

    @quantity("count", source=f"{CONFIG}.prefetch_tiles_n")
    def prefetch_tiles_n(self) -> int:
        """Tiles fetched ahead into L2: as given; the choice fetches none."""
        return self.settings.prefetch_tiles_n

    @step("swizzle", source=f"{CONFIG}.c_swizzle, swapped")
    def swapped_swizzle(self) -> str:
        """The swizzle of a swapped product's stores: narrower for one of a group."""
        return pick(self.is_gmm, "32B", "128B")

    # Scales

    @step("text", source=f"{CONFIG}.scaling_kind")
    def kind(self) -> str:
        """The kind of the instructions: as given, or by the types of a problem."""
        return pick(
            self.scaling_kind_given is not None,
            self.scaling_kind_given,
            pick(
                self.a_dtype == "uint8",
                pick(self.sf_dtype == "float8_e4m3fn", "mxf4nvf4", "mxf4"),
                "mxf8f6f4",
            ),
        )

    @quantity("text", source=f"{CONFIG}.scaling_kind")
    def scaling_kind(self) -> str:
        """The kind of the instructions, as PTX writes it."""
        return pick(
            self.kind == "mxf4nvf4",
            "kind::mxf4nvf4",
            pick(self.kind == "mxf4", "kind::mxf4", "kind::mxf8f6f4"),
        )

    @quantity("elements", source=f"{CONFIG}.vec_sf_size")
    def vec_sf_size(self) -> int:
        """Elements along K that share a scale."""
        return pick(self.kind == "mxf4nvf4", 16, 32)

    @quantity("bytes", source=f"{CONFIG}.sf_block_atom_size")
    def sf_block_atom_size(self) -> int:
        """A block of scales as the instructions read it: 32 x 4 x 4."""
        return 512

    @step("elements", source=f"{CONFIG}.num_sf_k_tiles, elements of a byte")
    def elements_per_byte(self) -> int:
        """Elements in one byte: two where both operands stay packed."""
        return pick(self.kind == "mxf8f6f4", 1, 2)

    @step("elements", source=f"{CONFIG}.block_tile_shape, elements")
    def tile_elements(self) -> int:
        """Elements along K of one tile."""
        return self.elements_per_byte * self.block_k

    @quantity("count", source=f"{CONFIG}.num_sf_k_tiles")
    def num_sf_k_tiles(self) -> int:
        """Blocks of scales along K of one tile."""
        return div(self.tile_elements, 4 * self.vec_sf_size)

    @step("bytes", source=f"{CONFIG}, num_pipeline_stages, scales of A")
    def sfa_bytes(self) -> int:
        """Scales of A in one stage: of whole blocks of 128 rows, so none for 64."""
        return self.num_sf_k_tiles * (self.block_m // 128) * self.sf_block_atom_size

    @step("bytes", source=f"{CONFIG}, num_pipeline_stages, scales of B")
    def sfb_bytes(self) -> int:
        """Scales of B in one stage: for the whole MMA's N, also in a CTA of a pair."""
        return self.num_sf_k_tiles * ceildiv(self.mma_n, 128) * self.sf_block_atom_size

    # The pipeline

    @step("bytes", source=f"{CONFIG}, num_pipeline_stages, one stage")
    def stage_bytes(self) -> int:
        """What one more stage costs: tiles, scales, and the mbarriers of both."""
        return total(
            a=self.a_tile_bytes,
            b=self.b_tile_bytes,
            sfa=self.sfa_bytes,
            sfb=self.sfb_bytes,
            mbarriers=4 * self.target.mbarrier_bytes,
        )

    @step("stages", source=f"{CONFIG}, num_pipeline_stages, from shared memory")
    def stages_that_fit(self) -> int:
        """Stages for which there is shared memory; may be negative."""
        return div(self.target.smem_optin_per_block - self.fixed_smem_bytes, self.stage_bytes)

    @quantity("stages", source=f"{CONFIG}.num_pipeline_stages")
    def num_pipeline_stages(self) -> int:
        """Tiles of A and B in flight: what fits, in whole groups."""
        return down(self.stages_that_fit, self.k_group_size)

    def mma(self) -> tuple[Mma, ...]:
        """One instruction steps through a tile of A and B, counted in elements."""
        return (
            mma(
                kind=self.kind,
                cta_group=self.cta_group,
                M=self.mma_m,
                N=self.mma_n,
                K=self.tile_elements,
            ),
        )


KERNEL = BlockScaledMatmul
