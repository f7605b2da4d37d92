"""A sweep loses nothing and writes nothing false: stopped, continued, out of room, killed."""

from __future__ import annotations

import csv
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import programs
import pytest
import shapes
import sweeps

pytest.importorskip("numpy")

from kcfg.core.sweep import engines
from kcfg.core.sweep.engines import Engine
from kcfg.core.sweep.query import Outcome, Query
from kcfg.core.sweep.reduce import Key, Reduction
from kcfg.core.sweep.work import Task

SPEC = """kernel: fa4
release: 26.7
shape:
  qkv_dtype: [bfloat16, float8_e4m3fn]
  num_q_heads: 32
  group: [1, 4]
  qk_depth: 64..256 step 8
  ov_depth: 64..256 step 8
  page_size: [0, 16, 128]
  BM: [64, 128, 256]
"""
LARGE = SPEC.replace("group: [1, 4]", "group: 1..8").replace("step 8", "step 2")
POINTS = 2 * 2 * 25 * 25 * 3 * 3
COLUMNS = ("--columns", "qk_depth,ov_depth,qkv_dtype,BM,page_size,group,smem_used,supported")


def kcfg(*arguments: str, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kcfg.cli", "sweep", "spec.yaml", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, **more)


def here(folder: Path, *arguments: str) -> str:
    """What a sweep says that ends well: in this process, where nothing of one is asked."""
    done = programs.run("sweep", "spec.yaml", *arguments, cwd=folder)
    assert done.code == 0, done.stderr
    return done.stderr


def refused(folder: Path, *arguments: str) -> str:
    """What a sweep says that does not begin."""
    done = programs.run("sweep", "spec.yaml", *arguments, cwd=folder)
    assert done.code == 2, done.stderr
    return done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spec.yaml").write_text(SPEC)
    return tmp_path


def whole(folder: Path, name: str = "whole.csv", *arguments: str) -> bytes:
    assert f"{POINTS:,} points" in here(folder, "-o", name, *(arguments or COLUMNS))
    return (folder / name).read_bytes()


def test_a_file_has_every_point_as_derive_gives_it(folder: Path) -> None:
    whole(folder, "rows.jsonl", "--columns", "all")
    lines = (folder / "rows.jsonl").read_text().splitlines()
    assert len(lines) == POINTS
    for line in lines[:: POINTS // 50]:
        row = json.loads(line)
        inputs = {key: row[key] for key in ("group", "qk_depth", "ov_depth", "page_size", "BM")}
        given = {"qkv_dtype": row["qkv_dtype"], "num_q_heads": 32, **inputs}
        values = shapes.derive("fa4", "26.7", given).values()
        assert {key: row[key] for key in values} == values
    assert sorted(path.name for path in folder.iterdir()) == ["rows.jsonl", "spec.yaml"]


def test_parquet_and_csv_hold_the_same(folder: Path) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    text = whole(folder).decode().splitlines()
    whole(folder, "rows.parquet")
    rows = parquet.read_table(folder / "rows.parquet").to_pylist()
    wanted = [
        {
            key: str(value).lower() if isinstance(value, bool) else str(value)
            for key, value in row.items()
        }
        for row in rows
    ]
    assert list(csv.DictReader(text)) == wanted
    assert {type(value) for value in rows[0].values()} == {int, bool, str}


def begun(folder: Path, *arguments: str, blocks: int = 1) -> subprocess.Popen[str]:
    """A sweep under way, one that has done so many blocks."""
    command = [sys.executable, "-m", "kcfg.cli", "sweep", "spec.yaml", "-o", "rows.csv", *arguments]
    running = subprocess.Popen(
        command,
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell's background job has SIGINT ignored, and what it starts would too.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    for _ in range(6000):
        progress = folder / "rows.csv.progress"
        if progress.exists() and json.loads(progress.read_text())["next"] >= blocks:
            return running
        if running.poll() is not None:
            break
        time.sleep(0.005)
    raise AssertionError(f"it did not get anywhere: {running.communicate()[1]}")


@pytest.fixture
def large(folder: Path) -> Path:
    """A folder whose sweep takes some seconds."""
    (folder / "spec.yaml").write_text(LARGE)
    return folder


WHERE = ("--where", "supported and num_kv_stages >= 3", *COLUMNS)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[str]]:
    """What a large sweep gives that nobody stops: its file, and what it counts."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    (folder / "spec.yaml").write_text(LARGE)
    said = here(folder, "-o", "rows.csv", *WHERE)
    counts = [line for line in said.splitlines() if line.startswith("  ")]
    return (folder / "rows.csv").read_bytes(), counts


@pytest.mark.parametrize(
    ("how", "jobs"),
    [(signal.SIGKILL, "1"), (signal.SIGKILL, "2"), (signal.SIGTERM, "2"), (signal.SIGINT, "1")],
)
def test_a_stopped_run_goes_on_where_it_was(
    large: Path, how: int, jobs: str, uninterrupted: tuple[bytes, list[str]]
) -> None:
    running = begun(large, *WHERE, "--jobs", jobs)
    os.kill(running.pid, how)
    said = running.communicate(timeout=60)[1]
    assert running.returncode in (130, -signal.SIGKILL)
    assert not (large / "rows.csv").exists()
    if how != signal.SIGKILL:
        assert "interrupted" in said and "continue with --resume" in said
    state = json.loads((large / "rows.csv.progress").read_text())
    with (large / "rows.csv.part").open("ab") as part:
        part.write(b"32,half a li")
    assert state["tally"]["points"] > 0
    assert "continue it with --resume" in refused(large, "-o", "rows.csv", *WHERE)
    other = ("-o", "rows.csv", "--where", "supported", "--resume")
    assert "belongs to another sweep" in refused(large, *other)
    said = here(large, "-o", "rows.csv", *WHERE, "--resume")
    rows, counts = uninterrupted
    assert (large / "rows.csv").read_bytes() == rows
    assert counts and said.splitlines()[1:] == counts


@pytest.mark.parametrize("engine", [("--jobs", "2"), ("--engine", "dask", "--jobs", "2")])
def test_ctrl_c_in_a_terminal_is_told_of_once(large: Path, engine: tuple[str, ...]) -> None:
    """It reaches the workers too, which may have just been started."""
    if "dask" in engine:
        pytest.importorskip("distributed")
    running = begun(large, *WHERE, *engine, blocks=0)
    os.killpg(running.pid, signal.SIGINT)
    (said,) = running.communicate(timeout=60)[1].splitlines()
    assert running.returncode == 130 and said.startswith("interrupted; ")


def test_a_run_that_was_killed_when_its_file_was_there_can_be_run_again(folder: Path) -> None:
    wanted = whole(folder, "rows.csv")
    for resume in ([], ["--resume"]):
        (folder / "rows.csv.progress").write_text("of the run that made rows.csv")
        here(folder, "-o", "rows.csv", *COLUMNS, *resume)
        assert (folder / "rows.csv").read_bytes() == wanted
        assert not (folder / "rows.csv.progress").exists()


def test_the_best_rows_survive_a_stop(large: Path) -> None:
    text = (large / "spec.yaml").read_text()
    (large / "spec.yaml").write_text(text.replace("ov_depth: 64..256 step 2", "ov_depth: 64..256"))
    best = ("--sort=-num_kv_stages,smem_used", "--top", "40", *COLUMNS)
    running = begun(large, *best)
    running.kill()
    running.communicate(timeout=60)
    here(large, "-o", "rows.csv", *best, "--resume")
    here(large, "-o", "again.csv", *best)
    assert (large / "rows.csv").read_bytes() == (large / "again.csv").read_bytes()


def test_a_full_disk_is_said_and_can_be_continued(folder: Path) -> None:
    wanted = whole(folder)

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(wanted) // 2, resource.RLIM_INFINITY))

    full = kcfg("-o", "rows.csv", *COLUMNS, cwd=folder, preexec_fn=little_room)
    assert full.returncode == 2
    assert "rows.csv: cannot be written: File too large" in full.stderr
    assert "--resume" in full.stderr
    assert not (folder / "rows.csv").exists()
    here(folder, "-o", "rows.csv", *COLUMNS, "--resume")
    assert (folder / "rows.csv").read_bytes() == wanted


def test_a_broken_pipe_and_a_folder_that_is_not_there(folder: Path) -> None:
    assert "there is no directory" in refused(folder, "-o", "no/rows.csv")
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "kcfg.cli", "sweep", "spec.yaml", "--format", "csv"]
        done = subprocess.run(command, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "cannot write the results" in done.stderr
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=full)
    assert done.returncode == 0  # the counts are told to nobody


@pytest.fixture(scope="module")
def once_stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a sweep that was stopped, and may be continued; for nobody to change."""
    folder = tmp_path_factory.mktemp("stopped")
    (folder / "spec.yaml").write_text(LARGE)
    running = begun(folder, *WHERE)
    running.kill()
    running.communicate(timeout=60)
    return folder


@pytest.fixture
def stopped(once_stopped: Path, tmp_path: Path) -> Path:
    """The same to change."""
    return Path(shutil.copytree(once_stopped, tmp_path / "stopped"))


STATES: list[tuple[str, Any]] = [
    ("next", -1),
    ("next", "x"),
    ("next", True),
    ("next", 1.0),
    ("next", None),
    ("next", 10**9),
    ("next", 0),
    ("bytes", -1),
    ("bytes", 0),
    ("bytes", 1 << 62),
    ("crc32", 0),
    ("crc32", 10**20),
    ("kept", [0]),
    ("kept", {}),
    ("tally", []),
    ("tally.points", 1),
    ("tally.supported", -1),
    ("tally.supported", 0),
    ("tally.kept", "1"),
    ("tally.singly", 1 << 40),
    ("tally.refused", [[0]]),
    ("tally.refused", [[-1, 1]]),
    ("tally.refused", [[10**6, 1]]),
    ("tally.refused", [["a", 1]]),
    ("tally.refused", [[0, 1], [0, 1]]),
    ("tally.more", 1),
    ("more", 1),
]


def test_a_state_that_cannot_be_is_not_continued(stopped: Path) -> None:
    progress, part = stopped / "rows.csv.progress", stopped / "rows.csv.part"
    state, rows = json.loads(progress.read_text()), part.read_bytes()
    texts = [b"", b"[", b"9" * 5000, b"[" * 100_000, b"\xff", b"null", b'{"query": 1}']
    for path, value in STATES:
        wrong = json.loads(json.dumps(state))
        *outer, key = path.split(".")
        (wrong[outer[0]] if outer else wrong)[key] = value
        texts.append(json.dumps(wrong).encode())
    for text in texts:
        progress.write_bytes(text)
        said = refused(stopped, "-o", "rows.csv", "--resume", *WHERE)
        assert "to begin anew" in said and "points are done" not in said, text
        assert progress.read_bytes() == text and part.read_bytes() == rows
        assert not (stopped / "rows.csv").exists()


@pytest.mark.parametrize("damage", ["zeros", "shorter", "another header"])
def test_rows_that_are_not_those_of_the_state_are_not_continued(stopped: Path, damage: str) -> None:
    part = stopped / "rows.csv.part"
    rows = part.read_bytes()
    half = len(rows) // 2
    damaged = {
        "zeros": rows[:half].ljust(len(rows), b"\0"),
        "shorter": rows[:half],
        "another header": b"x" + rows[1:],
    }
    part.write_bytes(damaged[damage])
    said = refused(stopped, "-o", "rows.csv", *WHERE, "--resume")
    assert "rows.csv.part does not hold the rows that rows.csv.progress tells of" in said


@pytest.mark.parametrize("killed", [False, True])
def test_two_runs_on_one_file_exclude_each_other(
    large: Path, killed: bool, uninterrupted: tuple[bytes, list[str]]
) -> None:
    (large / "link.csv").symlink_to("rows.csv")
    running = begun(large, *WHERE)
    running.send_signal(signal.SIGSTOP)  # or it might end before the second has begun
    second = refused(large, "-o", "link.csv", *WHERE)
    running.send_signal(signal.SIGCONT)
    assert f"link.csv: process {running.pid} on {os.uname().nodename} is writing" in second
    if killed:
        running.kill()
    running.communicate(timeout=60)
    if killed:  # its lock went with it
        here(large, "-o", "link.csv", *WHERE, "--resume")
    assert (large / "rows.csv").read_bytes() == uninterrupted[0]
    assert sorted(os.listdir(large)) == ["link.csv", "rows.csv", "spec.yaml"]


# Engines


def asked() -> Query:
    values: dict[str, list[Any]] = {key: [value] for key, value in shapes.INDEXER.items()}
    values |= {"depth": list(range(64, 128)), "mma_n": list(range(8, 136)), "num_heads": [4, 8, 32]}
    columns = ("k_stages", "smem_used", "supported")
    return sweeps.query("index_prefill", "26.7", values, columns=columns, block=300)


def outcomes(engine: Engine, query: Query) -> Iterator[Outcome]:
    tasks: Iterator[Task] = ((query, number) for number in range(query.grid.blocks))
    return iter(engine(tasks))


def plain(outcome: Outcome) -> Any:
    assert outcome.rows is not None
    columns = [column.tolist() for column in outcome.rows.columns]
    return outcome.number, outcome.tally, outcome.rows.points.tolist(), columns


def test_processes_survive_the_loss_of_one() -> None:
    query = asked()
    wanted = list(map(plain, outcomes(engines.serial, query)))
    assert len(wanted) > 50
    found = []
    for outcome in outcomes(engines.processes(2), query):
        found.append(plain(outcome))
        if len(found) == 10:
            children = active_children()
            assert children[0].pid
            os.kill(children[0].pid, signal.SIGKILL)
    assert found == wanted


def test_processes_that_keep_dying_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "work", os._exit)
    with pytest.raises(engines.EngineError, match="keep dying"):
        list(engines.processes(1)([3]))  # type: ignore[list-item]  # exits with it


def test_a_dask_cluster_survives_the_loss_of_a_worker() -> None:
    distributed = pytest.importorskip("distributed")
    query = asked()
    wanted = list(map(plain, outcomes(engines.serial, query)))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as cluster:
        with distributed.Client(cluster) as client:
            pids = list(client.run(os.getpid).values())
        assert len(pids) == 2
        found = []
        for outcome in outcomes(engines.dask(cluster.scheduler_address, 2, print), query):
            found.append(plain(outcome))
            if len(found) == 10:
                os.kill(pids[0], signal.SIGKILL)
    assert found == wanted


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "none://a:1"])
def test_dask_without_a_scheduler_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(engines, "CONNECTING", 1)
    with pytest.raises(engines.EngineError, match=f"no Dask scheduler at {address}: "):
        list(engines.dask(address, 1, print)([]))


