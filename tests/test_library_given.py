"""What the library is given that it cannot take, and what it takes as what it stands for."""

from __future__ import annotations

import copy
import enum
import pickle
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shapes import FA4_26

import kcfg

FA4: dict[str, Any] = {**FA4_26, "qkv_dtype": "bf16"}
GEMM = kcfg.load(Path(__file__).parent / "definitions" / "ws_gemm.kcfg.yaml")


class Tile(enum.Enum):
    LARGE = 128


class Width(enum.IntEnum):
    LARGE = 128


class Word(enum.StrEnum):
    BF16 = "bf16"


class Index:
    def __index__(self) -> int:
        return 128


class Mute:
    """What cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    __str__ = __repr__


def once() -> Iterator[int]:
    yield 1


def pruned(*arguments: Any, **inputs: Any) -> list[Any]:
    return list(kcfg.prune(*arguments, **inputs))


ODD = [
    *(True, 1.5, float("inf"), 10**5000, -1, "", "-", "x\0\ud800y", "a" * 9999, b"\xff"),
    *([], {}, [[1]], {1: 2}, range(0), once(), Mute(), int, Tile.LARGE, Fraction(4)),
    *(Path("/none"), np.float32(2), np.array(128), np.array([[1, 2]]), np.array([None])),
]
CONFIG, SWEPT = kcfg.derive(GEMM), kcfg.sweep(GEMM)
TRITON: dict[str, Any] = {"HEAD_DIM": 64, "N_CTX": 1024, "dtype": "fp16"}
CALLS: dict[str, Callable[[Any], Any]] = {
    "derive, kernel": kcfg.derive,
    "derive, release": lambda odd: kcfg.derive("fa4", odd, **FA4),
    "derive, version": lambda odd: kcfg.derive(GEMM, odd),
    "derive, target": lambda odd: kcfg.derive("fa4", None, odd, **FA4),
    "derive, number": lambda odd: kcfg.derive("fa4", **{**FA4, "qk_depth": odd}),
    "derive, type": lambda odd: kcfg.derive("fa4", **{**FA4, "qkv_dtype": odd}),
    "derive, truth": lambda odd: kcfg.derive("fa4", **FA4, pair_cta=odd),
    "derive, call": lambda odd: kcfg.derive("fa4", **FA4, call=odd),
    "derive, launch": lambda odd: kcfg.derive("launch", threads=128, registers=odd),
    "read": kcfg.read,
    "load": kcfg.load,
    "kernel": kcfg.kernel,
    "kernel, release": lambda odd: kcfg.kernel("fa4", odd),
    "explain": CONFIG.explain,
    "a name": CONFIG.__getitem__,
    "a column": SWEPT.__getitem__,
    "diff": lambda odd: kcfg.diff(odd, odd),
    "sweep, kernel": kcfg.sweep,
    "sweep, release": lambda odd: kcfg.sweep("fa4", odd, **FA4),
    "sweep, number": lambda odd: kcfg.sweep("fa4", **{**FA4, "qk_depth": odd}),
    "sweep, columns": lambda odd: kcfg.sweep(GEMM, columns=odd),
    "sweep, column": lambda odd: kcfg.sweep(GEMM, columns=[odd]),
    "sweep, where": lambda odd: kcfg.sweep(GEMM, where=odd),
    "sweep, zip": lambda odd: kcfg.sweep(GEMM, BN=[64, 128], zip=odd),
    "sweep, zipped": lambda odd: kcfg.sweep(GEMM, BN=[64, 128], zip=[odd]),
    "prune, kernel": lambda odd: pruned(odd, [{"BN": 64}]),
    "prune, target": lambda odd: pruned(GEMM, [{"BN": 64}], None, odd),
    "prune, candidates": lambda odd: pruned(GEMM, odd),
    "prune, candidate": lambda odd: pruned(GEMM, [{"BN": 64}, odd]),
    "prune, value": lambda odd: pruned(GEMM, [{"BN": odd}]),
    "prune, values": lambda odd: pruned(GEMM, [*[{"BN": 64}] * 70, {"BN": odd}]),
    "prune, fixed": lambda odd: pruned(GEMM, [], BN=odd),
    "tune, kernel": kcfg.early_config_prune,
    "tune, release": lambda odd: kcfg.early_config_prune("triton_attention", odd),
    "tune, target": lambda odd: kcfg.early_config_prune("triton_attention", None, odd),
    "tune, names": lambda odd: kcfg.early_config_prune("triton_attention", names=odd),
    "tune, name": lambda odd: kcfg.early_config_prune("triton_attention", names={"dtype": odd}),
    "tune, number": lambda odd: kcfg.early_config_prune("triton_attention", num_stages=odd),
    "tune, configs": lambda odd: kcfg.early_config_prune("triton_attention", **TRITON)(odd, {}),
    "tune, launch": lambda odd: kcfg.early_config_prune("triton_attention", **TRITON)([], odd),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", CALLS)
def test_whatever_is_given_is_taken_or_refused_in_words(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    refused = 0
    for odd in ODD:
        try:
            CALLS[name](odd)
        except kcfg.Error as wrong:
            refused += 1
            said = str(wrong)
            assert 0 < len(said) < 3000 and " at 0x" not in said
            assert all(line.isprintable() for line in said.splitlines())
            assert str(copy.copy(wrong)) == str(pickle.loads(pickle.dumps(wrong))) == said
    assert refused > len(ODD) / 2
    assert capfd.readouterr() == ("", "")


SAME: list[tuple[Any, Any]] = [
    *((128, one) for one in (np.int64(128), np.uint8(128), np.array(128), Tile.LARGE)),
    *((128, one) for one in (Width.LARGE, Index())),
]


@pytest.mark.parametrize(("plain", "given"), SAME, ids=lambda one: type(one).__name__)
def test_what_stands_for_a_number_is_that_number(plain: int, given: Any) -> None:
    assert kcfg.derive(GEMM, BN=given) == kcfg.derive(GEMM, BN=plain)
    assert kcfg.sweep(GEMM, BN=[64, given])["BN"].tolist() == [64, plain]
    for count in (2, 70):
        candidates = [{"BN": given, "BK": 256}, {"BN": given}] * count
        assert kcfg.prune(GEMM, candidates).kept == tuple(range(1, 2 * count, 2))
        assert pruned(GEMM, candidates)[0]["BN"] is given
    truth = {**FA4, "pair_cta": np.bool_(True), "qkv_dtype": Word.BF16}
    assert kcfg.derive("fa4", **truth) == kcfg.derive("fa4", **FA4, pair_cta=True)


def test_a_place_has_the_name_that_reports_show() -> None:
    config = kcfg.derive(GEMM)
    report = config.report()
    for region in report["smem"]["regions"]:
        if not region["padding"]:
            assert config[f"{region['name']}.offset"] == region["offset"]
            assert config[f"{region['name']}.bytes"] == region["bytes"]
    for one in report["tmem"]["regions"]:
        assert config[f"{one['name']}.column"] == one["column"]
    assert config["BN"] == 256 and config["smem.free"] == report["smem"]["free"]
    config["smem"]["regions"].clear()
    assert config["smem"] == report["smem"] and "smem" not in config
    assert config.get("nothing", 7) == 7
    said = {
        "c": "of c there are c.bytes, c.end, c.offset",
        "acc0.bytes": "of acc0 there are acc0.column, acc0.columns",
        "c.ofset": "did you mean 'c.offset'?",
        "stags": "did you mean 'stages'?",
        "load": "config.report() all there is",
    }
    for name, hint in said.items():
        for asked in (config.__getitem__, config.explain):
            with pytest.raises(kcfg.Error) as caught:
                asked(name)
            assert hint in str(caught.value) and isinstance(caught.value, KeyError)
    with pytest.raises(kcfg.Error, match="there are BN, stages"):
        kcfg.sweep(GEMM, BN=[64, 128], columns=["BN", "stages"])["stage"]


def test_what_cannot_be_given_is_said_at_its_input() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    for odd, said in ((float("nan"), "not `nan`"), (cycle, "not a list"), (once(), "a generator")):
        for call in (kcfg.derive, kcfg.sweep):
            with pytest.raises(kcfg.Error) as caught:
                call(GEMM, BN=64, BK=odd)
            assert caught.value.problems[0].path == "shape.BK" and said in str(caught.value)


def test_a_text_of_one_line_is_yaml_too() -> None:
    for text in ("kernel: triton_attention", "{kernel: triton_attention, shape: {num_stages: 2}}"):
        assert kcfg.read(text)[0].kernel == "triton_attention"
    with pytest.raises(kcfg.Error, match="<text>:1:9: kernel: unknown kernel"):
        kcfg.read("kernel: lunch")
    launch = kcfg.derive("launch", threads=128, registers={"warpgroups": [128]})
    with pytest.raises(kcfg.Error, match=r"it has no formula: config\['registers'\] is all"):
        launch.explain("registers")


def test_a_sweep_that_keeps_too_much_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    from kcfg import grids

    monkeypatch.setattr(grids, "MOST", 10)
    kept = {"columns": ["BN", "BK"], "where": "BN < 9"}
    assert len(kcfg.sweep(GEMM, BN=range(1, 6), **kept)["BN"]) == 5
    for where in (None, "BN < 9"):
        with pytest.raises(kcfg.Error, match="of 2 columns are more than 10 numbers"):
            kcfg.sweep(GEMM, BN=range(1, 7), **{**kept, "where": where})


EMPTY: list[tuple[dict[str, Any], str]] = [
    ({"columns": []}, "columns: an empty list"),
    ({"columns": ()}, "columns: an empty list"),
    ({"where": ""}, "where: an empty condition"),
    ({"where": " \n"}, "where: an empty condition"),
    ({"zip": [[]]}, "zip: an empty list"),
    ({"BN": []}, "an empty list"),
    ({"BN": np.array([], int)}, "an empty list"),
    ({"BN": range(0)}, "an empty list"),
    ({"BN": range(10**9, 0, -1)}, "must be at most"),
    ({"release": ""}, "release"),
    ({"target": ""}, "target"),
]


@pytest.mark.parametrize(("call", "message"), EMPTY, ids=lambda part: str(part)[:30])
def test_what_is_empty_is_no_silent_nonsense(call: dict[str, Any], message: str) -> None:
    with pytest.raises(kcfg.Error) as caught:
        kcfg.sweep(**{"kernel": GEMM, "BK": [64, 128], **call})
    assert message in str(caught.value)


TABLE = """\
defines: table
target: h100
needs: wgmma
inputs: {a: 1, b: 1}
values:
  sms: target.sm_count
  v: {by: [a, b], cases: {[1, 1]: 5, [2, 2]: 6, [1, 2]: 7}}
