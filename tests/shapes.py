"""Shapes that tests derive: a few real ones of every kernel and release, and random ones.

Keys are those of a spec. A release that is missing here has shapes from its golden rows, and
one that has none of those either fails ``test_shapes`` of ``test_engine.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import compare
from hypothesis import strategies as st

from kcfg.core import kernels, targets
from kcfg.core.engine.quantity import Input
from kcfg.core.kernel import Kernel
from kcfg.core.kernels.deepgemm import config as deepgemm
from kcfg.core.kernels.matmul import tile as matmul_tile


class Shape(NamedTuple):
    """One shape of one release, and upstream's verdict on it (None where it has none)."""

    kernel: str
    release: str
    supported: bool | None
    inputs: dict[str, Any]

    @property
    def id(self) -> str:
        said = ", ".join(f"{key}={value}" for key, value in self.inputs.items())
        return f"{self.kernel}@{self.release}: {said}"


INDEXER = {
    "dtype": "float8_e4m3fn",
    "ks_dtype": "float32",
    "depth": 128,
    "BM_key": 128,
    "mma_n": 128,
    "num_heads": 32,
}
FA4_25 = {
    "num_q_heads": 32,
    "group": 4,
    "depth": 128,
    "dtype_size": 2,
    "swizzle_mode": "128B",
}
FA4_26 = {
    "qkv_dtype": "bfloat16",
    "num_q_heads": 32,
    "group": 4,
    "qk_depth": 128,
    "ov_depth": 128,
    "page_size": 128,
}
MLA = {
    "qkv_dtype": "bfloat16",
    "rope_gmem_dtype": "bfloat16",
    "rope_mma_dtype": "bfloat16",
    "num_q_heads": 128,
    "group": 1,
    "depth": 192,
    "page_size": 128,
}
DEPTH_512 = {
    "qkv_dtype": "bfloat16",
    "num_q_heads": 32,
    "group": 1,
    "qk_depth": 512,
    "ov_depth": 512,
    "swizzle_mode": "128B",
    "page_size": 0,
}
DECODE = {
    "num_q_heads": 128,
    "group": 128,
    "depth": 512,
    "q_depth": 576,
    "dtype_size": 2,
    "kv_type_size": 2,
    "swizzle_mode": "128B",
    "kv_mma_swizzle_mode": "128B",
    "page_size": 128,
    "decoding_warp_split_k": False,
    "split_page_size": 128,
    "scale_block_size": 0,
    "native_fp8": False,
    "per_token_scale_rope_aware": False,
    "decode_layout_g": False,
    "native_fp8_unified_gather": False,
    "bn_qk": 0,
    "bk_pv": 0,
    "input_q_depth": 0,
}
PROBLEM = {"ab_dtype": "bfloat16", "c_dtype": "bfloat16", "M": 4096, "N": 4096, "K": 4096}
MATMUL = {
    "ab_dtype": "bfloat16",
    "c_dtype": "bfloat16",
    "cta_group": 2,
    "mma_m": 256,
    "mma_n": 256,
    "mma_k": 16,
    "cluster_m": 2,
    "AB_swapped": False,
    "block_swizzle_size": 0,
    "k_group_size": 1,
    "prefetch_tiles_n": 0,
    "num_accum_pipeline_stages": 2,
    "num_clc_pipeline_stages": 2,
    "use_tma_epilogue_load": False,
}

SWIGLU = {key: value for key, value in MATMUL.items() if key in matmul_tile.TILE} | {
    "ab_dtype": "bfloat16",
    "c_dtype": "bfloat16",
}
SCALED = {"a_dtype": "uint8", "b_dtype": "uint8", "c_dtype": "bfloat16"}
NVFP4 = SCALED | {"sf_dtype": "float8_e4m3fn"}

