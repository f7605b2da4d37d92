"""MLA prefill 26.x: what is launched, the verdict, and the fallback to one query tile."""

from __future__ import annotations

from typing import Any

from kcfg.core.engine.arith import div
from kcfg.core.engine.quantity import part, quantity, step
from kcfg.core.engine.terms import all_of, most, pick
from kcfg.core.kernels.mla_prefill.config import CONFIG, Config


class Launch(Config):
    """Rows, threads, supported() and can_switch_to_1q()."""

    @quantity("rows", source=f"{CONFIG}.q_tile_rows")
    def q_tile_rows(self) -> int:
        """Query rows of one tile."""
        return div(self.BM, self.num_q)

    @quantity("threads", source=f"{CONFIG}.launch_num_threads")
    def launch_num_threads(self) -> int:
        """Threads to launch: a single output needs a warpgroup less."""
        return pick(self.fa4_config.single_o, 384, self.num_threads)

    @quantity("bool", source=f"{CONFIG}.supported")
    def supported(self) -> bool:
        """Whether the sizes fit; the kernel is chosen by fa4_config.supported, which asks more."""
        return all_of(
            deep_enough=self.qk_depth >= 64,
            key_tile=self.BN >= 64,
            ring_depth=self.num_kv_stages >= 2,
            tensor_memory=self.tmem_used <= self.target.tmem_columns,
            shared_memory=self.smem_used <= self.target.smem_optin_per_block,
        )

    @step("bool", source=f"{CONFIG}.can_switch_to_1q")
    def two_query_tiles(self) -> bool:
        """Whether there are two query tiles to go down from."""
        return self.num_q == 2

    @part(needed="two_query_tiles")
    def one_query(self) -> Any:
        """The same with one query tile, two outputs and no cap on the key tile."""
        return type(self)(
            target=self.target,
            qkv_dtype=self.qkv_dtype,
            rope_gmem_dtype=self.rope_gmem_dtype,
            rope_mma_dtype=self.rope_mma_dtype,
            scale_dtype=self.scale_dtype,
            num_q_heads=self.num_q_heads,
            group=self.group,
            depth=self.depth,
            page_size=self.page_size,
            v_depth=self.fa4_config.ov_depth,
            num_q_asked=1,
        )

    @quantity("bool", source=f"{CONFIG}.can_switch_to_1q")
    def can_switch_to_1q(self) -> bool:
        """Whether a short query may run with one query tile without building anew."""
        return all_of(
            two_query_tiles=self.two_query_tiles,
            one_query_fits=self.one_query.supported,
            one_query_supported=self.one_query.fa4_config.supported,
        )

    @quantity("bytes", source=f"{CONFIG}.launch_smem_used")
    def launch_smem_used(self) -> int:
        """Dynamic shared memory to launch with, enough for either number of query tiles."""
        return pick(
            self.can_switch_to_1q,
            most(two_query_tiles=self.smem_used, one_query_tile=self.one_query.smem_used),
            self.smem_used,
        )
