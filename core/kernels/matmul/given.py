"""What the spec of a plain matmul gives, and the settings that come of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from kcfg.core.engine.quantity import flag, integer, part, quantity, step
from kcfg.core.kernel import Candidate, Conflict
from kcfg.core.kernels.matmul.choose import Problem, choose
from kcfg.core.kernels.matmul.dispatch import selection, settled
from kcfg.core.kernels.matmul.settings import Settings, optional
from kcfg.core.kernels.matmul.tile import PROBLEM, SETTINGS, TILE, Tile
from kcfg.core.kernels.matmul.weighed import of_choice, of_selection

CONFIG = "MatmulConfig"


class Given(Tile):
    """The inputs of the plain matmul alone, and what its configuration takes over of them."""

    problem_only = (*PROBLEM, "B", "has_epilogue_tensor", "select")
    configuration = (*TILE, "prefetch_tiles_n", "use_tma_epilogue_load")
    configuration_only = ("num_split_k", "register_based_epilogue", "extra_smem_per_stage")

    epilogue_is_1d_asked: bool = flag(
        "Whether the epilogue's tensor is a vector.", default=False, key="epilogue_is_1d"
    )

    # The problem: None where the configuration is given
    B: int = integer("count", "Products in the batch.", default=1)
    has_epilogue_tensor: bool = flag("Whether the epilogue reads a tensor.", default=False)

    # The configuration: None where it is chosen
    prefetch_tiles_n_given: int = optional(SETTINGS["prefetch_tiles_n"])
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
        found = super().conflicts(inputs, given)
        if not found and inputs.get("select") and inputs["B"] != 1:
            return [Conflict("B", "`B` does not go with select: it selects for one product")]
        return found

    @step("bool", source="select_and_launch_sm100_config")
    def selects(self) -> bool:
        """Whether what is launched is asked for; of this release the choice alone is known."""
        return False

    @part()
    def settings(self) -> Settings:
        """What the caller decides: as given, or as chosen or selected for the problem."""
        return settled(
            given=self.given,
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
            prefetch_tiles_n=self.prefetch_tiles_n_given,
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