# What is changed against the shapes above, and upstream's verdict on the outcome.
CHANGES: dict[tuple[str, tuple[str, ...]], tuple[dict[str, Any], list[tuple[Any, ...]]]] = {
    ("index_prefill", ("26.6", "26.7")): (
        INDEXER,
        [
            (True, {}),
            (True, {"mma_n": 96}),
            (False, {"mma_n": 256, "num_heads": 64}),
            (False, {"BM_key": 96, "mma_n": 232, "num_heads": 30}),
            (False, {"depth": 4096, "dtype": "float32"}),
            (False, {"mma_n": 1, "num_heads": 128}),
        ],
    ),
    ("fa4", ("25.6",)): (
        FA4_25,
        [
            (True, {}),
            (True, {"depth": 64, "dtype_size": 1}),
            (False, {"depth": 256}),
            (False, {"depth": 512}),
            (False, {"depth": 2048, "swizzle_mode": "NONE"}),
        ],
    ),
    ("fa4", ("25.7", "26.1")): (
        FA4_25 | {"page_size": 128},
        [
            (True, {}),
            (True, {"depth": 80, "page_size": 256}),
            (False, {"depth": 256, "page_size": 0}),
            (False, {"depth": 576}),
        ],
    ),
    ("fa4", ("26.5", "26.6", "26.7")): (
        FA4_26,
        [
            (True, {}),
            (True, {"qkv_dtype": "float8_e4m3fn", "page_size": 0}),
            (True, {"BM": 128, "splitk_partitions": 4, "single_o": True}),
            (True, {"qk_depth": 128, "pair_cta": True}),
            (False, {"qk_depth": 256, "ov_depth": 256}),
            (False, {"BM": 64, "rope_dtype": "bfloat16", "nope_depth": 64}),
            (False, {"qk_depth": 512, "ov_depth": 512, "page_size": 24}),
            (False, {"BM": 64, "qk_depth": 1, "ov_depth": 4096, "num_qk_stages": 7}),
        ],
    ),
    ("fa4", ("26.6", "26.7")): (
        FA4_26,
        [(True, {"BM": 32, "qk_depth": 256, "ov_depth": 256, "ws_shared_key": True})],
    ),
    ("mla_prefill", ("26.5", "26.6", "26.7")): (
        MLA,
        [
            (True, {}),
            (True, {"depth": 256, "v_depth": 256, "num_q": 1, "single_o": True, "bn_cap": 64}),
            (True, {"depth": 256, "v_depth": 256, "select": True}),
            (False, {"depth": 256, "v_depth": 256}),
            (False, {"depth": 576, "v_depth": 512, "qkv_dtype": "float32"}),
        ],
    ),
    ("mla_prefill", ("26.6", "26.7")): (
        MLA,
        [(True, {"qkv_dtype": "float8_e4m3fn", "scale_dtype": "float32", "num_mbars": 30})],
    ),
    ("mha_depth512", ("26.5", "26.6", "26.7")): (
        DEPTH_512,
        [
            (True, {}),
            (True, {"qk_depth": 256, "ov_depth": 256, "page_size": 128}),
            (False, {"qk_depth": 1024, "ov_depth": 1024}),
            (False, {"qk_depth": 64, "ov_depth": 4096, "qkv_dtype": "float32"}),
        ],
    ),
    ("mla_decode", ("26.6", "26.7")): (
        DECODE,
        [
            (True, {}),
            (True, {"kv_type_size": 1, "dtype_size": 1, "native_fp8": True}),
            (False, {"depth": 256}),
            (False, {"depth": 4096, "q_depth": 4160, "bn_qk": 128}),
        ],
    ),
    ("matmul", ("26.5", "26.6", "26.7")): (
        {},
        [
            (None, PROBLEM),
            (None, PROBLEM | {"M": 1, "c_dtype": "float32"}),
            (None, MATMUL),
            (None, MATMUL | {"mma_m": 128, "mma_n": 24, "AB_swapped": True, "cta_group": 1}),
            (None, MATMUL | {"extra_smem_per_stage": 300000, "k_group_size": 4}),
        ],
    ),
    ("swiglu_matmul", ("26.7",)): (
        {"use_bias": False, "register_swiglu": True},
        [
            (None, PROBLEM),
            (None, PROBLEM | {"M": 8, "use_bias": True, "register_swiglu": False}),
            (None, SWIGLU | {"register_swiglu": False}),
            (None, SWIGLU | {"register_swiglu": False, "use_bias": True, "AB_swapped": True}),
        ],
    ),
    ("block_scaled_matmul", ("26.7",)): (
        SCALED,
        [
            (None, NVFP4 | {"M": 4096, "N": 4096, "K": 4096}),
            (None, NVFP4 | {"M": 8, "N": 7168, "K": 2048, "sf_dtype": "float8_e8m0fnu"}),
            (None, NVFP4 | {"mma_m": 256, "mma_n": 128, "mma_k": 32, "scaling_kind": "mxf4nvf4"}),
            (
                None,
                {
                    "a_dtype": "float8_e4m3fn",
                    "sf_dtype": "float8_e8m0fnu",
                    "scaling_kind": "mxf8f6f4",
                    "cta_group": 1,
                    "cluster_m": 1,
                    "AB_swapped": True,
                    "is_gmm": True,
                    "gemm_kind": 2,
                    "mma_m": 128,
                    "mma_n": 64,
                    "mma_k": 32,
                },
            ),
        ],
    ),
    ("matmul", ("26.7",)): (
        PROBLEM | {"select": True},
        [
            (None, {"M": 256, "N": 16384, "K": 5376}),  # tuned
            (None, {"M": 300}),  # chosen for 320 rows
            (None, {"M": 31, "N": 3072}),  # no such kernel
            (None, {"M": 1, "has_epilogue_tensor": True, "epilogue_is_1d": True}),
        ],
    ),
}

