"""grouped_matmul as of MAX 26.7: what its dispatcher launches for the rows of some experts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from kcfg.core.block.parts import Mma
from kcfg.core.engine.arith import ceildiv
from kcfg.core.engine.quantity import choice, integer, part, quantity, step
from kcfg.core.engine.terms import all_of, any_of, negate, pick, total
from kcfg.core.hardware.dtypes import DTYPES
from kcfg.core.kernel import Candidate, Conflict, Kernel
from kcfg.core.kernels.block_scaled_matmul.r26_7 import BlockScaledMatmul
from kcfg.core.kernels.called import Called
from kcfg.core.kernels.grouped_matmul.tuned import READ_ALONE, RUN, tuned_stages

DISPATCH = "grouped_block_scaled_1d1d.dispatch"

FORMATS = ("nvfp4", "mxfp4", "mxfp8")
ENTRIES = ("format", "router")

DECODE_ROWS, SMALL_ROWS = 8, 64
"""Rows of an active expert up to which a call is one of decode, or a small one."""


class GroupedMatmul(Called):
    """The launch of a grouped matmul, and the configuration it builds."""

    kernel = "grouped_matmul"
    library = "MAX"
    release = "26.7"
    title = "Grouped matmul with block scales (MoE)"
    struct = f"{DISPATCH} and BlockScaledMatmulConfig, max 26.7.0"
    changes = "The first release kcfg knows."
    plays: ClassVar = {
        "threads": "launch.block",
        "shared.dynamic": "launch.smem",
        "pipelines[0].stages": "num_pipeline_stages",
        "cluster[0]": "launch.cta_group",
        "mma[0].cta_group": "launch.cta_group",
        "mma[0].M": "config.mma_shape[0]",
        "mma[0].N": "launch.mma_n",
        "mma[0].K": "config.tile_elements",
    }
    unmodelled = Kernel.unmodelled | {"blocks_per_sm", "mbarriers", "registers", "tmem"}
    decisions: ClassVar = ("regime", "launch.mma_n", "launch.cta_group", "num_pipeline_stages")
    configuration: ClassVar[Callable[..., BlockScaledMatmul]] = BlockScaledMatmul
    """The class of what is built for every product of the group."""

    format: str = choice("text", "What operands and scales are.", FORMATS)
    entry: str = choice(
        "text",
        "Who dispatches: the format's own function, or the router of all formats.",
        ENTRIES,
        default="format",
        tunable=True,
    )
    N: int = integer("columns", "Columns of one expert's weights.")
    K: int = integer("elements", "What a product sums over.")
    num_experts: int = integer("count", "Experts; nothing depends on their number.")
    estimated_total_m: int = integer(
        "rows", "Rows of all products together, as estimated.", most=1 << 31, call=True
    )
    num_active_experts: int = integer("count", "Experts that have rows.", call=True)
    c_dtype: str = choice("dtype", "Element type of the result.", DTYPES, default="bfloat16")

    @classmethod
    def of_call(cls) -> type[Kernel] | None:
        return cls

    @classmethod
    def never_called_with(cls, inputs: dict[str, Any]) -> Iterator[Conflict]:
        active, experts = inputs["num_active_experts"], inputs["num_experts"]
        if active > experts:
            yield Conflict(
                "num_active_experts",
                f"no more experts have rows than there are; num_active_experts is {active:,} and"
                f" num_experts {experts:,}",
            )

    # What is asked for

    @step("text", source=f"{DISPATCH}, regime")
    def regime(self) -> str:
        """How many rows an active expert has: 8 on average, 64, or more."""
        return pick(
            self.estimated_total_m <= DECODE_ROWS * self.num_active_experts,
            "decode",
            pick(self.estimated_total_m <= SMALL_ROWS * self.num_active_experts, "small", "large"),
        )

    @step("bool", source=f"{DISPATCH}, router")
    def routed(self) -> bool:
        """Whether the router launches it as it does formats that nothing was tuned for."""
        return any_of(
            mxfp4=self.format == "mxfp4",
            mxfp8_by_the_router=(self.format == "mxfp8") & (self.entry == "router"),
        )

    @step("bool", source=f"{DISPATCH}, N 512 and K 7168")
    def small_n(self) -> bool:
        """Whether so few columns are tiled by a rule of their own."""
        return all_of(nvfp4=self.format == "nvfp4", columns=self.N == 512, depth=self.K == 7168)

    # The tile

    @quantity("columns", source=f"{DISPATCH}, mma_n", key="launch.mma_n")
    def mma_n(self) -> int:
        """N of one MMA: the rows of an expert, as the product is swapped."""
        return pick(
            self.routed,
            128,
            pick(
                self.small_n,
                pick(self.regime == "decode", 64, 128),
                pick(self.regime == "decode", 8, pick(self.regime == "small", 64, 128)),
            ),
        )

    @quantity("CTAs", source=f"{DISPATCH}, cta_group", key="launch.cta_group")
    def cta_group(self) -> int:
        """CTAs that issue one MMA together, and those of a cluster."""
        return pick(self.routed, 1, pick(self.small_n, 2, pick(self.regime == "decode", 1, 2)))

    @part("configuration")
    def config(self) -> BlockScaledMatmul:
        """The configuration that is built for one product of the group."""
        return type(self).configuration(
            target=self.target,
            a_dtype=pick(self.format == "mxfp8", "float8_e4m3fn", "uint8"),
            b_dtype=pick(self.format == "mxfp8", "float8_e4m3fn", "uint8"),
            c_dtype=self.c_dtype,
            sf_dtype=pick(self.format == "nvfp4", "float8_e4m3fn", "float8_e8m0fnu"),
            scaling_kind_given=pick(
                self.format == "nvfp4",
                "mxf4nvf4",
                pick(self.format == "mxfp4", "mxf4", "mxf8f6f4"),
            ),
            cta_group_given=self.cta_group,
            mma_m_given=128 * self.cta_group,
            mma_n_given=self.mma_n,
            mma_k_given=32,
            cluster_m_given=self.cta_group,
            AB_swapped_given=negate(self.routed),
            block_swizzle_size_given=8,
            k_group_size_given=1,
            num_accum_pipeline_stages_given=2,
            num_clc_pipeline_stages_given=2,
            is_gmm=True,
            gemm_kind=2,
        )

    # The pipeline

    @step("stages", source=f"{DISPATCH}, _tuned_stages")
    def tuned(self) -> int:
        """Stages set by hand; 0 for as many as fit."""
        return tuned_stages(self.format, self.routed, self.small_n, self.N, self.K, self.regime)

    @step("stages", source=f"{DISPATCH}, stages")
    def num_pipeline_stages(self) -> int:
        """Tiles of A and B in flight."""
        return pick(self.tuned > 0, self.tuned, self.config.num_pipeline_stages)

    # The launch

    @quantity("CTAs", source=f"{DISPATCH}, grid", key="launch.grid[0]")
    def grid_x(self) -> int:
        """Blocks of the grid: one for every SM."""
        return self.target.sm_count

    @quantity("CTAs", source=f"{DISPATCH}, grid", key="launch.grid[1]")
    def grid_y(self) -> int:
        """Blocks along y."""
        return 1

    @quantity("CTAs", source=f"{DISPATCH}, grid", key="launch.grid[2]")
    def grid_z(self) -> int:
        """Blocks along z."""
        return 1

    @quantity("threads", source=f"{DISPATCH}, block", key="launch.block")
    def threads(self) -> int:
        """Threads of the block: more where the MMA has 8 columns."""
        return pick(self.mma_n == 8, 384, 224)

    @step("bytes", source=f"{DISPATCH}, shared memory of a stage")
    def stage_bytes(self) -> int:
        """What a stage takes of the launch: tiles, scales, and 40 bytes of its pipelines."""
        return total(
            a=self.config.a_tile_bytes,
            b=self.config.b_tile_bytes,
            sfa=self.config.sfa_bytes,
            sfb=self.config.sfb_bytes,
            pipelines=40,
        )

    @quantity("bytes", source=f"{DISPATCH}, shared memory", key="launch.smem")
    def smem_bytes(self) -> int:
        """Dynamic shared memory of the launch."""
        return total(
            output=self.config.output_bytes,
            stages=self.num_pipeline_stages * self.stage_bytes,
            once=536,
        )

    @quantity("CTAs", source=f"{DISPATCH}, grid", key="launch.blocks")
    def blocks(self) -> int:
        """Blocks of the whole grid."""
        return self.grid_x * self.grid_y * self.grid_z

    @quantity("count", source="one CTA on an SM at a time", key="launch.waves")
    def waves(self) -> int:
        """Times that all SMs are filled; each block then takes tile after tile."""
        return ceildiv(self.blocks, self.target.sm_count)

    # The copies of operands

    @quantity("bytes", source=f"{DISPATCH}, box of A", key="launch.box_a[0]")
    def box_a_row(self) -> int:
        """A row of A's box."""
        return self.config.block_k * self.config.ab_size

    @quantity("rows", source=f"{DISPATCH}, box of A", key="launch.box_a[1]")
    def box_a_rows(self) -> int:
        """Rows of A's box: a CTA's tile."""
        return self.config.block_m

    @quantity("bytes", source=f"{DISPATCH}, box of B", key="launch.box_b[0]")
    def box_b_row(self) -> int:
        """A row of B's box."""
        return self.config.block_k * self.config.ab_size

    @quantity("rows", source=f"{DISPATCH}, box of B", key="launch.box_b[1]")
    def box_b_rows(self) -> int:
        """Rows of B's box: a CTA's tile."""
        return self.config.block_n

    def mma(self) -> tuple[Mma, ...]:
        return self.config.mma()

    # What is told of the choice

    def chooser(self) -> Kernel:
        return self

    def candidates(self) -> tuple[Candidate, ...]:
        rows, active = self.estimated_total_m, self.num_active_experts
        few, some = DECODE_ROWS * active, SMALL_ROWS * active
        said = {
            "decode": f"for {few:,} rows or fewer, {DECODE_ROWS} an active expert; here {rows:,}",
            "small": f"for {some:,} rows or fewer, {SMALL_ROWS} an active expert; here {rows:,}",
            "large": "for all the rest",
        }
        return tuple(Candidate(name, name == self.regime, text) for name, text in said.items())

    def read_alone(self) -> Iterator[tuple[str, str]]:
        sides = (self.N, self.K)
        if self.tuned and sides == READ_ALONE:
            yield "num_pipeline_stages", "that 6,144 x 3,072 has stages of its own"
        if not self.tuned and sides not in RUN.get((self.format, self.routed), ()):
            yield (
                "num_pipeline_stages",
                f"that N {self.N:,} and K {self.K:,} have as many stages as fit, and none of their"
                " own",
            )
        if self.c_dtype != "bfloat16":
            yield "launch.smem", "results that are not bfloat16"


KERNEL = GroupedMatmul
