"""index_prefill as of MAX 26.6: one resident Q tile, a ring of K tiles."""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.block.parts import Mbarriers, Registers
from kcfg.core.block.placing import (
    SharedLayout,
    TensorLayout,
    barriers,
    carve,
    columns,
    registers,
    role,
    shared,
    tensor,
)
from kcfg.core.engine.arith import div, down, next_pow2, up
from kcfg.core.engine.quantity import choice, integer, quantity, step
from kcfg.core.engine.terms import all_of, least, pick, total
from kcfg.core.hardware.dtypes import DTYPES, dtype_bytes
from kcfg.core.kernel import Kernel, Spelling

CONFIG = "IndexPrefillConfig"
ASSERTIONS = "index_prefill kernel, compile-time assertions"
SCORE_TILES = 2
"""Tiles of scores in tensor memory: one is read while the next is made."""


class IndexPrefill(Kernel):
    """IndexPrefillConfig of MAX 26.6."""

    kernel = "index_prefill"
    library = "MAX"
    release = "26.6"
    title = "FP8 indexer, prefill"
    struct = "IndexPrefillConfig, max 26.6.0"
    changes = "The first release kcfg knows; the struct is the same in 26.5."
    plays: ClassVar = {
        "threads": "nthreads",
        "blocks_per_sm": "ctas_per_sm",
        "shared.dynamic": "smem_used",
        "pipelines[0].stages": "k_stages",
        "tmem.allocations[0].columns": "tmem_cols",
        "registers.entry": "static_reg_budget",
        "registers.roles[0].count": "reg_consumer",
    }
    unmodelled = Kernel.unmodelled | {"cluster", "mma"}

    dtype: str = choice("dtype", "Element type of Q and K.", DTYPES)
    ks_dtype: str = choice("dtype", "Element type of the key scales.", DTYPES)
    depth: int = integer("elements", "Depth of one head.")
    BM_key: int = integer("rows", "Keys in one K tile.", tunable=True)
    mma_n: int = integer("columns", "N of the MMA: query tokens times heads.", tunable=True)
    num_heads: int = integer("heads", "Index heads of one query token.")

    spellings = (
        Spelling(
            "n_tokens",
            "mma_n",
            integer(
                "tokens", "Query tokens in one tile; mma_n = n_tokens * num_heads.", tunable=True
            ),
            lambda n_tokens, shape: n_tokens * shape["num_heads"],
        ),
    )

    # Residency and registers

    @quantity("CTAs", source=f"{CONFIG}.ctas_per_sm")
    def ctas_per_sm(self) -> int:
        """CTAs that share an SM: two while the query tile is narrow."""
        return pick(self.mma_n <= 128, 2, 1)

    @quantity("threads", source=f"{CONFIG}.nthreads")
    def nthreads(self) -> int:
        """Threads of the block: a consumer and a producer warpgroup."""
        return 256

    @quantity("registers", source=f"{CONFIG}.static_reg_budget")
    def static_reg_budget(self) -> int:
        """Registers a thread is launched with when the SM's are shared out evenly."""
        return down(div(self.target.registers_per_sm, self.nthreads * self.ctas_per_sm), 8)

    @quantity("registers", source=f"{CONFIG}.reg_cap, the producers' floor")
    def reg_producer(self) -> int:
        """What the producers lower themselves to: they only issue copies and MMAs."""
        return 40

    @quantity("registers", source=f"{CONFIG}.reg_cap")
    def reg_cap(self) -> int:
        """The most a consumer may ask for once the producers are down at their floor."""
        return down((self.nthreads * self.static_reg_budget - 128 * self.reg_producer) // 128, 8)

    @step("registers", source=f"{CONFIG}.reg_consumer, outside the swept cell")
    def reg_consumer_default(self) -> int:
        """What consumers want where upstream's tuning sweep found nothing better."""
        return pick(self.mma_n > 128, 256, 216)

    @step("registers", source=f"{CONFIG}.reg_consumer, with the swept cell")
    def reg_consumer_wanted(self) -> int:
        """What consumers want: in the swept cell, 128 columns of 32 heads, fewer are faster."""
        return pick((self.mma_n == 128) & (self.num_heads == 32), 200, self.reg_consumer_default)

    @quantity("registers", source=f"{CONFIG}.reg_consumer")
    def reg_consumer(self) -> int:
        """What the consumers raise themselves to: what they want, never above the pool."""
        return least(wanted=self.reg_consumer_wanted, pool=self.reg_cap)

    @quantity("bool", source=f"{CONFIG}.hoist_q_scales")
    def hoist_q_scales(self) -> bool:
        """Whether the query scales are kept in registers across tiles."""
        return self.mma_n <= 128

    # The tile

    @quantity("tokens", source=f"{CONFIG}.n_tokens")
    def n_tokens(self) -> int:
        """Query tokens in one tile."""
        return div(self.mma_n, self.num_heads)

    @quantity("columns", source=f"{CONFIG}.s_cols")
    def s_cols(self) -> int:
        """Tensor-memory columns of one score tile."""
        return up(self.mma_n, 32)

    @quantity("columns", source=f"{CONFIG}.tmem_cols")
    def tmem_cols(self) -> int:
        """Columns the block allocates for two score tiles; nothing caps them here."""
        return next_pow2(SCORE_TILES * self.s_cols)

    @quantity("elements", source=f"{CONFIG}.scale_align_elems")
    def scale_align_elems(self) -> int:
        """Key scales in 16 bytes: a copy of them must start on that boundary."""
        return div(16, dtype_bytes(self.ks_dtype))

    @quantity("elements", source=f"{CONFIG}.flat_scale_window")
    def flat_scale_window(self) -> int:
        """Key scales of one tile, and room to round an unaligned start down."""
        return self.BM_key + self.scale_align_elems

    # Shared memory

    @quantity("bytes", source=f"{CONFIG}.carveout")
    def carveout(self) -> int:
        """Shared memory one CTA may have: its share of the SM less the reserve."""
        return div(self.target.smem_per_sm, self.ctas_per_sm) - self.target.smem_reserved_per_block

    @step("count", source=f"{CONFIG}.fixed_smem_bytes, query tiles")
    def q_slots(self) -> int:
        """Query tiles that are resident at a time."""
        return 1

    @step("bytes", source=f"{CONFIG}.fixed_smem_bytes, Q")
    def q_bytes(self) -> int:
        """One query tile."""
        return self.mma_n * self.depth * dtype_bytes(self.dtype)

    @step("bytes", source=f"{CONFIG}.fixed_smem_bytes, query scales")
    def q_scale_bytes(self) -> int:
        """The query scales of one tile, in float32."""
        return self.mma_n * 4

    @step("barriers", source=f"{CONFIG}.n_mbars")
    def fixed_mbars(self) -> int:
        """mbarriers that do not belong to a K stage: full and empty of two score tiles."""
        return 2 * SCORE_TILES

    @quantity("bytes", source=f"{CONFIG}.fixed_smem_bytes")
    def fixed_smem_bytes(self) -> int:
        """What is there once, however deep the ring."""
        return total(
            q=self.q_slots * self.q_bytes,
            q_scales=self.q_slots * self.q_scale_bytes,
            mbarriers=self.fixed_mbars * self.target.mbarrier_bytes,
            tmem_pointer=4,
        )

    @step("bytes", source=f"{CONFIG}.k_stage_bytes, K tile")
    def k_tile_bytes(self) -> int:
        """One K tile."""
        return self.BM_key * self.depth * dtype_bytes(self.dtype)

    @step("rows", source=f"{CONFIG}.k_stage_bytes, keys of one scale copy")
    def scale_copy_keys(self) -> int:
        """Keys whose scales one copy brings: the whole tile's."""
        return self.BM_key

    @step("elements", source=f"{CONFIG}.k_stage_bytes, one scale copy")
    def scale_copy_elems(self) -> int:
        """Key scales that one copy brings."""
        return self.flat_scale_window

    @step("bytes", source=f"{CONFIG}.k_stage_bytes, slot of the key scales")
    def k_scale_slot_bytes(self) -> int:
        """The slot one K tile's scales are copied into; every copy starts at a multiple of 128."""
        return div(self.BM_key, self.scale_copy_keys) * up(
            self.scale_copy_elems * dtype_bytes(self.ks_dtype), 128
        )

    @quantity("barriers", source=f"{CONFIG}.k_stage_bytes, mbarriers")
    def stage_mbars(self) -> int:
        """mbarriers of one K stage: full and empty."""
        return 2

    @quantity("bytes", source=f"{CONFIG}.k_stage_bytes")
    def k_stage_bytes(self) -> int:
        """What one more stage of the ring costs."""
        return total(
            k=self.k_tile_bytes,
            k_scales=self.k_scale_slot_bytes,
            mbarriers=self.stage_mbars * self.target.mbarrier_bytes,
        )

    @quantity("stages", source=f"{CONFIG}.k_stages")
    def k_stages(self) -> int:
        """K stages that fit into what the fixed part leaves; may be 0 or less."""
        return div(self.carveout - self.fixed_smem_bytes, self.k_stage_bytes)

    @quantity("bytes", source=f"{CONFIG}.smem_used")
    def smem_used(self) -> int:
        """Dynamic shared memory of one CTA."""
        return total(fixed=self.fixed_smem_bytes, stages=self.k_stages * self.k_stage_bytes)

    @quantity("barriers", source=f"{CONFIG}.n_mbars")
    def n_mbars(self) -> int:
        """All mbarriers: those of every stage, and the fixed ones."""
        return total(stages=self.stage_mbars * self.k_stages, fixed=self.fixed_mbars)

    # The verdict

    @quantity("bool", source=ASSERTIONS)
    def supported(self) -> bool:
        """Whether the kernel that uses the struct compiles with it."""
        return all_of(
            key_tile=self.BM_key == 128,
            one_consumer_warpgroup=self.mma_n <= 128,
            epilogue_chunk=self.mma_n % 32 == 0,
            head_quads=self.num_heads % 4 == 0,
            ring_depth=self.k_stages >= 4,
            tensor_memory=self.tmem_cols * self.ctas_per_sm <= self.target.tmem_columns,
            barrier_init=self.n_mbars <= self.nthreads,
        )

    # Where everything sits

    def smem(self) -> SharedLayout:
        stages = self.k_stages
        parts = (
            ("q", self.q_slots * self.q_bytes, 128, self.q_slots),
            ("k", stages * self.k_tile_bytes, 1, stages),
            ("k_scales", stages * self.k_scale_slot_bytes, 1, stages),
            ("q_scales", self.q_slots * self.q_scale_bytes, 1, self.q_slots),
            *self.records(),
            ("mbarriers", self.n_mbars * self.target.mbarrier_bytes, 1, self.n_mbars),
            ("tmem_pointer", 4, 1, 1),
        )
        return shared(CONFIG, self.carveout, self.smem_used, carve(parts))

    def records(self) -> tuple[tuple[str, int, int, int], ...]:
        """What lies between the query scales and the mbarriers, as parts of `carve`."""
        return ()

    def tmem(self) -> TensorLayout:
        regions = (columns(f"S{i}", i * self.s_cols, self.s_cols) for i in range(SCORE_TILES))
        return tensor(self.target, SCORE_TILES * self.s_cols, self.tmem_cols, regions)

    def registers(self) -> Registers:
        roles = (
            role("consumer", 0, 3, self.reg_consumer),
            role("mma", 4, 4, self.reg_producer),
            role("load", 5, 5, self.reg_producer),
            role("idle", 6, 7, self.reg_producer),
        )
        return registers(self.target, self.static_reg_budget, *roles)

    def barriers(self) -> tuple[Mbarriers, ...]:
        return barriers(
            (
                ("k_full", self.k_stages, 1),
                ("k_empty", self.k_stages, 1 + 128),
                ("s_full", SCORE_TILES, 1),
                ("s_empty", SCORE_TILES, 128),
            )
        )


KERNEL = IndexPrefill
