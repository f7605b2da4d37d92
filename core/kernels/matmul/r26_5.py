"""matmul as of MAX 26.5: the pipeline of a tile, given by hand or chosen for M, N and K.

Its jobs have a file each, one built upon the other: ``tile``, ``given`` and ``config``, with
``settings``, ``search`` and ``choose``.
"""

from __future__ import annotations

from kcfg.core.kernels.matmul.config import Config
from kcfg.core.kernels.matmul.given import CONFIG


class Matmul(Config):
    """MatmulConfig of MAX 26.5."""

    kernel = "matmul"
    library = "MAX"
    release = "26.5"
    title = "Matmul"
    struct = f"{CONFIG} and its choice, max 26.5.0"
    changes = "The first release kcfg knows."


KERNEL = Matmul
