"""What the grouped matmul's dispatcher decides by table."""

from __future__ import annotations

from kcfg.core.engine.terms import pick

STAGES: dict[tuple[str, int, int, str], int] = {
    ("nvfp4", 4096, 7168, "small"): 6,
    ("nvfp4", 7168, 2048, "small"): 6,
    ("nvfp4", 4096, 7168, "large"): 7,
    ("nvfp4", 7168, 2048, "large"): 6,
    ("nvfp4", 7168, 256, "large"): 6,
    ("mxfp8", 6144, 6144, "decode"): 6,
    ("mxfp8", 6144, 3072, "decode"): 6,
}
"""Stages upstream sets for a format's own dispatch, by (format, N, K, regime).

All were executed but those of `READ_ALONE`, which were read.
"""

READ_ALONE = (6144, 3072)
"""The one N and K of them whose stages nobody ran."""

RUN: dict[tuple[str, bool], tuple[tuple[int, int], ...]] = {
    ("nvfp4", False): ((512, 7168), (2880, 2880), (4096, 7168), (7168, 256), (7168, 2048)),
    ("mxfp8", False): ((4096, 7168), (6144, 6144)),
    ("mxfp8", True): ((4096, 7168),),
    ("mxfp4", True): ((4096, 7168),),
}
"""N and K that the dispatcher was run for, by the format and whether the router dispatches."""


def tuned_stages(format: str, routed: bool, small_n: bool, N: int, K: int, regime: str) -> int:
    """Stages set for a problem, 0 where as many are taken as fit."""
    found = 0
    for (name, columns, depth, rows), stages in STAGES.items():
        same = (format == name) & (columns == N) & (depth == K) & (regime == rows)
        found = pick(same, stages, found)
    always = (format == "nvfp4") & (small_n | (regime == "decode"))
    return pick(always, 6, pick(routed, 0, found))
