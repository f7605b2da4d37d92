"""``import kcfg``: configurations from Python, as programs and notebooks use them."""

from __future__ import annotations

import copy
import json
import pickle
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
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
    (
        {"kernel": "fa4", **FA4, "group": object()},
        "shape.group",
        "numbers, truth values, texts and None",
    ),
    (
        {"kernel": "fa4", **FA4, "group": float("nan")},
        "shape.group",
        "numbers, truth values, texts and None",
    ),
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


def test_read_takes_what_commands_take(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for place, name in (("b.kcfg.yaml", "mistral-7b"), ("inner/c.yaml", "llama-3-70b")):
        (tmp_path / place).write_text(presets.text(name))
    assert [each.name for each in kcfg.read(tmp_path)] == ["mistral-7b", "llama-3-70b"]
    assert [each.name for each in kcfg.read("llama-3-8b")] == ["llama-3-8b"]
    (tmp_path / "inner" / "c.yaml").write_text("kernel: no\n")
    with pytest.raises(kcfg.Error, match=r"inner/c\.yaml:1:9"):
        kcfg.read(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(kcfg.Error, match="no spec in this directory"):
        kcfg.read(tmp_path / "empty")


@pytest.mark.parametrize("about", ["llama-3-8b", "deepseek-v3-2-index"])
def test_what_is_printed_is_what_commands_show(about: str) -> None:
    config = kcfg.read(about)[0]
    shown = CliRunner().invoke(application(["derive"]), ["derive", about])
    assert str(config).splitlines()[2:] == shown.stdout.splitlines()[2:]
    name = next(iter(config))
    told = CliRunner().invoke(application(["explain"]), ["explain", about, name])
    assert str(config.explain(name)) in told.stdout
    assert repr(config.explain(name)).startswith(f"<{name} = {config[name]}")
    assert len(repr(config.explain(name))) < 200 and "\x1b" not in str(config)


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


GEMM = Path(__file__).parent / "definitions" / "ws_gemm.kcfg.yaml"


def test_a_definition_stands_where_a_name_does() -> None:
    gemm = kcfg.load(GEMM)
    assert (gemm.kernel, gemm.release) == ("ws_gemm", "1")
    assert gemm == kcfg.load(str(GEMM)) and hash(gemm) == hash(kcfg.load(GEMM))
    for kernel in (gemm, str(GEMM), pickle.loads(pickle.dumps(gemm))):
        config = kcfg.derive(kernel, BN=192)
        assert config["stages"] == 4 and config.report() == kcfg.derive(gemm, BN=192).report()
    copy = pickle.loads(pickle.dumps(config))
    assert copy == config and copy["stages"] == 4 and copy.explain("stages").value == 4
    sizes = range(16, 257, 16)
    given = [{"BN": columns, "BK": depth} for columns, depth in product(sizes, sizes)]
    for candidates in (given, given[:40]):
        pruned = kcfg.prune(gemm, candidates)
        takes = [each for each in candidates if kcfg.derive(gemm, **each).supported]
        assert list(pruned) == takes and pruned[:2] == tuple(takes[:2])
        assert [each.candidate for each in pruned.dropped] == [
            e for e in candidates if e not in takes
        ]
    with pytest.raises(kcfg.Error, match="expected the version of ws_gemm, 1, not `2`"):
        kcfg.derive(gemm, "2")


def test_load_says_where_a_definition_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "bad.kcfg.yaml"
    path.write_text("defines: bad\ninputs: {a: 1}\nvalues:\n  b: a +\n  c: d\n")
    for call in (kcfg.load, kcfg.derive, kcfg.early_config_prune):
        with pytest.raises(kcfg.Error) as caught:
            call(str(path))
        places = [(each.file, each.line, each.column) for each in caught.value.problems]
        assert places == [(str(path), 4, 8), (str(path), 5, 6)]
    path.write_text("defines: one\n---\ndefines: two\n")
    with pytest.raises(kcfg.Error, match="several kernels"):
        kcfg.load(path)
    assert kcfg.load(f"{path}#two").kernel == "two"
    with pytest.raises(kcfg.Error, match="no such file"):
        kcfg.load(tmp_path / "none")


def test_must_alone_drops_where_a_definition_has_it(tmp_path: Path) -> None:
    path = tmp_path / "bound.kcfg.yaml"
    path.write_text(
        "defines: bound\ninputs: {n: 1}\nsupported: {estimate: n < 4}\nmust: {sure: 2 * n < 20}\n"
    )
    for count in (12, 200):
        pruned = kcfg.prune(str(path), ({"n": n} for n in range(1, count)))
        assert [each["n"] for each in pruned] == list(range(1, 10))
        (first, *others) = pruned.dropped[:2]
        assert len(pruned.dropped) == count - 10 and len(others) == 1
        assert first.why == ("sure: 2 * n < 20; 2 * n is 20",)


@pytest.mark.parametrize("kernel", ["fa4", "ws_gemm"])
def test_a_sweep_is_what_derive_gives_at_every_point(kernel: str) -> None:
    about: Any = kcfg.load(GEMM)
    fixed: dict[str, Any] = {}
    axes: dict[str, Any] = {"BN": np.array([64, 128]), "dtype": ["bf16", "f16"], "BK": (16, 256)}
    if kernel == "fa4":
        about, fixed = "fa4", {**FA4, "ov_depth": 128}
        axes = {"BM": [64, 128, 256], "qk_depth": range(64, 257, 64), "pair_cta": (False, True)}
    fixed = {key: value for key, value in fixed.items() if key not in axes}
    swept = kcfg.sweep(about, **axes, **fixed)
    assert swept.varied == tuple((key,) for key in axes)
    assert swept.shape == tuple(map(len, axes.values())) and swept.points == len(swept["supported"])
    for place, point in enumerate(product(*axes.values())):
        inputs = {
            k: v.item() if isinstance(v, np.generic) else v
            for k, v in zip(axes, point, strict=True)
        }
        config = kcfg.derive(about, **{**fixed, **inputs})
        given = {name: swept[name].tolist()[place] for name in swept}
        assert {name: given[name] for name in config} == dict(config)
        assert all(given[key] == config.inputs[key] for key in axes)
    assert swept.supported == swept["supported"].sum()
    copy = pickle.loads(pickle.dumps(swept))
    assert all((copy[name] == swept[name]).all() for name in swept) and "points" in repr(copy)


def test_a_sweep_gives_the_columns_and_points_that_are_asked_for() -> None:
    tall = kcfg.sweep(
        "fa4",
        **{**FA4, "qk_depth": [64, 128], "ov_depth": [64, 128]},
        zip=[["qk_depth", "ov_depth"]],
        columns=["num_kv_stages", "smem_used"],
        where="BM == 256",
    )
    assert list(tall) == ["num_kv_stages", "smem_used"] and tall.shape == (2,)
    assert tall.varied == (("qk_depth", "ov_depth"),) and tall["num_kv_stages"].dtype == np.int64
    assert len(kcfg.sweep("fa4", **FA4)["num_kv_stages"]) == 1


SWEPT: list[tuple[dict[str, Any], str]] = [
    ({"where": "BM >"}, "where:1:"),
    ({"where": "bm > 1"}, "did you mean `BM`?"),
    ({"where": 1}, "expected a condition as text"),
    ({"columns": ["smem_usd"]}, "did you mean `smem_used`?"),
    ({"columns": "smem_used"}, "expected a list of names"),
    ({"zip": [["BM", "page_size"]]}, "`page_size` has no list or range to zip"),
    ({"zip": 1}, "expected a list of lists"),
    ({"group": [4, "four"]}, "not the quoted text `four`"),
    ({"group": []}, "an empty list"),
    ({"group": [4, 4]}, "given twice"),
    ({"group": [-1, 4]}, "must be at least 1, not -1"),
    ({"num_q_heads": range(1, 10**6), "group": range(1, 10**5)}, "name fewer columns"),
    ({"kernel": "launch"}, "nothing to sweep"),
]


@pytest.mark.parametrize(("call", "message"), SWEPT, ids=lambda part: str(part)[:40])
def test_a_sweep_that_cannot_be_done_is_the_same_error(call: dict[str, Any], message: str) -> None:
    with pytest.raises(kcfg.Error) as caught:
        kcfg.sweep(**{"kernel": "fa4", **FA4, "BM": [64, 128], **call})
    assert message in str(caught.value) and "not a list" not in str(caught.value)
    assert all(message.isprintable() for message in str(caught.value).splitlines())


def test_without_numpy_it_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "import kcfg\n"
        "try: kcfg.sweep('fa4')\n"
        "except kcfg.Error as error: print(error)\n"
        f"print(kcfg.prune({str(GEMM)!r}, [{{'BN': 16 * n}} for n in range(1, 17)] * 6))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    said, pruned = done.stdout.splitlines()
    assert "needs NumPy" in said and "pip install" in said, done.stderr
    assert pruned == repr(kcfg.prune(str(GEMM), [{"BN": 16 * n} for n in range(1, 17)] * 6))


def test_candidates_of_any_kind_are_judged_or_refused() -> None:
    mixed: list[dict[str, Any]] = [{"BM": 64 + 64 * (n % 3)} for n in range(70)]
    mixed += [{"BM": 128, "bn_cap": n % 4} for n in range(70)] + [{"BM": np.int64(128)}] * 70
    pruned = kcfg.prune("fa4", mixed, "26.7", **FA4)
    takes = [
        place
        for place, one in enumerate(mixed)
        if kcfg.derive("fa4", "26.7", **{**FA4, **one}).supported
    ]
    assert pruned.kept == tuple(takes)
    for wrong in (True, 1.5, [64], "64", {"a": 1}):
        with pytest.raises(kcfg.Error, match=r"shape\.BM"):
            kcfg.prune("fa4", [*mixed[:70], {"BM": wrong}], "26.7", **FA4)
    with pytest.raises(kcfg.Error, match="a candidate is a mapping"):
        kcfg.prune("fa4", [5], "26.7", **FA4)  # type: ignore[type-var]


def test_what_is_given_back_pickles() -> None:
    old, new = (kcfg.derive(GEMM_NAME, BN=columns) for columns in (128, 192))
    moved = kcfg.diff(old, new)
    copy = pickle.loads(pickle.dumps(moved))
    assert [each.name for each in copy.changed] == [each.name for each in moved.changed]
    told = old.explain("stages")
    assert pickle.loads(pickle.dumps(told)).value == told.value
    pruned = kcfg.prune(GEMM_NAME, [{"BN": 128}, {"BN": 256, "BK": 256}])
    dropped = list(pickle.loads(pickle.dumps(pruned)).dropped)
    assert [each.why for each in dropped] == [each.why for each in pruned.dropped]
    for name in ("fa4", GEMM_NAME, "triton_scaled"):
        manual = kcfg.kernel(name)
        assert pickle.loads(pickle.dumps(manual)) == manual
        assert pickle.loads(pickle.dumps(manual)).inputs == manual.inputs


GEMM_NAME = str(GEMM)


@pytest.mark.parametrize("name", ["fa4", "triton_scaled"])
def test_what_is_not_known_here_is_said_when_it_is_unpickled(name: str) -> None:
    manual = kcfg.kernel(name)
    pickled = pickle.dumps(manual)
    for here, gone in ((b"r26_7", b"r26_9"), (b"3.9.0", b"3.9.9")):
        if pickled != (other := pickled.replace(here, gone)):
            with pytest.raises(kcfg.Error, match=r"a Manual that kcfg .* cannot be made again"):
                pickle.loads(other)
    pruned = kcfg.prune(GEMM_NAME, [{"BN": 64}])
    fits = kcfg.early_config_prune("triton_attention")
    swept = kcfg.sweep(GEMM_NAME, BN=[64, 128])
    for each in (manual, kcfg.derive(GEMM_NAME), pruned, pruned.judged(), fits, swept):
        for copied in (copy.copy(each), copy.deepcopy(each), pickle.loads(pickle.dumps(each))):
            assert type(copied) is type(each) and repr(copied) == repr(each)


def test_threads_do_everything_alike() -> None:
    def one(number: int) -> Any:
        gemm = kcfg.load(GEMM)
        config = kcfg.derive(gemm, BN=64 * (1 + number % 4))
        swept = kcfg.sweep(gemm, BN=[64, 128, 192], BK=[32, 64], columns=["stages"])
        pruned = kcfg.prune(gemm, [{"BN": 16 * n, "BK": 64 + number % 3} for n in range(1, 17)])
        attention = kcfg.derive("triton_attention", num_stages=1 + number % 5)
        said = config.explain("stages").value, attention["shared"], len(attention.findings)
        return config.report(), swept["stages"].tolist(), list(pruned), said, config._repr_svg_()

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(one, range(10)))
    assert together == [one(number) for number in range(10)]


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
    assert [name for name in dir(kcfg) if not name.startswith("__")] == sorted(kcfg.__all__)
    config = kcfg.derive(GEMM_NAME)
    keys = config._ipython_key_completions_()
    assert {"stages", "c.offset", "acc0.column", "BN"} <= set(keys)
    assert None not in map(config.get, keys)
    with pytest.raises(AttributeError, match="has no attribute 'deriv'"):
        _ = kcfg.deriv  # type: ignore[attr-defined]


PROGRAM = """\
from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import kcfg
from kcfg import Configuration, Error, Manual, Pruned, Swept


def stages(depth: int) -> int:
    config = kcfg.derive("fa4", qkv_dtype="bf16", qk_depth=depth)
    count: int = config["num_kv_stages"]
    if not config.runs:
        raise ValueError(config.findings[0].message)
    return count


def about(config: Configuration) -> str:
    told = config.explain("smem_used")
    free: Any = config["smem.free"]
    parts = (config.smem, config.tmem, config.registers, config.barriers)
    roles = [part["roles"] for part in parts if part is not None and "roles" in part]
    verdict: bool | None = config.supported
    first, units = config.findings[0], config.units["smem_used"]
    said = (config.kernel, config.release, config.target, config.name, verdict, free, roles)
    found = (first.rule, first.severity, first.message, first.path, told.value, told.formula)
    return f"{said} {found} {units.upper()} {dict(config.inputs)} {config.report()['values']}"


gemm: Manual = kcfg.load(Path("gemm.kcfg.yaml"))
names: list[str] = [each.name for each in (*gemm.inputs, *gemm.values, *gemm.call) if each.required]
first: tuple[str, ...] = gemm.inputs[0].choices
same: Manual = kcfg.kernel(gemm)
config: Configuration = kcfg.derive(Path("gemm.kcfg.yaml"), target=None, BN=64)
configs: list[Configuration] = kcfg.read("kernel: launch\\nshape: {threads: 128}\\n")
releases: tuple[str, ...] = kcfg.kernels()["fa4"]
axes: dict[str, Any] = {"BN": range(1, 9), "BK": [32, 64]}
swept: Swept = kcfg.sweep(gemm, **axes, zip=[["BN", "BK"]], columns=["stages"], where="stages > 2")
best: int = int(swept["stages"].max())
shape: tuple[int, ...] = swept.shape
varied: tuple[tuple[str, ...], ...] = swept.varied
count: int = swept.points + swept.faulty + (swept.supported or 0)
pruned: Pruned[dict[str, int]] = kcfg.prune("a.yaml", [{"BN": best}])
kept: list[dict[str, int]] = list(pruned)
one: dict[str, int] = pruned[0]
some = pruned[:2]
for each in pruned.dropped:
    why: tuple[str, ...] = each.why
    over: list[float] = [condition.over for condition in each.failing]
    print(each.candidate["BN"], why, over, each.configuration.kernel, each.failing[0].sides)
judged: Pruned[dict[str, int]] = pruned.judged()
moved = kcfg.diff(config, config)
print([change.name for change in moved.changed], moved.given, moved.formulas, moved.moves)
fits = kcfg.early_config_prune("triton_gemm_tma", names={"dtype": "a"}, num_stages=3)
left = fits([], {"a": 1}, K=4)
print(len(left), kept, judged.kept, pickle.loads(pickle.dumps(config)) == config, hash(gemm))
try:
    stages(128)
except Error as wrong:
    for problem in wrong.problems:
        print(problem.file, problem.line, problem.column, problem.path, problem.message)
html: str = config._repr_html_()
"""
"""Everything that is public, as a user writes it."""


def test_a_users_program_is_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    unused = [name for name in kcfg.__all__ if not re.search(rf"\b{name}\b", PROGRAM)]
    assert unused == ["Difference"]  # which nobody needs to name
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    root = Path(__file__).parent.parent
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "/dev/null"]
    command += ["--cache-dir", str(root / ".mypy_cache" / "user")]  # of other options than ours
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


