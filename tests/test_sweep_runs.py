"""What a sweep picks runs: rules are asked of it, beside the kernel's own verdict."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import defined
import pytest
from typer.testing import CliRunner, Result

import kcfg
from kcfg.cli.main import application

pytest.importorskip("numpy")

AXES = {"BM": [64, 96, 128, 256], "BN": [64, 192, 256, 384, 512], "BK": [64, 128]}
"""Of the definition's own verdict nothing rests on BM, nor on what tensor memory takes."""


@pytest.fixture(scope="module")
def gemm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warp-specialised GEMM, defined with one spec behind it."""
    definition = defined.path("ws_gemm").read_text().split("\n---")[0]
    path = tmp_path_factory.mktemp("runs") / "gemm.kcfg.yaml"
    path.write_text(f"{definition}\n---\nkernel: ws_gemm\n")
    return path


def swept(path: Path, *arguments: str) -> Result:
    axes = [f"--set={key}={values}" for key, values in AXES.items()]
    command = ["sweep", str(path), *axes, "--columns=BM,BN,BK,stages", *arguments]
    done = CliRunner().invoke(application(command), command)
    assert done.exit_code == 0, done.output
    return done


def rows(path: Path, *arguments: str) -> list[tuple[int, ...]]:
    _, *lines = swept(path, *arguments, "--format=csv").stdout.splitlines()
    return [tuple(map(int, line.split(","))) for line in lines]


@pytest.fixture(scope="module")
def running(gemm: Path) -> list[tuple[int, ...]]:
    """Every point that runs, each derived and judged on its own."""
    found = []
    for point in product(*AXES.values()):
        shape = ", ".join(f"{key}: {value}" for key, value in zip(AXES, point, strict=True))
        (one,) = kcfg.read(f"{gemm.read_text()}shape: {{{shape}}}\n")
        if one.runs:
            found.append((*point, one["stages"]))
    assert 5 < len(found) < 20
    return found


def by(columns: tuple[int, ...], points: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    return sorted(points, key=lambda point: [-point[column] for column in columns])


@pytest.mark.parametrize(
    ("condition", "jobs", "tops"),
    [
        ((), "1", (1, 4, 100)),
        (("--where=supported",), "1", (1, 4, 100)),
        (("--where=BN > 0",), "1", (1, 4, 100)),
        (("--where=BN > 0",), "2", (4,)),
    ],
)
def test_the_best_are_the_best_that_run(
    gemm: Path,
    running: list[tuple[int, ...]],
    condition: tuple[str, ...],
    jobs: str,
    tops: tuple[int, ...],
) -> None:
    best = by((1, 3), running)
    for top in tops:
        found = rows(gemm, "--sort=-BN,-stages", f"--top={top}", f"--jobs={jobs}", *condition)
        assert found == best[:top]


def test_the_first_are_the_first_that_run(gemm: Path, running: list[tuple[int, ...]]) -> None:
    assert rows(gemm, "--top=3") == running[:3]


def test_no_other_that_runs_beats_them(gemm: Path, running: list[tuple[int, ...]]) -> None:
    def beaten(one: tuple[int, ...]) -> bool:
        mine = (one[1], one[3])
        return any(
            (a, b) != mine and a >= mine[0] and b >= mine[1]
            for a, b in ((p[1], p[3]) for p in running)
        )

    front = {(point[1], point[3]) for point in running if not beaten(point)}
    found = rows(gemm, "--pareto=-BN,-stages")
    assert {(point[1], point[3]) for point in found} == front
    assert set(found) <= set(running)


def test_it_says_which_rules_put_points_aside(gemm: Path) -> None:
    done = swept(gemm, "--sort=-BN", "--top=1")
    assert "that would have been shown put aside by rules: " in done.stderr
    assert "MMA" in done.stderr.split("by rules: ")[1]


def test_a_point_that_several_rules_refuse_is_counted_under_the_first(tmp_path: Path) -> None:
    path = tmp_path / "wide.kcfg.yaml"
    path.write_text(
        "defines: wide\ninputs: {BN: 256}\nsupported: {whole: BN % 64 == 0}\n"
        "shared: {bars: {mbarriers: 1, arrivals: 512 - BN}}\n"
        "tensor_memory: {acc: {columns: 2 * BN}}\n---\nkernel: wide\n"
    )
    (one,) = kcfg.read(path.read_text() + "shape: {BN: 512}\n")
    first, *others = [each.rule for each in one.findings if each.severity == "error"]
    assert others and first not in others
    command = ["sweep", str(path), "--set=BN=[256,512]", "--sort=-BN", "--top=1", "--columns=BN"]
    done = CliRunner().invoke(application(command), command)
    assert f"1 point that would have been shown put aside by rules: {first} 1\n" in done.stderr


def test_all_shows_them_with_the_rules(gemm: Path) -> None:
    for arguments in (["--sort=-BN", "--all"], []):
        shown = swept(gemm, *arguments, "--format=table", "--where=BM == 96 and BN == 256")
        assert shown.stdout.count("refused: MMA001") == len(AXES["BK"])


def test_what_has_no_verdict_is_judged_too() -> None:
    command = ["sweep", "deepseek-v3-2-sparse", "--set=b_topk=[64,128,256]"]
    command += ["--sort=-b_topk", "--top=1", "--format=csv", "--columns=b_topk"]
    done = CliRunner().invoke(application(command), command)
    assert done.stdout.splitlines() == ["b_topk", "128"]
    assert "SMEM001 1" in done.stderr
    command = ["sweep", "deepseek-v3-2-sparse"]
    shown = CliRunner().invoke(application(command), command)
    assert shown.exit_code == 0 and "storage.size_of" in shown.stdout


@pytest.mark.parametrize(
    "text", ["inputs: {n: 16}\nvalues: {a: n * 16}\n", "inputs: {n: 16}\n", ""]
)
def test_what_has_little_to_show(tmp_path: Path, text: str) -> None:
    (tmp_path / "one.kcfg.yaml").write_text(f"defines: one\n{text}---\nkernel: one\n")
    command = ["sweep", str(tmp_path / "one.kcfg.yaml")]
    done = CliRunner().invoke(application(command), command)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("one 1 on b200\n")


def test_where_nothing_runs(gemm: Path) -> None:
    done = swept(gemm, "--sort=-BN", "--where=BM == 96", "--format=table")
    assert "no points that run; --all shows refused ones" in done.stdout


def test_rounds_end_where_many_are_refused(
    gemm: Path, running: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kcfg.core.sweep.work.ROUNDS", 1)
    monkeypatch.setattr("kcfg.core.sweep.work.AHEAD", 1)
    found = rows(gemm, "--sort=-BN,-stages", "--top=1", "--jobs=1")
    assert found == by((1, 3), running)[:1]
