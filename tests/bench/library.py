"""What ``import kcfg`` and its calls cost beside what they stand for.

``python tests/bench/library.py [calls] [runs]``, with an interpreter in which kcfg and NumPy are
installed. Times are those of the processor, the best of the runs; no figure passes or fails.
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from common import medians
from definitions import best

import kcfg
from kcfg.core.spec import Spec, read

SPEC = """\
kernel: fa4
release: 26.7
shape: {{qkv_dtype: bf16, num_q_heads: {heads}, group: 4, qk_depth: {depth}, ov_depth: 128,
  page_size: 128}}
"""
SHAPES = [{"num_q_heads": 4 * n, "qk_depth": depth} for n in range(1, 33) for depth in (64, 128)]
FIXED = {"qkv_dtype": "bf16", "group": 4, "ov_depth": 128, "page_size": 128}


def one_by_one(calls: int) -> None:
    for number in range(calls):
        _ = kcfg.derive("fa4", "26.7", **FIXED, **SHAPES[number % len(SHAPES)]).values


def as_stream(calls: int) -> None:
    texts = (
        SPEC.format(heads=shape["num_q_heads"], depth=shape["qk_depth"])
        for shape in (SHAPES[number % len(SHAPES)] for number in range(calls))
    )
    for spec in read("---\n".join(texts), "stream.kcfg.yaml"):
        assert isinstance(spec, Spec)
        spec.derive().values()


def candidates(depth: str) -> list[dict[str, int]]:
    """Tiles and stages of an autotuner that tries far too many."""
    sizes = (range(16, 272, 16), range(16, 272, 16), range(16, 272, 8), range(1, 13))
    keys = ("BLOCK_M", "BLOCK_N", depth, "num_stages")
    return [dict(zip(keys, each, strict=True)) for each in product(*sizes)]


def main(calls: int, runs: int) -> None:
    with TemporaryDirectory() as folder:
        names = ("pass", "import kcfg")
        commands = {name: [sys.executable, "-c", name] for name in names}
        bare, library = medians(commands, Path(folder), 5 * runs).values()
    print(f"import kcfg  {library - bare:.1f} ms over {bare:.1f} ms")
    one, many = best(partial(one_by_one, calls), runs), best(partial(as_stream, calls), runs)
    print(
        f"derive of fa4  {1e6 * one / calls:.0f} us, in a stream {1e6 * many / calls:.0f} us: "
        f"{one / many:.2f} times"
    )
    for kernel, depth in (("triton_gemm_ptr", "BLOCK_K"), ("triton_attention", "HEAD_DIM")):
        given = candidates(depth)
        took = best(partial(kcfg.prune, kernel, given), runs)
        print(
            f"prune of {kernel}, {len(kcfg.derive(kernel))} values  {len(given):,} candidates, "
            f"{len(given) / took:,.0f} a second"
        )


if __name__ == "__main__":
    main(*(int(each) for each in (*sys.argv[1:], *("3000", "5")[len(sys.argv) - 1 :])))
