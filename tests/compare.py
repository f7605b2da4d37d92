"""Golden rows: what the real kernels computed, compared field by field with kcfg.

``python tests/compare.py FOLDER`` compares every ``*.jsonl`` of a folder and prints the
differences by field; the test suite runs the same comparison over ``tests/golden``. A row
is ``{"family", "release", "inputs", "fields"}``, made by running the released package; a
packed file names inputs and fields once, in its first line, and holds lists of values; a row
that ends early has the first fields only. What a row calls otherwise than kcfg, lists and
offsets, is in the table here.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from kcfg.core import kernels
from kcfg.core.kernel import Kernel
from kcfg.core.spec import Spec, read

DATA = Path(__file__).parent / "golden"


class Family(NamedTuple):
    """Where a golden file's rows appear in kcfg: kernel, prefix of its values, extra inputs.

    ``called`` has the names that kcfg gives to what a row calls otherwise, several to the items
    of a list, None to what is no input of kcfg because nothing rests on it; ``results`` of fields
    alone. ``bounds`` are the values between which a field lies (without the second: which it is
    not below) where kcfg's ``exact`` is false.
    """

    kernel: str
    prefix: str = ""
    extra: Mapping[str, Any] = MappingProxyType({})
    called: Mapping[str, str | tuple[str, ...] | None] = MappingProxyType({})
    results: Mapping[str, str] = MappingProxyType({})
    bounds: Mapping[str, tuple[str, str]] = MappingProxyType({})


TRITON = {
    "results": {"num_warps": "total_warps"},
    "bounds": {
        "shared": ("shared_at_least", "shared_at_most"),
        "tmem_size": ("tmem_at_least", ""),
    },
}
"""What the rows of compiled Triton kernels have in common."""

OTHERS = {
    "attention_smem": Family("fa4"),
    "mla_config": Family("mla_prefill"),
    "mla_smem": Family("mla_prefill", "storage."),
    "mla_select": Family("mla_prefill", extra={"select": True}),
    "depth512": Family("mha_depth512"),
    "depth512_smem": Family("mha_depth512"),
    "matmul_config": Family("matmul"),
    "matmul_choose": Family("matmul"),
    "matmul_dispatch": Family("matmul", extra={"select": True}),
    "matmul_smem": Family("matmul"),
    "swiglu_config": Family("swiglu_matmul"),
    "swiglu_choose": Family("swiglu_matmul"),
    "block_scaled_config": Family("block_scaled_matmul"),
    "moe_dispatch": Family("grouped_matmul", "launch."),
    "block_scaled_choose": Family("block_scaled_matmul"),
    "cutedsl_dense_gemm_persistent": Family(
        "cutedsl_gemm",
        called={
            "cluster": ("cluster_m", "cluster_n"),
            "mma_tiler": ("mma_m", "mma_n", "tile_k"),
            "cta_tile": ("cta_m", "mma_n", "tile_k"),
            "epi_tile": ("epi_tile_m", "epi_tile_n"),
            "smem_capacity": "shared_limit",
            "smem_a_bytes": "smem_a.bytes",
            "smem_b_bytes": "smem_b.bytes",
            "smem_c_bytes": "smem_c.bytes",
        },
    ),
    **{
        name: Family(name, **TRITON)
        for name in (
            "triton_attention",
            "triton_gemm_persistent",
            "triton_gemm_ptr",
            "triton_gemm_tma",
            "triton_gemm_ws",
            "triton_scaled",
        )
    },
}
"""The families of rows of which there is more to say than the name of their kernel."""


def family(name: str) -> Family:
    """Where the rows of a family appear in kcfg; the kernel of that name, if nothing else is said.

    Raises KeyError for a family of no kernel.
    """
    if name in OTHERS:
        return OTHERS[name]
    if name in kernels.names():
        return Family(name)
    raise KeyError(f"{name}: no kernel has this name; if one has these rows, add it to OTHERS")


class Difference(NamedTuple):
    """One field on which a row and kcfg do not agree."""

    field: str
    row: Any
    kcfg: Any
    inputs: dict[str, Any]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, packed or not."""
    with path.open(encoding="utf-8") as lines:
        first = json.loads(next(lines))
        if isinstance(first["inputs"], dict):
            yield first
            for line in lines:
                yield json.loads(line)
            return
        names, fields = first["inputs"], first["fields"]
        for line in lines:
            values = json.loads(line)
            yield {
                "family": first["family"],
                "release": first["release"],
                "inputs": dict(zip(names, values, strict=False)),
                "fields": dict(zip(fields, values[len(names) :], strict=False)),
            }


