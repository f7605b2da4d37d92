"""One decoder layer of a model at a call, as the specs of its kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kcfg.core.figures import some
from kcfg.core.kernels.fa4.routing import Heads
from kcfg.core.models import Model
from kcfg.core.targets import DEFAULT, find

FORMATS = {
    "nvfp4": ("uint8", "float8_e4m3fn"),
    "mxfp4": ("uint8", "float8_e8m0fnu"),
    "mxfp8": ("float8_e4m3fn", "float8_e8m0fnu"),
}
"""Types of the operands and of the scales of weights that are scaled in blocks."""

PLAIN = {"bf16": "bfloat16", "fp8": "float8_e4m3fn"}
"""Types of weights, and of Q and the KV cache, that are not."""

WEIGHTS = (*PLAIN, *FORMATS)

LATENT, ROPE = 512, 64
"""Columns of the cache that MLA's kernels are built for."""
SPARSE_HEADS = 128
"""Heads that a pair of CTAs takes over picked keys."""
PICKED = "attention over picked keys"
PLAIN_FP8 = "assumed: Q and the cache in fp8 without scales of tokens or blocks"


class Serving(NamedTuple):
    """How a model is served: ``batch`` sequences of ``length`` tokens, prompt and answer.

    Prefill computes ``prompt`` new tokens of each, decode one. ``kv`` is the type of Q and the
    cache, ``weights`` that of the products' operands; ``devices`` share the layer.
    """

    batch: int
    length: int
    prompt: int
    kv: str = "bf16"
    weights: str = "bf16"
    devices: int = 1


class Part(NamedTuple):
    """One kernel of a layer: a spec, or why there is none; ``notes`` are to be said with it."""

    phase: str
    name: str
    spec: dict[str, Any] | None
    unknown: str = ""
    notes: tuple[str, ...] = ()


ABSORBED = ("kv_b",)
"""Products that decode does not have as such: they are absorbed into Q and the output."""
FUSED = {"q_a": "qkv_a_fused", "kv_a": "qkv_a_fused"}
"""Products that are computed as part of another where the model has that."""


def parts(model: Model, serving: Serving) -> Iterator[Part]:
    """Every kernel of a layer, prefill first; each in the order of its products."""
    for phase, new in (("prefill", serving.prompt), ("decode", 1)):
        before = [name for name in model.gemms if not _after_attention(name)]
        after = [name for name in model.gemms if _after_attention(name)]
        for name in before:
            yield from _product(model, serving, phase, name, new)
        yield from _attention(model, serving, phase, new)
        for name in after:
            yield from _product(model, serving, phase, name, new)


def _after_attention(name: str) -> bool:
    return name.endswith(("gate_up", "down", "up")) or name in ("o", "o_b")


def _spec(
    model: Model,
    phase: str,
    name: str,
    kernel: str,
    shape: dict[str, Any],
    call: dict[str, Any] | None = None,
) -> Part:
    spec = {"kernel": kernel, "name": f"{model.id} {phase} {name}", "shape": shape}
    return Part(phase, name, {**spec, "call": call} if call else spec)


# Products


def _product(model: Model, serving: Serving, phase: str, name: str, new: int) -> Iterator[Part]:
    if FUSED.get(name) in model.gemms:
        return
    sides = model.gemms[name].get(str(serving.devices))
    rows = serving.batch * new
    if sides is None:
        unknown = f"does not divide over {serving.devices} devices"
        yield Part(phase, name, None, unknown)
    elif phase == "decode" and name in ABSORBED:
        yield Part(phase, name, None, "absorbed into Q and the output: batched, and not known")
    elif name.startswith("expert_"):
        yield _experts(model, serving, phase, name, rows, sides)
    elif serving.weights in PLAIN:
        dtype = PLAIN[serving.weights]
        shape = {"ab_dtype": dtype, "c_dtype": "bfloat16"}
        part = _spec(model, phase, name, "matmul", {**shape, **_problem(rows, sides)})
        yield part._replace(notes=_layers(model, name))
    else:
        operand, scale = FORMATS[serving.weights]
        shape = {"a_dtype": operand, "b_dtype": operand, "c_dtype": "bfloat16", "sf_dtype": scale}
        part = _spec(model, phase, name, "block_scaled_matmul", {**shape, **_problem(rows, sides)})
        yield part._replace(notes=_layers(model, name))