LAYOUT = {"swap_ab": 0, "block_m": 128, "block_n": 128, "cluster_m": 2, "cluster_n": 1}
CHANGES |= {
    ("cutedsl_gemm", ("4.8",)): (
        {"ab": "f16", "c": "f16", "mma_m": 256, "mma_n": 128, "use_2cta": True, "cluster_m": 2},
        [
            (True, {}),
            (True, {"mma_n": 160, "c": "f32", "layout_c": "m"}),
            (True, {"use_2cta": False, "mma_m": 64, "use_tma_store": False}),
            (False, {"cluster_m": 1}),  # half a pair
        ],
    ),
    ("cutlass_gemm", ("4.7",)): (
        {"mma_tile_n": 256},
        [
            (True, {}),
            (True, {"cta_group": 2, "mma_tile_m": 256, "cluster_m": 2, "c": "bf16", "d": "bf16"}),
            (True, {"epilogue": "no_smem", "layout_cd": "m_major", "d": "f32"}),
            (True, {"kind": "nvf4", "a": "nv_e2m1", "b": "nv_e2m1", "mma_tile_k": 256}),
            (False, {"a": "tf32", "b": "tf32", "mma_tile_k": 256}),  # one stage
            (False, {"kind": "mxf4", "a": "mx_e2m1", "b": "mx_e4m3", "mma_tile_k": 256}),
        ],
    ),
    ("deepgemm", ("54e2261",)): (
        {"m": 4096, "n": 7168, "k": 2048, "select": True},
        [
            (True, {}),
            (True, {"a": "bf16", "b": "bf16", "m": 64}),
            (True, {"gemm_type": "m_grouped_masked", "num_groups": 32, "expected_m": 20}),
            (True, {"select": False, **LAYOUT}),
            (False, {"select": False, **LAYOUT, "block_m": 256, "swap_ab": 1}),
        ],
    ),
    ("flashmla_sparse_prefill_head128", ("9241ae3",)): (
        {},
        [(True, {"d_qk": 576}), (True, {"d_qk": 512}), (False, {"d_qk": 544})],
    ),
    ("fa4_cute_bwd", ("4.0.0b36",)): (
        {},
        [
            (True, {}),
            (True, {"use_2cta_instrs": True, "deterministic": True}),
            (True, {"head_dim": 192, "use_2cta_instrs": True, "causal": True}),
            (False, {"tile_n": 64}),
        ],
    ),
    ("fa4_cute", ("4.0.0b36",)): (
        {},
        [
            (True, {}),
            (True, {"causal": True, "use_clc": True}),
            (True, {"head_dim": 192, "num_heads": 128, "num_heads_kv": 128, "varlen_q": True}),
            (True, {"dtype": "float8_e4m3fn", "seqlen_q": 1, "page_size": 64}),
            (True, {"head_dim": 256, "head_dim_v": 256, "window_left": 1023}),
            (False, {"head_dim": 192, "head_dim_v": 192}),
            (False, {"head_dim": 88, "head_dim_v": 88, "page_size": 64}),
        ],
    ),
}
"""Kernels of other libraries."""

