"""mha_depth512 as of MAX 26.6: that of 26.5."""

from __future__ import annotations

from kcfg.core.kernels.mha_depth512 import r26_5
from kcfg.core.kernels.mha_depth512.config import CONFIG


class MHADepth512(r26_5.MHADepth512):
    """The pair-CTA attention of MAX 26.6."""

    release = "26.6"
    struct = f"{CONFIG}, max 26.6.0"
    changes = "Nothing: it is that of 26.5."


KERNEL = MHADepth512
