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


class Warps(NamedTuple):
    """A list of warps, which kcfg has as those of roles, of which some may not be there.

    ``otherwise`` are the roles that do the same where none of them is.
    """

    roles: tuple[str, ...]
    otherwise: tuple[str, ...] = ()


class Family(NamedTuple):
    """Where a golden file's rows appear in kcfg: kernel, prefix of its values, extra inputs.

    ``kernel`` may have an input of the row in it, as ``{kernel}``.

    ``called`` has the names that kcfg gives to fields that a row calls otherwise, several to the
    items of a list; ``given`` the same of inputs, and None for those that nothing rests on.
    ``said`` has what a row's text in place of a list means, ``absent`` what kcfg has where a row
    has nothing. ``bounds`` has the values that a field is not below, and not above, where kcfg's
    ``exact`` is false. ``asked`` makes a spec's inputs of a row's
    where more than names differ, and ``counts`` has the fields that a row has null where there is
    none of what another value counts.
    """

    kernel: str
    prefix: str = ""
    extra: Mapping[str, Any] = NOTHING
    given: Mapping[str, tuple[str, ...] | None] = NOTHING
    called: Mapping[str, str | tuple[str, ...] | Warps] = NOTHING
    said: Mapping[str, Mapping[str, tuple[int, ...]]] = NOTHING
    absent: Mapping[str, Any] = NOTHING
    bounds: Mapping[str, tuple[str, str]] = NOTHING
    asked: Callable[[dict[str, Any]], dict[str, Any]] = dict
    counts: Mapping[str, str] = NOTHING


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


TRITON = (
    *("triton_attention", "triton_gemm_persistent", "triton_gemm_ptr", "triton_gemm_tma"),
    *("triton_gemm_ws", "triton_scaled"),
)
"""The kernels that Triton compiled."""


CUTLASS = (
    *("pipe_mainloop", "pipe_epi_load", "pipe_load_order", "pipe_clc", "pipe_accumulator"),
    *("pipe_clc_throttle", "pipe_tmem_dealloc", "clc_response", "tmem_base_ptr"),
    *("smem_a", "smem_b", "smem_sfa", "smem_sfb"),
)
"""Regions whose offsets, and some of their sizes, the rows of CUTLASS have."""

FLASHMLA = {
    "off_qo_q": "u.qo.q.offset",
    "off_qo_q_sw64": "u.qo.q_sw64.offset",
    "off_qo_o": "u.qo.o.offset",
    "off_kv_dequant": "u.kv.dequant.offset",
    "off_kv_raw_nope": "u.kv.raw_nope.offset",
    "off_s_p": "s_p.offset",
    "off_scales": "block_scales.offset",
    "off_s_sq": "u.qkv.s_sq.offset",
    "off_s_v": "u.qkv.s_v.offset",
    "off_s_k": "u.qkv.s_k.offset",
    "off_o": "u.o.offset",
    "off_q_full_q_nope": "u.q_full.q_nope.offset",
    "off_k_rope": "u.k.k_rope.offset",
    "off_k_nope": "u.k.k_nope.offset",
}
"""Offsets of members of FlashMLA's plans."""
PLANS = (
    *("u", "rowwise_max", "is_token_valid", "tma_coord", "tmem_start_addr", "s", "p"),
    *("bar_last_store_done", "bar_sv_done", "bar_prologue_q", "bar_k_valid_free"),
    *("is_k_valid", "p_exchange", "s_q_rope", "bar_prologue_q_nope"),
)
"""Regions of these plans whose offsets its rows have."""

