"""Triton: what its compiler allocates, by the shipped definitions, and its autotuner's callback."""

from __future__ import annotations

import enum
import importlib
import pickle
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import compare
import numpy as np
import pytest
import test_readme

import kcfg
from kcfg.core import targets
from kcfg.core.hardware.target import Target

FILES = sorted(compare.DATA.glob("triton_*@3.9.0.jsonl"))


class Config:
    """What a callback sees of a ``triton.Config``."""

    def __init__(self, kwargs: dict[str, Any], **fields: Any) -> None:
        self.kwargs = kwargs
        self.num_stages, self.num_warps = fields.pop("num_stages", 3), fields.pop("num_warps", 4)
        self.num_ctas, self.maxnreg = fields.pop("num_ctas", 1), None
        self.ir_override = fields.pop("ir_override", None)


class Tensor(NamedTuple):
    dtype: str


class Descriptor(NamedTuple):
    base: Tensor


TILES = [
    Config({"BLOCK_M": 128, "BLOCK_N": columns, "BLOCK_K": 64, "GROUP_M": 8}, num_stages=stages)
    for columns in (64, 128, 256)
    for stages in (2, 4, 6, 8)
]
ARGUMENTS = {"a": Descriptor(Tensor("torch.float16")), "c": Tensor("torch.float32"), "M": 512}
LAUNCH = {"K": 4096, "grid": (4,), "warmup": False}
NAMES = {"dtype": "a", "out_dtype": "c"}
TMA: dict[str, Any] = {"names": NAMES, "store_by_descriptor": False}


def tiles(config: Config) -> tuple[int, int]:
    return config.kwargs["BLOCK_N"], config.num_stages


# The rows


def compiled_rows() -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """The compiled configurations of each kernel and target."""
    for path in FILES:
        found: dict[str, list[dict[str, Any]]] = {}
        for row in compare.rows(path):
            found.setdefault(row["inputs"].get("target", "sm_100"), []).append(row)
        for target, rows in found.items():
            yield rows[0]["family"], target, rows


def is_over(row: dict[str, Any], target: Target) -> bool:
    needed, columns = row["fields"]["shared"], row["fields"]["tmem_size"]
    return bool(needed > target.smem_optin_per_block or columns > target.tmem_columns)


def test_no_configuration_that_fits_is_dropped() -> None:
    count, over, dropped = 0, 0, 0
    for kernel, target, rows in compiled_rows():
        kept = set(kcfg.prune(kernel, map(compare.shape, rows), "3.9.0", target).kept)
        for place, row in enumerate(rows):
            large = is_over(row, targets.find(target))
            assert large or place in kept, row
            count, over, dropped = count + 1, over + large, dropped + (place not in kept)
    said = (
        f"Of the {count:,} compiled configurations in kcfg's tests, for sm_100, sm_90 and sm_120, "
        f"they drop {dropped} of the {over} that are over a limit, and none that fits"
    )
    assert said in " ".join(test_readme.README.split())


@pytest.mark.parametrize("depth", [1, 2, 64])
def test_an_estimate_lies_within_the_bounds(depth: int) -> None:
    """Also where a result is staged through more than the ring, and copies are of 128 bytes."""
    given = {"BLOCK_K": depth, "BLOCK_M": 64, "dtype": "fp8", "out_dtype": "f32"}
    for stages, columns in ((1, 64), (3, 128), (40, 256), (100, 64)):
        found = kcfg.derive(
            *("triton_gemm_ws", "3.9.0"),
            **{**given, "BLOCK_N": columns, "num_stages": stages, "store_by_descriptor": True},
        )
        assert found["shared_at_least"] <= found["shared"] <= found["shared_at_most"]
        ring = stages * sum(side * depth for side in (64, columns) if side * depth >= 128)
        assert found["shared_at_least"] == max(ring, 4 * 64 * columns)


# The callback


def test_it_keeps_what_fits_and_changes_nothing() -> None:
    given = list(TILES)
    prune = kcfg.early_config_prune("triton_gemm_tma", **TMA)
    left = prune(given, ARGUMENTS, **LAUNCH)
    assert given == TILES and left is not given and 0 < len(left) < len(given)
    for each in TILES:
        inputs = {**each.kwargs, "dtype": "fp16", "num_stages": each.num_stages}
        del inputs["GROUP_M"]
        fits = kcfg.derive("triton_gemm_tma", **inputs)["shared_at_least"] <= 232448
        assert (each in left) is fits
    again = pickle.loads(pickle.dumps(prune))
    assert again(given, ARGUMENTS, **LAUNCH) == left
    bytes_ = {**ARGUMENTS, "a": Tensor("fp8e4nv")}  # by Triton's own name
    assert len(prune(given, bytes_, **LAUNCH)) > len(left)


class Size(enum.IntEnum):
    LARGE = 128


