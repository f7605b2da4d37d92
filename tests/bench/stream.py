"""How many specs a second go through a stream on one core, and how much memory that takes.

``python tests/bench/stream.py [specs] [runs]``, with an interpreter in which kcfg is
installed; there are 101,400 specs at most. The rate is of processor time, start-up included.
No figure passes or fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from common import processor_time, required

FA4 = """\
---
kernel: fa4
release: {release}
shape:
  qkv_dtype: {dtype}
  num_q_heads: 32
  group: {group}
  qk_depth: {depth}
  ov_depth: {depth}
  page_size: {page}
  BM: {rows}
"""
MLA = """\
---
kernel: mla_prefill
release: {release}
shape:
  qkv_dtype: {dtype}
  rope_gmem_dtype: bf16
  rope_mma_dtype: bf16
  num_q_heads: 128
  group: {group}
  depth: {depth}
  page_size: {page}
  num_q: {tiles}
"""
INDEX = """\
---
kernel: index_prefill
release: {release}
shape:
  dtype: fp8_e4m3
  ks_dtype: f32
  depth: {depth}
  BM_key: 128
  mma_n: {rows}
  num_heads: {group}
"""


def specs() -> Iterator[str]:
    """101,400 specs of three kernels in turn, of as many shapes."""
    shapes = product(
        ("26.6", "26.7"), ("bf16", "fp8"), range(1, 66), range(64, 321, 4), (0, 64, 128), (1, 2)
    )
    for number, (release, dtype, group, depth, page, tiles) in enumerate(shapes):
        form = (FA4, MLA, INDEX)[number % 3]
        yield form.format(
            release=release,
            dtype=dtype,
            group=group,
            depth=depth,
            page=page,
            tiles=tiles,
            rows=128 * tiles,
        )


def spent(command: list[str], stream: Path) -> tuple[float, int]:
    """Seconds of processor time of one run, and the most memory of any so far in KiB.

    A child begins as a copy of this process, which therefore holds no specs itself.
    """
    from resource import RUSAGE_CHILDREN, getrusage

    before = processor_time()
    with stream.open("rb") as file:
        subprocess.run(command, stdin=file, stdout=subprocess.DEVNULL, check=False)
    return processor_time() - before, getrusage(RUSAGE_CHILDREN).ru_maxrss


def main(count: int, runs: int) -> None:
    kcfg = required("kcfg")
    with TemporaryDirectory() as name:
        path = Path(name, "stream.yaml")
        for size in (count // 10, count):  # memory is flat where both take the same
            with path.open("w") as file:
                file.writelines(islice(specs(), size))
            for form in (["derive", "-", "--format", "jsonl"], ["validate", "-"]):
                times = [spent([*kcfg, *form], path) for _ in range(runs)]
                rate = size / median(seconds for seconds, _ in times)
                memory = max(most for _, most in times) // 1024
                print(f"{form[0]:10}{size:10,} specs{rate:10,.0f} a second{memory:6,} MiB")
    print(f"{os.cpu_count()} processors, one used; python {sys.version.split()[0]}")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [10_000, 3][len(numbers) :]))
