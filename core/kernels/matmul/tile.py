"""What every SM100 matmul has: a problem or a configuration, and the tiles that follow."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from kcfg.core.block.parts import Mma
from kcfg.core.block.placing import mma
from kcfg.core.engine.arith import div
from kcfg.core.engine.quantity import choice, integer, part, quantity, step
from kcfg.core.engine.terms import negate, pick, total
from kcfg.core.hardware.dtypes import DTYPES, dtype_bytes, swizzle_of_width
from kcfg.core.kernel import Conflict, Kernel
from kcfg.core.kernels.matmul.settings import Settings, optional, with_more

CONFIG = "SM100 matmul configuration"
SETTINGS = Settings.inputs

PROBLEM = ("M", "N", "K")
"""What a spec must give for the configuration to be chosen."""
TILE = (
    "cta_group",
    "mma_m",
    "mma_n",
    "mma_k",
    "cluster_m",
    "AB_swapped",
    "block_swizzle_size",
    "k_group_size",
    "num_accum_pipeline_stages",
    "num_clc_pipeline_stages",
)
"""What every configuration by hand may say, in the order a spec gives it."""
WAYS = "a problem, which chooses the configuration, or the configuration itself"


KINDS = {"bfloat16": "f16", "float16": "f16", "float32": "tf32"} | dict.fromkeys(
    ("float8_e4m3fn", "float8_e5m2"), "f8f6f4"
)
"""The kind of the instructions that multiply a type, by PTX's table of kinds."""