@pytest.mark.parametrize("size", [np.int64(128), np.array(128), Size.LARGE], ids=repr)
def test_numbers_of_any_kind_are_the_numbers_they_are(size: Any) -> None:
    prune = kcfg.early_config_prune("triton_gemm_tma", **{**TMA, "store_by_descriptor": np.False_})
    sizes = {"BLOCK_M": size, "BLOCK_N": np.int32(256), "BLOCK_K": 64}
    given = [Config(sizes, num_stages=np.int64(stages)) for stages in (2, 4, 6, 8)]
    assert prune(given, ARGUMENTS, **{**LAUNCH, "K": np.int64(4096)}) == given[:2]
    assert prune(given, ARGUMENTS, K=1 << 30) == given[:2]
    with pytest.raises(kcfg.Error, match=r"BLOCK_M: expected an integer .* not `128\.0`"):
        prune([Config({**sizes, "BLOCK_M": 128.0})], ARGUMENTS, **LAUNCH)


def test_it_keeps_what_no_bound_is_known_of() -> None:
    large = {"BLOCK_M": 256, "BLOCK_N": 256, "BLOCK_K": 128}
    kept = [
        Config(large, num_stages=8, num_ctas=2),
        Config(large, num_stages=8, ir_override="mine.ttgir"),
        Config({**large, "BLOCK_N": 16, "BLOCK_K": 16}),
    ]
    prune = kcfg.early_config_prune("triton_gemm_tma", **TMA)
    assert prune([*kept, Config(large, num_stages=8)], ARGUMENTS, **LAUNCH) == kept
    one_turn = {**LAUNCH, "K": 64}
    assert prune([Config({**large, "BLOCK_K": 64}, num_stages=8)], ARGUMENTS, **one_turn)
    assert prune([], ARGUMENTS, **LAUNCH) == []


def test_where_nothing_is_left_it_says_why() -> None:
    given = [
        Config({"BLOCK_M": 256, "BLOCK_N": 256, "BLOCK_K": 128}, num_stages=stages)
        for stages in (5, 3, 4)
    ]
    with pytest.raises(kcfg.Error) as caught:
        kcfg.early_config_prune("triton_gemm_tma", **TMA)(given, ARGUMENTS, **LAUNCH)
    said = str(caught.value)
    assert "none of the 3 configurations can run" in said and "num_stages=3" in said
    assert "shared_at_least is 393,216" in said and "160,768 too much" in said


GEMM = {"kernel": "triton_gemm_tma"}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"kernel": "triton_gemm"}, "unknown kernel 'triton_gemm'; did you mean 'triton_gemm_"),
    ({"kernel": "triton_gemm_tma", "dtyp": "fp16"}, "did you mean `dtype`?"),
    ({"kernel": "triton_gemm_tma", "names": {"a": "b"}}, "has no input `a`"),
    ({"kernel": "triton_gemm_ws", "target": "h100"}, "needs tcgen05"),
    ({"kernel": "triton_gemm_ws", "target": "h1"}, "unknown target"),
    ({"kernel": "triton_gemm_ws", "release": "2.0"}, "known: 3.9.0"),
    ({"kernel": "matmul"}, "no verdict of its own"),
    ({"kernel": "nowhere.yaml"}, "no such file"),
    ({**GEMM, "num_stages": "3"}, "num_stages: expected an integer"),
    ({**GEMM, "BLOCK_M": -1}, "BLOCK_M: must be at least 1, not -1"),
    ({**GEMM, "dtype": "int8"}, "not `int8`"),
    ({**GEMM, "dtype": Tensor("torch.int8")}, "not `int8`"),
    ({**GEMM, "dtype": 5}, "not `5`"),
    ({**GEMM, "store_by_descriptor": 7}, "expected true or false"),
    ({**GEMM, "names": {"dtype": 7}}, "the name of the argument that is dtype, not `7`"),
    ({**GEMM, "names": {"dtype": "a"}, "dtype": "fp16"}, "leave one out"),
]


@pytest.mark.parametrize(("call", "message"), WRONG, ids=lambda part: str(part)[:40])
def test_wrong_calls_say_what_would_be_right(call: dict[str, Any], message: str) -> None:
    with pytest.raises(kcfg.Error, match=message.replace("(", r"\(")):
        kcfg.early_config_prune(**call)


def test_what_an_input_is_must_be_known() -> None:
    lacking = kcfg.early_config_prune("triton_gemm_tma", names={"dtype": "a"})
    with pytest.raises(kcfg.Error, match="`out_dtype`, `store_by_descriptor` are neither in"):
        lacking(TILES, ARGUMENTS, **LAUNCH)
    named = kcfg.early_config_prune("triton_gemm_tma", names={"dtype": "q"})
    with pytest.raises(kcfg.Error, match="`q`, which names says is dtype, is neither"):
        named(TILES, ARGUMENTS, **LAUNCH)
    with pytest.raises(kcfg.Error, match="not `int8`"):
        prune = kcfg.early_config_prune("triton_gemm_tma", **{**TMA, "names": {"out_dtype": "c"}})
        prune(TILES, ARGUMENTS, dtype=Tensor("torch.int8"), **LAUNCH)


class Here(NamedTuple):
    backend: str
    arch: int


def stand_in(version: str, here: Here | None) -> Any:
    """A module like Triton, on a device or on none."""

    class Active:
        @staticmethod
        def get_current_target() -> Here:
            if here is None:
                raise RuntimeError("0 active drivers")
            return here

    made: Any = type(sys)("triton")
    made.__version__ = version
    made.runtime = type("runtime", (), {"driver": type("driver", (), {"active": Active})})
    return made