CHANGES |= {
    (name, ("3.9.0",)): (
        {"num_stages": 4, **more},
        [(True, {}), (False, {"num_stages": 8, "BLOCK_M": 256, "BLOCK_N": 256})],
    )
    for name, more in {
        "triton_attention": {"HEAD_DIM": 64},
        "triton_gemm_persistent": {"epilogue_subtile": True},
        "triton_gemm_ptr": {"b_layout": "nk"},
        "triton_gemm_tma": {"store_by_descriptor": True},
        "triton_gemm_ws": {"out_dtype": "float32"},
        "triton_scaled": {"format": "mxfp4", "BLOCK_K": 128},
    }.items()
}
"""Kernels that Triton compiles."""

RELEASES = [(kernel, release) for kernel in kernels.names() for release in kernels.releases(kernel)]
"""Every kernel and release there is."""

IN_PYTHON = [
    each for each in RELEASES if kernels.find(*each).__module__.startswith("kcfg.core.kernels.")
]
"""Those whose formulas are methods; others are definitions."""

OF_ROWS = 3
"""Shapes with either verdict that are taken from the rows of a release that is not above."""


def _chosen() -> Iterator[Shape]:
    for (kernel, releases), (base, cases) in CHANGES.items():
        for release in releases:
            for supported, changes in cases:
                yield Shape(kernel, release, supported, base | changes)


def _of_rows() -> Iterator[Shape]:
    """Shapes of releases that are not above: the first of their golden rows with either verdict."""
    chosen = {(kernel, release) for kernel, releases in CHANGES for release in releases}
    seen: Counter[tuple[str, str, bool | None]] = Counter()
    for path in compare.files():
        for row in compare.rows(path):
            family = compare.family(row)
            release = compare.release(row)
            supported = row["fields"].get("supported", row["fields"].get("supported()"))
            if (family.kernel, release) not in chosen:
                seen[family.kernel, release, supported] += 1
                if seen[family.kernel, release, supported] <= OF_ROWS:
                    yield Shape(family.kernel, release, supported, compare.shape(row))


SHAPES = [*_chosen(), *_of_rows()]


def derive(kernel: str, release: str, inputs: dict[str, Any]) -> Kernel:
    """A kernel from the keys of a spec."""
    cls = kernels.find(kernel, release)
    names = {member.key: name for name, member in cls.inputs.items()}
    return cls(target=targets.find(), **{names[key]: value for key, value in inputs.items()})


def sayable(kernel: str, release: str, inputs: dict[str, Any]) -> bool:
    """Whether a spec may say inputs, by key: of others nothing is to be derived."""
    cls = kernels.find(kernel, release)
    names = {member.key: name for name, member in cls.inputs.items()}
    defaults = {member.key: member.default for member in cls.inputs.values()}
    if cls.conflicts({**defaults, **inputs}, [k for k in inputs if inputs[k] != defaults[k]]):
        return False
    return not cls.faults(targets.find(), {names[key]: value for key, value in inputs.items()})


