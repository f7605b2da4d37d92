"""Cubins, fatbins, PTX and Triton's cache against specs: every figure that they state."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checking import FINE, LOGS, WARNED, WRONG, judge, launch

from kcfg.core.check import text, tools

BUILDS = Path(__file__).parent / "builds"
CUBIN, FATBIN, PTX = (
    BUILDS / f"launched.{kind}" for kind in ("sm_100a.cubin", "fatbin", "sm_100a.ptx")
)
needs_tool = pytest.mark.skipif(
    tools.find() is None, reason="needs cuobjdump: pip install nvidia-cuda-cuobjdump"
)

BOUNDED = (
    "threads: 384, registers: {launch_bounds: [384, 1]}, shared: {static: 0}, named_barriers: [0]"
)
CLUSTERED = (
    "threads: 256, registers: {launch_bounds: [256, 2]}, cluster: [2], shared: {static: 1024},"
    " named_barriers: [0]"
)
SIZED = "threads: 128, cluster: [2, 1, 1], shared: {static: 0}"
CAPPED = "threads: 64, registers: {maxnreg: 40}, shared: {static: 0}"
TRITON = (
    "threads: 128, cluster: [1], shared: {static: 0, dynamic: 98320}, tmem: {allocations: [128]}"
)

# The kernel, what was configured, and what must be said of each of its builds.
VERDICTS = [
    ("bounded", BOUNDED, FINE, FINE),
    ("clustered", CLUSTERED, FINE, FINE),
    ("sized", SIZED, FINE, FINE),
    ("capped", CAPPED, FINE, FINE),
    ("bounded", BOUNDED.replace("static: 0", "static: 16"), {"CHK004": WRONG}, {"CHK004": WRONG}),
    ("bounded", BOUNDED.replace("[0]", "[0, 1]"), {"CHK005": WARNED}, FINE),
    # 384 threads of a kernel bounded to 256; another cap, which PTX does not name.
    (
        "clustered",
        "threads: 384, registers: {launch_bounds: [384, 1]}",
        {"CHK012": WRONG, "CHK017": WARNED},
        {"CHK012": WRONG, "CHK016": WARNED},
    ),
    (
        "bounded",
        "threads: 256, registers: {launch_bounds: [256, 1]}",
        {"CHK012": WARNED, "CHK017": WARNED},
        {"CHK012": WARNED},
    ),
    ("clustered", "threads: 256, cluster: [4]", {"CHK013": WRONG}, {"CHK013": WRONG}),
    ("clustered", "threads: 256, cluster: [1, 2]", {"CHK013": WRONG}, {"CHK013": WRONG}),
    ("sized", "threads: 256", {"CHK011": WRONG}, {"CHK011": WRONG}),
    ("sized", "block: [64, 2]", {"CHK011": WRONG}, {"CHK011": WRONG}),
    ("capped", "threads: 64, registers: {maxnreg: 48}", {"CHK017": WARNED}, {"CHK017": WARNED}),
]


@pytest.mark.parametrize(("kernel", "shape", "object", "ptx"), VERDICTS)
def test_verdict_on_ptx(
    tmp_path: Path, kernel: str, shape: str, object: dict[str, str], ptx: dict[str, str]
) -> None:
    judged = judge(tmp_path, launch(shape), PTX, name=kernel)
    assert (judged.rules, judged.code) == (ptx, int(WRONG in ptx.values()))
    assert f"judged: {kernel} for compute_100a, as reported by its PTX" in judged.notes


@needs_tool
def test_verdicts_on_objects(tmp_path: Path) -> None:
    for kernel, shape, rules, _ in VERDICTS:
        for path in (CUBIN, FATBIN):
            judged = judge(tmp_path, launch(shape), path, name=kernel)
            assert (kernel, judged.rules) == (kernel, rules)
            assert (
                f"{path}: judged: {kernel} for sm_100a, as reported by cuobjdump (" in judged.notes
            )
            assert "bytes of constant memory: no configuration says it" in judged.notes


@needs_tool
def test_the_code_of_the_target_is_judged(tmp_path: Path) -> None:
    judged = judge(tmp_path, launch(BOUNDED, "h200"), FATBIN, name="bounded")
    assert judged.rules == FINE and "judged: bounded for sm_90a" in judged.notes
    assert judge(tmp_path, launch(BOUNDED, "h200"), CUBIN, name="bounded").rules == {
        "CHK006": WRONG
    }


@needs_tool
def test_an_object_through_a_pipe_and_a_saved_dump(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", str(CUBIN), str(pipe)]):
        assert judge(tmp_path, launch(BOUNDED), pipe, name="bounded").rules == FINE
    tool = tools.find()
    assert tool is not None
    dump = subprocess.run(
        [tool.path, "--dump-elf", "--dump-resource-usage", CUBIN], capture_output=True, check=True
    )
    said = judge(tmp_path, launch("threads: 256"), dump.stdout, name="sized")
    assert said.rules == {"CHK011": WRONG} and said.of("CHK011").line > 0


# Triton


@needs_tool
@pytest.mark.parametrize("file", ["mm.json", "mm.cubin"])
def test_triton_with_its_cubin(tmp_path: Path, file: str) -> None:
    judged = judge(tmp_path, launch(TRITON), BUILDS / file)
    assert judged.rules == FINE
    assert "judged: mm for sm_100a, as reported by Triton and cuobjdump" in judged.notes
    assert "3 stages of loops: no configuration says it" in judged.notes
    wrong = (
        "threads: 256, cluster: [2], shared: {dynamic: 98304}, tmem: {allocations: [256]},"
        " registers: {launch_bounds: [256, 1]}"
    )
    found = judge(tmp_path, launch(wrong), BUILDS / file).rules
    assert {f"CHK0{number}" for number in (11, 13, 14, 15)} <= found.keys()


def test_triton_alone(tmp_path: Path) -> None:
    alone = tmp_path / "mm.json"
    shutil.copy(BUILDS / "mm.json", alone)
    judged = judge(tmp_path, launch(TRITON), alone)
    assert judged.rules == FINE and "CHK001: Triton does not report the registers" in judged.notes
    alone.write_text('{"num_warps": 4}')
    assert (
        "is not what Triton keeps" in judge(tmp_path, launch(TRITON), alone).of("SPEC001").message
    )


# Where the tool is


def test_without_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "find", lambda: None)
    judged = judge(tmp_path, launch(BOUNDED), CUBIN, name="bounded")
    assert judged.code == 2
    assert "`pip install nvidia-cuda-cuobjdump`" in judged.of("SPEC001").message
    both = judge(tmp_path, launch(TRITON), BUILDS / "mm.json")
    assert both.rules == FINE and "its cubin is not read: objects are read by" in both.notes


def test_it_is_found_on_path_then_in_cuda_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("path", "home/bin"):
        program = tmp_path / folder / "cuobjdump"
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\necho 'cuobjdump fatal : no' >&2\nexit 255\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    assert tools.find() == (str(tmp_path / "path" / "cuobjdump"), "on PATH")
    judged = judge(tmp_path, launch(BOUNDED), CUBIN)
    assert "cuobjdump could not read it: cuobjdump fatal : no" in judged.of("SPEC001").message
    monkeypatch.setenv("PATH", "")
    assert tools.find() == (str(tmp_path / "home/bin/cuobjdump"), "in CUDA_HOME")


# What cannot be read


def test_what_is_no_build_is_refused(tmp_path: Path) -> None:
    noise = bytes(range(1, 32)) * 40
    for data in (noise, bytes(1 << 16)):
        judged = judge(tmp_path, launch(BOUNDED), data)
        assert judged.code == 2 and "binary" in judged.of("SPEC001").message


def test_a_log_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MOST_BYTES", 1 << 22)
    with subprocess.Popen(["yes", "x" * 4000], stdout=subprocess.PIPE) as endless:
        assert endless.stdout is not None
        path = Path(f"/dev/fd/{endless.stdout.fileno()}")
        judged = judge(tmp_path, launch(BOUNDED), path)
        endless.kill()
    assert judged.code == 2 and "are no log of a build" in judged.of("SPEC001").message


LONG = "9" * 5000
LOG = (LOGS / "clean.sm_100a.ptxas.txt").read_text()


@pytest.mark.parametrize(
    "log",
    [
        LOG.replace("10 registers", f"{LONG} registers").replace("4096 bytes", f"{LONG} bytes"),
        PTX.read_text().replace(".reqntid 128", f".reqntid {LONG}"),
        f'{{"name": "k", "shared": {LONG}, "num_warps": {LONG}}}',
        f"Function k:\n REG:{LONG} STACK:{LONG} SHARED:{LONG} LOCAL:0\n",
    ],
)
def test_figures_of_any_length(tmp_path: Path, log: str) -> None:
    judged = judge(tmp_path, launch("threads: 256"), log.encode(), name="*")
    assert set(judged.rules) <= {"LOG001"}


# Several specs


def several(folder: Path) -> Path:
    specs = folder / "kernels.kcfg.yaml"
    specs.write_text(
        "".join(
            f"---\nkernel: launch\nname: {kernel}\nbuild: {{kernel: {kernel}}}\n"
            f"shape: {{{shape}}}\n"
            for kernel, shape in (("bounded", BOUNDED), ("sized", "threads: 256"))
        )
    )
    return specs


def run(*arguments: str, folder: Path, program: str = "kcfg.cli.main") -> tuple[int, str]:
    found = subprocess.run(
        [sys.executable, "-P", "-m", program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return found.returncode, found.stdout + found.stderr


def test_specs_say_which_kernel_is_theirs(tmp_path: Path) -> None:
    specs = several(tmp_path)
    log = LOGS / "templated.sm_100a.ptxas.txt"
    other = tmp_path / "other.yaml"
    other.write_text('kernel: launch\nbuild: {kernel: "tile_sum<double*"}\nshape: {threads: 256}\n')
    code, said = run("check", specs.name, other.name, str(PTX), str(log), folder=tmp_path)
    assert code == 1 and "4 files, 3 specs: 1 error" in said
    assert "judged: bounded for compute_100a" in said
    assert "judged: void tk::tile_sum<double" in said
    assert "CHK011 compiled for a block of just 128 threads, the configuration has 256" in said


def test_the_hook_checks_what_the_project_lists(tmp_path: Path) -> None:
    several(tmp_path)
    (tmp_path / "build").mkdir()
    shutil.copy(PTX, tmp_path / "build" / "all.ptx")
    line = PTX.read_text().splitlines().index(".reqntid 128, 1, 1") + 1
    project = tmp_path / "pyproject.toml"
    hook = "kcfg.cli.check_hook"
    assert "nothing to check" in run(folder=tmp_path, program=hook)[1]
    project.write_text('[tool.kcfg]\ncheck = [{spec = "*.kcfg.yaml", build = "build/*.ptx"}]\n')
    code, said = run(folder=tmp_path, program=hook)
    assert code == 1 and f"build/all.ptx:{line}:1: error CHK011" in said
    inside = run(folder=tmp_path / "build", program=hook)
    assert inside[0] == 1 and f"all.ptx:{line}:1: error CHK011" in inside[1]
    project.write_text('[tool.kcfg]\ncheck = [{spec = "*.kcfg.yaml", build = "build/*.log"}]\n')
    code, said = run(folder=tmp_path, program=hook)
    assert code == 2 and "no file fits `build/*.log`" in said
    project.write_text('[tool.kcfg]\ncheck = [{spec = "*.kcfg.yaml"}]\n')
    assert "entry 1: missing build" in run(folder=tmp_path, program=hook)[1]
