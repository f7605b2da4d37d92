"""fa4 as of MAX 26.6: attention of any depth, with paging, split keys, short tiles and MLA.

The struct is long, so each of its jobs has a file, one built upon the other: ``shape``,
``key_tile``, ``stages``, ``operands``, ``verdict``, ``mbars``, ``smem``, ``placement``.
"""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.kernel import Kernel
from kcfg.core.kernels.fa4.placement import Placement


class FlashAttention4(Placement):
    """FA4Config and SM100AttentionSMem of MAX 26.6."""

    kernel = "fa4"
    library = "MAX"
    release = "26.6"
    called = "fa4.call:FlashAttentionCall26_6"
    title = "Attention forward (FA4)"
    struct = "FA4Config and SM100AttentionSMem, max 26.6.0"
    changes = (
        "Packed warps may share the keys and split the output (ws_shared_key); a box of V of "
        "64-row tiles ends with its page."
    )
    plays: ClassVar = {
        "threads": "num_threads",
        "shared.dynamic": "smem_used",
        "pipelines[0].stages": "num_kv_stages",
        "tmem.columns": "tmem_used",
        "cluster[0]": "cluster_size",
        "mma[0].cta_group": "cta_group",
        "shared.regions[q_nope].offset": "q_byte_offset",
        "shared.regions[q_nope].bytes": "q_nope_bytes",
        "shared.regions[q_rope].offset": "q_rope_byte_offset",
        "shared.regions[q_rope].bytes": "q_rope_bytes",
        "shared.regions[kv].offset": "kv_byte_offset",
        "shared.regions[kv].bytes": "k_total_bytes",
        "shared.regions[k].offset": "kv_byte_offset",
        "shared.regions[k].bytes": "k_total_bytes",
        "shared.regions[v].offset": "v_byte_offset",
        "shared.regions[correction].offset": "correction_byte_offset",
        "shared.regions[correction].bytes": "correction_bytes",
        "shared.regions[mbarriers].offset": "mbar_byte_offset",
        "shared.regions[mbarriers].bytes": "mbar_bytes",
        "tmem.regions[S0].column": "TMEM_S0",
        "tmem.regions[S1].column": "TMEM_S1",
        "tmem.regions[P0].column": "TMEM_P0",
        "tmem.regions[P1].column": "TMEM_P1",
        "tmem.regions[O0].column": "TMEM_O0",
        "tmem.regions[O1].column": "TMEM_O1",
    }
    unmodelled = Kernel.unmodelled | {"blocks_per_sm"}


KERNEL = FlashAttention4
