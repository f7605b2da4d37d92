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
    }
    unmodelled = Kernel.unmodelled | {"blocks_per_sm"}


KERNEL = FlashAttention4
