"""The command line of ``kcfg sweep``: tables, pictures, messages."""

from __future__ import annotations

import csv
import json
import re
import resource
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest
import shapes
from typer.testing import CliRunner, Result

from kcfg.cli.main import application
from kcfg.core import kernels
from kcfg.core.spec import Overrides
from kcfg.core.sweep.reader import Sweep, read_sweep

pytest.importorskip("numpy")

SPEC = """kernel: index_prefill
release: 26.7
shape:
  dtype: float8_e4m3fn
  ks_dtype: [float32, bfloat16]
  depth: [64, 128]
  BM_key: 128
  mma_n: 32..128 step 32
  num_heads: [16, 30, 32]
"""


FA4 = """
kernel: fa4
release: 26.6
shape:
  qkv_dtype: bf16
  num_q_heads: 32
  group: 4
  qk_depth: [64, 128]
  ov_depth: 128
  page_size: 128
  num_qk_stages: [0, 1]
"""


def kcfg(*arguments: str, cwd: Path, code: int = 0) -> Result:
    """A sweep in this process: to start another takes longer than to derive what is asked."""
    command = ["sweep", *arguments]
    with chdir(cwd):
        done = CliRunner().invoke(application(command), command)
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spec.yaml").write_text(SPEC)
    return tmp_path


def test_a_table_and_the_reasons(folder: Path) -> None:
    done = kcfg("spec.yaml", "--where", "k_stages >= 6", cwd=folder)
    lines = done.stdout.splitlines()
    assert lines[0] == "index_prefill 26.7 on b200"
    assert lines[1].split() == ["ks_dtype", "depth", "mma_n", "num_heads", "supported", "k_stages"]
    assert lines[-2].startswith("20 of 30 points that match --where: the first;")
    assert "48 points" in done.stderr
    assert "supported: 32 (66.7%)" in done.stderr
    assert "16  head_quads  num_heads % 4 == 0" in done.stderr


def test_of_all_that_is_shown_it_says_nothing_and_of_reasons_the_most_frequent_first(
    tmp_path: Path,
) -> None:
    definition = "defines: g\ninputs: {n: 1}\nsupported: {few: n < 9, fewer: n < 4}\n"
    (tmp_path / "g.kcfg.yaml").write_text(f"{definition}---\nkernel: g\n")
    numbers = "--set=n=[1,2,3,4,5,6,7,8,9,10]"
    done = kcfg("g.kcfg.yaml", numbers, "--columns=n", "--top=10", "--all", cwd=tmp_path)
    assert len(done.stdout.splitlines()) == 12 and " of 10 points" not in done.stdout
    counts = [line.split() for line in done.stderr.splitlines() if " n < " in line]
    assert counts == [["5", "fewer", "n", "<", "4"], ["2", "few", "n", "<", "9"]]


def test_sorted_and_cut(folder: Path) -> None:
    done = kcfg(
        "spec.yaml", "--sort", "-k_stages,depth", "--top", "3", "--format", "csv", cwd=folder
    )
    header, *rows = done.stdout.splitlines()
    place = header.split(",").index("k_stages")
    assert [int(row.split(",")[place]) for row in rows] == [12, 12, 12]
    assert header.startswith("ks_dtype,depth,mma_n,num_heads,ctas_per_sm,")


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (["--sort=-mma_n", "--top", "4", "--columns", "mma_n"], "1 of 4"),
        (["--pareto=-mma_n,num_heads,depth", "--columns", "num_heads"], ""),
        (["--sort=num_heads", "--top", "4", "--format", "csv"], ""),
    ],
)
def test_refused_points_among_the_best_are_told_of(
    folder: Path, wanted: list[str], said: str
) -> None:
    told = "  refused among those shown: "
    done = kcfg("spec.yaml", *wanted, "--all", cwd=folder)
    assert [line for line in done.stderr.splitlines() if line.startswith(told)] == [
        f"{told}{said}; without --all they are left out" for said in filter(None, [said])
    ]
    assert told not in kcfg("spec.yaml", *wanted, "--where", "supported", cwd=folder).stderr
    assert kcfg("spec.yaml", *wanted, cwd=folder).stdout == (
        kcfg("spec.yaml", *wanted, "--where", "supported", cwd=folder).stdout.replace(
            "that match --where", "that are supported"
        )
    )