def _layers(model: Model, name: str) -> tuple[str, ...]:
    """In which layers a product is, where others have experts in its place."""
    dense, every = model.facts.get("dense_layers"), model.facts["layers"]
    if not dense or name not in ("gate_up", "down"):
        return ()
    return (f"in {dense} of {every} layers; the others have experts in its place",)


def _problem(rows: int, sides: list[int]) -> dict[str, Any]:
    return {"M": rows, "N": sides[0], "K": sides[1]}


def _experts(
    model: Model, serving: Serving, phase: str, name: str, rows: int, sides: list[int]
) -> Part:
    """The products of the experts that tokens are routed to, as many as these may reach."""
    if serving.weights not in FORMATS:
        return Part(phase, name, None, f"grouped products of {serving.weights} are not known")
    experts, routed = model.facts["experts"], rows * model.facts["top_k"]
    active = min(experts, routed)
    shape = {"format": serving.weights, "N": sides[0], "K": sides[1], "num_experts": experts}
    call = {"estimated_total_m": routed, "num_active_experts": active}
    notes = []
    if rows > 1:
        notes.append(
            f"assumed: {active:,} active experts, as many as {some(routed, 'routed row')} can"
            " reach; routing decides how many there are"
        )
    if serving.weights == "mxfp8":
        notes.append("assumed: the format's own dispatch; the router launches other tiles")
    return _spec(model, phase, name, "grouped_matmul", shape, call)._replace(notes=tuple(notes))


# Attention


def _attention(model: Model, serving: Serving, phase: str, new: int) -> Iterator[Part]:
    heads = model.facts["attention_tp"].get(str(serving.devices))
    if not heads:
        yield Part(phase, "attention", None, f"does not divide over {serving.devices} devices")
    elif model.kind == "mqa-latent":
        yield Part(phase, "attention", None, "which kernel takes compressed keys is not known")
    elif model.kind == "mla":
        for part in _latent(model, serving, phase, heads["num_q_heads"]):
            told = (PLAIN_FP8,) if part.spec and serving.kv == "fp8" else ()
            yield part._replace(notes=told)
    else:
        yield from _grouped(model, serving, phase, new, heads)


def _grouped(
    model: Model, serving: Serving, phase: str, new: int, heads: dict[str, Any]
) -> Iterator[Part]:
    facts = model.facts
    for name, mask in _masks(facts):
        if isinstance(mask, str):
            yield Part(phase, name, None, mask)
            continue
        depth = facts["attention"]["qk_depth"]
        chosen = Heads(
            target=find(DEFAULT), depth=depth, group=heads["group"], max_prompt_len=new
        ).kernel
        shape = {
            "qkv_dtype": PLAIN[serving.kv],
            "num_q_heads": heads["num_q_heads"],
            "group": heads["group"],
            "qk_depth": depth,
            "ov_depth": facts["attention"]["ov_depth"],
            "page_size": facts["page_size"],
        }
        call = {
            "batch_size": serving.batch,
            "max_prompt_len": new,
            "max_cache_valid_length": serving.length,
        }
        if chosen == "fa4":
            sink = {"sink": True} if facts.get("sink") else {}
            yield _spec(model, phase, name, chosen, shape, {**call, **mask, **sink})
        else:
            yield _spec(model, phase, name, chosen, {**shape, "swizzle_mode": "128B"}, call)