@cache
def random(kernel: str, release: str) -> st.SearchStrategy[dict[str, Any]]:
    """Inputs drawn from their declarations, most of them of the size real shapes have."""
    cls = kernels.find(kernel, release)
    if issubclass(cls, matmul_tile.Tile):
        return _given(cls) | _asked(cls)
    if issubclass(cls, deepgemm.Config):
        return _layout(cls) | _chosen_layout(cls)
    return st.fixed_dictionaries({each.key: _values(each) for each in cls.inputs.values()})


def _given(cls: type[matmul_tile.Tile]) -> st.SearchStrategy[dict[str, Any]]:
    """The configuration of a matmul by hand."""
    needed = (*cls.configuration, *_types(cls))
    given = {each.key: _values(each) for each in cls.inputs.values() if each.key in needed}
    return st.fixed_dictionaries({key: each.filter(_is_there) for key, each in given.items()})


def _asked(cls: type[matmul_tile.Tile]) -> st.SearchStrategy[dict[str, Any]]:
    """A problem of a matmul; operands of two types have none."""
    needed = (*PROBLEM, "select", *_types(cls))
    asked = {each.key: _values(each) for each in cls.inputs.values() if each.key in needed}
    one = {"b_dtype": "a_dtype"} if "b_dtype" in asked else {}
    return st.fixed_dictionaries(asked).map(
        lambda drawn: drawn | {second: drawn[first] for second, first in one.items()}
    )


def _problem(cls: type[deepgemm.Config]) -> dict[str, Any]:
    """What a DeepGEMM is asked with, however its layout is found."""
    drawn = {each.key: _values(each) for each in cls.inputs.values()}
    return {key: each for key, each in drawn.items() if key not in (*deepgemm.TILES, "select")}


def _layout(cls: type[deepgemm.Config]) -> st.SearchStrategy[dict[str, Any]]:
    """The layout of a DeepGEMM by hand."""
    tiles = {each.key: _values(each) for each in cls.inputs.values() if each.key in deepgemm.TILES}
    given = {key: each.filter(_is_there) for key, each in tiles.items()}
    return st.fixed_dictionaries(_problem(cls) | given)


def _chosen_layout(cls: type[deepgemm.Config]) -> st.SearchStrategy[dict[str, Any]]:
    """A problem for which there is a layout to choose."""
    asked = st.fixed_dictionaries(_problem(cls) | {"select": st.just(True)})
    return asked.filter(lambda inputs: not cls.faults(targets.find(), inputs))


def _types(cls: type[Kernel]) -> tuple[str, ...]:
    """The inputs a matmul needs whichever way it is asked for."""
    return tuple(cls.inputs[name].key for name in cls.needed)


def _is_there(value: Any) -> bool:
    return value is not None


def _values(member: Input) -> st.SearchStrategy[Any]:
    if member.kind is bool:
        return st.booleans()
    if member.kind is str:
        choices = st.sampled_from(member.choices)
        return st.none() | choices if member.default is None else choices
    near = [st.integers(member.least, min(member.most, 600))]
    typical = [size for size in (16, 32, 64, 96, 128, 192, 256, 512) if size <= member.most]
    if typical:
        near.append(st.sampled_from(typical))
    if isinstance(member.default, int):
        near.append(st.just(member.default))
    return st.one_of(*near, st.integers(member.least, member.most))


@cache
def extreme(kernel: str, release: str) -> st.SearchStrategy[dict[str, Any]]:
    """The same, with every number the least, the most, or half of that."""
    ends = {
        each.key: st.sampled_from((each.least, 1 + each.most // 2, each.most))
        for each in kernels.find(kernel, release).inputs.values()
        if each.kind is int and kernel != "matmul"
    }
    both = st.tuples(random(kernel, release), st.fixed_dictionaries(ends))
    return both.map(lambda drawn: drawn[0] | drawn[1])
