"""What a kernel defined in YAML costs beside the same kernel written in Python.

``python tests/bench/definitions.py [specs] [runs]``, with an interpreter in which kcfg is
installed. Times are those of the processor, the best of the runs; no figure passes or fails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

from kcfg.core.report import report
from kcfg.core.spec import Spec, read, read_document
from kcfg.core.spec.documents import Document
from kcfg.core.spec.known import Known
from kcfg.core.spec.overrides import NOTHING

FILE = Path(__file__).parent.parent / "definitions" / "index_prefill_26_6.kcfg.yaml"
SHAPE = """
shape: {{dtype: float8_e4m3fn, ks_dtype: float32, depth: {depth}, BM_key: 128, mma_n: {columns},
  num_heads: {heads}}}
"""


def best(work: Callable[[], object], runs: int) -> float:
    """Seconds of the processor that the fastest run took."""
    found = []
    for _ in range(runs):
        start = process_time()
        work()
        found.append(process_time() - start)
    return min(found)


def definition(values: int) -> str:
    """A definition of so many values, each of which reads the one before."""
    lines = ["defines: g", "inputs: {BM: 128, BK: 64}", "values:"]
    for number in range(values):
        before = f"v{number - 1}" if number else "BK"
        formula = f"up(BM * {number + 1}, 32) + {before} // 2"
        lines.append(f'  v{number}: {{is: "{formula}", unit: bytes, doc: Some words.}}')
    return "\n".join(lines)


def reading(text: str) -> None:
    read_document(Document(1, 1, text), "g.kcfg.yaml", NOTHING, Known("g.kcfg.yaml"))


def stream(head: str, specs: int) -> str:
    """Specs of one kernel, of as many shapes as there are."""
    return "---\n".join(
        head + SHAPE.format(depth=64 + 8 * (n % 40), columns=32 * (1 + n % 4), heads=4 + n % 16)
        for n in range(specs)
    )


def derived(text: str, whole: bool) -> None:
    for spec in read(text, "stream.kcfg.yaml"):
        assert isinstance(spec, Spec)
        kernel = spec.derive()
        if whole:
            report(kernel)
        else:
            kernel.values()


def main(specs: int, runs: int) -> None:
    text = FILE.read_text(encoding="utf-8").split("\n---\n")[0] + "\n"
    taken = 1e3 * best(partial(reading, definition(60)), runs)
    print(f"read a definition of 60 values  {taken:.1f} ms")
    shipped = stream("kernel: index_prefill\nrelease: 26.6", specs)
    defined = f"{text}---\n{stream('kernel: index_prefill_26_6', specs)}"
    for what, whole in (("values", False), ("reports", True)):
        one, two = (best(partial(derived, each, whole), runs) for each in (shipped, defined))
        print(
            f"{what} of {specs:,} specs  shipped {1e6 * one / specs:.0f} us,"
            f" defined {1e6 * two / specs:.0f} us each: {two / one:.2f} times"
        )


if __name__ == "__main__":
    main(*(int(each) for each in (*sys.argv[1:], *("3000", "5")[len(sys.argv) - 1 :])))