MISSING = "no such value"

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
        "mla_prefill", asked=of_device, called={"prefer_1q": "launch.prefer_1q"}
    ),
    "mla_decode_splits": Family("mla_decode", "launch.", asked=latent),
    "mla_decode_partitions": Family("mla_decode", "launch.", asked=latent),
    "fa4_dispatch": Family(
        "fa4",
        "launch.",
        asked=attention,
        called={"smem": "launch_smem_used"},
        counts=dict.fromkeys(
            ("combine_partitions", "combine_grid", "combine_block"), "launch.combine_grid"
        ),
    ),
    "cutedsl_dense_gemm_persistent": Family(
        "cutedsl_gemm",
        given={"cluster": ("cluster_m", "cluster_n")},
        called={
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
        name: Family(
            name,
            given={"target": None},
            called={"num_warps": "total_warps"},
            bounds={
                "shared": ("shared_at_least", "shared_at_most"),
                "tmem_size": ("tmem_at_least", "no such value"),
            },
        )
        for name in TRITON
    },
    "cutlass_sm100_gemm": Family(
        "cutlass_gemm",
        given={
            "cluster": ("cluster_m", "cluster_n"),
            "epilogue_tile": None,
            "stage_count": None,
            "tile_scheduler": None,
        },
        called={
            "off_epilogue": "epilogue_storage.offset",
            "off_mainloop": "smem_a.offset",
            **{f"off_{name}": f"{name}.offset" for name in CUTLASS},
            **{f"bytes_{name}": f"{name}.bytes" for name in CUTLASS},
        },
        said={"cluster": {"dynamic": (0, 0)}},
        absent={"epi_reuse_c": 0, "epi_delay_tma_store": 0},
    ),
    "deepgemm_sm100_gemm": Family("deepgemm", extra={"select": True}),
    "fa4_cute_fwd_sm100": Family(
        "fa4_cute",
        called={
            "valid": "supported",
            "num_splits": "splits",
            "threads_per_cta": "threads",
            "mma_tiler_qk": ("mma_m", "tile_n", "head_dim_padded"),
            "mma_tiler_pv": ("mma_m", "head_dim_v_padded", "tile_n"),
            "tmem_s_offset": ("s0.column", "s1.column"),
            "tmem_o_offset": ("o0.column", "o1.column"),
            "tmem_p_offset": ("p0.column", "p1.column"),
            "tmem_vec_offset": ("s0.column", "s1.column"),
            "warps_softmax0": Warps(("softmax0",)),
            "warps_softmax1": Warps(("softmax1",)),
            "warps_correction": Warps(("correction",)),
            "warps_epilogue": Warps(("epilogue",), otherwise=("correction",)),
            "warps_load": Warps(("load_wide", "load", "load_second")),
            "warps_empty": Warps(
                ("scheduler", "empty", "empty_wide", "empty_load", "empty_epilogue")
            ),
        },
        absent={"scheduler_warp": -1, "reason": "none"},
    ),
    "fa4_cute_bwd_sm100": Family("fa4_cute_bwd"),
    "flashmla_sm100_smem_plan": Family(
        "{kernel}",
        given={"kernel": None},
        called={
            "smem_bytes": "shared_bytes",
            **FLASHMLA,
            **{f"off_{name}": f"{name}.offset" for name in PLANS},
        },
    ),
}
"""The families of rows that do not have the name of the kernel they are of."""


def family(row: dict[str, Any]) -> Family:
    """Where a row appears in kcfg; at the kernel of its family's name, if nothing else is said.

    Raises KeyError for a family of no kernel.
    """
    name = row["family"]
    if name in OTHERS:
        of = OTHERS[name]
        return of._replace(kernel=of.kernel.format(**row["inputs"]))
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


def files() -> list[Path]:
    """The files whose rows are of kernels, and not of a function alone."""
    found = sorted(DATA.glob("*@*.jsonl"))
    return [path for path in found if path.name.partition("@")[0] not in HELPERS]


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
    known = kernels.releases(family(row).kernel)
    found = (
        each
        for each in known  # the beginning of a version, or of a commit
        if re.search(rf"(?<![\d.]){re.escape(each)}(?!\d)|@{re.escape(each)}", named)
    )
    return next(found, named)


def shape(row: dict[str, Any]) -> dict[str, Any]:
    """A row's inputs under kcfg's names."""
    of, found = family(row), {}
    for name, value in of.asked(row["inputs"]).items():
        given = of.given.get(name, (name,))
        if given == (name,):
            found[name] = value
        elif given is not None:
            items = of.said[name][value] if isinstance(value, str) else value
            found |= zip(given, items, strict=True)
    return {**found, **of.extra}


