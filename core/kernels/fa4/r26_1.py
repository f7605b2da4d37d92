"""fa4 as of MAX 26.1: that of 25.7.

The configuration was run; where everything sits is taken to be as it was.
"""

from __future__ import annotations

from kcfg.core.kernels.fa4 import r25_7


class FA4(r25_7.FA4):
    """FA4Config of MAX 26.1."""

    release = "26.1"
    struct = "FA4Config, max 26.1.0"
    changes = "Nothing: it is that of 25.7."


KERNEL = FA4
