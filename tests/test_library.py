"""``import kcfg``: configurations from Python, as programs and notebooks use them."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from shapes import FA4_26, INDEXER, SHAPES
from typer.testing import CliRunner

import kcfg
from kcfg.cli.main import application
from kcfg.core import presets

FA4: dict[str, Any] = {**FA4_26, "qkv_dtype": "bf16"}


def reported(text: str) -> Any:
    arguments = ("derive", "-", "--format", "json")
    return json.loads(CliRunner().invoke(application(arguments), arguments, input=text).stdout)


def without_place(report: dict[str, Any]) -> dict[str, Any]:
    return {**report, "source": ""}


def test_a_configuration_has_what_the_report_has() -> None:
    for name in presets.names()[::7]:
        config = kcfg.read(presets.text(name))[0]
        report = reported(presets.text(name).partition("---\nkernel")[0])
        assert without_place(config.report()) == without_place(report)
        assert dict(config) == report["values"] and dict(config.units) == report["units"]
        assert (config.smem, config.tmem) == (report["smem"], report["tmem"])
        assert (config.registers, config.barriers) == (report["registers"], report["barriers"])
        assert (config.kernel, config.release) == (report["kernel"], report["release"])
        assert (config.target, config.name) == (report["target"], report["name"])
        assert config.supported is report["supported"]
        assert [each.to_json() for each in config.findings] == report["findings"]


def test_derive_takes_what_a_spec_takes() -> None:
    config = kcfg.derive("fa4", "26.6", **FA4)
    assert config["num_kv_stages"] == 5 and config.supported is True and config.runs
    assert config.inputs["qkv_dtype"] == "bfloat16"
    spelled = kcfg.derive("index_prefill", **{**INDEXER, "mma_n": None}, n_tokens=4)
    assert spelled == kcfg.derive("index_prefill", **INDEXER)
    assert kcfg.derive("fa4", **FA4).release == kcfg.kernels()["fa4"][-1]
    assert kcfg.derive("fa4", target="b300", **FA4).target == "b300"
    refused = kcfg.derive("fa4", **{**FA4, "qk_depth": 512})
    assert refused.supported is False and not refused.runs
    launch = kcfg.derive("launch", threads=384, registers={"warpgroups": [40, 232, 232]})
    assert launch.supported is None and launch.release == ""


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"kernel": "fa5"}, "kernel", "did you mean 'fa4'?"),
    ({"kernel": "fa4", "release": "99.1"}, "release", "99.1"),
    ({"kernel": "fa4", "target": "h100"}, "target", "wgmma"),
    ({"kernel": "fa4", **FA4, "depth": 1}, "shape.depth", "did you mean `qk_depth`?"),
    ({"kernel": "fa4", **FA4, "group": "four"}, "shape.group", "expected an integer"),
    ({"kernel": "fa4", **FA4, "group": 0}, "shape.group", "at least 1"),
    ({"kernel": "fa4"}, "shape.qkv_dtype", "missing key `qkv_dtype`"),
    ({"kernel": "fa4", **FA4, "group": 4.5}, "shape.group", "expected an integer"),
    ({"kernel": "fa4", **FA4, "group": object()}, "", "numbers, truth values, texts and None"),
    ({"kernel": "fa4", **FA4, "group": float("nan")}, "", "numbers, truth values, texts and None"),
]


@pytest.mark.parametrize(("call", "path", "message"), WRONG)
def test_what_cannot_be_done_is_one_error(call: dict[str, Any], path: str, message: str) -> None:
    with pytest.raises(kcfg.Error) as caught:
        kcfg.derive(**call)
    assert any(each.path == path and message in each.message for each in caught.value.problems)
    assert all(not each.line for each in caught.value.problems)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert copy.problems == caught.value.problems and str(copy) == str(caught.value)


def test_read_says_where_everything_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "a.kcfg.yaml"
    path.write_text("kernel: launch\nshape: {threds: 128}\n---\nkernel: no\nshape: {}\n")
    with pytest.raises(kcfg.Error) as caught:
        kcfg.read(path)
    places = [(each.file, each.line, each.column) for each in caught.value.problems]
    assert places == [(str(path), 2, 9), (str(path), 4, 9)]
    with pytest.raises(kcfg.Error, match="no such file"):
        kcfg.read(tmp_path / "none.yaml")
    good = tmp_path / "b.kcfg.yaml"
    good.write_text(presets.text("llama-3-8b") + "---\n" + presets.text("mistral-7b"))
    assert [each.name for each in kcfg.read(str(good))] == ["llama-3-8b", "mistral-7b"]


def test_explain_diff_and_the_manual() -> None:
    old, new = kcfg.derive("fa4", "26.6", **FA4), kcfg.derive("fa4", "26.7", **FA4)
    told = old.explain("num_kv_stages")
    assert (told.value, told.unit) == (5, "stages")
    with pytest.raises(kcfg.Error, match="did you mean"):
        old.explain("num_kv_stage")
    assert "smem_used" in {each.name for each in kcfg.diff(old, new).changed}
    assert not kcfg.diff(old, old).changed
    manual = kcfg.kernel("fa4", "25.6")
    assert [each.name for each in manual.inputs][:2] == ["num_q_heads", "group"]
    assert {"num_kv_stages", "smem_used"} <= {each.name for each in manual.values}
    for name, release in (("fa", None), ("fa4", "1.0")):
        with pytest.raises(kcfg.Error):
            kcfg.kernel(name, release)


def test_a_configuration_does_not_change() -> None:
    config = kcfg.derive("fa4", **FA4)
    config.report()["values"]["BM"] = 0
    assert config.smem is not None
    config.smem["regions"].clear()
    assert config["BM"] == 256 and config.smem["regions"]
    with pytest.raises(TypeError):
        config.values["BM"] = 0  # type: ignore[index]
    with pytest.raises(KeyError):
        config["no such value"]


@pytest.mark.parametrize("shape", SHAPES[::9], ids=lambda shape: shape.id)
def test_it_pickles_and_is_shown_in_a_notebook(shape: Any) -> None:
    config = kcfg.derive(shape.kernel, shape.release, **shape.inputs)
    copy = pickle.loads(pickle.dumps(config))
    assert copy == config and hash(copy) == hash(config) and copy.report() == config.report()
    shown = config._repr_html_()
    assert shown.startswith("<div") and "<svg" in shown and "<table" in shown
    assert config._repr_svg_().startswith("<svg")
    assert shape.kernel in repr(config)


def test_threads_derive_alike() -> None:
    def one(number: int) -> Any:
        heads = 8 * (1 + number % 16)
        return kcfg.derive("fa4", **{**FA4, "num_q_heads": heads}).report()

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(one, range(64)))
    assert together == [one(number) for number in range(64)]


def test_nothing_is_imported_before_it_is_used() -> None:
    program = (
        "import sys; before = set(sys.modules); import kcfg; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["kcfg"], done.stderr


def test_the_public_names_are_there_and_no_others() -> None:
    for name in kcfg.__all__:
        assert getattr(kcfg, name).__doc__, f"{name} says nothing of itself"
    assert set(kcfg.__all__) <= set(dir(kcfg))
    with pytest.raises(AttributeError, match="has no attribute 'deriv'"):
        _ = kcfg.deriv  # type: ignore[attr-defined]


def test_a_users_program_is_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    program = tmp_path / "program.py"
    program.write_text(
        "import kcfg\n\n\n"
        "def stages(depth: int) -> int:\n"
        '    config = kcfg.derive("fa4", qkv_dtype="bf16", qk_depth=depth)\n'
        '    count: int = config["num_kv_stages"]\n'
        "    if not config.runs:\n"
        "        raise ValueError(config.findings[0].message)\n"
        "    return count\n\n\n"
        "try:\n    stages(128)\nexcept kcfg.Error as wrong:\n    print(wrong.problems[0].path)\n"
    )
    root = Path(__file__).parent.parent
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "/dev/null"]
    done = subprocess.run(
        [*command, str(program)],
        capture_output=True,
        text=True,
        env={"MYPYPATH": str(root / ".typing"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    assert "Success" in done.stdout, done.stdout


CANDIDATES = [
    {"BM": rows, "qk_depth": depth, "ov_depth": depth, "page_size": page}
    for rows in (64, 128, 256)
    for depth in (32, 64, 96, 128, 192, 256)
    for page in (0, 16, 64, 128)
]
MODEL = {"qkv_dtype": "bf16", "num_q_heads": 32, "group": 4}


@pytest.mark.parametrize("count", [5, len(CANDIDATES)], ids=["one by one", "as arrays"])
def test_prune_keeps_what_the_verdict_takes_and_says_why_of_the_rest(count: int) -> None:
    given = [dict(each) for each in CANDIDATES[:: len(CANDIDATES) // count]]
    pruned = kcfg.prune("fa4", given, "26.7", **MODEL)
    takes = [bool(kcfg.derive("fa4", "26.7", **MODEL, **each).supported) for each in given]
    assert list(pruned) == [each for each, good in zip(given, takes, strict=True) if good]
    assert given == [dict(each) for each in CANDIDATES[:: len(CANDIDATES) // count]]
    dropped = list(pruned.dropped)
    assert len(dropped) + len(pruned) == len(given) and 0 < len(pruned) < len(given)
    for each in dropped:
        assert each.candidate in given and each.why
        assert not each.configuration.supported
    assert any(" is " in why for each in dropped for why in each.why)


def test_prune_takes_short_names_and_says_what_is_wrong() -> None:
    words = [{"qkv_dtype": word, "BM": 64 + 64 * (n % 4)} for n in range(80) for word in ("bf16",)]
    depth = {"num_q_heads": 32, "group": 4, "qk_depth": 128, "ov_depth": 128, "page_size": 128}
    assert kcfg.prune("fa4", words, **depth)
    assert list(kcfg.prune("fa4", [], **depth)) == []
    with pytest.raises(kcfg.Error, match=r"shape\.BM: must be at least 1"):
        kcfg.prune("fa4", [*words, {"qkv_dtype": "bf16", "BM": 0}], **depth)
    with pytest.raises(kcfg.Error, match="unknown key `bm`"):
        kcfg.prune("fa4", [{"bm": 64}], qkv_dtype="bf16", **depth)
    with pytest.raises(kcfg.Error, match="no verdict of its own"):
        kcfg.prune("matmul", [{"M": 128}], ab_dtype="bf16", c_dtype="bf16", N=128, K=128)
