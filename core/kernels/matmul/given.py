"""What a matmul spec gives, a configuration or a problem, and the settings that come of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from kcfg.core.engine.quantity import REQUIRED, choice, flag, integer, part, quantity, step
from kcfg.core.hardware.dtypes import DTYPES
from kcfg.core.kernel import Candidate, Conflict, Kernel
from kcfg.core.kernels.matmul.choose import Problem, choose
from kcfg.core.kernels.matmul.dispatch import selection, settled
from kcfg.core.kernels.matmul.settings import Settings, optional
from kcfg.core.kernels.matmul.weighed import of_choice, of_selection

CONFIG = "MatmulConfig"
SETTINGS = Settings.inputs

PROBLEM = ("M", "N", "K")
"""What a spec must give for the configuration to be chosen."""

PROBLEM_ONLY = (*PROBLEM, "B", "has_epilogue_tensor", "select")
"""What means nothing beside a configuration given by hand."""
CONFIGURATION = tuple(name for name, each in SETTINGS.items() if each.default is REQUIRED)
"""What a spec must give of a configuration by hand."""
CONFIGURATION_ONLY = (
    *CONFIGURATION,
    "num_split_k",
    "register_based_epilogue",
    "extra_smem_per_stage",
)
"""What means nothing beside a problem."""

WAYS = "a problem, which chooses the configuration, or the configuration itself"


class Given(Kernel):
    """The inputs of a matmul, and what the configuration takes over from its caller."""

    ab_dtype: str = choice("dtype", "Element type of both operands.", DTYPES)
    c_dtype: str = choice("dtype", "Element type of the result.", DTYPES)
    epilogue_is_1d_asked: bool = flag(
        "Whether the epilogue's tensor is a vector.", default=False, key="epilogue_is_1d"
    )

    # The problem: None where the configuration is given
    M: int = integer("rows", "Rows of A and of the result.", default=None)
    N: int = integer("columns", "Columns of B and of the result.", default=None)
    K: int = integer("elements", "What the product sums over.", default=None)
    B: int = integer("count", "Products in the batch.", default=1)
    has_epilogue_tensor: bool = flag("Whether the epilogue reads a tensor.", default=False)

    # The configuration: None where it is chosen
    cta_group_given: int = optional(SETTINGS["cta_group"])
    mma_m_given: int = optional(SETTINGS["mma_m"])
    mma_n_given: int = optional(SETTINGS["mma_n"])
    mma_k_given: int = optional(SETTINGS["mma_k"])
    cluster_m_given: int = optional(SETTINGS["cluster_m"])
    AB_swapped_given: bool = optional(SETTINGS["AB_swapped"])
    block_swizzle_size_given: int = optional(SETTINGS["block_swizzle_size"])
    k_group_size_given: int = optional(SETTINGS["k_group_size"])
    prefetch_tiles_n_given: int = optional(SETTINGS["prefetch_tiles_n"])
    num_accum_pipeline_stages_given: int = optional(SETTINGS["num_accum_pipeline_stages"])
    num_clc_pipeline_stages_given: int = optional(SETTINGS["num_clc_pipeline_stages"])
    use_tma_epilogue_load_given: bool = optional(SETTINGS["use_tma_epilogue_load"])
    num_split_k: int = integer(
        "count", "Parts K is split into.", default=1, repeated=True, tunable=True
    )
    register_based_epilogue: bool = flag(
        "Whether the epilogue works on registers, not on shared memory.",
        default=True,
        repeated=True,
        tunable=True,
    )
    extra_smem_per_stage: int = integer(
        "bytes", "What a caller keeps in each stage beside A and B.", default=0, least=0
    )

    @classmethod
    def conflicts(cls, inputs: dict[str, Any], given: Collection[str]) -> list[Conflict]:
        # A key given as its own default, as in a report's inputs, says nothing.
        defaults = {member.key: member.default for member in cls.inputs.values()}
        told = {key for key in given if inputs[key] != defaults[key]}
        problem = [key for key in PROBLEM_ONLY if key in told]
        configuration = [key for key in CONFIGURATION_ONLY if key in told]
        if problem and configuration:  # the fewer are taken for the mistake
            wrong, right = sorted((problem, configuration), key=len)
            return [
                Conflict(key, f"`{key}` does not go with {', '.join(right)}: a shape gives {WAYS}")
                for key in wrong
            ]
        if {"select", "B"} <= told:
            return [Conflict("B", "`B` does not go with select: it selects for one product")]
        needed = CONFIGURATION if configuration else PROBLEM
        missing = [key for key in needed if key not in told]
        way = "a configuration" if configuration else "a problem"
        other = "" if problem or configuration else "; or give a configuration, with `mma_m`"
        return [Conflict(key, f"missing key `{key}`: {way} needs it{other}") for key in missing]

    @step("bool", source="select_and_launch_sm100_config")
    def selects(self) -> bool:
        """Whether what is launched is asked for; of this release the choice alone is known."""
        return False

    @part()
    def settings(self) -> Settings:
        """What the caller decides: as given, or as chosen or selected for the problem."""
        return settled(
            target=self.target,
            select=self.selects,
            problem=Problem(
                ab_dtype=self.ab_dtype,
                c_dtype=self.c_dtype,
                M=self.M,
                N=self.N,
                K=self.K,
                B=self.B,
                has_epilogue_tensor=self.has_epilogue_tensor,
            ),
            cta_group=self.cta_group_given,
            mma_m=self.mma_m_given,
            mma_n=self.mma_n_given,
            mma_k=self.mma_k_given,
            cluster_m=self.cluster_m_given,
            AB_swapped=self.AB_swapped_given,
            block_swizzle_size=self.block_swizzle_size_given,
            k_group_size=self.k_group_size_given,
            prefetch_tiles_n=self.prefetch_tiles_n_given,
            num_accum_pipeline_stages=self.num_accum_pipeline_stages_given,
            num_clc_pipeline_stages=self.num_clc_pipeline_stages_given,
            use_tma_epilogue_load=self.use_tma_epilogue_load_given,
        )

    @property
    def problem(self) -> Problem:
        """The problem, which has no M where the configuration is given."""
        return Problem(**{name: getattr(self, name) for name in Problem._fields})

    def candidates(self) -> tuple[Candidate, ...]:
        if self.M is None:
            return ()
        if self.selects:
            return tuple(of_selection(self.problem, selection(self.target, self.problem)))
        return tuple(of_choice(choose(self.target, self.problem)))

    # What was given or chosen

    @quantity("CTAs", source=f"{CONFIG}.cta_group")
    def cta_group(self) -> int:
        """CTAs that issue one MMA together."""
        return self.settings.cta_group

    @quantity("rows", source=f"{CONFIG}.mma_shape", key="mma_shape[0]")
    def mma_m(self) -> int:
        """M of one MMA, over the whole CTA group."""
        return self.settings.mma_m

    @quantity("columns", source=f"{CONFIG}.mma_shape", key="mma_shape[1]")
    def mma_n(self) -> int:
        """N of one MMA."""
        return self.settings.mma_n

    @quantity("elements", source=f"{CONFIG}.mma_shape", key="mma_shape[2]")
    def mma_k(self) -> int:
        """K of one MMA instruction."""
        return self.settings.mma_k

    @quantity("CTAs", source=f"{CONFIG}.cluster_shape", key="cluster_shape[0]")
    def cluster_m(self) -> int:
        """CTAs of the cluster, all along M."""
        return self.settings.cluster_m

    @quantity("CTAs", source=f"{CONFIG}.cluster_shape", key="cluster_shape[1]")
    def cluster_n(self) -> int:
        """CTAs of the cluster along N."""
        return self.settings.cluster_n

    @quantity("CTAs", source=f"{CONFIG}.cluster_shape", key="cluster_shape[2]")
    def cluster_k(self) -> int:
        """CTAs of the cluster along K."""
        return self.settings.cluster_k

    @quantity("bool", source=f"{CONFIG}.AB_swapped")
    def AB_swapped(self) -> bool:
        """Whether the kernel computes the transposed product, B taking the place of A."""
        return self.settings.AB_swapped

    @quantity("count", source=f"{CONFIG}.block_swizzle_size")
    def block_swizzle_size(self) -> int:
        """Tiles along N that are visited before the next along M, to find operands in L2."""
        return self.settings.block_swizzle_size

    @quantity("stages", source=f"{CONFIG}.k_group_size")
    def k_group_size(self) -> int:
        """K tiles that share one pair of barriers, so that short MMAs wait less often."""
        return self.settings.k_group_size

    @quantity("stages", source=f"{CONFIG}.num_accum_pipeline_stages")
    def num_accum_pipeline_stages(self) -> int:
        """Accumulators in tensor memory: with two, an epilogue overlaps the next tile."""
        return self.settings.num_accum_pipeline_stages

    @quantity("stages", source=f"{CONFIG}.num_clc_pipeline_stages")
    def num_clc_pipeline_stages(self) -> int:
        """Tiles asked for ahead from the hardware's scheduler; none where one wave does it all."""
        return self.settings.num_clc_pipeline_stages

    @quantity("bool", source=f"{CONFIG}.use_tma_epilogue_load")
    def use_tma_epilogue_load(self) -> bool:
        """Whether TMA loads a tensor for the epilogue."""
        return self.settings.use_tma_epilogue_load

    @quantity("bool", source=f"{CONFIG}.epilogue_is_1d")
    def epilogue_is_1d(self) -> bool:
        """Whether the epilogue's tensor is a vector; the dispatcher's default is for none."""
        return self.epilogue_is_1d_asked & self.settings.keeps_vector

    @quantity("index", source=f"{CONFIG}.gemm_kind")
    def gemm_kind(self) -> int:
        """Which kind of product this is: the plain one."""
        return 0

    @quantity("stages", source=f"{CONFIG}.num_output_stages")
    def num_output_stages(self) -> int:
        """Output tiles in shared memory: one is stored while the next is written."""
        return 2