@pytest.mark.parametrize(
    ("version", "here", "said", "pruned"),
    [
        ("3.9.0", None, "", True),
        ("3.9.0+git1a2b", Here("cuda", 100), "", True),
        ("3.8.0", None, "those of Triton 3.9.0, and this is 3.8.0", True),
        ("3.9.0", Here("cuda", 90), r"asked about b200 \(10.0\), and this device is 9.0", False),
        ("3.9.0", Here("hip", 942), "this device is hip", False),
    ],
)
def test_it_warns_where_the_bounds_are_of_another(
    version: str, here: Here | None, said: str, pruned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "triton", stand_in(version, here))
    prune = kcfg.early_config_prune("triton_gemm_tma", **TMA)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        left = [prune(TILES, ARGUMENTS, **LAUNCH) for _ in range(2)]
    assert (len(left[0]) < len(TILES)) is pruned and left[0] == left[1]
    assert len(told) == bool(said)  # once
    if said:
        with pytest.warns(UserWarning, match=said):
            kcfg.early_config_prune("triton_gemm_tma", **TMA)(TILES, ARGUMENTS, **LAUNCH)


# Triton itself

VERSION = "3.9.0"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Triton of the release that the bounds are of, with a cache of its own."""
    triton = pytest.importorskip("triton", reason="triton is not installed")
    if triton.__version__ != VERSION:
        pytest.skip(f"the bounds are those of triton {VERSION}, not {triton.__version__}")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield triton


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_rows_are_what_the_compiler_says(path: Path, installed: Any) -> None:
    """The last row of each kind that fits, which is one where a bound was once wrong."""
    kernels = importlib.import_module("triton_kernels")
    fitting = (row for row in compare.rows(path) if not is_over(row, targets.find("sm_100")))
    *_, row = fitting
    found = kernels.compiled(row["family"].removeprefix("triton_"), row["inputs"])
    assert found == tuple(row["fields"].values()), row


@pytest.fixture(scope="module")
def tuned(installed: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The autotuned kernel that the README shows."""
    desk = tmp_path_factory.mktemp("triton")
    for command, output in test_readme.sessions():
        if command.startswith("cat gate_up."):
            (desk / command.removeprefix("cat ")).write_text(output, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(desk)
        patched.syspath_prepend(str(desk))
        yield importlib.import_module("gate_up").gate_up


def compiled(tuned: Any, config: Any, dtype: str) -> tuple[int, int]:
    """Shared memory and columns of the README's kernel, as Triton compiles it for sm_100."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, compile

    rows, columns, depth = (config.kwargs[f"BLOCK_{name}"] for name in "MNK")
    short = {"float16": "fp16", "float8_e4m3fn": "fp8e4nv"}[dtype]
    signature = {
        "x": f"tensordesc<{short}[{rows},{depth}]>",
        **dict.fromkeys(("gate", "up"), f"tensordesc<{short}[{columns},{depth}]>"),
        "out": f"tensordesc<fp16[{rows},{columns}]>",
        **dict.fromkeys("MNK", "i32"),
        **dict.fromkeys(config.kwargs, "constexpr"),
    }
    source = ASTSource(tuned.fn, signature, dict(config.kwargs))
    options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
    made = compile(source, target=GPUTarget("cuda", 100, 32), options=options).metadata
    return made.shared, made.tmem_size


def test_the_autotuner_asks_it(tuned: Any) -> None:
    """Without a GPU the launch fails, but only after the callback was asked."""
    asked, prune = [], tuned.early_config_prune

    def asking(*arguments: Any, **kwargs: Any) -> Any:
        asked.append(prune(*arguments, **kwargs))
        return asked[-1]

    before, x = list(tuned.configs), Descriptor(Tensor("torch.float16"))
    tuned.early_config_prune = asking
    try:
        with pytest.raises(Exception, match="driver"):
            tuned[(4,)](x, x, x, x, 512, 512, K=512)
    finally:
        tuned.early_config_prune = prune
    assert tuned.configs == before and 0 < len(asked[0]) < len(before)
    assert all(any(each is config for config in before) for each in asked[0])


@pytest.mark.parametrize(
    ("columns", "depth", "stages", "dtype"),
    [(128, 64, 4, "float16"), (128, 64, 5, "float16")],
)
def test_the_compiler_is_the_judge(
    tuned: Any, columns: int, depth: int, stages: int, dtype: str
) -> None:
    import triton

    kwargs = {"BLOCK_M": 128, "BLOCK_N": columns, "BLOCK_K": depth}
    config = triton.Config(kwargs, num_stages=stages, num_warps=8)
    shared, tensor_memory = compiled(tuned, config, dtype)
    small = triton.Config({"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 32}, num_stages=2)
    x = Descriptor(Tensor(dtype))
    left = tuned.early_config_prune([config, small], {"x": x})
    assert (config in left) is (shared <= 232448 and tensor_memory <= 512), (shared, tensor_memory)