@pytest.mark.parametrize("option", ["--sort=-mma_n", "--top=48", "--pareto=-num_heads,-mma_n"])
def test_what_is_picked_is_supported_unless_told_otherwise(folder: Path, option: str) -> None:
    columns = ("--columns", "num_heads,supported", "--format", "jsonl")
    picked = kcfg("spec.yaml", option, *columns, cwd=folder).stdout
    assert picked and '"supported":false' not in picked
    if option != "--pareto=-num_heads,-mma_n":  # 32 heads beat 30
        assert (
            '"supported":false' in kcfg("spec.yaml", option, "--all", *columns, cwd=folder).stdout
        )
    refused = ("--where", "not supported")
    assert '"supported":false' in kcfg("spec.yaml", option, *refused, *columns, cwd=folder).stdout


def test_refused_rows_are_marked(folder: Path) -> None:
    rows = kcfg("spec.yaml", "--columns", "num_heads,mma_n", cwd=folder).stdout.splitlines()[2:-1]
    assert [row.endswith("  refused") for row in rows] == [row.split()[0] == "30" for row in rows]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ([], "20 of 48 points: the first; --top N shows more, --sort and --pareto the best"),
        (["--top", "2"], "2 of 32 points that are supported: the first;"),
        (["--sort", "mma_n"], "20 of 32 points that are supported: the first by --sort;"),
        (["--pareto=-mma_n,depth,num_heads", "--where", "depth > 64"], "no other beats them"),
        (["--where", "depth > 64"], "20 of 24 points that match --where: the first;"),
        (["--sort", "mma_n", "--set", "num_heads=30"], "no points that are supported; --all shows"),
    ],
)
def test_it_says_why_it_shows_so_many(folder: Path, wanted: list[str], said: str) -> None:
    shown = " ".join(kcfg("spec.yaml", *wanted, cwd=folder).stdout.splitlines()[-2:])
    assert said in " ".join(shown.split())


def test_quiet_leaves_the_rows(folder: Path) -> None:
    done = kcfg("spec.yaml", "--quiet", cwd=folder)
    assert done.stderr == "" and done.stdout == kcfg("spec.yaml", cwd=folder).stdout


def test_what_is_kept_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kcfg.core.sweep import run

    monkeypatch.setattr(run, "MOST", 3)
    command = ["sweep", str(folder / "spec.yaml"), "--pareto=-mma_n,mma_n"]
    done = CliRunner().invoke(application(command), command)
    assert done.exit_code == 2 and "more than 3 points are to be kept" in done.stderr


def test_columns_may_be_named_in_full(folder: Path) -> None:
    columns = "depth,inputs.mma_n,values.k_stages,supported"
    done = kcfg("spec.yaml", "--columns", columns, "--top", "1", "--format", "jsonl", cwd=folder)
    wanted = '{"depth":64,"inputs.mma_n":32,"values.k_stages":12,"supported":true}\n'
    assert done.stdout == wanted


def test_a_preset_with_settings(folder: Path) -> None:
    sets = ("--set", "qk_depth=64..128 step 64", "--set", "BM=[128, 256]")
    done = kcfg("--preset", "llama-3-8b", *sets, cwd=folder)
    assert done.stdout.startswith("llama-3-8b: fa4") and "4 points" in done.stderr


@pytest.mark.parametrize("words", [["x=depth y=k_stages by=ks_dtype"], ["x=depth", "y=k_stages"]])
@pytest.mark.parametrize("end", ["svg", "png"])
def test_a_picture(folder: Path, words: list[str], end: str) -> None:
    pytest.importorskip("matplotlib")
    kcfg("spec.yaml", "--plot", *words, "-o", f"out.{end}", cwd=folder)
    assert (folder / f"out.{end}").read_bytes()[:5] in (b"<?xml", b"\x89PNG\r")