def spec_text(row: dict[str, Any]) -> str:
    """A row's inputs as the spec somebody would write."""
    of, asked = family(row), shape(row)
    spec = {"kernel": of.kernel, "release": release(row), "shape": asked}
    cls = kernels.find(of.kernel, spec["release"]).of_call()
    call = {key: asked.pop(key) for key in (grammar(cls).call if cls else ()) if key in asked}
    arch = re.search(r"\bsm_\d+", row["inputs"].get("target", row["release"]))
    spec |= ({"call": call} if call else {}) | ({"target": arch[0]} if arch and of.bounds else {})
    return json.dumps(spec)


def differences(row: dict[str, Any]) -> Iterator[Difference]:
    """Every field of a row that kcfg gives otherwise, in value or in type."""
    if row["family"] in HELPERS:
        given = HELPERS[row["family"]](row["inputs"])
        for field, wanted in row["fields"].items():
            if given.get(field, MISSING) != wanted:
                yield Difference(field, wanted, given.get(field, MISSING), row["inputs"])
        return
    spec = next(iter(read(spec_text(row), "row")))
    if not isinstance(spec, Spec):
        yield Difference("(refused)", None, "; ".join(map(str, spec)), row["inputs"])
        return
    derived, of = _derived(spec, row["inputs"].get("sm_count")), family(row)
    values = {**derived.asked(), **derived.values()}
    for field, wanted in row["fields"].items():
        if wanted is None:
            wanted = of.absent.get(field)
        if field in of.bounds and not values["exact"]:
            least, most = (values.get(name, wanted) for name in of.bounds[field])
            if not least <= wanted <= most:
                yield Difference(field, wanted, (least, most), row["inputs"])
            continue
        key = of.prefix + field.replace("(page_size)", "").replace("()", "")
        called = of.called.get(field)
        if isinstance(called, str):
            got = named(derived, values, called)
            if wanted is None and not named(derived, values, f"{called.rpartition('.')[0]}.bytes"):
                got = None  # a region that is not there
        elif isinstance(called, Warps):
            got = warps(derived, called.roles) or warps(derived, called.otherwise)
        elif called is not None:
            got = [named(derived, values, each) for each in called if is_there(derived, each)]
        elif isinstance(wanted, dict):
            got = {name: offset(derived, values, name) for name in wanted}
        elif isinstance(wanted, list):
            got = [values.get(f"{key}[{place}]") for place in range(len(wanted))]
        else:
            got = named(derived, values, key)
        if field in of.counts and got == values[of.counts[field]] == 0:
            got = None
        if got != wanted or type(got) is not type(wanted):
            yield Difference(field, wanted, got, row["inputs"])


def _derived(spec: Spec, sm_count: int | None) -> Kernel:
    """What a spec derives, for as many SMs as a row says."""
    target = spec.target.replace(sm_count=sm_count) if sm_count else spec.target
    return spec.cls(target=target, **spec.shape)


def named(derived: Kernel, values: dict[str, Any], name: str) -> Any:
    """A value, an input or a place."""
    if name in values:
        return values[name]
    try:
        return derived.read(name)
    except KeyError:
        return MISSING


def offset(derived: Kernel, values: dict[str, Any], name: str) -> Any:
    """Where a member begins, as a place or as a value."""
    return values.get(f"off_{name}", named(derived, values, f"{name}.offset"))


def is_there(derived: Kernel, name: str) -> bool:
    """Whether a name is no range of tensor memory, or one of those that there are."""
    of, _, what = name.rpartition(".")
    tensor = derived.block.tensor
    return what != "column" or (tensor is not None and of in {x.name for x in tensor.regions})


def warps(derived: Kernel, roles: tuple[str, ...]) -> list[int]:
    """The warps of roles, in the order of these; none of a role that is not there."""
    shares = {each.name: range(each.first, each.last + 1) for each in derived.block.shares}
    return [warp for role in roles for warp in shares.get(role, ())]


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
        if not isinstance(first, dict) or first.get("family") not in (
            *OTHERS,
            *HELPERS,
            *kernels.names(),
        ):
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
