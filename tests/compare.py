"""Golden rows: what the real kernels computed, compared field by field with kcfg.

``python tests/compare.py FOLDER`` compares every ``*.jsonl`` of a folder and prints the
differences by field; the test suite runs the same comparison over ``tests/golden``. A row
is ``{"family", "release", "inputs", "fields"}``, made by running the released package; a
packed file names inputs and fields once, in its first line, and holds lists of values; a row
that ends early has the first fields only.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from kcfg.core import kernels
from kcfg.core.kernel import Kernel
from kcfg.core.kernels.fa4 import ladder
from kcfg.core.spec import Spec, read
from kcfg.core.spec.shape import grammar

DATA = Path(__file__).parent / "golden"


NOTHING: Mapping[str, Any] = MappingProxyType({})


class Family(NamedTuple):
    """Where a golden file's rows appear in kcfg: kernel, prefix of its values, extra inputs.

    ``asked`` makes the inputs a spec would give of a row's where they are not the same, and
    ``names`` has the keys of fields that have another one here.
    """

    kernel: str
    prefix: str = ""
    extra: Mapping[str, Any] = NOTHING
    asked: Callable[[dict[str, Any]], dict[str, Any]] = dict
    names: Mapping[str, str] = NOTHING
    counts: Mapping[str, str] = NOTHING
    """Fields that are null in a row where there is none of what the value counts, by that."""


def attention(row: dict[str, Any]) -> dict[str, Any]:
    """The inputs of a row of FA4's dispatcher: one depth for both, a window with its mask."""
    mask, _, window = row["mask"].partition(":")
    depth = {"qk_depth": row["depth"], "ov_depth": row["depth"]}
    rest = {key: value for key, value in row.items() if key != "depth"}
    return {**rest, **depth, "mask": mask, "window": int(window or 0)}


def of_device(row: dict[str, Any]) -> dict[str, Any]:
    """The inputs of a row but for the number of SMs, which the target says."""
    return {key: value for key, value in row.items() if key != "sm_count"}


def latent(row: dict[str, Any]) -> dict[str, Any]:
    """The inputs of a row of MLA decode's dispatcher: any such attention of those heads."""
    fp8 = row["is_fp8_kv"]
    plain = ("scale_block_size", "bn_qk", "bk_pv", "page_size", "input_q_depth")
    off = ("native_fp8", "per_token_scale_rope_aware", "native_fp8_unified_gather")
    return {
        "max_cache_valid_length": row.get("effective_max_cache_len"),
        **{key: value for key, value in of_device(row).items() if key != "is_fp8_kv"},
        "group": row["num_q_heads"],
        "depth": 512,
        "q_depth": 576,
        "dtype_size": 2,
        "kv_type_size": 1 if fp8 else 2,
        "swizzle_mode": "128B",
        "kv_mma_swizzle_mode": "128B",
        **dict.fromkeys(plain, 0),
        **dict.fromkeys(off, False),
    }


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
    "mla_prefer_1q": Family(
        "mla_prefill", asked=of_device, names={"prefer_1q": "launch.prefer_1q"}
    ),
    "mla_decode_splits": Family("mla_decode", "launch.", asked=latent),
    "mla_decode_partitions": Family("mla_decode", "launch.", asked=latent),
    "fa4_dispatch": Family(
        "fa4",
        "launch.",
        asked=attention,
        names={"smem": "launch_smem_used"},
        counts=dict.fromkeys(
            ("combine_partitions", "combine_grid", "combine_block"), "launch.combine_grid"
        ),
    ),
}
"""The families of rows that do not have the name of the kernel they are of."""


def family(name: str) -> Family:
    """Where the rows of a family appear in kcfg; the kernel of that name, if nothing else is said.

    Raises KeyError for a family of no kernel.
    """
    if name in OTHERS:
        return OTHERS[name]
    if name in kernels.names():
        return Family(name)
    raise KeyError(f"{name}: no kernel has this name; if one has these rows, add it to OTHERS")


def split_helper(row: dict[str, Any]) -> dict[str, Any]:
    """What a row of the functions behind FA4's dispatcher is about."""
    items, sms = row["raw_grid"], row["sm_count"]
    if row["helper"] == "ws_p_ceiling":
        return {
            "plain": ladder.one_wave(items, sms),
            "oversubscribed": ladder.six_waves(items, sms),
        }
    if row["helper"] == "bucket_ws":
        return {"partitions": ladder.bucket(row["n"], row["p_max"], items, sms)}
    worth = max(1, row["visible_keys"] // ladder.KEYS_OF_DEEP)
    return {"partitions": ladder.rung_to(min(worth, ladder.one_wave(items, sms)))}


def older_split(row: dict[str, Any]) -> dict[str, Any]:
    """What a row of the older heuristic is about."""
    batch, heads, sms = row["batch_size"], row["num_kv_heads"], row["sm_count"]
    return {
        "max_num_partitions": ladder.older_most(batch, heads, sms),
        "num_partitions": ladder.older_split(batch, heads, row["num_keys"], sms),
    }


HELPERS = {"fa4_split_helpers": split_helper, "mha_decode_splits": older_split}
"""The families of rows that are of a function, and what kcfg's gives for one."""


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


def spec_text(row: dict[str, Any]) -> str:
    """A row's inputs as the spec somebody would write."""
    of = family(row["family"])
    asked = {**of.asked(row["inputs"]), **of.extra}
    spec = {"kernel": of.kernel, "release": row["release"]}
    called = kernels.find(of.kernel, row["release"]).of_call()
    keys = grammar(called).call if called else ()
    call = {key: asked.pop(key) for key in keys if key in asked}
    return json.dumps({**spec, "shape": asked, **({"call": call} if call else {})})


def differences(row: dict[str, Any]) -> Iterator[Difference]:
    """Every field of a row that kcfg gives otherwise, in value or in type."""
    if row["family"] in HELPERS:
        values = HELPERS[row["family"]](row["inputs"])
        yield from _compared(row, values, Family(""))
        return
    spec = next(iter(read(spec_text(row), "row")))
    if not isinstance(spec, Spec):
        yield Difference("(refused)", None, "; ".join(map(str, spec)), row["inputs"])
        return
    values = _derived(spec, row["inputs"].get("sm_count")).values()
    yield from _compared(row, values, family(row["family"]))


def _compared(row: dict[str, Any], values: dict[str, Any], of: Family) -> Iterator[Difference]:
    for field, wanted in row["fields"].items():
        name = field.replace("(page_size)", "").replace("()", "")
        key = of.names.get(name, of.prefix + name)
        got = values.get(key, "no such value")
        if name in of.counts and got == values[of.counts[name]] == 0:
            got = None
        if isinstance(wanted, list):
            got = [values.get(f"{key}[{place}]") for place in range(len(wanted))]
        if got != wanted or type(got) is not type(wanted):
            yield Difference(field, wanted, got, row["inputs"])


def _derived(spec: Spec, sm_count: int | None) -> Kernel:
    """What a spec derives, for as many SMs as a row says."""
    target = spec.target.replace(sm_count=sm_count) if sm_count else spec.target
    return spec.cls(target=target, **spec.shape)


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
        if path.name.partition("@")[0] not in (*OTHERS, *HELPERS, *kernels.names()):
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
