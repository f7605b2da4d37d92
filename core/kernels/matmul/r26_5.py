"""matmul as of MAX 26.5: the pipeline of a tile, given by hand or chosen for M, N and K.

Its jobs have a file each, one built upon the other: ``given``, with ``settings`` and ``choose``,
and ``config``.
"""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.kernel import Kernel
from kcfg.core.kernels.matmul.config import Config
from kcfg.core.kernels.matmul.given import CONFIG


class Matmul(Config):
    """MatmulConfig of MAX 26.5."""

    kernel = "matmul"
    release = "26.5"
    title = "Matmul"
    struct = f"{CONFIG} and its choice, max 26.5.0"
    changes = "The first release kcfg knows."
    plays: ClassVar = {
        "pipelines[0].stages": "num_pipeline_stages",
        "cluster[0]": "cluster_shape[0]",
        "cluster[1]": "cluster_shape[1]",
        "cluster[2]": "cluster_shape[2]",
        "mma[0].cta_group": "cta_group",
        "mma[0].M": "mma_shape[0]",
        "mma[0].N": "mma_shape[1]",
        "mma[0].K": "block_tile_shape[2]",
    }
    unmodelled = Kernel.unmodelled | {
        "blocks_per_sm",
        "mbarriers",
        "registers",
        "shared",
        "threads",
        "tmem",
    }


KERNEL = Matmul