class Tile(Kernel):
    """The inputs that all have, what is settled by them, tiles, and what memory holds once."""

    plays: ClassVar = {
        "pipelines[0].stages": "num_pipeline_stages",
        "cluster[0]": "cluster_shape[0]",
        "cluster[1]": "cluster_shape[1]",
        "cluster[2]": "cluster_shape[2]",
        "mma[0].cta_group": "cta_group",
        "mma[0].M": "mma_shape[0]",
        "mma[0].N": "mma_shape[1]",
        "mma[0].K": "block_tile_shape[2]",
    }
    unmodelled = Kernel.unmodelled | {
        "blocks_per_sm",
        "mbarriers",
        "registers",
        "shared",
        "threads",
        "tmem",
    }

    problem_only: ClassVar[tuple[str, ...]] = PROBLEM
    """What means nothing beside a configuration given by hand."""
    configuration: ClassVar[tuple[str, ...]] = TILE
    """What a spec must give of a configuration by hand."""
    configuration_only: ClassVar[tuple[str, ...]] = ()
    """What else means nothing beside a problem."""

    ab_dtype: str = choice("dtype", "Element type of both operands.", DTYPES)
    c_dtype: str = choice("dtype", "Element type of the result.", DTYPES)

    # The problem: None where the configuration is given
    M: int = integer("rows", "Rows of A and of the result.", default=None)
    N: int = integer("columns", "Columns of B and of the result.", default=None)
    K: int = integer("elements", "What the product sums over.", default=None)

    # The configuration: None where it is chosen
    cta_group_given: int = optional(SETTINGS["cta_group"])
    mma_m_given: int = optional(SETTINGS["mma_m"])
    mma_n_given: int = optional(SETTINGS["mma_n"])
    mma_k_given: int = optional(SETTINGS["mma_k"])
    cluster_m_given: int = optional(SETTINGS["cluster_m"])
    AB_swapped_given: bool = optional(SETTINGS["AB_swapped"])
    block_swizzle_size_given: int = optional(SETTINGS["block_swizzle_size"])
    k_group_size_given: int = optional(SETTINGS["k_group_size"])
    num_accum_pipeline_stages_given: int = optional(SETTINGS["num_accum_pipeline_stages"])
    num_clc_pipeline_stages_given: int = optional(SETTINGS["num_clc_pipeline_stages"])

    @classmethod
    def conflicts(cls, inputs: dict[str, Any], given: Collection[str]) -> list[Conflict]:
        # A key given as its own default, as in a report's inputs, says nothing.
        defaults = {member.key: member.default for member in cls.inputs.values()}
        told = {
            key
            for key, default in defaults.items()
            if key in given and (default is None or inputs[key] != default)
        }
        problem = [key for key in cls.problem_only if key in told]
        configuration = [
            key for key in (*cls.configuration, *cls.configuration_only) if key in told
        ]
        if problem and configuration:  # the fewer are taken for the mistake
            wrong, right = sorted((problem, configuration), key=len)
            return [
                Conflict(key, f"`{key}` does not go with {', '.join(right)}: a shape gives {WAYS}")
                for key in wrong
            ]
        needed = cls.configuration if configuration else PROBLEM
        missing = [key for key in needed if key not in told]
        way = "a configuration" if configuration else "a problem"
        other = "" if problem or configuration else "; or give a configuration, with `mma_m`"
        return [Conflict(key, f"missing key `{key}`: {way} needs it{other}") for key in missing]

    @part()
    def given(self) -> Settings:
        """The configuration by hand; nothing of it is there where a problem is."""
        return Settings(
            target=self.target,
            cta_group=self.cta_group_given,
            mma_m=self.mma_m_given,
            mma_n=self.mma_n_given,
            mma_k=self.mma_k_given,
            cluster_m=self.cluster_m_given,
            AB_swapped=self.AB_swapped_given,
            block_swizzle_size=self.block_swizzle_size_given,
            k_group_size=self.k_group_size_given,
            num_accum_pipeline_stages=self.num_accum_pipeline_stages_given,
            num_clc_pipeline_stages=self.num_clc_pipeline_stages_given,
        )

    @part()
    def settings(self) -> Settings:
        """What the caller decides: as given; what a problem chooses is each kernel's own."""
        return with_more(self.given)

    # What was given or chosen

    @quantity("CTAs", source=f"{CONFIG}, cta_group")
    def cta_group(self) -> int:
        """CTAs that issue one MMA together."""
        return self.settings.cta_group

    @quantity("rows", source=f"{CONFIG}, mma_shape", key="mma_shape[0]")
    def mma_m(self) -> int:
        """M of one MMA, over the whole CTA group."""
        return self.settings.mma_m

    @quantity("columns", source=f"{CONFIG}, mma_shape", key="mma_shape[1]")
    def mma_n(self) -> int:
        """N of one MMA."""
        return self.settings.mma_n

    @quantity("elements", source=f"{CONFIG}, mma_shape", key="mma_shape[2]")
    def mma_k(self) -> int:
        """K of one MMA instruction."""
        return self.settings.mma_k

    @quantity("CTAs", source=f"{CONFIG}, cluster_shape", key="cluster_shape[0]")
    def cluster_m(self) -> int:
        """CTAs of the cluster, all along M."""
        return self.settings.cluster_m

    @quantity("CTAs", source=f"{CONFIG}, cluster_shape", key="cluster_shape[1]")
    def cluster_n(self) -> int:
        """CTAs of the cluster along N."""
        return self.settings.cluster_n

    @quantity("CTAs", source=f"{CONFIG}, cluster_shape", key="cluster_shape[2]")
    def cluster_k(self) -> int:
        """CTAs of the cluster along K."""
        return self.settings.cluster_k

    @quantity("bool", source=f"{CONFIG}, AB_swapped")
    def AB_swapped(self) -> bool:
        """Whether the kernel computes the transposed product, B taking the place of A."""
        return self.settings.AB_swapped

    @quantity("count", source=f"{CONFIG}, block_swizzle_size")
    def block_swizzle_size(self) -> int:
        """Tiles along N that are visited before the next along M, to find operands in L2."""
        return self.settings.block_swizzle_size

    @quantity("stages", source=f"{CONFIG}, k_group_size")
    def k_group_size(self) -> int:
        """K tiles that share one pair of barriers, so that short MMAs wait less often."""
        return self.settings.k_group_size

    @quantity("stages", source=f"{CONFIG}, num_accum_pipeline_stages")
    def num_accum_pipeline_stages(self) -> int:
        """Accumulators in tensor memory: with two, an epilogue overlaps the next tile."""
        return self.settings.num_accum_pipeline_stages

    @quantity("stages", source=f"{CONFIG}, num_clc_pipeline_stages")
    def num_clc_pipeline_stages(self) -> int:
        """Tiles asked for ahead from the hardware's scheduler; none where one wave does it all."""
        return self.settings.num_clc_pipeline_stages

    # Tiles

    @step("bytes", source=f"{CONFIG}, operand size")
    def ab_size(self) -> int:
        """Bytes of one element of A and B."""
        return dtype_bytes(self.ab_dtype)

    @step("bytes", source=f"{CONFIG}, result size")
    def c_size(self) -> int:
        """Bytes of one element of the result."""
        return dtype_bytes(self.c_dtype)

    @quantity("rows", source=f"{CONFIG}, block_tile_shape", key="block_tile_shape[0]")
    def block_m(self) -> int:
        """Rows of A that one CTA loads: its share of the MMA's M."""
        return div(self.mma_m, self.cta_group)

    @quantity("columns", source=f"{CONFIG}, block_tile_shape", key="block_tile_shape[1]")
    def block_n(self) -> int:
        """Columns of B that one CTA loads: its share of the MMA's N."""
        return div(self.mma_n, self.cta_group)

    @quantity("elements", source=f"{CONFIG}, block_tile_shape", key="block_tile_shape[2]")
    def block_k(self) -> int:
        """Elements along K of one tile: a 128-byte swizzle row."""
        return div(128, self.ab_size)

    @step("rows", source=f"{CONFIG}, output_tile_shape, rows")
    def output_rows(self) -> int:
        """Rows of the accumulator that one store takes: the lanes, or all of a small MMA's."""
        return pick(self.cta_group == 2, 128, self.mma_m)

    @step("columns", source=f"{CONFIG}, output_tile_shape, columns of a CTA")
    def accumulator_columns(self) -> int:
        """Columns of one CTA's accumulator; a pair of 64 rows each splits them."""
        return pick((self.mma_m == 256) | (self.cta_group == 1), self.mma_n, self.mma_n // 2)

    @step("columns", source=f"{CONFIG}, output_tile_shape, columns that divide")
    def output_columns_16(self) -> int:
        """16 columns where they divide the accumulator's, else 8."""
        return pick(self.accumulator_columns % 16 == 0, 16, 8)

    @step("columns", source=f"{CONFIG}, output_tile_shape, bfloat16")
    def output_columns_bfloat16(self) -> int:
        """Columns of one store in bfloat16: 128 bytes if they divide, 64 when swapped."""
        return pick(
            (self.accumulator_columns % 64 == 0) & negate(self.AB_swapped),
            64,
            pick(self.accumulator_columns % 32 == 0, 32, self.output_columns_16),
        )

    @step("columns", source=f"{CONFIG}, output_tile_shape, float32")
    def output_columns_float32(self) -> int:
        """Columns of one store in float32: 128 bytes if they divide, 64 when swapped."""
        return pick(
            (self.accumulator_columns % 32 == 0) & negate(self.AB_swapped),
            32,
            self.output_columns_16,
        )

    @step("columns", source=f"{CONFIG}, output_tile_shape, columns")
    def output_columns(self) -> int:
        """Columns of the accumulator that one store takes; 16 in any other type."""
        return pick(
            self.c_dtype == "bfloat16",
            self.output_columns_bfloat16,
            pick(self.c_dtype == "float32", self.output_columns_float32, 16),
        )

    @quantity("rows", source=f"{CONFIG}, output_tile_shape", key="output_tile_shape[0]")
    def output_m(self) -> int:
        """Rows of the result that one store takes."""
        return pick(self.AB_swapped, self.output_columns, self.output_rows)

    @quantity("columns", source=f"{CONFIG}, output_tile_shape", key="output_tile_shape[1]")
    def output_n(self) -> int:
        """Columns of the result that one store takes."""
        return pick(self.AB_swapped, self.output_rows, self.output_columns)

    # Swizzles

    @quantity("swizzle", source=f"{CONFIG}, a_swizzle")
    def a_swizzle(self) -> str:
        """Swizzle of A's tiles: the whole row of 128 bytes."""
        return "128B"

    @quantity("swizzle", source=f"{CONFIG}, b_swizzle")
    def b_swizzle(self) -> str:
        """Swizzle of B's tiles: the whole row of 128 bytes."""
        return "128B"

    @step("swizzle", source=f"{CONFIG}, c_swizzle, width of a store")
    def store_swizzle(self) -> str:
        """The swizzle whose row is exactly as wide as one store."""
        return swizzle_of_width(self.output_columns * self.c_size)

    @step("swizzle", source=f"{CONFIG}, c_swizzle, swapped")
    def swapped_swizzle(self) -> str:
        """The swizzle of a swapped product's stores."""
        return "128B"

    @quantity("swizzle", source=f"{CONFIG}, c_swizzle")
    def c_swizzle(self) -> str:
        """Swizzle of the stored tiles; none but in bfloat16 and float32."""
        return pick(
            (self.c_dtype == "bfloat16") | (self.c_dtype == "float32"),
            pick(self.AB_swapped, self.swapped_swizzle, self.store_swizzle),
            "NONE",
        )

    # Shared memory: what is there once

    @quantity("stages", source=f"{CONFIG}, num_output_stages")
    def num_output_stages(self) -> int:
        """Output tiles in shared memory: one is stored while the next is written."""
        return 2

    @step("bytes", source=f"{CONFIG}, num_pipeline_stages, output tiles")
    def output_bytes(self) -> int:
        """The output tiles."""
        return self.num_output_stages * self.output_rows * self.output_columns * self.c_size

    @step("bytes", source=f"{CONFIG}, num_pipeline_stages, fixed part")
    def fixed_smem_bytes(self) -> int:
        """What is there once: output tiles, 12 bytes of control, and the other pipelines."""
        return total(
            output=self.output_bytes,
            control=12,
            scheduler=self.num_clc_pipeline_stages * 160,
            accumulators=self.num_accum_pipeline_stages * 2 * self.target.mbarrier_bytes,
        )

    # One stage of the pipeline

    @step("bytes", source=f"{CONFIG}, num_pipeline_stages, A")
    def a_tile_bytes(self) -> int:
        """A tile of A."""
        return self.block_m * self.block_k * self.ab_size

    @step("bytes", source=f"{CONFIG}, num_pipeline_stages, B")
    def b_tile_bytes(self) -> int:
        """A tile of B."""
        return self.block_n * self.block_k * self.ab_size

    # The block

    def mma(self) -> tuple[Mma, ...]:
        """One instruction steps through a tile of A and B."""
        return (
            mma(
                kind=KINDS.get(self.ab_dtype),
                cta_group=self.cta_group,
                M=self.mma_m,
                N=self.mma_n,
                K=self.block_k,
            ),
        )
