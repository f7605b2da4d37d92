"""mla_prefill as of MAX 26.6: fa4 with one latent head per group, and rope of its own type.

The struct's jobs have a file each, one built upon the other: ``config``, ``launch``,
``storage``, ``placement``; ``select`` has the choice of one.
"""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.kernel import Kernel
from kcfg.core.kernels.mla_prefill.placement import Placement
from kcfg.core.kernels.mla_prefill.select import Select


class MLAConfig(Placement):
    """MLAConfig and MLASmemStorage of MAX 26.6, built as asked."""

    kernel = "mla_prefill"
    library = "MAX"
    release = "26.6"
    title = "MLA prefill"
    struct = "MLAConfig and MLASmemStorage, max 26.6.0"
    changes = "Wraps fa4 of 26.6."
    plays: ClassVar = {
        "threads": "launch_num_threads",
        "shared.dynamic": "launch_smem_used",
        "pipelines[0].stages": "num_kv_stages",
        "tmem.columns": "tmem_used",
        "cluster[0]": "fa4_config.cluster_size",
        "mma[0].cta_group": "fa4_config.cta_group",
    }
    unmodelled = Kernel.unmodelled | {"blocks_per_sm"}


class MLAPrefill(Select, MLAConfig):
    """The same, or the choice of one."""

    config = MLAConfig


KERNEL = MLAPrefill
