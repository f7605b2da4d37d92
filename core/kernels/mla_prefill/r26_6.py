"""mla_prefill as of MAX 26.6: fa4 with one latent head per group, and rope of its own type.

The struct's jobs have a file each, one built upon the other: ``config``, ``launch``,
``storage``, ``placement``.
"""

from __future__ import annotations

from kcfg.core.kernels.mla_prefill.placement import Placement


class MLAPrefill(Placement):
    """MLAConfig and MLASmemStorage of MAX 26.6."""

    kernel = "mla_prefill"
    release = "26.6"
    title = "MLA prefill"
    struct = "MLAConfig and MLASmemStorage, max 26.6.0"
    changes = "The first release kcfg knows."


KERNEL = MLAPrefill