WIDE = """\
defines: wide
inputs: {BN: 256}
values: {columns: 2 * BN}
supported: {whole: BN % 64 == 0}
tensor_memory: {acc: {columns: columns}}
"""


def test_what_is_kept_may_be_judged_by_the_rules_too(tmp_path: Path) -> None:
    (tmp_path / "wide.kcfg.yaml").write_text(WIDE)
    wide = kcfg.load(tmp_path / "wide.kcfg.yaml")
    pruned = kcfg.prune(wide, [{"BN": width} for width in (64, 96, 256, 512)])
    assert [each["BN"] for each in pruned] == [64, 256, 512]
    judged = pruned.judged()
    assert [each["BN"] for each in judged] == [64, 256]
    assert all(wide_one.runs for wide_one in (kcfg.derive(wide, **each) for each in judged))
    verdict, rule = judged.dropped
    assert verdict.why[0].startswith("whole: BN % 64 == 0")
    assert rule.candidate == {"BN": 512} and rule.why[0].startswith("TMEM002: ")


def test_nothing_is_so_many_times_zero(tmp_path: Path) -> None:
    full = "values: {used: n + 1, room: n - n}\nsupported: {fits: used <= room}\n"
    (tmp_path / "g.kcfg.yaml").write_text(f"defines: g\ninputs: {{n: 1}}\n{full}")
    (dropped,) = kcfg.prune(tmp_path / "g.kcfg.yaml", [{"n": 1}]).dropped
    (failing,) = dropped.failing
    assert (dict(failing.sides), failing.over) == ({"used": 2, "room": 0}, 0.0)