def test_a_picture_of_texts_and_of_what_is_absent(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    kcfg("spec.yaml", "--plot", "x=ks_dtype y=k_stages", "-o", "out.svg", cwd=folder)
    absent = ("--preset", "llama-3-8b", "--set", "rope_dtype=[null, bf16]")
    kcfg(*absent, "--plot", "x=rope_dtype y=BN", "-o", "absent.svg", cwd=folder)
    assert "<!-- null -->" in (folder / "absent.svg").read_text()


CALLS = """
kernel: fa4
release: 26.7
shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4, qk_depth: 128, ov_depth: 128, page_size: 0}
call: {batch_size: [1, 4, 8, 32], max_prompt_len: [1, 16, 64], max_cache_valid_length: 8192}
"""
DECIDED = ("launch.route", "launch.split", "launch.partitions")


def test_a_map_has_a_colour_and_a_name_for_every_decision(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "calls.yaml").write_text(CALLS)
    plot = f"x=batch_size y=max_prompt_len map={'+'.join(DECIDED)}"
    for name in ("map.svg", "again.svg"):
        kcfg("calls.yaml", "--plot", plot, "-o", name, cwd=tmp_path)
    svg = (tmp_path / "map.svg").read_text()
    assert svg == (tmp_path / "again.svg").read_text()
    listed = kcfg("calls.yaml", "--format", "jsonl", cwd=tmp_path).stdout.splitlines()
    rows = [json.loads(line) for line in listed]
    rows.sort(key=lambda row: (row["max_prompt_len"], row["batch_size"]))
    decided = [tuple(row[name] for name in DECIDED) for row in rows]
    (mesh,) = re.findall(r'<g id="QuadMesh_1"(.*?)</g>', svg, re.DOTALL)
    colours = re.findall(r"fill: (#\w+)", mesh)
    assert len(colours) == len(decided) == 12
    pairs = set(zip(colours, decided, strict=True))
    assert len(pairs) == len(set(colours)) == len(set(decided)) > 5
    for decision in decided:
        assert f"<!-- {', '.join(map(str, decision))} -->" in svg


def test_a_map_tells_refused_cells_and_those_where_other_inputs_decide(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    kcfg("spec.yaml", "--plot", "x=depth y=mma_n map=k_stages", "-o", "a.svg", cwd=folder)
    refused = ("--set", "ks_dtype=f32", "--set", "depth=[128, 4096]", "--set", "num_heads=32")
    kcfg("spec.yaml", *refused, "--plot", "x=depth y=mma_n map=k_stages", "-o", "b.svg", cwd=folder)
    several, without = ((folder / name).read_text() for name in ("a.svg", "b.svg"))
    assert "<!-- differs with other inputs -->" in several
    assert "<!-- not supported -->" in without and "differs" not in without


def test_a_plot_marks_what_is_not_supported_and_is_the_same_each_time(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = ("spec.yaml", "--set", "depth=[64, 128, 4096]", "--plot", "x=depth y=k_stages", "-o")
    for name in ("a.svg", "b.svg"):
        kcfg(*plot, name, cwd=folder)
    assert (folder / "a.svg").read_bytes() == (folder / "b.svg").read_bytes()
    assert "<!-- not supported -->" in (folder / "a.svg").read_text()
    plain = ("--set", "num_heads=32", "--plot", "x=mma_n y=k_stages")
    kcfg("spec.yaml", *plain, "-o", "c.svg", cwd=folder)
    assert "not supported" not in (folder / "c.svg").read_text()


@pytest.mark.parametrize("drawn", ["x=depth y=k_stages", "x=depth y=mma_n map=k_stages"])
def test_a_picture_of_no_points_says_so(drawn: str, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    for where, says in (("depth > 9999", True), ("depth > 0", False)):
        kcfg("spec.yaml", "--where", where, "--plot", drawn, "-o", "a.svg", cwd=folder)
        assert ("<!-- no points -->" in (folder / "a.svg").read_text()) is says


def test_a_full_disk_leaves_the_old_picture(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    (folder / "out.png").write_bytes(b"old")
    command = [sys.executable, "-m", "kcfg.cli", "sweep", "spec.yaml"]
    plot = ["--plot", "x=depth y=k_stages", "-o", "out.png"]

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))

    done = subprocess.run(
        [*command, *plot], cwd=folder, capture_output=True, text=True, preexec_fn=little_room
    )
    assert done.returncode == 2 and "out.png: cannot be written" in done.stderr
    assert (folder / "out.png").read_bytes() == b"old"
    assert sorted(path.name for path in folder.iterdir()) == ["out.png", "spec.yaml"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("spec.yaml", "--where", "k_stage > 1"), 2, "--where: column 1: "),
        (("spec.yaml", "--where", "k_stage > 1"), 2, "did you mean `k_stages`?"),
        (("spec.yaml", "--columns", "depht"), 2, "--columns: "),
        (("spec.yaml", "--sort", "depht"), 2, "--sort: "),
        (("spec.yaml", "--pareto", "-smem_uesd"), 2, "did you mean `smem_used`?"),
        (("spec.yaml", "--pareto", "depth", "--top", "1"), 2, "do not go together"),
        (("spec.yaml", "--plot", "x=depth"), 2, "--plot takes x=NAME y=NAME"),
        (("spec.yaml", "--plot", "x=depth y=k_stages"), 2, "--plot needs a file"),
        (("spec.yaml", "--plot", "x=depth y=depth", "-o", "o.svg"), 2, "must be different names"),
        (("spec.yaml", "--plot", "x=depth y=mma_n map=depth", "-o", "o.svg"), 2, "be different"),
        (("spec.yaml", "--plot", "x=a y=b by=c map=d", "-o", "o.svg"), 2, "or map=NAME+NAME"),
        (("spec.yaml", "--plot", "x=depth y=mma_n map=k_stages+", "-o", "o.svg"), 2, "--plot"),
        (("spec.yaml", "--plot", "x=depth y=dtype", "-o", "o.svg"), 2, "y must be a number"),
        (("spec.yaml", "--plot", "x=depth y=k_stages", "-o", "no/o.svg"), 2, "no directory"),
        (("spec.yaml", "-o", "rows.txt"), 2, "a name that ends in .csv .jsonl .parquet"),
        (("spec.yaml", "--format", "parquet"), 2, "name a file with -o"),
        (("spec.yaml", "--format", "xml"), 2, "known: csv, jsonl, parquet, table"),
        (("spec.yaml", "--resume"), 2, "--resume needs the file of -o"),
        (("spec.yaml", "--resume", "-o", "-"), 2, "--resume needs the file of -o"),
        (("spec.yaml", "--resume", "-o", "/dev/stdout", "--format", "csv"), 2, "--resume needs"),
        (("spec.yaml", "--top", "9" * 9), 2, "--top: at most 10,000 rows"),
        (("spec.yaml", "--top", "9" * 9, "--sort", "depth"), 2, "--top: at most 10,000 rows"),
        (("spec.yaml", "--top", "9" * 9, "--format", "csv"), 2, "at most 1,000,000 rows"),
        (("spec.yaml", "--engine", "spark"), 2, "known: local, dask"),
        (("spec.yaml", "--zip", "depth,mma_n"), 2, "must have as many values"),
        (("spec.yaml", "--set", "depth=9..1"), 2, "write 1..9"),
        (("nowhere.yaml",), 2, "no such file"),
        ((), 2, "name a spec file"),
        (
            ("spec.yaml", "--set", "depth=1..1000000", "--sort", "depth", "--format", "csv"),
            2,
            "--sort needs --top N here: to sort all of 24,000,000 points",
        ),
    ],
)
def test_what_is_refused(folder: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    done = kcfg(*arguments, cwd=folder, code=code)
    assert message in done.stderr
    assert "Traceback" not in done.stderr and not done.stdout


@pytest.mark.parametrize(
    ("module", "arguments", "extra"),
    [
        ("numpy", (), "sweep"),
        ("pyarrow", ("-o", "rows.parquet"), "parquet"),
        ("matplotlib", ("--plot", "x=depth y=k_stages", "-o", "out.svg"), "plot"),
        ("distributed", ("--engine", "dask"), "dask"),
    ],
)
def test_a_missing_extra_is_named(
    folder: Path, module: str, arguments: tuple[str, ...], extra: str
) -> None:
    program = (
        f"import sys; sys.modules[{module!r}] = None; sys.argv[1:1] = ['sweep', 'spec.yaml']\n"
        "from kcfg.cli.main import main; main()"
    )
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2
    assert f"pip install '.[{extra}]' where kcfg was cloned" in done.stderr


def test_only_a_sweep_imports_numpy(folder: Path) -> None:
    program = (
        "import sys, typer\n"
        "from kcfg.cli.main import application\n"
        "application(sys.argv[1:])(standalone_mode=False)\n"
        "assert 'numpy' not in sys.modules\n"
    )
    for arguments in (["sweep", "--help"], ["--help"], ["derive", "--preset", "llama-3-8b"]):
        command = [sys.executable, "-c", program, *arguments]
        subprocess.run(command, cwd=folder, capture_output=True, check=True)


def test_rows_and_files_say_what_they_are_of(folder: Path) -> None:
    done = kcfg("spec.yaml", "--format", "csv", cwd=folder).stdout.splitlines()
    first = dict(zip(done[0].split(","), done[1].split(","), strict=True))
    assert (first["kernel"], first["release"], first["target"]) == ("index_prefill", "26.7", "b200")
    assert (first["dtype"], first["ks_dtype"]) == ("float8_e4m3fn", "float32")
    parquet = pytest.importorskip("pyarrow.parquet")
    kcfg("spec.yaml", "-o", "rows.parquet", "--columns", "k_stages", cwd=folder)
    kept = parquet.read_schema(folder / "rows.parquet").metadata
    assert kept[b"kcfg.kernel"] == b"index_prefill" and kept[b"kcfg.target"] == b"b200"
    assert json.loads(kept[b"kcfg.inputs"])["dtype"] == "float8_e4m3fn"
    axes = json.loads(kept[b"kcfg.axes"])
    assert {"ks_dtype": ["float32", "bfloat16"]} in axes and len(axes) == 4


def test_a_row_can_be_derived_again_from_what_it_says(tmp_path: Path) -> None:
    """Inputs that a value has the name of are there as well: asked 0 pieces, 1 or 2 in force."""
    (tmp_path / "fa4.yaml").write_text(FA4)
    written = kcfg("fa4.yaml", "--format", "jsonl", cwd=tmp_path).stdout.splitlines()
    rows = [json.loads(line) for line in written]
    assert len(rows) == 4
    for row in rows:
        cls = kernels.find(row["kernel"], row["release"])
        keys = [each.key for each in cls.inputs.values()]
        inputs = {key: row.get(f"inputs.{key}", row[key]) for key in keys}
        values = shapes.derive(row["kernel"], row["release"], inputs).values()
        assert {name: row[name] for name in values} == values
    assert {(row["inputs.num_qk_stages"], row["num_qk_stages"]) for row in rows} > {(0, 1)}


def test_rows_of_a_definition_carry_its_digest(tmp_path: Path) -> None:
    definition = "index_prefill_26_6.kcfg.yaml"
    shutil.copy(Path(__file__).parent / "definitions" / definition, tmp_path)
    text = SPEC.replace("index_prefill", definition).replace("release: 26.7\n", "")
    (tmp_path / "own.yaml").write_text(text)
    lines = kcfg("own.yaml", "--format", "csv", cwd=tmp_path).stdout.splitlines()
    (digest,) = {row["digest"] for row in csv.DictReader(lines)}
    sweep = read_sweep(str(tmp_path / "own.yaml"), Overrides(), [])
    assert isinstance(sweep, Sweep) and digest == sweep.spec.cls.digest
    parquet = pytest.importorskip("pyarrow.parquet")
    kcfg("own.yaml", "-o", "rows.parquet", cwd=tmp_path)
    kept = parquet.read_schema(tmp_path / "rows.parquet").metadata
    assert kept[b"kcfg.digest"].decode() == digest


def test_cells_that_spreadsheets_run_are_defused(folder: Path) -> None:
    (folder / "cell.yaml").write_text(
        'kernel: index_prefill\nrelease: 26.7\nname: "=1+1"\n'
        "shape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 128, BM_key: 128, mma_n: 64,"
        " num_heads: 32}\n"
    )
    command = ["derive", "cell.yaml", "--format", "csv"]
    done = subprocess.run(
        [sys.executable, "-m", "kcfg.cli", *command], cwd=folder, capture_output=True, text=True
    )
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert {row["spec"] for row in rows} == {"'=1+1"}
