"""Six kernels, one of each kind that kcfg has a definition of, and what Triton makes of them.

``python tests/triton_kernels.py FILE...`` compiles the rows of packed golden files for their
targets, without a GPU, and prints those that differ. What a row's inputs mean is in the definitions
under ``core/kernels/triton_*``; results are stored by pointers with a mask where not by descriptor.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import compare
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile


@triton.jit
def _store(c, acc, m, n, M, N, stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows, columns = m + tl.arange(0, BLOCK_M), n + tl.arange(0, BLOCK_N)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    to = c + rows[:, None] * stride + columns[None, :]
    tl.store(to, acc.to(c.dtype.element_ty), mask=inside)


@triton.jit
def gemm_tma(
    a, b, c, M, N, K, stride,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    store_by_descriptor: tl.constexpr, device_descriptor: tl.constexpr,
    warp_specialize: tl.constexpr,
):  # fmt: skip
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    if device_descriptor:
        a = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
        b = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(0, K, BLOCK_K, warp_specialize=warp_specialize):
        acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
    if store_by_descriptor:
        if device_descriptor:
            c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
        c.store([m, n], acc.to(c.dtype))
    else:
        _store(c, acc, m, n, M, N, stride, BLOCK_M, BLOCK_N)


@triton.jit
def gemm_ptr(
    a, b, c, M, N, K, stride_a, stride_b, stride,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    masked: tl.constexpr, b_is_kn: tl.constexpr,
):  # fmt: skip
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    rows, columns = m + tl.arange(0, BLOCK_M), n + tl.arange(0, BLOCK_N)
    depths = tl.arange(0, BLOCK_K)
    of_a = a + rows[:, None] * stride_a + depths[None, :]
    if b_is_kn:
        of_b = b + depths[:, None] * stride_b + columns[None, :]
    else:
        of_b = b + columns[None, :] * stride_b + depths[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        if masked:
            x = tl.load(of_a, mask=depths[None, :] < K - k, other=0.0)
            y = tl.load(of_b, mask=depths[:, None] < K - k, other=0.0)
        else:
            x, y = tl.load(of_a), tl.load(of_b)
        acc = tl.dot(x, y, acc)
        of_a += BLOCK_K
        of_b += BLOCK_K * stride_b if b_is_kn else BLOCK_K
    _store(c, acc, m, n, M, N, stride, BLOCK_M, BLOCK_N)


@triton.jit
def gemm_persistent(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    epilogue_subtile: tl.constexpr, flatten: tl.constexpr, warp_specialize: tl.constexpr,
):  # fmt: skip
    down, across = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for tile in tl.range(
        tl.program_id(0), down * across, 148, flatten=flatten, warp_specialize=warp_specialize
    ):
        m, n = tile % down * BLOCK_M, tile // down * BLOCK_N
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
        if epilogue_subtile:
            halves = tl.permute(tl.reshape(acc, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1))
            left, right = tl.split(halves)
            c.store([m, n], left.to(c.dtype))
            c.store([m, n + BLOCK_N // 2], right.to(c.dtype))
        else:
            c.store([m, n], acc.to(c.dtype))


@triton.jit
def attention(
    q, k, v, o, N_CTX, scale,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, HEAD_DIM: tl.constexpr,
    causal: tl.constexpr, warp_specialize: tl.constexpr,
):  # fmt: skip
    m = tl.program_id(0) * BLOCK_M
    rows, keys = m + tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N)
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.full((BLOCK_M,), 1.0, tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD_DIM), tl.float32)
    queries = q.load([m, 0])
    end = tl.minimum(N_CTX, m + BLOCK_M) if causal else N_CTX
    for n in tl.range(0, end, BLOCK_N, warp_specialize=warp_specialize):
        scores = tl.dot(queries, k.load([n, 0]).T) * scale
        if causal:
            scores = tl.where(rows[:, None] >= (n + keys)[None, :], scores, -1.0e6)
        new = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new[:, None])
        alpha = tl.math.exp2(largest - new)
        total = total * alpha + tl.sum(weights, 1)
        acc = tl.dot(weights.to(v.dtype), v.load([n, 0]), acc * alpha[:, None])
        largest = new
    o.store([m, 0], (acc / total[:, None]).to(o.dtype))


@triton.jit
def _scales(packed, BLOCK: tl.constexpr, GROUPS: tl.constexpr):
    parts = packed.reshape(BLOCK // 128, GROUPS // 4, 32, 4, 4)
    return parts.trans(0, 3, 2, 1, 4).reshape(BLOCK, GROUPS)


@triton.jit
def scaled(
    a, of_a, b, of_b, c, M, N, K, stride,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, vector: tl.constexpr,
    a_format: tl.constexpr, b_format: tl.constexpr, warp_specialize: tl.constexpr,
):  # fmt: skip
    m, n = tl.program_id(0), tl.program_id(1)
    a_packs: tl.constexpr = 2 if a_format == "e2m1" else 1
    b_packs: tl.constexpr = 2 if b_format == "e2m1" else 1
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(0, K, BLOCK_K, warp_specialize=warp_specialize):
        x, y = a.load([m * BLOCK_M, k // a_packs]), b.load([n * BLOCK_N, k // b_packs])
        x_scale = of_a.load([0, m * (BLOCK_M // 128), k // vector // 4, 0, 0])
        y_scale = of_b.load([0, n * (BLOCK_N // 128), k // vector // 4, 0, 0])
        x_scale = _scales(x_scale, BLOCK_M, BLOCK_K // vector)
        y_scale = _scales(y_scale, BLOCK_N, BLOCK_K // vector)
        acc = tl.dot_scaled(x, x_scale, a_format, y.T, y_scale, b_format, acc)
    _store(c, acc, m * BLOCK_M, n * BLOCK_N, M, N, stride, BLOCK_M, BLOCK_N)


SHORT = {
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
}
FORMATS = {
    "mxfp8": ("e4m3", "e4m3"),
    "mxfp4": ("e2m1", "e2m1"),
    "nvfp4": ("e2m1", "e2m1"),
    "mixed": ("e4m3", "e2m1"),
}


def _descriptor(dtype: str, *block: int) -> str:
    return f"tensordesc<{dtype}[{','.join(map(str, block))}]>"


def _of_scaled(inputs: dict[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Types of the operands of a scaled product, and constants that a row does not name."""
    formats = FORMATS[inputs["format"]]
    vector, scale = (16, "fp8e4nv") if inputs["format"] == "nvfp4" else (32, "u8")
    types, depth = {}, inputs["BLOCK_K"]
    for name, rows, kind in zip(("a", "b"), ("BLOCK_M", "BLOCK_N"), formats, strict=True):
        wide, packs = ("u8", 2) if kind == "e2m1" else ("fp8e4nv", 1)
        types[name] = _descriptor(wide, inputs[rows], depth // packs)
        parts = (1, inputs[rows] // 128, depth // vector // 4, 2, 256)
        types[f"of_{name}"] = _descriptor(scale, *parts)
    return types, {"vector": vector, "a_format": formats[0], "b_format": formats[1]}


def _types(kind: str, inputs: dict[str, Any]) -> dict[str, str]:
    """Types of the tensors that a kernel of a kind takes."""
    rows, columns = inputs["BLOCK_M"], inputs["BLOCK_N"]
    of, out = SHORT[inputs["dtype"]], SHORT[inputs.get("out_dtype", inputs["dtype"])]
    if kind == "attention":
        depth = inputs["HEAD_DIM"]
        keys = dict.fromkeys("kv", _descriptor(of, columns, depth))
        return {**dict.fromkeys("qo", _descriptor(of, rows, depth)), **keys, "scale": "fp32"}
    if kind == "gemm_ptr" or inputs.get("device_descriptor"):
        return {"a": f"*{of}", "b": f"*{of}", "c": f"*{out}"}
    depth = inputs["BLOCK_K"]
    stored = columns // 2 if inputs.get("epilogue_subtile") else columns
    by_descriptor = inputs.get("store_by_descriptor", True)
    c = _descriptor(out, rows, stored) if by_descriptor else f"*{out}"
    return {"a": _descriptor(of, rows, depth), "b": _descriptor(of, columns, depth), "c": c}


def compiled(kind: str, inputs: dict[str, Any]) -> tuple[int, int, int]:
    """Bytes of shared memory, columns of tensor memory and warps of a kernel of a kind."""
    function = {"gemm_ws": gemm_tma}.get(kind) or globals()[kind]
    constants = dict(inputs, warp_specialize=inputs.get("warp_specialize", kind == "gemm_ws"))
    if kind == "scaled":
        types, further = _of_scaled(inputs)
        constants |= further
        types["c"] = "*fp32"
    else:
        types = _types(kind, inputs)
        constants["b_is_kn"] = inputs.get("b_layout") == "kn"
    names = function.arg_names
    for length in ("K", "N_CTX"):
        if not constants.get(length):
            constants.pop(length, None)
    constants = {name: constants[name] for name in names if name in constants}
    signature = {
        name: "constexpr" if name in constants else types.get(name, "i32") for name in names
    }
    aligned = {"N", "K", "N_CTX", "stride", "stride_a", "stride_b"}
    aligned = aligned if inputs.get("aligned", True) else set()
    attributes = {
        (place,): [["tt.divisibility", 16]]
        for place, (name, kind_of) in enumerate(signature.items())
        if kind_of[0] == "*" or (kind_of == "i32" and name in aligned)
    }
    source = ASTSource(function, signature, constants, attributes)
    arch = int(inputs.get("target", "sm_100").removeprefix("sm_"))
    options = {"num_warps": inputs["num_warps"], "num_stages": inputs["num_stages"]}
    made = compile(source, target=GPUTarget("cuda", arch, 32), options=options).metadata
    return made.shared, made.tmem_size or 0, made.num_warps


def main(files: list[str]) -> None:
    for file in files:
        for row in compare.rows(Path(file)):
            kind, said = row["family"].removeprefix("triton_"), tuple(row["fields"].values())
            found = compiled(kind, row["inputs"])
            if found != said:
                print(f"{row['inputs']}: {found}, and not {said}")


if __name__ == "__main__":
    main(sys.argv[1:])
