"""mla_prefill as of MAX 26.7: what it changed against 26.6."""

from __future__ import annotations

from kcfg.core.kernels.fa4.r26_7 import FlashAttention4
from kcfg.core.kernels.mla_prefill import r26_6
from kcfg.core.kernels.mla_prefill.select import Select


class MLAConfig(r26_6.MLAConfig):
    """MLAConfig and MLASmemStorage of MAX 26.7, built as asked."""

    release = "26.7"
    struct = "MLAConfig and MLASmemStorage, max 26.7.0"
    changes = (
        "Wraps fa4 of 26.7; neither the budget nor the storage keeps the tensor-memory address."
    )
    without = frozenset({"storage_tmem_addr_offset"})
    attention = FlashAttention4


class MLAPrefill(Select, MLAConfig):
    """The same, or the choice of one."""

    config = MLAConfig
    called = "mla_prefill.call:MLAPrefillCall"


KERNEL = MLAPrefill
