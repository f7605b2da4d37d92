"""How many points a second a sweep derives on one core, over ever larger grids, and writes.

``python tests/bench/sweep.py [most]``, with an interpreter in which ``kcfg[sweep]`` is
installed; ``most`` are the points of the largest grid. A condition asks for the verdict of
every point, a Pareto front for its shared memory and stages too; at last every value of the
smallest grids goes to a file of each format. The rate is what the sweep itself tells, the
processor time that of the whole process. No figure passes or fails.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from common import processor_time, required

FA4 = """\
kernel: fa4
release: 26.7
shape:
  qkv_dtype: bf16
  num_q_heads: 32
  group: 1..{heads}
  qk_depth: 8..512 step 8
  ov_depth: 8..512 step 8
  page_size: [0, 64, 128]
  BM: [128, 256]
"""
INDEX = """\
kernel: index_prefill
release: 26.7
shape:
  dtype: fp8_e4m3
  ks_dtype: f32
  depth: 8..512 step 8
  BM_key: [64, 128, 256]
  mma_n: 8..256 step 8
  num_heads: 1..{heads}
"""
KERNELS = {  # the grid, its points for each head, and what is looked for
    "fa4": (FA4, 64 * 64 * 3 * 2, ("supported and num_kv_stages >= 4", "smem_used,-num_kv_stages")),
    "index_prefill": (INDEX, 64 * 3 * 32, ("supported and k_stages >= 4", "smem_used,-k_stages")),
}
WRITTEN = 800_000
"""Points of which every value is written."""


def run(command: list[str]) -> tuple[str, float]:
    """What a sweep says of its speed, and the seconds of processor time it took."""
    before = processor_time()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stderr.partition("\n")[0], processor_time() - before


def main(most: int) -> None:
    kcfg = required("kcfg")
    with TemporaryDirectory() as name:
        spec = Path(name, "grid.yaml")
        for kernel, (grid, each, (condition, front)) in KERNELS.items():
            size = 100_000
            while size <= most:
                spec.write_text(grid.format(heads=size // each))
                for wanted in (["--where", condition, "--top", "10"], ["--pareto", front]):
                    said, seconds = run([*kcfg, "sweep", str(spec), *wanted])
                    print(f"{kernel:14}{wanted[0]:10}{said}; {seconds:.1f} s of processor time")
                size *= 10
            write(kcfg, spec, kernel, grid.format(heads=min(WRITTEN, most) // each))


def write(kcfg: list[str], spec: Path, kernel: str, grid: str) -> None:
    """Write every value of a grid in each format."""
    spec.write_text(grid)
    for format in ("csv", "jsonl", "parquet"):
        said, seconds = run([*kcfg, "sweep", str(spec), "-o", f"{spec}.{format}"])
        print(f"{kernel:14}{format:10}{said}; {seconds:.1f} s of processor time")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 100_000_000)