def _masks(facts: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """The kinds of attention that the model's layers have: their names and masks.

    In place of a mask stands why none is known.
    """
    window, chunk = facts.get("window"), facts.get("attention_chunk")
    if window:
        yield f"attention, window {window}", {"mask": "sliding", "window": window}
    if chunk:
        yield f"attention, chunks of {chunk}", "what chunked masks launch is not known"
    if "indexer" in facts:
        yield PICKED, "which kernel takes keys that are picked block by block is not known"
    if not window or "window_pattern" in facts:
        yield "attention", {}


def _latent(model: Model, serving: Serving, phase: str, heads: int) -> Iterator[Part]:
    facts, dtype = model.facts, PLAIN[serving.kv]
    picks: dict[str, Any] | None = facts.get("indexer")
    absorbed, prefill = facts["attention_decode_absorbed"], facts["attention_prefill"]
    row, latent = absorbed["qk_depth"], absorbed["ov_depth"]
    if picks:
        unknown = "decode's indexer is none of kcfg's kernels"
        if phase == "prefill":
            unknown = "how many query tokens a tile has is not known"
        yield Part(phase, "indexer", None, unknown)
    name = PICKED if picks else "attention"
    if latent != LATENT or row not in (LATENT, LATENT + ROPE):
        unknown = (
            f"MLA is built for {LATENT} latent columns and {ROPE} or no rope columns; this cache"
            f" has {latent} and {row - latent}"
        )
        yield Part(phase, name, None, unknown)
    elif phase == "decode":
        yield _latent_decode(model, serving, name, heads, row)
    elif picks is None and row == latent:
        yield Part(phase, name, None, f"MLA prefill is built for {ROPE} rope columns")
    elif picks is None:
        shape = {
            "qkv_dtype": dtype,
            "rope_gmem_dtype": "bfloat16",
            "rope_mma_dtype": "bfloat16",
            "num_q_heads": heads,
            "group": 1,
            "depth": prefill["qk_depth"],
            "v_depth": prefill["ov_depth"],
            "page_size": facts["page_size"],
        }
        call = {"batch_size": serving.batch, "max_prompt_len": serving.prompt}
        yield _spec(model, phase, name, "mla_prefill", shape, call)
    elif heads != SPARSE_HEADS:
        unknown = (
            f"a pair of CTAs takes {SPARSE_HEADS} heads, and how many keys a CTA takes at a time"
            f" for {heads} is not known"
        )
        yield Part(phase, name, None, unknown)
    else:
        shape = {
            "qkv_dtype": dtype,
            "num_q_heads": heads,
            "num_kv_heads": 1,
            "qk_depth": row,
            "v_depth": latent,
            "indices_stride": picks["topk"],
            "group": heads,
        }
        yield _spec(model, phase, name, "mla_sparse", shape)


def _latent_decode(model: Model, serving: Serving, name: str, heads: int, row: int) -> Part:
    fp8 = serving.kv == "fp8"
    picks: dict[str, Any] | None = model.facts.get("indexer")
    shape = {
        "num_q_heads": heads,
        "group": heads,
        "depth": LATENT,
        "q_depth": LATENT + ROPE,
        "input_q_depth": row,
        "dtype_size": 2,
        "kv_type_size": 1 if fp8 else 2,
        "swizzle_mode": "64B" if fp8 else "128B",
        "kv_mma_swizzle_mode": "64B" if fp8 else "128B",
        "page_size": model.facts["page_size"],
        "native_fp8": fp8,
        "native_fp8_unified_gather": fp8 and picks is not None,
        "per_token_scale_rope_aware": False,
        **dict.fromkeys(("scale_block_size", "bn_qk", "bk_pv"), 0),
    }
    call = {"batch_size": serving.batch, "max_cache_valid_length": serving.length - 1}
    if picks:
        call["effective_max_cache_len"] = picks["topk"]
    return _spec(model, "decode", name, "mla_decode", shape, call)
