"""fa4 as of MAX 25.6: attention forward with two query tiles, keyed by depth alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from kcfg.core.block.parts import Columns, Mbarriers, Registers
from kcfg.core.block.placing import (
    SharedLayout,
    TensorLayout,
    allocation,
    barriers,
    carve,
    columns,
    registers,
    role,
    shared,
    tensor,
)
from kcfg.core.engine.arith import div, down, up
from kcfg.core.engine.quantity import choice, integer, quantity, step
from kcfg.core.engine.terms import all_of, least, pick, total
from kcfg.core.hardware.dtypes import DTYPES, SWIZZLES, dtype_bytes, swizzle_bytes
from kcfg.core.hardware.occupancy import register_cap
from kcfg.core.kernel import Kernel, Spelling

CONFIG = "FA4Config"
MBARS = "FA4MiscMBars"


class FA4(Kernel):
    """FA4Config of MAX 25.6."""

    kernel = "fa4"
    library = "MAX"
    release = "25.6"
    title = "Attention forward (FA4)"
    struct = "FA4Config, max 25.6"
    changes = "The first release kcfg knows."
    plays: ClassVar = {
        "threads": "num_threads",
        "shared.dynamic": "smem_used",
        "pipelines[0].stages": "num_kv_stages",
        "tmem.columns": "tmem_used",
    }
    unmodelled = Kernel.unmodelled | {"blocks_per_sm", "cluster", "mma"}

    num_q_heads: int = integer("heads", "Query heads.", repeated=True)
    group: int = integer("heads", "Query heads that share a KV head.", repeated=True)
    depth: int = integer("elements", "Depth of one head, of Q, K and V alike.", repeated=True)
    dtype_size: int = integer("bytes", "Bytes of one element.", most=16, repeated=True)
    swizzle_mode: str = choice(
        "swizzle", "Swizzle of the tiles.", SWIZZLES, repeated=True, tunable=True
    )

    spellings = (
        Spelling(
            "dtype",
            "dtype_size",
            choice("dtype", "Element type of Q, K and V, in place of its size.", DTYPES),
            lambda dtype, shape: dtype_bytes(dtype),
        ),
    )

    # What the struct fixes

    @quantity("bytes", source=f"{CONFIG}.sm100_smem_carveout")
    def sm100_smem_carveout(self) -> int:
        """Shared memory one block may have: the whole SM's, less the reserve."""
        return self.target.smem_optin_per_block

    @quantity("columns", source=f"{CONFIG}.sm100_tmem_cols")
    def sm100_tmem_cols(self) -> int:
        """Tensor-memory columns of an SM."""
        return self.target.tmem_columns

    @quantity("bytes", source=f"{CONFIG}.mbar_size")
    def mbar_size(self) -> int:
        """One mbarrier."""
        return self.target.mbarrier_bytes

    @quantity("threads", source=f"{CONFIG}.num_threads")
    def num_threads(self) -> int:
        """Threads of the block: two softmax warpgroups, one of correction, one of single warps."""
        return 512

    @quantity("warps", source=f"{CONFIG}.num_active_warps_per_group")
    def num_active_warps_per_group(self) -> int:
        """Warps of a softmax or correction warpgroup that own rows: all of them."""
        return 4

    @quantity("threads", source=f"{CONFIG}.num_active_threads_per_group")
    def num_active_threads_per_group(self) -> int:
        """Threads of a softmax or correction warpgroup that own rows."""
        return 128

    @quantity("count", source=f"{CONFIG}.num_qo")
    def num_qo(self) -> int:
        """Query tiles, and output tiles, that share the block and overlap each other's work."""
        return 2

    @quantity("stages", source=f"{CONFIG}.num_mma_stages")
    def num_mma_stages(self) -> int:
        """Pieces one MMA over a key tile is issued in."""
        return 1

    @quantity("elements", source=f"{CONFIG}.MMA_K")
    def MMA_K(self) -> int:
        """K of one MMA instruction; here that of 16-bit types, whatever the type is."""
        return 16

    # The shape of the tiles

    @quantity("heads", source=f"{CONFIG}.num_kv_heads")
    def num_kv_heads(self) -> int:
        """KV heads; a group that does not divide the query heads is rounded away."""
        return div(self.num_q_heads, self.group)

    @step("elements", source=f"{CONFIG}.padded_depth, elements of a swizzle row")
    def swizzle_elements(self) -> int:
        """Elements in one row of the swizzle: the unit depth is padded to."""
        return div(swizzle_bytes(self.swizzle_mode), self.dtype_size)

    @quantity("elements", source=f"{CONFIG}.padded_depth")
    def padded_depth(self) -> int:
        """Depth as it lies in shared memory, whole swizzle rows."""
        return up(self.depth, self.swizzle_elements)

    @quantity("bool", source=f"{CONFIG}.split_m")
    def split_m(self) -> bool:
        """Whether two half-height MMAs share the columns, since two full outputs do not fit."""
        return self.depth > 128

    @quantity("rows", source=f"{CONFIG}.BM")
    def BM(self) -> int:
        """Query rows of the block, both tiles together."""
        return pick(self.split_m, 128, 256)

    @quantity("rows", source=f"{CONFIG}.MMA_M")
    def MMA_M(self) -> int:
        """Rows of one MMA: one query tile."""
        return pick(self.split_m, 64, 128)

    @step("columns", source=f"{CONFIG}.BN, what the output leaves")
    def score_columns(self) -> int:
        """Columns left for one score tile: split takes the unpadded depth off the whole."""
        return pick(
            self.split_m,
            self.sm100_tmem_cols - self.depth,
            self.sm100_tmem_cols // 2 - self.padded_depth,
        )

    @step("rows", source=f"{CONFIG}.BN, from tensor memory")
    def widest_key_tile(self) -> int:
        """The widest key tile: an MMA's N ends at 256, and is a multiple of 16."""
        return least(instruction=256, tensor_memory=down(self.score_columns, self.MMA_K))

    @quantity("rows", source=f"{CONFIG}.BN")
    def BN(self) -> int:
        """Keys in one tile; 0 or less where the output takes all of tensor memory."""
        return self.widest_key_tile

    @quantity("elements", source=f"{CONFIG}.BK0")
    def BK0(self) -> int:
        """What Q K^T sums over in one go: the padded depth."""
        return self.padded_depth

    @quantity("rows", source=f"{CONFIG}.BK1")
    def BK1(self) -> int:
        """What P V sums over in one go: the keys of a tile."""
        return self.BN

    # Tensor memory

    @quantity("columns", source=f"{CONFIG}.num_correction_cols")
    def num_correction_cols(self) -> int:
        """Columns through which softmax hands a row's rescaling factor to correction."""
        return 1

    @quantity("address", source=f"{CONFIG}.TMEM_S0")
    def TMEM_S0(self) -> int:
        """Scores of the first query tile."""
        return 0

    @quantity("address", source=f"{CONFIG}.TMEM_P0")
    def TMEM_P0(self) -> int:
        """Probabilities of the first query tile: they overwrite its scores."""
        return self.TMEM_S0

    @quantity("address", source=f"{CONFIG}.TMEM_C0")
    def TMEM_C0(self) -> int:
        """Correction factors of the first query tile, behind its 16-bit probabilities."""
        return self.BN // 2

    @quantity("address", source=f"{CONFIG}.TMEM_O0")
    def TMEM_O0(self) -> int:
        """Output of the first query tile: behind one score tile when split, else behind two."""
        return pick(self.split_m, self.BN, 2 * self.BN)

    @quantity("address", source=f"{CONFIG}.TMEM_S1")
    def TMEM_S1(self) -> int:
        """Scores of the second query tile.

        Split, it belongs 16 lanes below the first; the shift to the lane field takes the
        column along, as it does in P1, C1 and O1, and so the address leaves tensor memory.
        """
        return pick(self.split_m, (self.TMEM_S0 + 16) << 16, self.BN)

    @quantity("address", source=f"{CONFIG}.TMEM_P1")
    def TMEM_P1(self) -> int:
        """Probabilities of the second query tile, over its scores."""
        return pick(self.split_m, (self.TMEM_P0 + 16) << 16, self.BN)

    @quantity("address", source=f"{CONFIG}.TMEM_C1")
    def TMEM_C1(self) -> int:
        """Correction factors of the second query tile."""
        return pick(self.split_m, (self.TMEM_C0 + 16) << 16, self.BN + self.TMEM_C0)

    @quantity("address", source=f"{CONFIG}.TMEM_O1")
    def TMEM_O1(self) -> int:
        """Output of the second query tile."""
        return pick(self.split_m, (self.TMEM_O0 + 16) << 16, self.TMEM_O0 + self.padded_depth)

    @step("columns", source=f"{CONFIG}.tmem_used, the last output")
    def output_columns(self) -> int:
        """Columns the struct counts for one output tile."""
        return pick(self.split_m, self.depth, self.padded_depth)

    @quantity("columns", source=f"{CONFIG}.tmem_used")
    def tmem_used(self) -> int:
        """End of the last output. Split addresses are shifted, so their end is far above 512."""
        return total(second_output=self.TMEM_O1, its_columns=self.output_columns)

    # Shared memory

    @quantity("barriers", source=f"{MBARS}.size", key=f"{MBARS}.size")
    def misc_mbars(self) -> int:
        """mbarriers of the softmax handshakes: S, C, the order of softmax, and the second Q."""
        return 11

    @step("barriers", source=f"{CONFIG}.smem_used, barriers of the O pipeline")
    def o_mbars(self) -> int:
        """mbarriers of the output pipeline: producer and consumer of two tiles."""
        return 4

    @step("barriers", source=f"{CONFIG}.smem_used, barriers that are there once")
    def fixed_mbars(self) -> int:
        """mbarriers that do not belong to a KV stage."""
        return total(misc=self.misc_mbars, output=self.o_mbars)

    @step("bytes", source=f"{CONFIG}.smem_used, Q")
    def q_bytes(self) -> int:
        """Both query tiles."""
        return self.BM * self.padded_depth * self.dtype_size

    @step("bytes", source=f"{CONFIG}.smem_used before the KV stages")
    def fixed_smem_bytes(self) -> int:
        """What is there once, however deep the ring."""
        return total(
            tmem_pointer=4,
            mbarriers=self.fixed_mbars * self.mbar_size,
            q=self.q_bytes,
        )

    @step("bytes", source=f"{CONFIG}.num_kv_stages, one tile")
    def kv_tile_bytes(self) -> int:
        """One K tile, or one V tile: they share the ring."""
        return self.BN * self.padded_depth * self.dtype_size

    @step("bytes", source=f"{CONFIG}.num_kv_stages, one stage")
    def kv_stage_bytes(self) -> int:
        """What one more stage of the ring costs."""
        return total(tile=self.kv_tile_bytes, mbarriers=2 * self.mbar_size)

    @quantity("stages", source=f"{CONFIG}.num_kv_stages")
    def num_kv_stages(self) -> int:
        """Tiles of K or V in flight: what fits beside the fixed part; may be negative."""
        return div(self.sm100_smem_carveout - self.fixed_smem_bytes, self.kv_stage_bytes)

    @quantity("bytes", source=f"{CONFIG}.smem_used")
    def smem_used(self) -> int:
        """Dynamic shared memory of the block."""
        return total(fixed=self.fixed_smem_bytes, stages=self.num_kv_stages * self.kv_stage_bytes)

    @quantity("bool", source=f"{CONFIG}.use_tmem_for_correction")
    def use_tmem_for_correction(self) -> bool:
        """Whether correction factors pass through tensor memory: there is room beside P."""
        return True

    @quantity("elements", source=f"{CONFIG}.correction_smem_elements")
    def correction_smem_elements(self) -> int:
        """Correction factors kept in shared memory."""
        return pick(self.use_tmem_for_correction, 0, self.BM)

    # The verdict

    @quantity("bool", source=f"{CONFIG}.supported")
    def supported(self) -> bool:
        """Whether upstream takes this kernel; it looks at no group, type or swizzle."""
        return all_of(
            depth=self.depth >= 64,
            key_tile=self.BN >= 64,
            ring_depth=self.num_kv_stages >= 2,
            tensor_memory=self.tmem_used <= self.sm100_tmem_cols,
            shared_memory=self.smem_used <= self.sm100_smem_carveout,
        )

    # Where everything sits

    def smem(self) -> SharedLayout:
        """Nothing is padded: what a part needs of its start is said, and moves nothing."""
        stages, bar = self.num_kv_stages, self.mbar_size
        parts = (
            ("q", self.q_bytes, 1, self.num_qo),
            ("kv", stages * self.kv_tile_bytes, 1, stages),
            ("kv_mbarriers", 2 * stages * bar, 1, stages),
            ("o_mbarriers", self.o_mbars * bar, 1, 1),
            ("misc_mbarriers", self.misc_mbars * bar, 1, 1),
            ("tmem_pointer", 4, 1, 1),
        )
        atom = 8 * swizzle_bytes(self.swizzle_mode)  # a swizzle repeats every eight rows
        mbarriers = ("kv_mbarriers", "o_mbarriers", "misc_mbarriers")
        needs = {"q": atom, "kv": atom} | dict.fromkeys(mbarriers, self.target.mbarrier_align)
        placed = carve(parts, needs)
        return shared(CONFIG, self.sm100_smem_carveout, self.smem_used, placed)

    def tmem(self) -> TensorLayout:
        used = self.tmem_used
        return tensor(self.target, used, allocation(self.target, used), self._columns())

    def _columns(self) -> Iterator[Columns]:
        """Every tile at its address: lane in the upper 16 bits, column in the lower.

        An M of 64 fills every other 16 lanes of the 128; ``lanes`` is the first of these.
        """
        lanes = 16 if self.split_m else 128
        for tile, (s, p, c, o) in enumerate(
            (
                (self.TMEM_S0, self.TMEM_P0, self.TMEM_C0, self.TMEM_O0),
                (self.TMEM_S1, self.TMEM_P1, self.TMEM_C1, self.TMEM_O1),
            )
        ):
            scores = f"S{tile}"
            for name, address, width, over in (
                (scores, s, self.BN, None),
                (f"P{tile}", p, self.BN // 2, scores),
                (f"C{tile}", c, self.num_correction_cols, scores),
                (f"O{tile}", o, self.output_columns, None),
            ):
                yield columns(name, address & 0xFFFF, width, address >> 16, lanes, over)

    def registers(self) -> Registers:
        roles = (
            role("softmax 0", 0, 3, 184),
            role("softmax 1", 4, 7, 184),
            role("correction", 8, 11, 96),
            role("mma", 12, 12, 48),
            role("load", 13, 13, 48),
            role("idle", 14, 15, 48),
        )
        return registers(self.target, register_cap(self.target, self.num_threads, 1), *roles)

    def barriers(self) -> tuple[Mbarriers, ...]:
        return barriers(
            (
                ("kv", 2 * self.num_kv_stages, None),
                ("o_producer", 2, 1),
                ("o_consumer", 2, 128),
                ("s0_producer", 1, 1),
                ("s0_consumer", 1, 128),
                ("s1_producer", 1, 1),
                ("s1_consumer", 1, 128),
                ("c0_producer", 1, 128),
                ("c0_consumer", 1, 128),
                ("c1_producer", 1, 128),
                ("c1_consumer", 1, 128),
                ("softmax_order", 2, 128),
                ("q1_sync", 1, 1),
            )
        )


KERNEL = FA4
