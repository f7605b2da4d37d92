"""The configurations whose HTML reports tests look at."""

from __future__ import annotations

import pictured

from kcfg.core.report import Derived

REFUSED = """
kernel: index_prefill
release: 26.6
name: "a <b> & \\"c\\" 'd' \\u00e9"
shape: {dtype: float32, ks_dtype: f32, depth: 4096, BM_key: 128, mma_n: 128, num_heads: 32}
"""
LAUNCH = """
kernel: launch
shape: {threads: 384, registers: {entry: 168, warpgroups: [40, 240, 240]}}
"""


def of_presets(*names: str) -> list[Derived]:
    return [pictured.of_presets()[name] for name in names]


SETS = {
    "fa4": of_presets("llama-3-8b"),
    "two-mla": of_presets("deepseek-v3-mla", "deepseek-v3-mla-fp8"),
    "releases": of_presets("deepseek-v3-2-index", "deepseek-v3-2-index-26-7"),
    "kernels": of_presets("gemma-4-31b-global", "deepseek-v3-decode", "llama-3-70b-o"),
    "refused": pictured.of_text(REFUSED),
    "launch": pictured.of_text(LAUNCH),
    "five": [*pictured.refused().values()][:5],
}
