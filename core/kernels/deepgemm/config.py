"""The configuration of a DeepGEMM kernel: a problem, its layout, storage and stages."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from kcfg.core.engine.arith import ceildiv, div
from kcfg.core.engine.quantity import choice, flag, integer, part, quantity, step
from kcfg.core.engine.terms import least, pick, total
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Candidate, Conflict, Kernel
from kcfg.core.kernels.deepgemm.choice import GROUPED, Problem, Tiles, layouts, settled, told
from kcfg.core.kernels.deepgemm.words import (
    last_of,
    scale_rows,
    swizzle_of_bytes,
    tiles_of,
)
from kcfg.core.kernels.matmul.settings import optional

HEURISTICS = "csrc/jit_kernels/heuristics/sm100.hpp"
GIVEN = Tiles.inputs
TILES = ("swap_ab", "block_m", "block_n", "cluster_m", "cluster_n")
"""What a spec gives of a layout by hand."""
TYPES = ("bf16", "fp8", "fp4")
MAJORS = ("k", "mn")
MOST_STAGES = 32
"""Stages for which there are barriers, however many are used."""


class Config(Kernel):
    """What get_best_config of DeepGEMM returns, for a layout that is given or chosen."""

    gemm_type: str = choice(
        "text",
        "How the product is grouped.",
        ("normal", "batched", *GROUPED, "k_grouped_contiguous"),
        default="normal",
    )
    a: str = choice("text", "Type of A; fp4 takes a byte in shared memory.", TYPES, default="fp8")
    b: str = choice("text", "Type of B; fp4 takes a byte in shared memory.", TYPES, default="fp8")
    cd: str = choice("text", "Type of C and D.", ("bf16", "f32"), default="bf16")
    m: int = integer("rows", "Rows of A and of the result.")
    n: int = integer("columns", "Columns of B and of the result.")
    k: int = integer("elements", "What the product sums over.")
    num_groups: int = integer("count", "Groups, or products of a batch.", default=1)
    major_a: str = choice("text", "The direction in which A is contiguous.", MAJORS, default="k")
    major_b: str = choice("text", "The direction in which B is contiguous.", MAJORS, default="k")
    with_accumulation: int = integer(
        "count", "1 where C is added; nothing depends on it.", default=0, least=0, most=1
    )
    num_sms: int = integer("count", "SMs to use, an even number.", default=148)
    expected_m: int = integer("rows", "M to weigh layouts by; 0: m.", default=0, least=0)
    expected_n: int = integer("columns", "N to weigh layouts by; 0: n.", default=0, least=0)
    expected_k: int = integer(
        "elements", "K to weigh layouts by; nothing depends on it.", default=0, least=0
    )
    expected_num_groups: int = integer(
        "count", "Groups to weigh layouts by; 0: num_groups.", default=0, least=0
    )
    mk_alignment: int = integer("rows", "Block M of GEMMs that are grouped by M.", default=128)
    block_m_multiple_of: int = integer("rows", "What block M is a multiple of.", default=1)
    block_n_multiple_of: int = integer("columns", "What block N is a multiple of.", default=1)
    kernel_type: str = choice(
        "text",
        "The kernel: with scales (1d1d) or without (nosf); left out, the one of the types.",
        ("1d1d", "nosf"),
        default=None,
    )
    select: bool = flag("Whether the heuristics choose the layout.", default=False)

    # The layout: None where it is chosen
    swap_ab_given: int = optional(GIVEN["swap_ab"])
    block_m_given: int = optional(GIVEN["block_m"])
    block_n_given: int = optional(GIVEN["block_n"])
    cluster_m_given: int = optional(GIVEN["cluster_m"])
    cluster_n_given: int = optional(GIVEN["cluster_n"])

    @classmethod
    def conflicts(cls, inputs: dict[str, Any], given: Collection[str]) -> list[Conflict]:
        told_ = [key for key in TILES if inputs[key] is not None]
        found = []
        if (inputs["a"] == "bf16") != (inputs["b"] == "bf16"):
            found.append(Conflict("b", "`a` and `b` are both bf16, or neither is"))
        wanted = "nosf" if inputs["a"] == "bf16" else "1d1d"
        if inputs["kernel_type"] not in (None, wanted):
            message = f"operands of {inputs['a']} are those of the kernel {wanted}"
            found.append(Conflict("kernel_type", message))
        if inputs["select"]:
            message = "does not go with `select`, which chooses the layout: leave one out"
            return found + [Conflict(key, f"`{key}` {message}") for key in told_]
        ways = "a layout needs it; or let the heuristics choose, with `select: true`"
        missing = [key for key in TILES if key not in told_]
        return found + [Conflict(key, f"missing key `{key}`: {ways}") for key in missing]

    @classmethod
    def faults(cls, target: Target, inputs: dict[str, Any]) -> list[Conflict]:
        asked = {name: inputs.get(name, member.default) for name, member in cls.inputs.items()}
        problem = Problem(**{name: asked[name] for name in Problem._fields})
        if not asked["select"] or layouts(target.tmem_columns, problem):
            return []
        return [Conflict("select", "the heuristics find no layout for this problem: give one")]

    def sound(self) -> bool | None:
        """Whether a layout is given; one that is searched for may not be there."""
        return None if self.select else True

    @part()
    def given(self) -> Tiles:
        """The layout by hand; nothing of it is there where one is chosen."""
        return Tiles(
            target=self.target,
            swap_ab=self.swap_ab_given,
            block_m=self.block_m_given,
            block_n=self.block_n_given,
            cluster_m=self.cluster_m_given,
            cluster_n=self.cluster_n_given,
        )

    @part()
    def tiles(self) -> Tiles:
        """The layout: as given, or as chosen."""
        return settled(
            given=self.given,
            select=self.select,
            problem=Problem(
                gemm_type=self.gemm_type,
                a=self.a,
                b=self.b,
                m=self.m,
                n=self.n,
                k=self.k,
                num_groups=self.num_groups,
                major_a=self.major_a,
                major_b=self.major_b,
                num_sms=self.num_sms,
                expected_m=self.expected_m,
                expected_n=self.expected_n,
                expected_num_groups=self.expected_num_groups,
                mk_alignment=self.mk_alignment,
                block_m_multiple_of=self.block_m_multiple_of,
                block_n_multiple_of=self.block_n_multiple_of,
            ),
        )

    def candidates(self) -> tuple[Candidate, ...]:
        if not self.select:
            return ()
        problem = Problem(**{name: getattr(self, name) for name in Problem._fields})
        return tuple(told(self.target.tmem_columns, problem))

    # The layout

    @quantity("count", source=f"{HEURISTICS}, Layout::swap_ab")
    def swap_ab(self) -> int:
        """1 where A and B change places."""
        return self.tiles.swap_ab

    @quantity("rows", source=f"{HEURISTICS}, Layout::block_m")
    def block_m(self) -> int:
        """Rows of a tile."""
        return self.tiles.block_m

    @quantity("columns", source=f"{HEURISTICS}, Layout::block_n")
    def block_n(self) -> int:
        """Columns of a tile."""
        return self.tiles.block_n

    @quantity("CTAs", source=f"{HEURISTICS}, Layout::cluster_m")
    def cluster_m(self) -> int:
        """CTAs of a cluster along M."""
        return self.tiles.cluster_m

    @quantity("CTAs", source=f"{HEURISTICS}, Layout::cluster_n")
    def cluster_n(self) -> int:
        """CTAs of a cluster along N."""
        return self.tiles.cluster_n

    @quantity("count", source=f"{HEURISTICS}, get_layout_candidates")
    def num_candidates(self) -> int:
        """Layouts that were weighed; absent where one is given."""
        return self.tiles.num_candidates

    @step("CTAs", source=f"{HEURISTICS}, Layout::get_cluster_size")
    def cluster_size(self) -> int:
        """CTAs of a cluster, which share an MMA."""
        return self.cluster_m * self.cluster_n

    @step("count", source=f"{HEURISTICS}, compare, blocks")
    def num_tiles(self) -> int:
        """Tiles of the problem as it is expected."""
        return tiles_of(
            pick(self.expected_m == 0, self.m, self.expected_m),
            pick(self.expected_n == 0, self.n, self.expected_n),
            pick(self.expected_num_groups == 0, self.num_groups, self.expected_num_groups),
            self.block_m,
            self.block_n,
        )

    @quantity("count", source=f"{HEURISTICS}, num_waves")
    def num_waves(self) -> int:
        """How often all SMs have a tile each."""
        return ceildiv(self.num_tiles, self.num_sms)

    @quantity("count", source=f"{HEURISTICS}, last_wave_util")
    def last_wave_util(self) -> int:
        """Tiles of the last wave."""
        return last_of(self.num_tiles, self.num_sms)

    # Storage

    @step("bool", source=f"{HEURISTICS}, kernel type")
    def scaled(self) -> bool:
        """Whether operands have scales."""
        return self.a != "bf16"

    @step("bytes", source=f"{HEURISTICS}, elements")
    def element_bytes(self) -> int:
        """Bytes of an element of A and B in shared memory."""
        return pick(self.scaled, 1, 2)

    @step("bytes", source=f"{HEURISTICS}, elements")
    def cd_element_bytes(self) -> int:
        """Bytes of an element of C and D."""
        return pick(self.cd == "f32", 4, 2)

    @quantity("elements", source=f"{HEURISTICS}, block_k")
    def block_k(self) -> int:
        """Depth of a tile: 128 bytes."""
        return pick(self.scaled, 128, 64)

    @quantity("rows", source=f"{HEURISTICS}, load_block_m")
    def load_block_m(self) -> int:
        """Rows of A that one CTA loads."""
        return div(self.block_m, self.cluster_n)

    @quantity("columns", source=f"{HEURISTICS}, load_block_n")
    def load_block_n(self) -> int:
        """Columns of B that one CTA loads."""
        return div(self.block_n, self.cluster_m)

    @quantity("rows", source=f"{HEURISTICS}, store_block_m")
    def store_block_m(self) -> int:
        """Rows that leave at a time."""
        return pick(self.swap_ab == 1, 16, least(tile=self.block_m, lanes=128))

    @quantity("columns", source=f"{HEURISTICS}, store_block_n")
    def store_block_n(self) -> int:
        """Columns that leave at a time."""
        return self.block_n

    @quantity("bytes", source=f"{HEURISTICS}, swizzle_a_mode")
    def swizzle_a(self) -> int:
        """Bytes of a row of A's swizzle."""
        return swizzle_of_bytes(
            self.element_bytes * pick(self.major_a == "k", self.block_k, self.load_block_m)
        )

    @quantity("bytes", source=f"{HEURISTICS}, swizzle_b_mode")
    def swizzle_b(self) -> int:
        """Bytes of a row of B's swizzle."""
        return swizzle_of_bytes(
            self.element_bytes * pick(self.major_b == "k", self.block_k, self.load_block_n)
        )

    @quantity("bytes", source=f"{HEURISTICS}, swizzle_cd_mode")
    def swizzle_cd(self) -> int:
        """Bytes of a row of the swizzle of C and D."""
        return swizzle_of_bytes(self.cd_element_bytes * self.store_block_n)

    @quantity("rows", source=f"{HEURISTICS}, sf_block_m")
    def sf_block_m(self) -> int:
        """Rows of A that a stage has scales of."""
        return scale_rows(self.scaled, self.block_m)

    @quantity("columns", source=f"{HEURISTICS}, sf_block_n")
    def sf_block_n(self) -> int:
        """Columns of B that a stage has scales of."""
        return scale_rows(self.scaled, self.block_n)

    @step("columns", source=f"{HEURISTICS}, columns of one store")
    def store_n(self) -> int:
        """Columns of one store: a row of the swizzle, or of the tile where A and B are swapped."""
        return pick(self.swap_ab == 1, self.block_n, div(self.swizzle_cd, self.cd_element_bytes))

    @quantity("bytes", source=f"{HEURISTICS}, smem_cd")
    def smem_cd_bytes(self) -> int:
        """Two buffers from which C and D leave."""
        return 2 * self.store_block_m * self.store_n * self.cd_element_bytes

    @step("bytes", source=f"{HEURISTICS}, smem_extra")
    def extra_bytes(self) -> int:
        """What is there once; barriers are those of 32 stages, however many there are."""
        return total(
            cd=self.smem_cd_bytes,
            stage_barriers=MOST_STAGES * 3 * self.target.mbarrier_bytes,
            tmem_barriers=2 * 2 * self.target.mbarrier_bytes,
            tensor_core_barrier=self.target.mbarrier_bytes,
            tmem_pointer=4,
        )

    @step("bytes", source=f"{HEURISTICS}, smem_per_stage")
    def stage_bytes(self) -> int:
        """What one more stage costs."""
        return total(
            a=self.load_block_m * self.block_k * self.element_bytes,
            b=self.load_block_n * self.block_k * self.element_bytes,
            sfa=4 * self.sf_block_m,
            sfb=4 * self.sf_block_n,
        )

    @quantity("stages", source=f"{HEURISTICS}, num_stages")
    def num_stages(self) -> int:
        """Tiles of A and B that there is room for."""
        return least(
            fit=div(self.target.smem_optin_per_block - self.extra_bytes, self.stage_bytes),
            barriers=MOST_STAGES,
        )

    @quantity("bytes", source=f"{HEURISTICS}, smem_size")
    def smem_size(self) -> int:
        """Dynamic shared memory of the launch."""
        return total(extra=self.extra_bytes, stages=self.num_stages * self.stage_bytes)

    # The launch

    @quantity("threads", source=f"{HEURISTICS}, num_non_epilogue_threads")
    def num_non_epilogue_threads(self) -> int:
        """Threads that load and issue MMAs."""
        return 128

    @quantity("threads", source=f"{HEURISTICS}, num_epilogue_threads")
    def num_epilogue_threads(self) -> int:
        """Threads that store."""
        return 128

    @quantity("threads", source=f"{HEURISTICS}, num_threads")
    def num_threads(self) -> int:
        """Threads of the block."""
        return self.num_non_epilogue_threads + self.num_epilogue_threads
