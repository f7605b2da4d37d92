"""A sweep loses nothing and writes nothing false: stopped, continued, out of room, killed."""

from __future__ import annotations

import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

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
LARGE = SPEC.replace("group: [1, 4]", "group: 1..24").replace("step 8", "step 2")
POINTS = 2 * 2 * 25 * 25 * 3 * 3
COLUMNS = ("--columns", "qk_depth,ov_depth,qkv_dtype,BM,page_size,group,smem_used,supported")


def kcfg(*arguments: str, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kcfg.cli", "sweep", "spec.yaml", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, **more)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spec.yaml").write_text(SPEC)
    return tmp_path


def whole(folder: Path, name: str = "whole.csv", *arguments: str) -> bytes:
    done = kcfg("-o", name, *(arguments or COLUMNS), cwd=folder)
    assert done.returncode == 0, done.stderr
    assert f"{POINTS:,} points" in done.stderr
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
    for _ in range(600):
        progress = folder / "rows.csv.progress"
        if progress.exists() and json.loads(progress.read_text())["next"] >= blocks:
            return running
        if running.poll() is not None:
            break
        time.sleep(0.05)
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
    done = kcfg("-o", "rows.csv", *WHERE, cwd=folder)
    assert done.returncode == 0, done.stderr
    counts = [line for line in done.stderr.splitlines() if line.startswith("  ")]
    return (folder / "rows.csv").read_bytes(), counts


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("jobs", ["1", "2"])
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
    refused = kcfg("-o", "rows.csv", *WHERE, cwd=large)
    assert refused.returncode == 2 and "continue it with --resume" in refused.stderr
    other = kcfg("-o", "rows.csv", "--where", "supported", "--resume", cwd=large)
    assert other.returncode == 2 and "belongs to another sweep" in other.stderr
    done = kcfg("-o", "rows.csv", *WHERE, "--resume", cwd=large)
    assert done.returncode == 0, done.stderr
    rows, counts = uninterrupted
    assert (large / "rows.csv").read_bytes() == rows
    assert counts and done.stderr.splitlines()[1:] == counts


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
        done = kcfg("-o", "rows.csv", *COLUMNS, *resume, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert (folder / "rows.csv").read_bytes() == wanted
        assert not (folder / "rows.csv.progress").exists()


def test_a_result_takes_no_pipe_s_place(folder: Path) -> None:
    os.mkfifo(folder / "pipe.csv")
    done = kcfg("-o", "pipe.csv", *COLUMNS, cwd=folder)
    assert done.returncode == 2 and "pipe.csv is no regular file" in done.stderr
    assert (folder / "pipe.csv").is_fifo()


def test_the_best_rows_survive_a_stop(large: Path) -> None:
    text = (large / "spec.yaml").read_text()
    (large / "spec.yaml").write_text(text.replace("ov_depth: 64..256 step 2", "ov_depth: 64..256"))
    best = ("--sort=-num_kv_stages,smem_used", "--top", "40", *COLUMNS)
    running = begun(large, *best)
    running.kill()
    running.communicate(timeout=60)
    assert kcfg("-o", "rows.csv", *best, "--resume", cwd=large).returncode == 0
    assert kcfg("-o", "again.csv", *best, cwd=large).returncode == 0
    assert (large / "rows.csv").read_bytes() == (large / "again.csv").read_bytes()


def test_a_full_disk_is_said_and_can_be_continued(folder: Path) -> None:
    wanted = whole(folder)

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(wanted) // 2, resource.RLIM_INFINITY))

    full = kcfg("-o", "rows.csv", *COLUMNS, cwd=folder, preexec_fn=little_room)
    assert full.returncode == 2
    assert "cannot write rows.csv" in full.stderr and "--resume" in full.stderr
    assert not (folder / "rows.csv").exists()
    assert kcfg("-o", "rows.csv", *COLUMNS, "--resume", cwd=folder).returncode == 0
    assert (folder / "rows.csv").read_bytes() == wanted


def test_a_broken_pipe_and_a_folder_that_is_not_there(folder: Path) -> None:
    missing = kcfg("-o", "no/rows.csv", cwd=folder)
    assert missing.returncode == 2 and "No such file or directory" in missing.stderr
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "kcfg.cli", "sweep", "spec.yaml", "--format", "csv"]
        done = subprocess.run(command, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "cannot write the results" in done.stderr
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=full)
    assert done.returncode == 0  # the counts are told to nobody


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
        for outcome in outcomes(engines.dask(cluster.scheduler_address, 2), query):
            found.append(plain(outcome))
            if len(found) == 10:
                os.kill(pids[0], signal.SIGKILL)
    assert found == wanted


def test_dask_without_a_scheduler_there(folder: Path) -> None:
    pytest.importorskip("distributed")
    done = kcfg("--engine", "dask", "--scheduler", "tcp://127.0.0.1:9", cwd=folder)
    assert done.returncode == 2 and "no Dask scheduler at tcp://127.0.0.1:9" in done.stderr


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