FEW = """\
defines: few
inputs: {n: 1}
supported: {any: n < 100}
must: {few: n < 50}
"""


def test_what_a_must_drops_no_rule_brings_back(tmp_path: Path) -> None:
    (tmp_path / "few.kcfg.yaml").write_text(FEW)
    pruned = kcfg.prune(tmp_path / "few.kcfg.yaml", [{"n": 10}, {"n": 60}])
    assert pruned.kept == pruned.judged().kept == (0,)


@pytest.mark.parametrize("count", [2, 80], ids=["one by one", "as arrays"])
def test_true_is_no_1_among_candidates(count: int, tmp_path: Path) -> None:
    (tmp_path / "few.kcfg.yaml").write_text(FEW)
    given: list[dict[str, Any]] = [{"n": n} for n in range(1, count)]
    with pytest.raises(kcfg.Error, match=r"shape\.n: expected an integer"):
        kcfg.prune(tmp_path / "few.kcfg.yaml", [*given, {"n": True}])


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


@pytest.mark.parametrize(
    "call",
    [
        lambda: kcfg.diff("1..3", "1..3"),  # type: ignore[arg-type]
        lambda: kcfg.prune("cutlass_gemm", 1.5),  # type: ignore[arg-type]
        lambda: kcfg.load(1.5),  # type: ignore[arg-type]
        lambda: kcfg.early_config_prune("cutlass_gemm", names=1.5),  # type: ignore[arg-type]
        lambda: kcfg.early_config_prune("triton_attention", names=[1]),  # type: ignore[arg-type]
    ],
)
def test_what_is_of_another_kind_is_an_error_in_words(call: Any) -> None:
    with pytest.raises(kcfg.Error, match="not "):
        call()


def test_a_definition_that_is_not_there_is_said_where_inputs_are_required(tmp_path: Path) -> None:
    path = tmp_path / "g.kcfg.yaml"
    path.write_text("defines: f\ninputs: {a: {unit: rows}}\n---\ndefines: g\nextends: f\n")
    with pytest.raises(kcfg.Error, match="defines no `h`, but f, g"):
        kcfg.derive(f"{path}#h", a=3)
    with pytest.raises(kcfg.Error, match="defines several kernels"):
        kcfg.derive(path, a=3)
