"""matmul as of MAX 26.7: that of 26.6."""

from __future__ import annotations

from kcfg.core.kernels.matmul import r26_6
from kcfg.core.kernels.matmul.given import CONFIG


class Matmul(r26_6.Matmul):
    """MatmulConfig of MAX 26.7."""

    release = "26.7"
    struct = f"{CONFIG} and its choice, max 26.7.0"
    changes = "Nothing: it is that of 26.6."


KERNEL = Matmul
