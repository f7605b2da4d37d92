"""The mbarriers of fa4 26.x: where each group starts in the kernel's barrier array."""

from __future__ import annotations

from kcfg.core.engine.quantity import quantity
from kcfg.core.engine.terms import pick
from kcfg.core.kernels.fa4.verdict import Verdict

MBARS = "FA4MiscMBars"


class MBars(Verdict):
    """Indices and counts, in barriers.

    Those the warpgroups arrive at come first, then the two score tiles' producers, the
    second query tile's gate, the K and V rings, the outputs, and what only some layouts have.
    """

    @quantity("index", source=f"{MBARS}.S0_consumer_offset", key="mbars.S0_consumer_offset")
    def s0_consumer_index(self) -> int:
        """First of two: the first score tile has been read, and its probabilities written."""
        return 0

    @quantity("index", source=f"{MBARS}.S1_consumer_offset", key="mbars.S1_consumer_offset")
    def s1_consumer_index(self) -> int:
        """First of two: the same of the second score tile."""
        return 2

    @quantity("index", source=f"{MBARS}.C0_offset", key="mbars.C0_offset")
    def c0_index(self) -> int:
        """Correction factors of the first tile: written, and read."""
        return 4

    @quantity("index", source=f"{MBARS}.C1_offset", key="mbars.C1_offset")
    def c1_index(self) -> int:
        """Correction factors of the second tile: written, and read."""
        return 6

    @quantity("barriers", source=f"{MBARS}.num_order_barriers", key="mbars.num_order_barriers")
    def order_mbars(self) -> int:
        """Barriers that make the softmax warpgroups take turns."""
        return pick(self.use_order_barriers, 2, 0)

    @quantity("index", source=f"{MBARS}.order_offset", key="mbars.order_offset")
    def order_index(self) -> int:
        """Where those start."""
        return 8

    @quantity(
        "barriers", source=f"{MBARS}.number_warpgroup_count", key="mbars.number_warpgroup_count"
    )
    def warpgroup_mbars(self) -> int:
        """Barriers at which whole warpgroups arrive: all before the score tiles' producers."""
        return self.order_index + self.order_mbars

    @quantity("index", source=f"{MBARS}.S0_producer_offset", key="mbars.S0_producer_offset")
    def s0_producer_index(self) -> int:
        """The first score tile is computed."""
        return self.warpgroup_mbars

    @quantity("index", source=f"{MBARS}.S1_producer_offset", key="mbars.S1_producer_offset")
    def s1_producer_index(self) -> int:
        """The second score tile is computed."""
        return self.s0_producer_index + 1

    @quantity("index", source=f"{MBARS}.Q1SyncIdx", key="mbars.Q1SyncIdx")
    def q1_sync_index(self) -> int:
        """The pieces of the second query tile have arrived."""
        return self.s1_producer_index + 1

    @quantity("barriers", source=f"{MBARS}.Q1Sync_count", key="mbars.Q1Sync_count")
    def q1_sync_mbars(self) -> int:
        """One for each of those pieces; none with one query tile."""
        return pick(self.num_q == 2, self.num_qk_stages, 0)

    @quantity("index", source=f"{MBARS}.K_offset", key="mbars.K_offset")
    def k_index(self) -> int:
        """The K ring's, or the shared ring's."""
        return self.q1_sync_index + self.q1_sync_mbars

    @quantity("barriers", source=f"{MBARS}.K_barriers", key="mbars.K_barriers")
    def k_mbars(self) -> int:
        """Full and empty of each stage and piece; a .ws slot is one piece."""
        return 2 * self.num_kv_stages * pick(self.use_ws, 1, self.num_qk_stages)

    @quantity("index", source=f"{MBARS}.V_offset", key="mbars.V_offset")
    def v_index(self) -> int:
        """The V ring's."""
        return self.k_index + self.k_mbars

    @quantity("barriers", source=f"{MBARS}.V_barriers", key="mbars.V_barriers")
    def v_mbars(self) -> int:
        """Full and empty of each V stage; none where V shares K's ring."""
        return pick(self.use_shared_kv, 0, 2 * self.num_kv_stages)

    @quantity("index", source=f"{MBARS}.O_producer_offset", key="mbars.O_producer_offset")
    def o_producer_index(self) -> int:
        """First of two: an output is complete."""
        return self.v_index + self.v_mbars

    @quantity("barriers", source=f"{MBARS}.Publish_count", key="mbars.Publish_count")
    def publish_mbars(self) -> int:
        """One where CTAs that split the keys publish their partial results."""
        return pick((self.num_q == 1) & (self.splitk_partitions > 1), 1, 0)

    @quantity("index", source=f"{MBARS}.Publish_offset", key="mbars.Publish_offset")
    def publish_index(self) -> int:
        """Where that one is."""
        return self.o_producer_index + 2

    @quantity("bool", source=f"{MBARS}.CrossP_enabled", key="mbars.CrossP_enabled")
    def crossp_enabled(self) -> bool:
        """Whether the crossed probability windows have barriers."""
        return self.crossp_on

    @quantity("index", source=f"{MBARS}.CrossP_offset", key="mbars.CrossP_offset")
    def crossp_index(self) -> int:
        """Where those start."""
        return self.publish_index + self.publish_mbars

    @quantity("barriers", source=f"{MBARS}.size", key="mbars.size")
    def mbars_size(self) -> int:
        """All of them; negative where a negative stage count outweighs the rest."""
        return self.crossp_index + self.crossp_mbars

    @quantity("barriers", source=f"{MBARS}.num_mbars", key="mbars.num_mbars")
    def num_mbars(self) -> int:
        """The same as the unsigned 32-bit number upstream returns."""
        return self.mbars_size % (1 << 32)