def test_dask_without_a_worker_says_how_long_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(engines, "WAITING", 1)
    said: list[str] = []
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as cluster,
        pytest.raises(engines.EngineError, match="had no worker for 1 s"),
    ):
        list(engines.dask(cluster.scheduler_address, 1, said.append)([]))
    assert said == ["waiting for a Dask worker, 1 s at most"]


def test_a_cluster_with_another_kcfg_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(engines, "VERSION", "0.0.1")
    with (
        distributed.LocalCluster(n_workers=1, dashboard_address=":0", silence_logs=50) as cluster,
        pytest.raises(engines.EngineError, match=r"kcfg 0\.0\.1 asks, and kcfg"),
    ):
        list(outcomes(engines.dask(cluster.scheduler_address, 1, print), asked()))


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        (("--jobs", "2"), "the worker processes keep dying; --jobs 1 does without them"),
        (("--engine", "dask"), "no Dask cluster can be started here: "),
    ],
)
def test_workers_that_die_at_their_start(folder: Path, engine: tuple[str, ...], said: str) -> None:
    if "dask" in engine:
        pytest.importorskip("distributed")
    (folder / "sitecustomize.py").write_text(
        "import os, sys\nif 'spawn_main' in ' '.join(sys.orig_argv): os._exit(3)\n"
    )
    path = os.pathsep.join(filter(None, (str(folder), *sys.path)))
    done = kcfg(*engine, cwd=folder, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 2 and said in done.stderr and "itself failed" not in done.stderr


def test_processes_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable(*_: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(ProcessPoolExecutor, "submit", unavailable)
    with pytest.raises(engines.EngineError, match="no worker process can be started: "):
        list(outcomes(engines.processes(2), asked()))


# What is kept


@pytest.mark.parametrize("block", [37, 1 << 17])
def test_the_best_and_the_front_are_those_of_all_rows(block: int) -> None:
    values: dict[str, list[Any]] = {key: [value] for key, value in shapes.FA4_26.items()}
    values |= {"qk_depth": list(range(64, 200, 8)), "BM": [64, 128, 256], "page_size": [0, 16, 128]}
    names = ("smem_used", "num_kv_stages", "swizzle_mode", "supported")

    def rows(keep: Reduction) -> list[int]:
        query = sweeps.query("fa4", "26.7", values, columns=names, keep=keep, block=block)
        return list(sweeps.joined_rows(query).points.tolist())

    everything, _ = sweeps.swept(sweeps.query("fa4", "26.7", values, columns=names))
    best = sorted(
        everything, key=lambda point: (-everything[point][1], everything[point][0], point)
    )
    assert rows(Reduction("best", (Key(1, True), Key(0, False)), 25)) == best[:25]
    assert rows(Reduction("first", (), 25)) == list(range(25))

    def beaten(point: int) -> bool:
        smem, stages = everything[point][:2]
        return any(
            other[0] <= smem and other[1] >= stages and ((smem, stages) != other[:2] or one < point)
            for one, other in everything.items()
            if one != point
        )

    front = rows(Reduction("front", (Key(0, False), Key(1, True))))
    assert sorted(front) == [point for point in everything if not beaten(point)]
    bands = rows(Reduction("bands", (Key(3, False), Key(0, False))))
    for verdict in (False, True):
        all_of_them = [row[0] for row in everything.values() if row[3] is verdict]
        kept = [everything[point][0] for point in bands if everything[point][3] is verdict]
        assert sorted(kept) == sorted({min(all_of_them), max(all_of_them)})
