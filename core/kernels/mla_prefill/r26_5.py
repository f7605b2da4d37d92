"""mla_prefill as of MAX 26.5: that of 26.6 around the attention of 26.5.

Of this release the configuration alone was run; its storage is not known.
"""

from __future__ import annotations

from kcfg.core.kernels.fa4.r26_5 import FlashAttention4
from kcfg.core.kernels.mla_prefill import r26_6
from kcfg.core.kernels.mla_prefill.select import Select
from kcfg.core.kernels.mla_prefill.storage import Storage


class MLAConfig(r26_6.MLAConfig):
    """MLAConfig of MAX 26.5, built as asked."""

    release = "26.5"
    struct = "MLAConfig, max 26.5.0"
    changes = "The first release kcfg knows."
    unmodelled = r26_6.MLAConfig.unmodelled | {"mbarriers"}
    without = frozenset(vars(Storage))
    attention = FlashAttention4

    def smem(self) -> None:
        return None

    def barriers(self) -> None:
        return None


class MLAPrefill(Select, MLAConfig):
    """The same, or the choice of one."""

    config = MLAConfig


KERNEL = MLAPrefill