supported: {enough: v > 5}
"""


def test_inputs_that_do_not_go_together_are_never_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "table.kcfg.yaml"
    path.write_text(TABLE)
    good, bad = [{"a": 1, "b": 1}, {"a": 2, "b": 2}], {"a": 2, "b": 1}
    for count in (1, 50):
        assert kcfg.prune(path, good * count).kept == tuple(range(1, 2 * count, 2))
        with pytest.raises(kcfg.Error, match="no case for a 2 and b 1"):
            kcfg.prune(path, [*good * count, bad])
    swept = kcfg.sweep(path, a=[1, 2], b=[1, 2])
    assert (swept.points, swept.faulty, swept["v"].tolist()) == (4, 1, [5, 7, 6])
    layout = {"block_m": 128, "block_n": 64, "cluster_m": 1, "cluster_n": 1, "swap_ab": 0}
    gemm = {"m": 512, "n": 512, "k": 512, **layout}
    types = [{"a": one, "b": one} for one in ("bf16", "fp8")]
    for count in (1, 50):
        with pytest.raises(kcfg.Error, match="both bf16, or neither"):
            kcfg.prune("deepgemm", [*types * count, {"a": "bf16", "b": "fp8"}], **gemm)


def test_a_definition_is_derived_for_the_target_that_it_names(tmp_path: Path) -> None:
    path = tmp_path / "table.kcfg.yaml"
    path.write_text(TABLE)
    read = kcfg.read(path)[0]
    assert read.target == kcfg.derive(path).target == "h100"
    assert read["sms"] == kcfg.derive(path)["sms"] == kcfg.sweep(path)["sms"].tolist()[0] == 132
    assert "h100" in repr(kcfg.early_config_prune(path))
    with pytest.raises(kcfg.Error, match="needs wgmma"):
        kcfg.derive(path, target="b200")


def test_a_call_is_given_as_a_spec_gives_it() -> None:
    call = {"batch_size": 4, "max_prompt_len": 1, "max_cache_valid_length": 4096}
    config = kcfg.derive("fa4", "26.7", **FA4, call=call)
    assert {each.name for each in kcfg.kernel("fa4", "26.7").call} > set(call)
    assert kcfg.kernel(GEMM).call == ()
    lines = [f"  {key}: {value}" for key, value in (*FA4.items(), *call.items())]
    text = [
        "kernel: fa4",
        "release: 26.7",
        "shape:",
        *lines[: len(FA4)],
        "call:",
        *lines[len(FA4) :],
    ]
    assert config == kcfg.read("\n".join(text))[0] != kcfg.derive("fa4", "26.7", **FA4)
    with pytest.raises(kcfg.Error, match=r"call\.max_prompt_len: missing key"):
        kcfg.derive("fa4", "26.7", **FA4, call={"batch_size": 4})


def test_what_a_notebook_shows_is_short() -> None:
    old, new = kcfg.derive(GEMM), kcfg.derive(GEMM, BN=128)
    assert repr(kcfg.diff(old, new)).startswith("<kcfg difference, ws_gemm 1 to ws_gemm 1: ")
    shown = (old, kcfg.kernel(GEMM), kcfg.sweep(GEMM), kcfg.prune(GEMM, [{"BN": 64}]))
    assert all(len(repr(each)) < 100 for each in shown)