def release(row: dict[str, Any]) -> str:
    """The release of kcfg that a row is of: the one that stands in what the row calls its own."""
    named: str = row["release"]
    known = kernels.releases(family(row["family"]).kernel)
    found = (
        each
        for each in known  # the beginning of a version, or of a commit
        if re.search(rf"(?<![\d.]){re.escape(each)}(?!\d)|@{re.escape(each)}", named)
    )
    return next(found, named)


def shape(row: dict[str, Any]) -> dict[str, Any]:
    """A row's inputs under kcfg's names."""
    of, found = family(row["family"]), {}
    for name, value in row["inputs"].items():
        if name == "target":
            continue
        called = of.called.get(name, name)
        if isinstance(called, str):
            found[called] = value
        elif called is not None and isinstance(value, list):
            found |= zip(called, value, strict=True)
    return {**found, **of.extra}


def spec_text(row: dict[str, Any]) -> str:
    """A row's inputs as the spec somebody would write."""
    spec = {"kernel": family(row["family"]).kernel, "release": release(row), "shape": shape(row)}
    arch = re.search(r"\bsm_\d+", row["inputs"].get("target", row["release"]))
    return json.dumps(spec | ({"target": arch[0]} if arch else {}))


def differences(row: dict[str, Any]) -> Iterator[Difference]:
    """Every field of a row that kcfg gives otherwise, in value or in type."""
    spec = next(iter(read(spec_text(row), "row")))
    if not isinstance(spec, Spec):
        yield Difference("(refused)", None, "; ".join(map(str, spec)), row["inputs"])
        return
    derived, of = spec.derive(), family(row["family"])
    values = {**derived.asked(), **derived.values()}
    for field, wanted in row["fields"].items():
        key = of.prefix + of.results.get(field, field.replace("(page_size)", "").replace("()", ""))
        got = values.get(key, "no such value")
        if field in of.bounds and not values["exact"]:
            least, most = (values.get(name, wanted) for name in of.bounds[field])
            if not least <= wanted <= most:
                yield Difference(field, wanted, (least, most), row["inputs"])
            continue
        called = of.called.get(field)
        if isinstance(called, str):
            got = named(derived, values, called)
        elif called is not None:
            got = [named(derived, values, each) for each in called]
        elif isinstance(wanted, list):
            got = [values.get(f"{key}[{place}]") for place in range(len(wanted))]
        if got != wanted or type(got) is not type(wanted):
            yield Difference(field, wanted, got, row["inputs"])


def named(derived: Kernel, values: dict[str, Any], name: str) -> Any:
    """A value, an input or a place; None for the place of a region that is not there."""
    if name in values:
        return values[name]
    region, _, what = name.rpartition(".")
    if what == "offset" and derived.read(f"{region}.bytes") == 0:
        return None
    return derived.read(name)


def compare_file(path: Path) -> tuple[int, list[Difference]]:
    """How many rows a file has, and every difference in them."""
    count, found = 0, []
    for row in rows(path):
        count += 1
        found += differences(row)
    return count, found


def main(folder: str) -> int:
    """Compare every file of known rows in a folder; 1 where anything differs."""
    worst = 0
    for path in sorted(Path(folder).glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            first = json.loads(next(lines))
        if first.get("family") not in (*OTHERS, *kernels.names()):
            continue
        count, found = compare_file(path)
        print(f"{path.name}: {count} rows, {len(found)} differences")
        for field, times in Counter(each.field for each in found).most_common():
            example = next(each for each in found if each.field == field)
            print(
                f"  {field}: {times} times, such as {example.row!r} upstream, {example.kcfg!r} here"
            )
            print(f"    for {json.dumps(example.inputs)}")
        worst = max(worst, bool(found))
    return worst


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    sys.exit(main(sys.argv[1]))
